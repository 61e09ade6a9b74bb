"""Points in regions against parts whose codes are all written out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles_utility as oracles
import seriatim as sr
from seriatim.measure.regions import Regions

NAMES = list("abcdefgh")
SHARES = st.floats(0, 1, exclude_max=True)


@given(
    st.lists(
        st.tuples(
            st.integers(0, 9), st.integers(0, 9), st.sets(st.sampled_from(NAMES), min_size=1)
        ),
        min_size=1,
        max_size=4,
    ),
    st.lists(st.tuples(SHARES, SHARES, SHARES), min_size=1, max_size=8),
    st.data(),
)
def test_points__lie_at_their_share_of_the_way(parts, shares, data):
    schema = sr.Schema(
        "id",
        [
            sr.Numeric("age", 0, 9),
            sr.Numeric("weight", 0, 9, integral=False),
            sr.Categorical("ward", NAMES),
        ],
        sr.Sensitive("exam", ["neg"]),
    )
    spans = [(min(one, two), max(one, two)) for one, two, _ in parts]
    words = [f"[{low},{high}]" for low, high in spans]
    wards = ["{" + ",".join(sorted(names)) + "}" for *_, names in parts]
    columns = {"age": words, "weight": words, "ward": wards, "exam": ["neg"] * len(parts)}
    release = sr.read_release(columns, schema, at=1)
    one = {"id": [1], "age": [0], "weight": [0.5], "ward": ["a"], "exam": ["neg"]}
    regions = Regions.of(release, sr.View.from_table(one, schema))
    groups = [data.draw(st.integers(0, release.n_groups - 1)) for _ in shares]
    found = regions.codes_at(np.array(groups), np.array(shares))
    for code, group, share in zip(found, groups, shares, strict=True):
        region = release.group(group).region.texts
        low, high = _ends(region[0])
        assert code[0] == oracles.part_codes(share[0], [(low, high)])
        assert code[1] == pytest.approx(low + share[1] * (high - low))
        inside = [NAMES.index(name) for name in region[2].strip("{}").split(",")]
        assert code[2] == oracles.part_codes(share[2], [(one, one) for one in sorted(inside)])


def _ends(word):
    ends = [int(float(end)) for end in word.strip("[]").split(",")]
    return ends[0], ends[-1]
