"""The engine on a Spark cluster; the only place that knows Spark."""
