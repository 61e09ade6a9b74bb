"""Columns that give people away, and what sets reveal: against their twins."""

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
import seriatim as sr
from seriatim.measure.singling_out import fits, share_singled_out, singled_out, summed
from seriatim.microdata.near_unique import FEW, LISTED, nearly_unique
from seriatim.microdata.own_ids import OwnIds, own_ids
from seriatim.partition import generalize
from strategies import as_partition

WORDS = st.sampled_from(
    ["a", "b", "c", "d,e", 'f"g', "{h}", "i j", "[k]", "l*", *map(str, range(9))]
)
GROUPS = st.lists(st.lists(WORDS, min_size=1, max_size=6), min_size=1, max_size=6)


def released(groups):
    """The release of one categorical column, whose groups are these."""
    cells = [value for group in groups for value in group]
    schema = sr.Schema("who", [sr.Categorical("word")], sr.Sensitive("exam", ["neg", "pos"]))
    rows = {"who": list(range(len(cells))), "word": cells, "exam": ["neg"] * len(cells)}
    ends = np.cumsum([0, *map(len, groups)]).tolist()
    parts = [list(range(*pair)) for pair in pairwise(ends)]
    view = sr.View.from_table(rows, schema)
    return generalize(view, as_partition(parts, []), at=1, rng=np.random.default_rng(1))[0]


@given(GROUPS)
def test_singled_out__equals_its_twin(groups):
    found = singled_out(released(groups))
    assert found == {"word": pytest.approx(float(oracles.singled_out(groups)), abs=1e-12)}


@given(GROUPS)
def test_singled_out__is_measured_again_from_parts_of_the_public_table(groups):
    release = released(groups)
    (cover,) = release.covers
    halves = np.arange(release.n_groups) % 2 == 0
    parts = [
        fits(cover.text.filter(pa.array(one)), release.sizes[one]) for one in (halves, ~halves)
    ]
    assert share_singled_out(summed(parts)) == pytest.approx(
        singled_out(release)["word"], abs=1e-12
    )


@given(st.lists(st.integers(0, 60), min_size=1, max_size=80), st.booleans())
def test_nearly_unique__equals_its_twin(cells, declared):
    domain = list(map(str, range(LISTED))) if declared and max(cells) < LISTED else None
    people = dict(enumerate(map(str, cells)))
    columns = {
        "sets": sr.Schema("who", [sr.Categorical("cell", domain)], sr.Sensitive("exam", ["neg"])),
        "sensitive": sr.Schema("who", [sr.Numeric("age", 0, 9)], sr.Sensitive("cell", domain)),
        "kept": sr.Schema(
            "who", [sr.Numeric("age", 0, 9)], sr.Sensitive("exam", ["neg"]), insensitive=["cell"]
        ),
    }
    rows = {"who": list(people), "cell": list(people.values())}
    rows |= {"exam": ["neg"] * len(people), "age": [5] * len(people)}
    for part, schema in columns.items():
        found = nearly_unique(sr.View.from_table(rows, schema), schema)
        few = LISTED if domain is not None and part != "kept" else FEW
        alone = part != "sets" and oracles.leaves_many_alone(people, few)
        assert bool(found) == (oracles.nearly_unique(people, few) or alone)


IDS = st.text(alphabet="aA0 1ßK\u212a\u00a0b", max_size=3)


@given(st.lists(st.tuples(IDS, IDS), min_size=1, max_size=12))
def test_own_ids__equals_its_twin_for_cells_and_for_codes(rows):
    ids, cells = map(list, zip(*rows, strict=True))
    words, numbers = oracles.own_ids(ids, cells)
    assert own_ids(pa.array(ids), pa.array(cells)) == OwnIds(words, numbers)
    values = sorted(set(cells))
    codes = np.array([values.index(cell) for cell in cells])
    assert own_ids(pa.array(ids), pa.array(values), codes) == OwnIds(words, numbers)
