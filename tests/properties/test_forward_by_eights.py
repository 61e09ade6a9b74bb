"""Going forward by eights gives the numbers of going forward one by one, to the last digit."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from profiles import examples
from seriatim.kernels.forward import go_forward
from seriatim.kernels.forward_by_eights import go_forward_by_eights


@st.composite
def journeys(draw):
    """Pasts of some people one behind the other, knowledge, and whose past is whose."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n_values, n_junctions, n_states = (draw(st.integers(1, most)) for most in (27, 90, 30))
    n_classes, people = draw(st.integers(1, 2)), draw(st.integers(1, 40))
    kept, rounded = draw(st.booleans()), draw(st.booleans())
    counts = rng.integers(1, n_junctions + 1, people)
    possible = rng.integers(1, n_values + 1, people)
    ends = np.cumsum(counts + possible)
    begins = ends - counts - possible
    place = np.concatenate(
        [
            np.sort(rng.permutation(most)[:some])
            for pair in zip(counts, possible, strict=True)
            for some, most in zip(pair, (n_junctions, n_values), strict=True)
        ]
    ).astype(np.uint16 if kept else np.int32)
    share = rng.random(len(place)).astype(np.float32 if kept else np.float64)
    width = -(-n_values // 8) * 8
    table = np.zeros((n_classes, n_states, width))
    table[:, :, :n_values] = rng.dirichlet(np.ones(n_values), (n_classes, n_states))
    asked = rng.permutation(people)
    rows = np.where(rng.random(people) < 0.2, -1, rng.permutation(people))
    middles = begins + counts
    pasts = begins, middles, place, share, middles, ends, place, share
    knowledge = (
        rng.integers(0, n_classes, people),
        rng.integers(0, n_states, (n_junctions, n_values), dtype=np.int32),
        table,
        np.ones((n_classes, n_states), dtype=bool),
        rng.dirichlet(np.ones(n_values), 3),
        rng.integers(0, 3, people),
    )
    after = np.empty(0, np.int32)
    if draw(st.booleans()):
        after = rng.permutation(n_values).astype(np.int32)
    pushed = np.where(rows < 0, 0, possible[rows])
    return (asked, rows, *pasts, rounded, n_junctions, *knowledge), after, pushed


def gone(kernel, case):
    given, after, pushed = case
    people, n_values = len(given[0]), given[-2].shape[1]
    revised = np.full((people, n_values), np.nan)
    offsets = np.cumsum(pushed) - pushed
    place, share = np.zeros(pushed.sum(), np.uint16), np.zeros(pushed.sum(), np.float32)
    kernel(0, people, *given, revised, after, offsets, place, share)
    return revised.tolist(), place.tolist(), share.tolist()


@settings(max_examples=examples(3))
@given(journeys())
def test_going_by_eights__gives_the_same_to_the_last_digit(case):
    assert gone(go_forward_by_eights, case) == gone(go_forward, case)
