"""Reports: pages and charts, from plain results."""

from seriatim.report.account import Account, SeriesAccount
from seriatim.report.charts import write_chart
from seriatim.report.comparison import comparison_chart
from seriatim.report.page import figures, page
from seriatim.report.writing import write_page, write_pictures

__all__ = [
    "Account",
    "SeriesAccount",
    "comparison_chart",
    "figures",
    "page",
    "write_chart",
    "write_page",
    "write_pictures",
]
