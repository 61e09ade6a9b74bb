import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from seriatim.privacy import Evidence, Tally
from strategies import groups

TOTALS = ("sizes", "value_counts", "belief_sums", "entropy_sums", "view_counts")


def assert_same(found, expected):
    for name in TOTALS:
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name), atol=1e-12)


@st.composite
def partitions(draw):
    """Evidence of a view, its rows in any order, and where groups begin."""
    beliefs, values = draw(groups(most_rows=9))
    rows = draw(st.permutations(range(len(values))))
    cuts = draw(st.sets(st.integers(1, len(values)), max_size=3)) | {0, len(values)}
    return Evidence(np.array(values), np.array(beliefs)), np.array(rows), np.array(sorted(cuts))


@given(partitions())
def test_tally__built_by_adding_equals_the_tally_of_finished_groups(drawn):
    evidence, rows, starts = drawn
    grown = Tally.empty(evidence, len(starts) - 1)
    for group in range(len(starts) - 1):
        for row in rows[starts[group] : starts[group + 1]]:
            grown.add(evidence, row, group)
    assert_same(grown, Tally.of(evidence, rows, starts))


@given(partitions())
def test_tally__joined_from_the_end_is_the_tally_of_the_unions(drawn):
    evidence, rows, starts = drawn
    joined = Tally.of(evidence, rows, starts).joined_from_the_end()
    for group, start in enumerate(starts[:-1]):
        union = Tally.of(evidence, rows[start:], np.array([0, len(rows) - start]))
        for name in TOTALS[:-1]:
            np.testing.assert_allclose(
                getattr(joined, name)[group], getattr(union, name)[0], atol=1e-12
            )


@given(partitions())
def test_tally__cleared_is_empty(drawn):
    evidence, rows, starts = drawn
    tally = Tally.of(evidence, rows, starts)
    for group in range(len(starts) - 1):
        tally.clear(group)
    assert_same(tally, Tally.empty(evidence, len(starts) - 1))
