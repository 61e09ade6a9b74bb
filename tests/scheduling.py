"""Which tests one worker of xdist runs together: those that look at what takes long to make."""

from xdist.scheduler import LoadScopeScheduling

TOGETHER = (
    "tests/spark/",
    "tests/cli/test_reproduce.py",
    "tests/cli/test_demo.py",
    "tests/web/test_report_page.py",
    "tests/web/studio/test_gate.py",
    "tests/web/studio/test_opening.py",
    "tests/web/studio/test_screens.py",
)
"""Folders and files whose tests share something: a Spark session, a run, a studio, pages."""


class TogetherScheduling(LoadScopeScheduling):
    """Hands out tests one by one, and those that share something to one worker."""

    def _split_scope(self, nodeid):
        return next((one for one in TOGETHER if nodeid.startswith(one)), nodeid)
