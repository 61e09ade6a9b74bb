"""The engine on one machine."""

from __future__ import annotations

from collections.abc import Callable

from seriatim.engines.declaration import Sizes
from seriatim.engines.engine import ShardedEngine
from seriatim.engines.local.workers import LocalWorkers, Parts


class LocalEngine(ShardedEngine[Parts]):
    """Publishes in shards, one after the other, in this process.

    For series that a cluster will go on with, and to see what it would do. On one machine alone,
    ``Publisher`` needs no shards.
    """

    def __init__(
        self, *, sizes: Sizes | None = None, progress: Callable[[str], None] = lambda _: None
    ) -> None:
        """Begin; ``progress`` is told what is being done, before it is done."""
        super().__init__(LocalWorkers(), sizes=sizes, progress=progress)
