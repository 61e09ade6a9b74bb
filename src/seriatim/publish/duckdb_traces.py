"""The traces of the last releases, in a DuckDB store: an array to a row.

They are read and written whole, and only a few releases of them: as rows by respondent they
would cost more to join than to smooth.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from seriatim._typing import IntArray
from seriatim.inference.sights import Sight
from seriatim.publish.store_tables import Tables
from seriatim.publish.traces import Trace, panel_numbers

_KINDS: dict[str, type[np.generic]] = {
    "numbers": np.uint64,
    "limit": np.uint64,
    "bounds": np.int64,
    "codes": np.int32,
    "likelihood": np.float32,
    "surprising": np.int32,
    "rest": np.float32,
    "state_bounds": np.int64,
    "states": np.int32,
    "weights": np.float32,
    "beyond": np.float32,
    "classes": np.int32,
    "gaps": np.float64,
    "prior": np.float32,
    "values": np.int32,
    "truth": np.int32,
    "frequency": np.float64,
    "gain": np.float64,
}
"""How the numbers of each array are kept; they are read as they are, without a copy.

Of what surprises, only where it stands is kept: it is rare."""


_CHANGING = ("limit", "gain")
"""What a later release changes of a trace."""


class DuckDBTraces:
    """The traces that a store keeps."""

    def __init__(self, store: Tables) -> None:
        """Read and write in a store."""
        self._store = store

    def __repr__(self) -> str:
        """Say where it is."""
        return f"DuckDBTraces({self._store!r})"

    def read(self) -> tuple[Trace, ...]:
        """Return the traces, earliest first."""
        rows = self._store.table("SELECT release, name, content FROM traces")
        arrays: dict[int, dict[str, np.ndarray]] = {}
        columns = (rows.column(name) for name in ("release", "name", "content"))
        for release, name, content in zip(*columns, strict=True):
            array = np.frombuffer(content.as_buffer(), _KINDS[name.as_py()])
            arrays.setdefault(release.as_py(), {})[name.as_py()] = array
        return tuple(_trace(release, arrays[release]) for release in sorted(arrays))

    def keep(self, traces: Sequence[Trace]) -> None:
        """Put the traces of a window in the place of those there were.

        Of a trace that is there already, nothing but the gains and the limit of the panel can
        have changed: people beyond it stay written, and are left out when it is read.
        """
        store = self._store
        known = self._releases()
        for gone in known - {trace.release for trace in traces}:
            store.run("DELETE FROM traces WHERE release = ?", [gone])
        written: list[tuple[int, int, str, bytes]] = []
        for trace in traces:
            again = trace.release in known
            if again:
                names = ", ".join(f"'{name}'" for name in _CHANGING)
                store.run(
                    f"DELETE FROM traces WHERE release = ? AND name IN ({names})", [trace.release]
                )
            arrays = _arrays(trace)
            written += [
                (trace.release, len(trace), name, arrays[name].astype(_KINDS[name]).tobytes())
                for name in (_CHANGING if again else _KINDS)
            ]
        if written:
            store.insert("traces", _table(written))

    def forget(self, respondents: pa.Array, secret: bytes) -> None:
        """Remove respondents from every trace."""
        numbers = panel_numbers(respondents, secret)
        kept = [trace.of(~np.isin(trace.sight.numbers, numbers)) for trace in self.read()]
        self._replace(kept)

    def extend(self, places: IntArray) -> None:
        """Let remembered states be those of the automaton over a larger domain."""
        moved = [
            replace(
                trace,
                sight=replace(trace.sight, states=places[trace.sight.states].astype(np.int32)),
            )
            for trace in self.read()
        ]
        self._replace(moved)

    def _replace(self, traces: Sequence[Trace]) -> None:
        """Write traces anew, whole."""
        self.keep(())
        self.keep(traces)

    def _releases(self) -> set[int]:
        """Return which releases have traces."""
        found = self._store.table("SELECT DISTINCT release FROM traces")
        return set(found.column("release").to_pylist())


def _arrays(trace: Trace) -> dict[str, np.ndarray]:
    sight = trace.sight
    arrays = {name: getattr(sight, name) for name in _KINDS if hasattr(sight, name)}
    return arrays | {
        "limit": np.array([sight.limit], dtype=np.uint64),
        "surprising": np.flatnonzero(sight.surprising),
        "values": np.array([sight.prior.shape[1]]),
        "truth": trace.truth,
        "frequency": trace.frequency,
        "gain": trace.gain,
    }


def _trace(release: int, found: dict[str, np.ndarray]) -> Trace:
    arrays = dict(found)
    truth, frequency, gain = (arrays.pop(name) for name in ("truth", "frequency", "gain"))
    values, limit = int(arrays.pop("values")[0]), int(arrays.pop("limit")[0])
    arrays["prior"] = arrays["prior"].reshape(-1, values)
    surprising = np.zeros(len(arrays["codes"]), dtype=bool)
    surprising[arrays["surprising"]] = True
    arrays["surprising"] = surprising
    sight = Sight(limit=limit, **arrays)
    inside = sight.numbers <= np.uint64(limit)
    if inside.all():
        return Trace(release, sight, truth, frequency, gain)
    return Trace(release, sight.of(inside), truth[inside], frequency[inside], gain)


def _table(written: list[tuple[int, int, str, bytes]]) -> pa.Table:
    releases, people, names, contents = zip(*written, strict=True)
    return pa.table(
        {
            "release": pa.array(releases, pa.int32()),
            "people": pa.array(people, pa.int32()),
            "name": pa.array(names, pa.string()),
            "content": pa.array(contents, pa.binary()),
        }
    )
