"""The traces of the last releases, in a DuckDB store: an array to a row.

They are read and written whole, and only a few releases of them: as rows by respondent they
would cost more to join than to smooth. What a release told has a table of its own, which is
dropped when nobody looks back so far; what later releases change of it is in one for all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from seriatim._typing import IntArray
from seriatim.inference.sights import Sight
from seriatim.publish.store_tables import RAW, Tables
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


TRACES = f"CREATE TABLE traces (release INTEGER, name VARCHAR, content BLOB {RAW});"
"""The statement that makes the table of what changes."""

CHANGING = ("limit", "gain")
"""What a later release changes of a trace."""


class DuckDBTraces:
    """The traces that a store keeps."""

    def __init__(self, store: Tables) -> None:
        """Read and write in a store."""
        self._store = store

    def __repr__(self) -> str:
        """Say where it is."""
        return f"DuckDBTraces({self._store!r})"

    @property
    def tables(self) -> list[str]:
        """The names of all tables."""
        return ["traces", *(_told(release) for release in self._releases())]

    def read(self) -> tuple[Trace, ...]:
        """Return the traces, earliest first."""
        changing = self._store.table("SELECT release, name, content FROM traces")
        traces = []
        for release in self._releases():
            told = self._store.table(f"SELECT name, content FROM {_told(release)}")
            changed = changing.filter(pc.equal(changing["release"], release))
            traces.append(_trace(release, _named(told) | _named(changed)))
        return tuple(traces)

    def keep(self, traces: Sequence[Trace]) -> None:
        """Put the traces of a window in the place of those there were.

        Of a trace that is there already, nothing but the gains and the limit of the panel can
        have changed: people beyond it stay written, and are left out when it is read.
        """
        store = self._store
        known = self._releases()
        numbers = [trace.release for trace in traces]
        for gone in known:
            if gone not in numbers:
                store.run(f"DROP TABLE {_told(gone)}")
        store.run("DELETE FROM traces")
        changed = []
        for trace in traces:
            arrays = _arrays(trace)
            if trace.release not in known:
                store.run(table_of(trace.release))
                lasting = {name: arrays[name] for name in _KINDS if name not in CHANGING}
                store.insert(_told(trace.release), _table(lasting))
            changing = _table({name: arrays[name] for name in CHANGING})
            numbered = pa.array([trace.release] * len(CHANGING), pa.int32())
            changed.append(changing.append_column("release", numbered))
        if changed:
            store.insert("traces", pa.concat_tables(changed))

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

    def _releases(self) -> list[int]:
        """Return which releases have traces, in order."""
        found = self._store.table("SELECT DISTINCT release FROM traces ORDER BY release")
        return list(found.column("release").to_pylist())


def table_of(release: int) -> str:
    """Return the statement that makes the table of what a release told."""
    return f"CREATE TABLE {_told(release)} (name VARCHAR, content BLOB {RAW})"


def _told(release: int) -> str:
    return f"trace_{release}"


def _named(rows: pa.Table) -> dict[str, np.ndarray]:
    """Return the arrays of some rows, by name."""
    pairs = zip(rows.column("name"), rows.column("content"), strict=True)
    return {
        name.as_py(): np.frombuffer(content.as_buffer(), _KINDS[name.as_py()])
        for name, content in pairs
    }


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


def _table(arrays: dict[str, np.ndarray]) -> pa.Table:
    """Return arrays as rows."""
    contents = [array.astype(_KINDS[name]).tobytes() for name, array in arrays.items()]
    return pa.table(
        {"name": pa.array(arrays, pa.string()), "content": pa.array(contents, pa.binary())}
    )
