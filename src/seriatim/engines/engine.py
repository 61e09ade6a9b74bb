"""The engine: publishes a view in shards, wherever its workers are.

    rows enter ─ domains, counts, boundaries ─ rows meet their pasts ─ shards form groups
    ─ leftovers are mended ─ groups are counted, numbered, written ─ the files are inspected
    ─ one manifest appears: now the release exists

The driver holds summaries only. Every step is a function on tables that both engines run, so
with the same boundaries they make the same release.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Generic

import pyarrow as pa

from seriatim._typing import Instant
from seriatim.engines.attack import ReleaseExposure, attacked
from seriatim.engines.declaration import Outcome, Series, Sizes
from seriatim.engines.run import Run, require_new
from seriatim.engines.series import Manifest, SeriesFolder
from seriatim.engines.support import require_supported
from seriatim.engines.whole_view import Admission
from seriatim.engines.workers import (
    KIND,
    NOTE,
    SUMMARIES,
    SUMMARY,
    Data,
    Told,
    Workers,
    read_summaries,
)
from seriatim.errors import OrderError
from seriatim.inference.adversary import Adversary
from seriatim.microdata.history import require_later
from seriatim.publish.certificate import require_same_name


class ShardedEngine(Generic[Data]):
    """Publishes views in shards."""

    def __init__(
        self,
        workers: Workers[Data],
        *,
        sizes: Sizes | None = None,
        progress: Callable[[str], None] = lambda _: None,
    ) -> None:
        """Take workers; ``progress`` is told what is being done, before it is done."""
        self._workers = workers
        self._sizes = Sizes() if sizes is None else sizes
        self._progress = progress

    def publish(
        self,
        series: Series,
        source: Any,
        *,
        at: Instant | None = None,
        seed: int | None = None,
        shards: int | None = None,
        again: bool = False,
        only_look: bool = False,
    ) -> Outcome:
        """Publish the next view of a series; whole or not at all.

        ``seed`` takes the place of a drawn secret where a series must repeat exactly.
        ``shards`` asks for so many; left out, it goes by the size of the view. With
        ``only_look`` everything is done but the last step, and removed again.
        """
        require_supported(series.schema, series.policy, series.reader)
        place = SeriesFolder(self._workers.files, series.folder, series.output)
        found = place.manifest()
        if only_look:
            place.require_own(found)
        else:
            place.recover(found)
        manifest = Manifest(_new_secret(seed)) if found is None else found
        at = _next_instant(manifest) if at is None else at
        require_later(at, manifest.last_instant)
        if manifest.entries:
            require_same_name(series.name, manifest.entries[-1]["certificate"])
        work = place.new_work()
        try:
            view = Admission(self, series, manifest).admitted(source, work, shards)
            if not again:
                require_new(view, manifest)
            after, outcome = Run(self, series, manifest, place, work, at, view).prepared()
            if only_look:
                return replace(outcome, files=())
            self._progress("committing the series")
            place.commit(after)
        finally:
            self._workers.files.remove(work)
            if only_look:
                place.discard(manifest.number + 1)
        self._progress("moving the files into place")
        place.put_in_place(after.number)
        place.name_newest(after)
        place.sweep(work, after)
        self._progress("done")
        return outcome

    def audit(
        self, series: Series, originals: Sequence[Any], readers: Mapping[str, Adversary]
    ) -> tuple[ReleaseExposure, ...]:
        """Let readers who go forward read the whole series, beside its original views."""
        return attacked(self, series, originals, readers)

    @property
    def workers(self) -> Workers[Data]:
        """Where functions on tables run."""
        return self._workers

    @property
    def sizes(self) -> Sizes:
        """How much one worker takes at a time."""
        return self._sizes

    def reached(self, step: str) -> None:
        """Tell that a step begins."""
        self._progress(step)

    def told(self, data: Data, work: Callable[..., Any], task: Any) -> list[dict[str, Any]]:
        """Let a function that only tells something work on every part, and read it."""
        mapped = self._workers.mapped(data, Told(work, SUMMARIES, task, SUMMARIES), SUMMARIES)
        return read_summaries(self._workers.collect(mapped))

    def made(
        self, data: Data, work: Callable[..., Any], task: Any, schema: pa.Schema, folder: str
    ) -> list[dict[str, Any]]:
        """Let a function work on every part, write what it makes, and read what it tells."""
        mapped = self._workers.mapped(data, Told(work, schema, task, schema), schema)
        self._workers.write(mapped, folder, by_kind=True)
        notes = pa.schema([SUMMARIES.field(NOTE)])
        return read_summaries(
            self._workers.collect(self._workers.kept([f"{folder}/{KIND}={SUMMARY}"], notes))
        )


def _new_secret(seed: int | None) -> bytes:
    return secrets.token_bytes(32) if seed is None else str(seed).encode()


def _next_instant(manifest: Manifest) -> Instant:
    """Return the next number of a numbered series."""
    last = manifest.last_instant
    if last is None:
        return 1
    if isinstance(last, int):
        return last + 1
    message = f"The last release was at {last!r}. Say when this one is, with --at."
    raise OrderError(message)
