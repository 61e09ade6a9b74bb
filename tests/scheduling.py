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

AT_HAND = 3
"""How many tests a worker has before it is handed more; it needs two to begin with one."""


class TogetherScheduling(LoadScopeScheduling):
    """Hands out tests one by one, and those that share something to one worker.

    What is done is forgotten: xdist would count it again after each test, and would hand it out
    again in place of a worker that crashed, which then waits for ever for a test to end.
    """

    def _split_scope(self, nodeid):
        return next((one for one in TOGETHER if nodeid.startswith(one)), nodeid)

    def mark_test_complete(self, node, item_index, duration=0):
        nodeid = self.registered_collections[node][item_index]
        self._forget(self.assigned_work[node], nodeid)
        self._reschedule(node)

    def remove_node(self, node):
        """Let others do what a crashed worker has left, without the test that it crashed in."""
        left = self.assigned_work.pop(node)
        crashed = next((nodeid for unit in left.values() for nodeid in unit), None)
        if crashed is not None:
            self._forget(left, crashed)
            self.workqueue.update(left)
            for other in self.assigned_work:
                self._reschedule(other)
        return crashed

    def _forget(self, assigned, nodeid):
        scope = self._split_scope(nodeid)
        del assigned[scope][nodeid]
        if not assigned[scope]:
            del assigned[scope]

    def _reschedule(self, node):
        if node.shutting_down:
            return
        while self.workqueue and self._pending_of(self.assigned_work[node]) < AT_HAND:
            try:
                self._assign_work_unit(node)
            except OSError:  # its process has ended, which is told later: see remove_node
                return
        if not self.workqueue:
            node.shutdown()
