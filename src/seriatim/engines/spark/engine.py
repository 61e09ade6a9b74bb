"""The engine on a Spark cluster."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from seriatim.engines.declaration import Sizes
from seriatim.engines.engine import ShardedEngine
from seriatim.engines.spark.session import require_spark
from seriatim.engines.spark.workers import SparkWorkers


class SparkEngine(ShardedEngine[Any]):
    """Publishes in shards on the executors of a Spark session.

    seriatim and its dependencies must be installed where executors find their Python. The
    session is the caller's: it is neither configured nor stopped.

    Given a session, it is asked as ``LocalEngine`` is, and takes the same steps:

    >>> from seriatim import LocalEngine
    >>> SparkEngine.publish is LocalEngine.publish, SparkEngine.audit is LocalEngine.audit
    (True, True)
    """

    def __init__(
        self,
        session: Any,
        *,
        sizes: Sizes | None = None,
        progress: Callable[[str], None] = lambda _: None,
    ) -> None:
        """Take a session; ``progress`` is told what is being done, before it is done."""
        require_spark()
        super().__init__(SparkWorkers(session), sizes=sizes, progress=progress)
