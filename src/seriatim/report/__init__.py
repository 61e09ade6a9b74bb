"""Reports: pages and charts, from plain results."""

from seriatim.report.charts import write_chart
from seriatim.report.comparison import comparison_chart

__all__ = ["comparison_chart", "write_chart"]
