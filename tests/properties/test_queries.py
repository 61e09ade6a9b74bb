"""Query errors equal those of a twin that goes through tuples, cells and queries one by one."""

import numpy as np
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

import oracles
import seriatim as sr
from seriatim.measure import draw_queries, estimated_counts
from seriatim.partition import generalize
from strategies import (
    EXAMS,
    GENDERS,
    GRADES,
    ZIPS,
    as_partition,
    hospital_schema,
    hospital_tables,
    partitions,
)

NAMES = ("age", "gender", "grade", "zip")
DOMAINS = (range(100), GENDERS, GRADES, sorted(ZIPS))


def twins_of(rows):
    return [
        oracles.interval([row["age"] for row in rows], 0, 99),
        oracles.value_set([row["gender"] for row in rows], GENDERS),
        oracles.run_of([row["grade"] for row in rows], GRADES),
        oracles.lowest_node([row["zip"] for row in rows], oracles.prefix_paths(ZIPS)),
    ]


def twin_queries(queries):
    """The package's queries as predicates on values."""
    for number in range(len(queries)):
        asks = []
        for axis, domain in enumerate(DOMAINS):
            if queries.sets[axis] is None:
                low, high = (int(end[number, axis]) for end in (queries.low, queries.high))
                wanted = list(domain)[low : high + 1]
            else:
                wanted = [
                    one for code, one in enumerate(domain) if queries.sets[axis][number, code]
                ]
            assert wanted
            asks.append(wanted.__contains__)
        values = [EXAMS[code] for code in np.flatnonzero(queries.values[number])]
        yield oracles.Query(asks, values)


def rows_by_id(table):
    rows = [dict(zip(table, cells, strict=True)) for cells in zip(*table.values(), strict=True)]
    return sorted(rows, key=lambda row: row["id"])


@given(
    hospital_tables(least=4, most=20),
    st.sampled_from([0.05, 0.2, 0.6, 1.0]),
    st.integers(0, 99),
    st.data(),
)
def test_query_errors__equal_their_twin(table, selectivity, seed, data):
    view = sr.View.from_table(table, hospital_schema())
    *groups, left = data.draw(partitions(len(view)))
    release, _ = generalize(view, as_partition(groups, left), at=1, rng=np.random.default_rng(0))
    try:
        queries = draw_queries(view, selectivity=selectivity, queries=7, seed=seed)
    except sr.PolicyError:  # hardly any query counts one of few people
        reject()
    people = rows_by_id(table)
    tuples = [(tuple(row[name] for name in NAMES), row["exam"]) for row in people]
    published = [
        (twins_of([people[row] for row in group]), [people[row]["exam"] for row in group])
        for group in groups
    ]
    asked = list(twin_queries(queries))
    truths = [oracles.true_count(query, tuples) for query in asked]
    estimates = [oracles.estimated_count(query, published, DOMAINS) for query in asked]
    assert queries.truths.tolist() == truths
    assert estimated_counts(release, view, queries) == pytest.approx([*map(float, estimates)])
    options = {"selectivity": selectivity, "queries": 7, "seed": seed}
    assert sr.median_query_error(release, view, **options) == pytest.approx(
        oracles.median_relative_error(truths, estimates)
    )


@given(st.lists(st.integers(0, 40), min_size=2, max_size=15), st.integers(0, 99), st.data())
def test_query_errors__of_numbers_that_are_not_whole_go_by_length(eighths, seed, data):
    weights = [number / 8 for number in eighths]
    view = sr.View.from_table(
        {"id": range(len(weights)), "weight": weights, "exam": ["a"] * len(weights)},
        sr.Schema("id", [sr.Numeric("weight", -1, 6, integral=False)], sr.Sensitive("exam")),
    )
    *groups, left = data.draw(partitions(len(view)))
    release, _ = generalize(view, as_partition(groups, left), at=1, rng=np.random.default_rng(0))
    queries = draw_queries(view, selectivity=0.5, queries=5, seed=seed)
    for low, high, truth, estimate in zip(
        queries.low[:, 0],
        queries.high[:, 0],
        queries.truths,
        estimated_counts(release, view, queries),
        strict=True,
    ):
        assert truth == sum(low <= weight <= high for weight in weights)
        twin = 0
        for group in groups:
            ends = min(weights[row] for row in group), max(weights[row] for row in group)
            twin += len(group) * oracles.overlap_of_lengths(*ends, low, high)
        assert estimate == pytest.approx(float(twin))


@given(hospital_tables(), st.integers(0, 99))
def test_exact_release__has_no_error(table, seed):
    """Every tuple a group of its own: regions are points, and everything is counted exactly."""
    view = sr.View.from_table(table, hospital_schema())
    alone = as_partition([[row] for row in range(len(view))], [])
    release, _ = generalize(view, alone, at=1, rng=np.random.default_rng(0))
    found = sr.query_errors(release, view, selectivity=0.5, queries=10, seed=seed)
    assert found.relative.tolist() == [0.0] * 10


@given(hospital_tables(), st.data())
def test_queries_for_everything__count_the_published_tuples(table, data):
    view = sr.View.from_table(table, hospital_schema())
    *groups, left = data.draw(partitions(len(view)))
    release, _ = generalize(view, as_partition(groups, left), at=1, rng=np.random.default_rng(0))
    found = sr.query_errors(release, view, selectivity=1, queries=3)
    assert found.truths.tolist() == [len(view)] * 3
    assert found.estimates == pytest.approx([len(release)] * 3)
