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

    >>> import tempfile
    >>> from seriatim import Adversary, KAnonymity, Policy, clinic
    >>> from seriatim.engines.declaration import Series
    >>> made, policy = clinic(weeks=1, size=60), Policy(KAnonymity(k=5))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     places = f"{folder}/series", f"{folder}/releases"
    ...     series = Series(*places, made.schema, policy, Adversary())
    ...     LocalEngine().publish(series, made.weeks[0], at=1)
    Outcome(release 1, 60 tuples in 12 groups)
    """

    def __init__(
        self, *, sizes: Sizes | None = None, progress: Callable[[str], None] = lambda _: None
    ) -> None:
        """Begin; ``progress`` is told what is being done, before it is done."""
        super().__init__(LocalWorkers(), sizes=sizes, progress=progress)
