import numpy as np
import pytest

import seriatim as sr
from seriatim.measure import draw_queries, estimated_counts

AGES = sr.Numeric("age", 0, 9)
EXAM = sr.Sensitive("exam", ("neg", "pos"))


def view_of(schema, **columns):
    size = len(next(iter(columns.values())))
    return sr.View.from_table({"id": range(size), **columns}, schema)


@pytest.fixture
def ages():
    schema = sr.Schema("id", [AGES], EXAM)
    return view_of(schema, age=[0, 1, 2, 3, 9], exam=["neg", "pos", "neg", "neg", "pos"])


def released(view, **columns):
    public = sr.Schema("id", view.schema.quasi_identifiers, view.schema.sensitive)
    return sr.read_release(columns, public, at=1)


@pytest.mark.parametrize("selectivity", [0, -0.1, 1.1, np.nan, True, "0.1"])
def test_selectivity__that_is_no_share_is_refused(ages, selectivity):
    with pytest.raises(
        sr.PolicyError, match="selectivity must be a number above 0 and at most 1, not "
    ):
        draw_queries(ages, selectivity=selectivity)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"queries": 0}, "queries must be a whole number of at least 1, not 0"),
        ({"queries": 1.5}, "queries must be a whole number"),
        ({"seed": -1}, "seed must be a whole number of at least 0, not -1"),
        ({"seed": None}, "seed must be a whole number"),
    ],
)
def test_options__that_cannot_be_meant_are_refused(ages, options, message):
    with pytest.raises(sr.PolicyError, match=message):
        draw_queries(ages, **options)


def test_queries__of_large_views_are_fewer_where_nobody_says_how_many(ages, monkeypatch):
    assert len(draw_queries(ages, selectivity=0.5)) == 1000
    monkeypatch.setattr("seriatim.measure.random_queries._MOST_LOOKS", 5 * 300)
    assert len(draw_queries(ages, selectivity=0.5)) == 300
    assert len(draw_queries(ages, selectivity=0.5, queries=400)) == 400
    monkeypatch.setattr("seriatim.measure.random_queries._MOST_LOOKS", 1)
    assert len(draw_queries(ages, selectivity=0.5)) == 100


def test_queries__that_count_nobody_are_counted_and_drawn_again(ages):
    queries = draw_queries(ages, selectivity=0.01, queries=200)
    assert (queries.truths > 0).all()
    assert queries.without_truth > 0
    assert len(queries) == 200


def test_queries__that_never_count_anyone_are_an_error_that_says_what_to_try():
    wide = sr.Schema("id", [sr.Numeric("age", 0, 10**6), sr.Numeric("pay", 0, 10**6)], EXAM)
    view = view_of(wide, age=[0, 10**6], pay=[0, 10**6], exam=["neg", "pos"])
    with pytest.raises(
        sr.PolicyError, match=r"Of 200 random queries .* 10 are needed.*\n?.*larger selectivity"
    ):
        draw_queries(view, selectivity=1e-9, queries=10)


def test_queries__are_the_same_for_every_release_of_a_view(ages):
    one, other = (draw_queries(ages, queries=50, seed=3) for _ in range(2))
    assert (one.low == other.low).all()
    assert (one.values == other.values).all()
    assert (one.low != draw_queries(ages, queries=50, seed=4).low).any()


@pytest.mark.parametrize("selectivity", [0.05, 0.3, 0.8])
def test_queries__count_the_expected_share_of_tuples_spread_evenly(selectivity):
    """Everyone everywhere: one tuple in every cell of the domain."""
    schema = sr.Schema(
        "id",
        [AGES, sr.Categorical("ward", list("abcde")), sr.Ordinal("grade", list("uvwxyz"))],
        sr.Sensitive("exam", ("p", "q", "r", "s")),
    )
    grid = np.stack(np.meshgrid(range(10), range(5), range(6), range(4)), -1).reshape(-1, 4)
    view = view_of(
        schema,
        age=grid[:, 0],
        ward=[*np.array(list("abcde"))[grid[:, 1]]],
        grade=[*np.array(list("uvwxyz"))[grid[:, 2]]],
        exam=[*np.array(list("pqrs"))[grid[:, 3]]],
    )
    queries = draw_queries(view, selectivity=selectivity, queries=20_000)
    assert queries.without_truth == 0
    assert queries.truths.mean() / len(view) == pytest.approx(selectivity, rel=0.03)


def test_estimate__counts_whole_numbers_and_not_lengths(ages):
    """[0,3] has four whole numbers, of which a query for 2 asks one."""
    release = released(ages, age=["[0,3]"] * 4 + ["9"], exam=["neg", "pos", "neg", "neg", "pos"])
    queries = draw_queries(ages, selectivity=0.2, queries=500)
    shares = np.clip(np.minimum(queries.high, 3) - queries.low + 1, 0, None)[:, 0] / 4
    point = ((queries.low <= 9) & (queries.high >= 9))[:, 0]
    expected = shares * (queries.values @ [3, 1]) + point * (queries.values @ [0, 1])
    assert estimated_counts(release, ages, queries) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("word", "ages_inside"),
    [
        ("*", range(10)),
        (">=7", range(7, 10)),
        ("<3", range(3)),
        ("[2,5)", range(2, 5)),
        ("(2,5]", range(3, 6)),
        ("4-6", range(4, 7)),
    ],
)
def test_estimate__reads_regions_as_other_tools_write_them(ages, word, ages_inside):
    release = released(ages, age=[word] * 2, exam=["neg", "pos"])
    queries = draw_queries(ages, selectivity=0.4, queries=100)
    inside = [
        sum(low <= age <= high for age in ages_inside) / len(ages_inside)
        for low, high in zip(queries.low[:, 0], queries.high[:, 0], strict=True)
    ]
    expected = inside * queries.values.sum(axis=1)
    assert estimated_counts(release, ages, queries) == pytest.approx(expected)


