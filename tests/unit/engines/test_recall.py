import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from seriatim.engines.recall import PASTS, met, newest

person = st.tuples(st.integers(-2, 2), st.integers(-2, 2))
entries = st.lists(st.tuples(person, st.none() | st.integers(1, 5)), min_size=1, max_size=30)


def bucket(found):
    columns = [[who[0] for who, _ in found], [who[1] for who, _ in found], [v for _, v in found]]
    types = [pa.int64(), pa.int64(), pa.int32()]
    names = ["who_1", "who_2", "version"]
    return pa.table({n: pa.array(c, type=t) for n, c, t in zip(names, columns, types, strict=True)})


def unlike(found):
    """Entries without the same version of one person twice, which a series never has."""
    kept = {}
    for place, (who, version) in enumerate(found):
        kept[who, ("row", place) if version is None else version] = (who, version)
    return list(kept.values())


@given(entries)
def test_rows__meet_the_newest_record_of_their_person(found):
    found = unlike(found)
    rows, record, repeated = met(bucket(found))
    present = [i for i, (_, version) in enumerate(found) if version is None]
    assert sorted(rows.tolist()) == present
    for row, one, twice in zip(rows.tolist(), record.tolist(), repeated.tolist(), strict=True):
        who = found[row][0]
        assert twice == ([whose for whose, v in found if v is None].count(who) > 1)
        versions = [v for whose, v in found if whose == who and v is not None]
        if not versions:
            assert one == -1
        elif not twice:
            assert found[one] == (who, max(versions))


@given(entries)
def test_newest__keeps_one_record_of_each_person(found):
    found = [(who, version or 9) for who, version in unlike(found)]
    found = unlike(found)
    table = bucket(found)
    for field in PASTS:
        if field.name not in table.column_names:
            table = table.append_column(field, pa.nulls(table.num_rows, field.type))
    (kept,) = newest(PASTS, iter([table.slice(0, 2), table.slice(2)]))
    got = {(row["who_1"], row["who_2"]): row["version"] for row in kept.to_pylist()}
    assert kept.num_rows == len(got)
    assert got == {who: max(v for whose, v in found if whose == who) for who, _ in found}


def test_empty_bucket__gives_nothing():
    assert list(newest(PASTS, iter([PASTS.empty_table()]))) == []
    assert len(met(bucket([((1, 1), 3)]))[0]) == 0
    assert np.array_equal(met(bucket([((1, 1), None)]))[1], [-1])
