"""The engine on a Spark cluster; the only place that knows Spark."""

from seriatim.engines.spark.engine import SparkEngine

__all__ = ["SparkEngine"]
