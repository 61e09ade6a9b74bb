import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

import seriatim as sr
from seriatim.engines.places import (
    LEVELS,
    WHOLE,
    Boundaries,
    boundaries_at,
    counted,
    curve_of,
    parts_of,
)
from seriatim.microdata.roster import Roster
from seriatim.partition.hilbert import hilbert_order

words = st.integers(0, 2**64 - 1)
few_words = st.sampled_from([0, 1, 2**31, 2**63, 2**63 + 1, 2**64 - 1])
places = st.lists(st.tuples(words | few_words, words | few_words), min_size=1, max_size=60)


def arrays(pairs):
    return (np.array([one[word] for one in pairs], dtype=np.uint64) for word in range(2))


@given(places, places)
def test_shard__is_the_number_of_boundaries_at_or_before_a_place(tuples, cuts):
    cuts = sorted(set(cuts))
    found = Boundaries(*arrays(cuts)).shard_of(*arrays(tuples))
    assert found.tolist() == [sum(cut <= place for cut in cuts) for place in tuples]


@given(places, st.integers(1, 8))
def test_histogram__however_refined_counts_every_tuple_once_and_cuts_in_order(tuples, shards):
    curves, numbers = arrays(tuples)
    stretches, bins = [WHOLE], []
    heavy = max(len(tuples) // (2 * shards), 1)
    while stretches:
        found = [
            (parts_of(stretches[which], digit), n)
            for which, digit, n in counted(curves, numbers, stretches)
        ]
        stretches = [one for one, n in found if n > heavy and one.level < LEVELS]
        bins += [(one, n) for one, n in found if not (n > heavy and one.level < LEVELS)]
    assert sum(n for _, n in bins) == len(tuples)
    cuts = boundaries_at(bins, shards)
    pairs = list(zip(cuts.curves.tolist(), cuts.numbers.tolist(), strict=True))
    assert pairs == sorted(set(pairs))
    assert cuts.shards <= shards
    sizes = np.bincount(cuts.shard_of(curves, numbers), minlength=cuts.shards)
    # A stretch that no more bits divide is whole: only places that are equal stay together.
    most_alike = max(tuples.count(one) for one in tuples)
    assert sizes.max() <= len(tuples) / shards + max(heavy, most_alike)


def test_one_point_with_everybody__is_cut_by_their_numbers():
    numbers = np.random.default_rng(1).integers(0, 2**64, 8000, dtype=np.uint64)
    curves = np.full(8000, 2**63, dtype=np.uint64)
    bins = [(parts_of(WHOLE, 2**11), 8000)]
    while any(n > 500 for _, n in bins):
        heavy = [one for one, n in bins if n > 500]
        bins = [(one, n) for one, n in bins if n <= 500] + [
            (parts_of(heavy[which], digit), n)
            for which, digit, n in counted(curves, numbers, heavy)
        ]
    cuts = boundaries_at(bins, 8)
    assert cuts.shards == 8
    assert np.bincount(cuts.shard_of(curves, numbers)).min() > 800


@given(st.integers(0, 2**32), st.integers(1, 6))
def test_curve__orders_rosters_as_the_hilbert_order_does(seed, attributes):
    rng = np.random.default_rng(seed)
    schema = sr.Schema(
        "id",
        [sr.Numeric(f"a{axis}", 0, 60_000) for axis in range(attributes)],
        sr.Sensitive("exam", ["neg", "pos"]),
    )
    points = rng.integers(0, 60_001, (40, attributes)).astype(float)
    roster = Roster(schema, pa.array(np.arange(40)), points, np.arange(40))
    curve = curve_of(roster)
    along = curve[hilbert_order(roster, ties=np.arange(40, dtype=np.uint64))]
    assert (along[1:] >= along[:-1]).all()
