"""Counterfeits: how many, of which values, who knows of them, and what readers make of them."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
import oracles_rivals as rivals
import seriatim as sr
import studies
from seriatim.errors import InternalError, PolicyError
from seriatim.partition import Counterfeits, Partition, counterfeits, generalize, settle
from seriatim.privacy import Evidence, Tally
from seriatim.publish import guard
from strategies import EXAMS, hospital_schema, hospital_tables, rows_of

NOBODY = np.empty(0, dtype=np.int64)
RULES = ["additive", "omega", "sinkhorn", "bethe", "exact", "strongest"]


@given(
    values=st.lists(
        st.tuples(st.integers(0, 9), st.integers(0, 4), st.booleans()), min_size=1, max_size=6
    ),
    number=st.integers(0, 40),
)
def test_flattest__adds_to_the_rarest_again_and_again(values, number):
    have, shares, may = map(np.array, zip(*values, strict=True))
    may[0] = True
    tally = Tally.of(
        Evidence(
            np.repeat(np.arange(len(have)), have),
            np.full((have.sum(), len(have)), 1 / len(have)),
        ),
        np.arange(have.sum()),
        np.array([0, have.sum()]),
    )
    found = counterfeits._flattest(tally, shares / 10, number, may)
    assert found.tolist() == oracles.flattest(have, shares, number, np.flatnonzero(may))


@st.composite
def leftovers(draw):
    """Evidence of a view, and how many of its first rows form no group."""
    n_values = draw(st.integers(2, 4))
    n_left, n_grouped = draw(st.integers(1, 6)), draw(st.integers(0, 8))
    n = n_left + n_grouped
    values = draw(st.lists(st.integers(0, n_values - 1), min_size=n, max_size=n))
    return values, draw(rows_of(n, n_values)), n_left


REQUIREMENTS = {
    "k": sr.KAnonymity(k=4),
    "k & t": sr.KAnonymity(k=3) & sr.TCloseness(t=0.3),
    "k & j": sr.KAnonymity(k=3) & sr.JSBound(j=0.2),
    "k & t & j": sr.KAnonymity(k=3) & sr.TCloseness(t=0.4) & sr.JSBound(j=0.2),
    "k & l": sr.KAnonymity(k=3) & sr.DistinctLDiversity(l=2),
}


def stands(name, published, view, beliefs):
    """Tell whether a group may stand, by the formulas; beliefs are of members alone."""
    n_values = len(beliefs[0])
    asked = {
        "k": lambda: len(published) >= (4 if name == "k" else 3),
        "t": lambda: (
            oracles.scanned_equal_distance(published, view, n_values)
            <= (0.3 if name == "k & t" else 0.4)
        ),
        "j": lambda: oracles.js_divergence(beliefs) <= 0.2 + oracles.JS_ROOM,
        "l": lambda: len(set(published)) >= 2,
    }
    return all(asked[part]() for part in name.split(" & "))


def settled(drawn, requirement, seed=0):
    values, beliefs, n_left = drawn
    evidence = Evidence(np.array(values), np.array(beliefs))
    grouped = np.arange(n_left, len(values))
    starts = np.array([0, len(grouped)] if len(grouped) else [0])
    partition = Partition(grouped, starts, np.arange(n_left))
    rng = np.random.default_rng(seed)
    return settle(partition, evidence, requirement, "counterfeit", rng), evidence


def new_groups(partition, n_left):
    """Members of each group of leftovers, and the values it was filled up with."""
    for number, members in enumerate(partition.groups):
        if members.min() < n_left:
            added = partition.counterfeits.value_codes[partition.counterfeits.groups == number]
            yield members.tolist(), added.tolist()


@pytest.mark.parametrize("name", REQUIREMENTS)
def test_leftovers__stand_with_their_counterfeits(name):
    @given(leftovers())
    def stand(drawn):
        values, beliefs, n_left = drawn
        partition, _ = settled(drawn, REQUIREMENTS[name])
        for members, added in new_groups(partition, n_left):
            published = [values[row] for row in members] + added
            assert stands(name, published, values, [beliefs[row] for row in members])
            # Leftovers keep the order of the partitioner: a group is a stretch of them.
            assert members == list(range(members[0], members[-1] + 1))

    stand()


@pytest.mark.parametrize("name", ["k", "k & t", "k & j", "k & t & j"])
def test_leftovers__are_all_let_stand(name):
    """A member alone diverges from nothing, and looks like the view with enough counterfeits."""

    @given(leftovers())
    def nobody_is_left(drawn):
        partition, _ = settled(drawn, REQUIREMENTS[name])
        assert len(partition.remainder) == 0

    nobody_is_left()


@pytest.mark.parametrize("name", ["k", "k & t", "k & j", "k & t & j"])
def test_counterfeits__are_the_fewest_with_which_their_group_may_stand(name):
    @given(leftovers())
    def fewest(drawn):
        values, beliefs, n_left = drawn
        partition, _ = settled(drawn, REQUIREMENTS[name])
        for members, added in new_groups(partition, n_left):
            own = [values[row] for row in members]
            mine = [beliefs[row] for row in members]
            few = rivals.fewest_counterfeits(
                len(beliefs[0]),
                lambda more, own=own, mine=mine: stands(name, [*own, *more], values, mine),
                len(added),
            )
            assert len(added) == few

    fewest()


@given(leftovers())
def test_divergence__is_measured_on_members_alone(drawn):
    values, beliefs, n_left = drawn
    partition, evidence = settled(drawn, sr.KAnonymity(k=9))
    measured = sr.JSBound(j=1).measure(partition.tally(evidence))
    for number, members in enumerate(partition.groups):
        expected = oracles.js_divergence([beliefs[row] for row in members])
        assert measured[number] == pytest.approx(max(expected, 0), abs=1e-9)
    assert len(partition.counterfeits) > 0
    assert len(values) == len(evidence) >= n_left


def test_counterfeits__need_somebody_to_draw_them():
    evidence = Evidence(np.array([0, 1]), np.full((2, 2), 0.5))
    alone = Partition(NOBODY, np.array([0]), np.arange(2))
    with pytest.raises(PolicyError, match="no rng was given"):
        settle(alone, evidence, sr.KAnonymity(k=3), "counterfeit")


# -- whole releases ----------------------------------------------------------------------------

POLICIES = {
    "scan": sr.Policy(sr.KAnonymity(k=4) & sr.JSBound(j=0.3), remainder="counterfeit"),
    "mondrian": sr.Policy(
        sr.KAnonymity(k=4) & sr.JSBound(j=0.3), sr.Mondrian(), remainder="counterfeit"
    ),
    "buckets": sr.Policy(sr.KAnonymity(k=5), remainder="counterfeit", form="buckets"),
    "m-invariant": sr.m_invariance(2),
}


def reader_of(table, rule="omega"):
    """A reader who expects something else of everyone."""
    people = sorted(table["id"])
    rng = np.random.default_rng(len(people))
    rows = rng.dirichlet(np.full(3, 0.8), len(people)) * 0.97 + 0.01
    known = {
        "respondent": np.repeat(people, 3).tolist(),
        "value": list(EXAMS) * len(people),
        "probability": rows.ravel().tolist(),
    }
    return sr.Adversary(sr.TabulatedPrior.from_table(known), rule=rule)


def publish(table, name, *, seed=1, rule="omega", store=None):
    publisher = sr.Publisher(
        hospital_schema(), POLICIES[name], reader_of(table, rule), seed=seed, store=store
    )
    publisher.publish(table, at=1)
    return publisher.latest


def shown(one):
    """The values of each group, as the public tables show them."""
    table = one.release.tables()
    if one.release.form == "generalized":
        rows = [(group, value, 1) for group, value in columns(table[""], "group", "exam")]
    else:
        rows = columns(table[".values"], "group", "exam", "count")
    found = [[] for _ in range(one.release.n_groups)]
    for group, value, count in rows:
        found[group - 1] += [EXAMS.index(value)] * count
    return found


def columns(table, *names):
    return list(zip(*(table.column(name).to_pylist() for name in names), strict=True))


@pytest.mark.parametrize("name", POLICIES)
def test_release__has_everyone_and_the_store_knows_whom_it_invented(name):
    @given(hospital_tables(least=4))
    def has_everyone(table):
        store = sr.MemoryStore()
        one = publish(table, name, store=store)
        assert one.suppressed == 0
        group_of = one.membership.group_of
        expected = []
        for group, values in enumerate(shown(one)):
            left = list(values)
            for row in np.flatnonzero(group_of == group):
                left.remove(one.view.value_codes[row])
            expected += [(group, value) for value in sorted(left)]
        assert sorted(store.entries[0].counterfeits) == expected
        assert one.counterfeits == len(expected) == len(one.release) - len(table["id"])

    has_everyone()


@given(hospital_tables(least=4), st.sampled_from(sorted(POLICIES)))
def test_release__repeats_with_the_same_seed(table, name):
    one, other = publish(table, name, seed=5), publish(table, name, seed=5)
    assert one.release.tables() == other.release.tables()


@st.composite
def dressed(draw):
    """A view, groups of all its rows, counterfeits, and a pair in one group to be swapped."""
    table = draw(hospital_tables(least=4, most=10))
    n = len(table["id"])
    view = sr.View.from_table(table, hospital_schema())
    starts = np.array([0, n // 2, n])
    groups = draw(st.lists(st.integers(0, 1), min_size=1, max_size=4))
    codes = draw(st.lists(st.integers(0, 2), min_size=len(groups), max_size=len(groups)))
    order = np.array(draw(st.permutations(range(n))))
    added = Counterfeits(np.array(groups), np.array(codes))
    return view, Partition(order, starts, NOBODY, added)


@given(dressed(), st.sampled_from(["generalized", "buckets"]), st.integers(0, 9))
def test_tables__are_the_same_whichever_of_two_tuples_is_real(drawn, form, seed):
    """A member with value a beside a counterfeit with value b, or the other way round."""
    view, partition = drawn
    row = partition.rows[partition.starts[partition.counterfeits.groups[0]]]
    swapped, codes = view.value_codes.copy(), partition.counterfeits.value_codes.copy()
    swapped[row], codes[0] = codes[0], swapped[row]
    other = replace(view, value_codes=swapped)
    added = replace(partition.counterfeits, value_codes=codes)
    tables = [
        generalize(of, cut, at=1, rng=np.random.default_rng(seed), form=form)[0].tables()
        for of, cut in ((view, partition), (other, replace(partition, counterfeits=added)))
    ]
    assert tables[0] == tables[1]


@given(dressed(), st.integers(0, 9))
def test_regions__are_those_of_the_members_alone(drawn, seed):
    view, partition = drawn
    bare = replace(partition, counterfeits=Counterfeits())
    regions = []
    for cut in (partition, bare):
        release, membership = generalize(view, cut, at=1, rng=np.random.default_rng(seed))
        first = [int(membership.group_of[cut.rows[start]]) for start in cut.starts[:-1]]
        regions.append([str(release.group(group).region) for group in first])
        assert membership.fits(release)
    assert regions[0] == regions[1]


@given(dressed(), st.integers(0, 9))
def test_buckets__dress_counterfeits_in_what_members_of_their_group_have(drawn, seed):
    view, partition = drawn
    release, membership = generalize(
        view, partition, at=1, rng=np.random.default_rng(seed), form="buckets"
    )
    people = release.tables()[".people"]
    assert people.num_rows == len(view) + len(partition.counterfeits)
    for axis, attribute in enumerate(view.schema.quasi_identifiers):
        texts = attribute.cover(view.points[:, axis], np.arange(len(view) + 1)).text.to_pylist()
        for group, text in columns(people, "group", attribute.name):
            members = np.flatnonzero(membership.group_of == group - 1)
            assert text in {texts[row] for row in members}


def test_rows__of_counterfeits_lie_anywhere_in_their_group():
    """Three members with values 0, a counterfeit with value 1: each of four places as often."""
    schema = sr.Schema("id", [sr.Numeric("age", 0, 9)], sr.Sensitive("exam", (0, 1)))
    table = {"id": [1, 2, 3], "age": [1, 2, 3], "exam": [0, 0, 0]}
    view = sr.View.from_table(table, schema)
    added = Counterfeits(np.array([0]), np.array([1]))
    cut = Partition(np.arange(3), np.array([0, 3]), NOBODY, added)
    places = []
    for seed in range(400):
        release, _ = generalize(view, cut, at=1, rng=np.random.default_rng(seed))
        places.append(release.to_frame()["exam"].index(1))
    assert np.bincount(places).min() > 70


@pytest.fixture(scope="module")
def filled():
    """Five people in groups of four: the second group is one person and three counterfeits."""
    schema = sr.Schema("id", [sr.Numeric("age", 0, 99)], sr.Sensitive("exam", EXAMS))
    table = {
        "id": [1, 2, 3, 4, 5],
        "age": [1, 2, 3, 4, 90],
        "exam": [EXAMS[i % 3] for i in range(5)],
    }
    policy = sr.Policy(sr.KAnonymity(k=4), remainder="counterfeit")
    publisher = sr.Publisher(schema, policy, sr.Adversary(), seed=1)
    publisher.publish(table, at=1)
    return publisher.latest


def checked(one, *, release=None, **changes):
    return guard(
        release or one.release,
        one.view,
        replace(one.membership, **changes),
        Evidence.of(one.view, one.revised),
        sr.KAnonymity(k=4),
    )


def test_guard__knows_how_many_tuples_are_nobodys(filled):
    assert filled.counterfeits == 3
    assert checked(filled).holds


@pytest.mark.parametrize("change", [[0, 1], [1, 0], [0, -1], [1, -1]])
def test_guard__refuses_another_number_of_counterfeits(filled, change):
    told = filled.membership.counterfeits + np.array(change)
    with pytest.raises(InternalError, match="not those of its members and counterfeits"):
        checked(filled, counterfeits=told)


def test_guard__refuses_counterfeits_that_nobody_told_it_of(filled):
    with pytest.raises(InternalError, match="not those of its members and counterfeits"):
        checked(filled, counterfeits=None)


def test_guard__refuses_a_value_of_a_member_passed_off_as_a_counterfeit(filled):
    lone = int(np.argmax(filled.membership.counterfeits))
    begin, end = filled.release.starts[lone : lone + 2]
    codes = filled.release.value_codes.copy()
    mine = int(filled.view.value_codes[4])
    codes[begin:end] = (mine + 1) % 3
    with pytest.raises(InternalError, match="not those of its members and counterfeits"):
        checked(filled, release=replace(filled.release, value_codes=codes))


def test_release__does_not_hold_how_many_were_invented(filled):
    assert "counterfeit" not in repr(vars(filled.release))
    assert filled.release.to_arrow().column_names == ["group", "age", "exam"]


@given(hospital_tables(least=4, most=9))
def test_exact_reader__agrees_with_enumerating_who_may_have_which_tuple(table):
    one = publish(table, "m-invariant", rule="exact")
    prior, posterior = one.revised.probabilities, one.posterior.probabilities
    for group, values in enumerate(shown(one)):
        members = np.flatnonzero(one.membership.group_of == group)
        expected = oracles.exact_posterior(prior[members].tolist(), values)
        np.testing.assert_allclose(posterior[members], expected, atol=1e-9)


@given(hospital_tables(least=4, most=9), st.sampled_from(["scan", "m-invariant"]))
def test_paper_s_readers__agree_with_their_twins_where_tuples_are_nobodys(table, name):
    twins = {"additive": oracles.additive_posterior, "omega": oracles.omega_posterior}
    for rule, twin in twins.items():
        one = publish(table, name, rule=rule)
        prior, posterior = one.revised.probabilities, one.posterior.probabilities
        for group, values in enumerate(shown(one)):
            members = np.flatnonzero(one.membership.group_of == group)
            if len(values) <= 6:
                expected = twin(prior[members].tolist(), values)
                np.testing.assert_allclose(posterior[members], expected, atol=1e-9)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("name", POLICIES)
def test_every_reader__believes_in_published_values_only(rule, name):
    rng = np.random.default_rng(4)
    n = 23
    table = {
        "id": list(range(n)),
        "age": rng.integers(0, 99, n).tolist(),
        "gender": rng.choice(["F", "M", "X"], n).tolist(),
        "grade": rng.choice(["low", "middle", "high", "top"], n).tolist(),
        "zip": rng.choice(["12030", "20100"], n).tolist(),
        "exam": rng.choice(EXAMS, n, p=[0.8, 0.15, 0.05]).tolist(),
    }
    one = publish(table, name, rule=rule)
    assert one.counterfeits > 0
    posterior = one.posterior.probabilities
    np.testing.assert_allclose(posterior.sum(axis=1), 1.0, atol=1e-9)
    for group, values in enumerate(shown(one)):
        members = np.flatnonzero(one.membership.group_of == group)
        absent = [value for value in range(3) if value not in values]
        assert (posterior[np.ix_(members, absent)] == 0).all()


def test_certificate__counts_them_and_the_files_are_verified(tmp_path):
    changes = [('remainder = "merge"', 'remainder = "counterfeit"'), ("j = 1.0", "j = 0.05")]
    study = sr.Study.read(studies.write_study(tmp_path, changes=changes))
    with sr.Press(study) as press:
        printed = [press.publish(studies.week(study.path, n), at=n) for n in (1, 2)]
        entries = press.store.entries
    counts = [one.publication.counterfeits for one in printed]
    assert sum(counts) > 0
    for one, entry, count in zip(printed, entries, counts, strict=True):
        certificate = json.loads(one.files[-1].read_text())
        assert certificate["counterfeits"] == count == len(entry.counterfeits)
        assert certificate["tuples"] == 60 - certificate["suppressed"] + count
        assert sr.verify(one.files[-1]).holds


def test_tally__joins_counterfeits_to_those_there_are():
    evidence = Evidence(np.array([0, 1, 1]), np.full((3, 2), 0.5))
    tally = Tally.of(evidence, np.arange(3), np.array([0, 1, 3]))
    once = tally.with_counterfeits(np.array([[0, 1], [2, 0]]))
    twice = once.with_counterfeits(np.array([[1, 0], [0, 0]]))
    assert twice.sizes.tolist() == [3, 4]
    assert twice.people.tolist() == tally.people.tolist() == [1, 2]
    assert twice.value_counts.tolist() == [[2, 1], [2, 2]]
    assert twice.counterfeits.tolist() == [2, 2]


def test_partition__refuses_counterfeits_of_a_group_that_is_not_there():
    for group in (-1, 1):
        added = Counterfeits(np.array([group]), np.array([0]))
        with pytest.raises(PolicyError, match="no partition"):
            Partition(np.arange(2), np.array([0, 2]), NOBODY, added)


def alone(values, row, requirement, n_values=None):
    """Fill up one leftover of a view."""
    n_values = n_values or max(values) + 1
    evidence = Evidence(np.array(values), np.full((len(values), n_values), 1 / n_values))
    others = np.delete(np.arange(len(values)), row)
    starts = np.array([0, len(others)]) if len(others) else np.array([0])
    left = Partition(others, starts, np.array([row]))
    return settle(left, evidence, requirement, "counterfeit", np.random.default_rng(1))


@pytest.mark.parametrize("rare", [10, 100, 1000])
def test_diversity__needs_one_counterfeit_however_rare_the_other_value_is(rare):
    found = alone([0] * rare + [1], 0, sr.KAnonymity(k=2) & sr.DistinctLDiversity(l=2))
    assert found.counterfeits.value_codes.tolist() == [1]


@pytest.mark.parametrize(
    ("values", "requirement", "n_values"),
    [
        ([1, 0, 0, 0], sr.MUniqueness(m=2), 2),
        ([0, 0, 0], sr.DistinctLDiversity(l=3), 4),
        ([0] * 8 + [1] * 2, sr.KAnonymity(k=2) & sr.RecursiveCLDiversity(c=2, l=2), 2),
    ],
)
def test_leftover__stands_where_looking_like_the_view_would_not_do(values, requirement, n_values):
    found = alone(values, 2, requirement, n_values)
    assert len(found.remainder) == 0
    assert len(found.counterfeits) > 0


def test_view__that_no_counterfeit_can_help_is_refused_and_nothing_else():
    n = 8
    table = {"id": list(range(n)), "age": list(range(n)), "gender": ["F"] * n, "grade": ["low"] * n}
    table |= {"zip": ["12030"] * n, "exam": ["unclear"] * n}
    asked = sr.l_diversity(2, k=4, t=0.6)
    policy = sr.Policy(asked.requirement, asked.partitioner, "counterfeit")
    publisher = sr.Publisher(hospital_schema(), policy, sr.Adversary(), seed=1)
    with pytest.raises(sr.UnsatisfiableError):
        publisher.publish(table, at=1)


def test_release__fills_up_again_whom_its_own_counterfeits_left_over():
    table = {
        "id": list(range(10)),
        "age": [15, 23, 56, 8, 64, 4, 70, 46, 13, 6],
        "exam": list("bcaaabacba"),
    }
    schema = sr.Schema("id", [sr.Numeric("age", 0, 100)], sr.Sensitive("exam", list("abc")))
    policy = sr.Policy(sr.KAnonymity(k=4) & sr.TCloseness(t=0.3), remainder="counterfeit")
    publisher = sr.Publisher(schema, policy, sr.Adversary(), seed=1)
    publisher.publish(table, at=1)
    assert publisher.latest.suppressed == 0
    assert publisher.latest.verdict.holds


def test_gain__is_over_the_published_frequency():
    prior = sr.MarginalPrior({"a": 0.98, "b": 0.01, "c": 0.01})
    schema = sr.Schema("id", [sr.Numeric("age", 0, 9)], sr.Sensitive("exam", list("abc")))
    publisher = sr.Publisher(schema, sr.m_invariance(2), sr.Adversary(prior, rule="exact"), seed=1)
    release = publisher.publish({"id": [1], "age": [5], "exam": ["a"]}, at=1)
    latest = publisher.latest
    shown = np.bincount(release.value_codes, minlength=3)[None, :]
    measured = latest.posterior.probabilities, latest.view.value_codes, latest.membership.group_of
    gain = sr.adversary_gain(*measured, published=shown)
    audited = sr.audit(
        [release],
        [latest.view],
        {"own": sr.Adversary(prior, rule="exact")},
        memberships=[latest.membership],
    )
    assert float(gain) == pytest.approx(audited.rows[0].gain)
    assert float(gain) > 0.9
    found = sr.exposure(*measured, published=shown)
    assert found.gain == pytest.approx(gain.per_tuple)
    with pytest.raises(sr.KnowledgeError, match=r"runs \(groups, values\)"):
        sr.adversary_gain(*measured, published=[[1, 1]])
