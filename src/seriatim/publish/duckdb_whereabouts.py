"""Who was in which group of the last releases, in a DuckDB store: an array to a row.

Written once, in the transaction of their release, into a table that is dropped when no release
to come is compared with it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from seriatim.publish.store_tables import RAW, Tables
from seriatim.publish.whereabouts import Whereabouts, people_numbers

_KINDS: dict[str, type[np.generic]] = {
    "numbers": np.uint64,
    "groups": np.int32,
    "sizes": np.int32,
    "codes": np.int32,
}
"""How the numbers of each array are kept; they are read as they are, without a copy."""

_BLOB = pa.large_binary()

_LISTED = "whereabouts"
"""Under what name the database keeps of which releases there are any."""


class DuckDBWhereabouts:
    """The whereabouts that a store keeps."""

    def __init__(self, store: Tables) -> None:
        """Read and write in a store."""
        self._store = store

    def __repr__(self) -> str:
        """Say where it is."""
        return f"DuckDBWhereabouts({self._store!r})"

    @property
    def tables(self) -> list[str]:
        """The names of all tables."""
        return [_table(release) for release in self._releases()]

    def read(self) -> tuple[Whereabouts, ...]:
        """Return what is kept, earliest first."""
        return tuple(self._read(release) for release in self._releases())

    def keep(self, window: Sequence[Whereabouts]) -> None:
        """Put the whereabouts of a window in the place of those there were.

        What is there of a release already stays as it is.
        """
        known, wanted = self._releases(), [one.release for one in window]
        for release in known:
            if release not in wanted:
                self._store.run(f"DROP TABLE {_table(release)}")
        for one in window:
            if one.release not in known:
                self._write(one)
        self._store.set_meta(_LISTED, json.dumps(wanted).encode())

    def forget(self, respondents: pa.Array, secret: bytes) -> None:
        """Remove respondents from all whereabouts."""
        numbers = people_numbers(respondents, secret)
        kept = [one.of(~np.isin(one.numbers, numbers)) for one in self.read()]
        self.keep(())
        self.keep(kept)

    def _write(self, one: Whereabouts) -> None:
        contents = [getattr(one, name).astype(kind).tobytes() for name, kind in _KINDS.items()]
        rows = {"name": pa.array(_KINDS, pa.string()), "content": pa.array(contents, _BLOB)}
        self._store.run(f"CREATE TABLE {_table(one.release)} (name VARCHAR, content BLOB {RAW})")
        self._store.insert(_table(one.release), pa.table(rows))

    def _read(self, release: int) -> Whereabouts:
        rows = self._store.table(f"SELECT name, content FROM {_table(release)}")
        arrays = {
            name.as_py(): np.frombuffer(content.as_buffer(), _KINDS[name.as_py()])
            for name, content in zip(rows.column("name"), rows.column("content"), strict=True)
        }
        return Whereabouts(release, **arrays)

    def _releases(self) -> list[int]:
        """Return of which releases there are any, in order."""
        return list(json.loads(self._store.meta(_LISTED) or b"[]"))


def _table(release: int) -> str:
    return f"whereabouts_{release}"