def test_estimate__of_several_nodes_of_a_tree_counts_their_leaves():
    zips = ["12030", "12031", "12044", "20100", "20131"]
    schema = sr.Schema("id", [sr.Hierarchical("zip", mask="prefix", values=zips)], EXAM)
    view = view_of(schema, zip=zips, exam=["neg"] * 5)
    release = released(view, zip=["{12030,201*}"], exam=["neg"])
    queries = draw_queries(view, selectivity=0.4, queries=200)
    inside = [
        sum(low <= leaf <= high for leaf in (0, 3, 4)) / 3
        for low, high in zip(queries.low[:, 0], queries.high[:, 0], strict=True)
    ]
    assert estimated_counts(release, view, queries) == pytest.approx(inside * queries.values[:, 0])


def test_estimate__of_dates_counts_days_of_the_published_unit():
    schema = sr.Schema("id", [sr.Date("born", "1984-01-01", "1984-12-31")], EXAM)
    view = view_of(schema, born=["1984-03-01", "1984-03-20"], exam=["neg", "neg"])
    release = released(view, born=["1984-03"] * 2, exam=["neg", "neg"])
    queries = draw_queries(view, selectivity=0.2, queries=200)
    march = np.arange("1984-03-01", "1984-04-01", dtype="datetime64[D]").astype(int)
    inside = (queries.low <= march) & (march <= queries.high)
    expected = 2 * inside.mean(axis=1) * queries.values[:, 0]
    assert estimated_counts(release, view, queries) == pytest.approx(expected)


def test_release__with_undeclared_domains_is_read_with_those_of_its_view():
    schema = sr.Schema(
        "id",
        [sr.Numeric("age"), sr.Categorical("sex"), sr.Hierarchical("zip", mask="prefix")],
        sr.Sensitive("exam"),
    )
    rng = np.random.default_rng(1)
    table = {
        "id": range(300),
        "age": rng.integers(20, 90, 300),
        "sex": rng.choice(["F", "M"], 300).tolist(),
        "zip": rng.choice(["12030", "12031", "12044", "38100"], 300).tolist(),
        "exam": rng.choice(list("abc"), 300).tolist(),
    }
    medians = []
    for k in (1, 5, 50):
        publisher = sr.Publisher(schema, sr.Policy(sr.KAnonymity(k=k)), sr.Adversary(), seed=1)
        release = publisher.publish(table, at=1)
        medians.append(sr.median_query_error(release, publisher.latest.view, queries=500))
    assert medians[0] == pytest.approx(0.0, abs=1e-12)
    assert medians == sorted(medians)


def test_release__of_other_columns_or_values_is_refused(ages):
    others = sr.Schema("id", [sr.Numeric("weight", 0, 9)], EXAM)
    release = sr.read_release({"weight": ["1"], "exam": ["neg"]}, others, at=1)
    with pytest.raises(
        sr.SchemaError, match="The release has 'weight', 'exam', and the view 'age'"
    ):
        sr.median_query_error(release, ages, queries=5, selectivity=0.5)
    unclear = sr.Schema("id", [AGES], sr.Sensitive("exam", ("neg", "pos", "unclear")))
    release = sr.read_release({"age": ["1"], "exam": ["unclear"]}, unclear, at=1)
    with pytest.raises(sr.SchemaError, match="the view's domain lacks: 'unclear'"):
        sr.median_query_error(release, ages, queries=5, selectivity=0.5)


def test_release__from_before_its_series_was_extended_is_read(ages):
    turned = sr.Schema("id", [AGES], sr.Sensitive("exam", ("pos", "neg")))
    columns = {"age": ["0", "1", "2", "3", "9"], "exam": ["neg", "pos", "neg", "neg", "pos"]}
    release = sr.read_release(columns, turned, at=1)
    assert sr.median_query_error(release, ages, selectivity=0.3, queries=50) == 0.0


def test_blocks__do_not_change_what_is_estimated(ages, monkeypatch):
    release = released(ages, age=["[0,3]"] * 4 + ["9"], exam=["neg", "pos", "neg", "neg", "pos"])
    queries = draw_queries(ages, selectivity=0.3, queries=600)
    whole = estimated_counts(release, ages, queries)
    monkeypatch.setattr("seriatim.measure.queries._MOST_CELLS", 14)
    assert (estimated_counts(release, ages, queries) == whole).all()


def test_errors__say_how_many_and_how_large(ages):
    release = released(ages, age=["*"] * 5, exam=["neg", "pos", "neg", "neg", "pos"])
    found = sr.query_errors(release, ages, selectivity=0.3, queries=20)
    assert repr(found).startswith("QueryErrors(20 queries, median ")
    assert repr(draw_queries(ages, queries=2)) == "Queries(2 over 1 attributes)"
