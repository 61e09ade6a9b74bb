"""Engines over shards, as commands call them: on this machine, or on a cluster."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from seriatim.engines.engine import ShardedEngine
from seriatim.errors import PolicyError


@contextlib.contextmanager
def running_engine(
    name: str, master: str | None, settings: list[str], progress: Callable[[str], None]
) -> Iterator[ShardedEngine[Any]]:
    """Run the engine ``shards`` or ``spark`` for as long as the context lasts."""
    if name == "shards":
        from seriatim.engines.local.engine import LocalEngine

        yield LocalEngine(progress=progress)
        return
    from seriatim.engines.spark.engine import SparkEngine
    from seriatim.engines.spark.session import spark_session

    with spark_session(master, _settings(settings)) as session:
        yield SparkEngine(session, progress=progress)


def source_of(view: str) -> str:
    """Return a file of this machine with its whole path; what else a name stands for stays."""
    return str(Path(view).resolve()) if Path(view).exists() else view


def _settings(given: list[str]) -> dict[str, str]:
    pairs = [one.partition("=") for one in given]
    wrong = [one for one, (_, sign, _) in zip(given, pairs, strict=True) if not sign]
    if wrong:
        message = f"A setting of Spark is NAME=VALUE, not {wrong[0]!r}."
        raise PolicyError(message)
    return {name: value for name, _, value in pairs}
