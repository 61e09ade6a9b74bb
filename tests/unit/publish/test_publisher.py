from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import seriatim as sr
from seriatim.publish import Step


def groups_of(release):
    """The multiset of groups, however they are numbered and ordered."""
    return sorted((str(group.region), sorted(group.counts.items())) for group in release.groups)


def changed(table, **columns):
    return {**table, **columns}


def only(table, *rows):
    return {name: [column[row] for row in rows] for name, column in table.items()}


@pytest.fixture
def reader(sticky):
    return sr.Adversary(sequence=sticky)


def test_publisher__publishes_pairs_of_neighbours(make_publisher, table):
    release = make_publisher().publish(table, at=1)
    ages = ["[51,53]", "[52,54]", "[70,72]", "[71,73]"]
    assert sorted(set(release.to_frame()["age"])) == ages
    assert release.sizes.tolist() == [2, 2, 2, 2]


def test_publisher__repeats_itself_with_the_same_seed(make_publisher, table, reader):
    one, two = make_publisher(adversary=reader), make_publisher(adversary=reader)
    for at in range(4):
        assert one.publish(table, at=at).to_frame() == two.publish(table, at=at).to_frame()


def test_publisher__forms_the_same_groups_with_any_seed(make_publisher, table):
    releases = [make_publisher(seed=seed).publish(table, at=1) for seed in range(10)]
    assert len({str(groups_of(release)) for release in releases}) == 1


def test_publisher__orders_rows_differently_with_another_seed(make_publisher, table):
    releases = [make_publisher(seed=seed).publish(table, at=1) for seed in range(10)]
    assert len({str(release.to_frame()) for release in releases}) > 5


def test_publisher__draws_a_secret_where_no_seed_is_given(make_publisher, table):
    frames = {str(make_publisher(seed=None).publish(table, at=1).to_frame()) for _ in range(10)}
    assert len(frames) > 5


def test_publisher__shuffles_each_view_in_its_own_way(make_publisher, table):
    publisher = make_publisher()
    frames = set()
    for at in range(10):
        view = changed(table, age=[age + at for age in table["age"]])
        frames.add(str(publisher.publish(view, at=at).to_frame()["exam"]))
    assert len(frames) > 3


def test_publisher__leaves_the_adversary_it_was_given_untouched(make_publisher, table, reader):
    publisher = make_publisher(adversary=reader)
    publisher.publish(table, at=1)
    assert len(reader.memory) == 0


def test_publisher__keeps_everything_about_its_latest_release(make_publisher, table):
    publisher = make_publisher(sr.KAnonymity(k=3))
    assert publisher.latest is None
    release = publisher.publish(table, at=1)
    latest = publisher.latest
    assert latest.release is release is publisher.history[-1]
    assert (latest.suppressed, latest.verdict.holds) == (2, True)
    assert latest.membership.fits(release)


def test_preview__changes_nothing(make_publisher, table, reader):
    store, twin_store = sr.MemoryStore(), sr.MemoryStore()
    publisher = make_publisher(adversary=reader, store=store)
    twin = make_publisher(adversary=reader, store=twin_store)
    for at in (1, 2):
        for _ in range(3):
            publisher.preview(only(table, 0, 1, 2, 3), at=at + 5)
        assert repr(store) == repr(twin_store)
        assert publisher.publish(table, at=at).to_frame() == twin.publish(table, at=at).to_frame()
        assert (
            publisher.latest.posterior.of("pos").tolist()
            == twin.latest.posterior.of("pos").tolist()
        )


def test_preview__shows_what_publish_then_does(make_publisher, table, reader):
    publisher = make_publisher(adversary=reader)
    publisher.publish(table, at=1)
    seen = publisher.preview(table, at=2)
    assert publisher.publish(table, at=2).to_frame() == seen.release.to_frame()
    assert (publisher.latest.posterior.probabilities == seen.posterior.probabilities).all()


def test_preview__is_refused_like_the_publish_it_shows(make_publisher, table):
    publisher = make_publisher()
    publisher.publish(table, at=3)
    with pytest.raises(sr.OrderError, match="history already reaches 3"):
        publisher.preview(table, at=3)


@pytest.fixture
def undeclared(schema):
    return sr.Schema("name", schema.quasi_identifiers, sr.Sensitive("exam"))


def test_domain__is_settled_by_the_first_view(make_publisher, undeclared, table):
    publisher = make_publisher(schema=undeclared)
    publisher.publish(table, at=1)
    assert publisher.history[0].schema.sensitive.domain == ("neg", "pos")
    publisher.publish(changed(table, exam=["neg"] * 8), at=2)
    assert publisher.history[1].schema.sensitive.domain == ("neg", "pos")


def test_domain__includes_what_the_knowledge_speaks_of(make_publisher, undeclared, table):
    prior = sr.MarginalPrior({"zzz": 0.5, "pos": 0.5})
    publisher = make_publisher(adversary=sr.Adversary(prior=prior), schema=undeclared)
    publisher.publish(table, at=1)
    assert publisher.history[0].schema.sensitive.domain == ("neg", "pos", "zzz")
    publisher.publish(changed(table, exam=["zzz"] * 8), at=2)
    assert set(publisher.history[1].to_frame()["exam"]) == {"zzz"}


def test_domain__refuses_a_new_value_in_a_later_view(make_publisher, undeclared, table):
    publisher = make_publisher(schema=undeclared)
    publisher.publish(table, at=1)
    with pytest.raises(
        sr.TableError, match=r"outside its domain.*row position 2 .*Possible are 'neg'"
    ):
        publisher.publish(changed(table, exam=["neg", "pos", "new"] + ["pos"] * 5), at=2)


def test_domain__that_is_declared_must_have_the_values_of_the_knowledge(make_publisher, table):
    publisher = make_publisher(adversary=sr.Adversary(prior=sr.MarginalPrior({"zzz": 1.0})))
    with pytest.raises(sr.KnowledgeError, match=r"outside the sensitive domain: 'zzz'.*Declare"):
        publisher.publish(table, at=1)


def test_respondents__who_skip_releases_keep_their_past(make_publisher, table, reader):
    publisher = make_publisher(adversary=reader)
    publisher.publish(table, at=1)
    before = publisher.preview(table, at=2).revised.of("pos")
    publisher.publish(only(table, 0, 1, 2, 3), at=2)
    after = publisher.preview(table, at=3).revised.of("pos")
    assert after[4:].tolist() == before[4:].tolist()
    assert not np.isclose(before, 0.5).any()


def test_respondents__who_are_suppressed_keep_their_past(make_publisher, table, reader):
    publisher = make_publisher(sr.KAnonymity(k=3), reader)
    everyone = only(table, *range(6))
    publisher.publish(everyone, at=1)
    before = publisher.preview(table, at=2).revised.of("pos")
    publisher.publish(table, at=2)
    left_out = publisher.latest.membership.group_of < 0
    assert left_out.sum() == 2
    posterior = publisher.latest.posterior.of("pos")
    assert posterior[left_out].tolist() == before[left_out].tolist()
    after = publisher.preview(table, at=3).revised.of("pos")
    assert after[left_out].tolist() == before[left_out].tolist()


def test_respondents__who_were_never_published_are_judged_by_the_prior(
    make_publisher, table, sticky
):
    prior = sr.MarginalPrior({"neg": 0.6, "pos": 0.4})
    publisher = make_publisher(adversary=sr.Adversary(prior=prior, sequence=sticky))
    publisher.publish(only(table, 0, 1, 2, 3), at=1)
    assert publisher.preview(table, at=2).revised.of("pos")[4:].tolist() == [0.4] * 4


def test_respondents__are_recognized_when_their_quasi_identifiers_change(
    make_publisher, table, reader
):
    publisher = make_publisher(adversary=reader)
    publisher.publish(table, at=1)
    before = publisher.preview(table, at=2).revised.of("pos")
    older = changed(table, age=[age + 30 for age in table["age"]], gender=["M", "F"] * 4)
    publisher.publish(older, at=2)
    assert publisher.latest.revised.of("pos").tolist() == before.tolist()
    assert publisher.latest.view.points[:, 0].min() == 81


@pytest.mark.parametrize("kind", [pd.DataFrame, pa.table])
def test_respondents__are_recognized_in_another_kind_of_table(make_publisher, table, reader, kind):
    publisher = make_publisher(adversary=reader)
    publisher.publish(table, at=1)
    before = publisher.preview(table, at=2).revised.of("pos")
    assert publisher.preview(kind(table), at=2).revised.of("pos").tolist() == before.tolist()


def test_snapshot_reader__remembers_nobody(make_publisher, table):
    store = sr.MemoryStore()
    publisher = make_publisher(sr.KAnonymity(k=2) & sr.JSBound(j=0.0), store=store)
    for at in range(3):
        publisher.publish(table, at=at)
        assert publisher.latest.revised.of("pos").tolist() == [0.5] * 8
    assert repr(store) == "MemoryStore(3 releases, 0 respondents)"


def test_tabulated_prior__is_asked_about_those_it_knows(make_publisher, table, ids, sticky):
    known = {"respondent": ids[:2], "value": ["pos"] * 2, "probability": [1.0] * 2}
    prior = sr.TabulatedPrior.from_table(known, otherwise=sr.UniformPrior())
    publisher = make_publisher(adversary=sr.Adversary(prior=prior, sequence=sticky))
    publisher.publish(table, at=1)
    assert publisher.latest.revised.of("pos").tolist() == [1.0, 1.0] + [0.5] * 6


def test_store__carries_a_series_from_one_publisher_to_the_next(make_publisher, table, reader):
    store, twin = sr.MemoryStore(), make_publisher(adversary=reader)
    for at in (1, 2, 3):
        release = make_publisher(adversary=reader, store=store).publish(table, at=at)
        assert release.to_frame() == twin.publish(table, at=at).to_frame()
    assert store.history.instants == (1, 2, 3)
    assert store.last_instant == 3
    assert store.schema.sensitive.domain == ("neg", "pos")


def test_store__has_neither_schema_nor_instant_before_the_first_release():
    store = sr.MemoryStore()
    assert (store.schema, store.last_instant, len(store.history)) == (None, None, 0)


def test_store__keeps_the_schema_with_every_domain_as_wide_as_it_is_by_now(make_publisher, table):
    store = sr.MemoryStore()
    publisher = make_publisher(store=store)
    publisher.publish(table, at=1)
    publisher.publish(changed(table, age=list(range(20, 28)), gender=["X", "F"] * 4), at=2)
    age, gender = store.schema.quasi_identifiers
    assert (age.low, age.high, gender.values) == (20, 73, ("F", "M", "X"))
    assert store.schema.public() == store.history[0].schema


def test_store__takes_a_step_as_it_was_prepared(make_publisher, table, reader):
    made = make_publisher(adversary=reader).preview(table, at=5)
    store = sr.MemoryStore()
    impression = reader.anew(store.memory).consider(made.release, made.membership)
    store.commit(Step(made.release, impression, made.view.schema, made.view.digest()))
    assert repr(store) == "MemoryStore(1 releases, 8 respondents)"
    assert (store.last_instant, store.schema) == (5, made.view.schema)


OTHER_SCHEMAS = {
    "another respondent": (
        lambda s: replace(s, respondent="person"),
        "'respondent' differ",
    ),
    "fewer attributes": (
        lambda s: replace(s, quasi_identifiers=s.quasi_identifiers[:1]),
        "'quasi_identifiers' differ",
    ),
    "another range": (
        lambda s: replace(s, quasi_identifiers=(sr.Numeric("age", 0, 99), s.quasi_identifiers[1])),
        "'quasi_identifiers' differ",
    ),
    "another domain": (
        lambda s: replace(s, sensitive=sr.Sensitive("exam", ["pos"])),
        "'sensitive' differ",
    ),
    "another order": (
        lambda s: replace(s, sensitive=replace(s.sensitive, ordered=True)),
        "'sensitive' differ",
    ),
    "two roles at once": (
        lambda s: replace(s, respondent="person", sensitive=sr.Sensitive("exam", ["pos"])),
        "'respondent', 'sensitive' differ",
    ),
}


@pytest.mark.parametrize("change", OTHER_SCHEMAS)
def test_store__refuses_to_go_on_with_another_schema(make_publisher, schema, table, change):
    alter, part = OTHER_SCHEMAS[change]
    store = sr.MemoryStore()
    make_publisher(store=store).publish(table, at=1)
    table["person"] = table["name"]
    other = make_publisher(store=store, schema=alter(schema))
    with pytest.raises(sr.OrderError, match=f"begun with another schema: {part}"):
        other.publish(table, at=2)
    assert store.last_instant == 1


def test_store__goes_on_with_the_undeclared_schema_it_was_begun_with(
    make_publisher, undeclared, table
):
    store = sr.MemoryStore()
    for at in (1, 2):
        make_publisher(store=store, schema=undeclared).publish(table, at=at)
    assert store.history.instants == (1, 2)


OTHER_AUTOMATA = {
    "more states": sr.Automaton(("neg", "pos"), [[0.5, 0.5]] * 3, [[1, 2]] * 3),
    "fewer states": sr.Automaton(("neg", "pos"), [[0.5, 0.5]], [[0, 0]]),
    "other states": sr.Automaton(("neg", "pos"), [[0.5, 0.5]] * 2, [[1, 0], [1, 0]]),
    "another start": sr.Automaton(("neg", "pos"), [[0.5, 0.5]] * 2, [[0, 1], [0, 1]], start=1),
}


@pytest.mark.parametrize("change", OTHER_AUTOMATA)
@pytest.mark.parametrize("turned", [False, True], ids=["as given", "the other way round"])
def test_store__refuses_to_go_on_with_another_automaton(
    make_publisher, table, sticky, change, turned
):
    begun, other = (sticky, OTHER_AUTOMATA[change])[:: -1 if turned else 1]
    store = sr.MemoryStore()
    make_publisher(adversary=sr.Adversary(sequence=begun), store=store).publish(table, at=1)
    publisher = make_publisher(adversary=sr.Adversary(sequence=other), store=store)
    with pytest.raises(sr.KnowledgeError, match="made with other sequence knowledge"):
        publisher.publish(table, at=2)
    assert (store.last_instant, publisher.latest) == (1, None)


@pytest.mark.parametrize("store", [3, object], ids=repr)
def test_publisher__refuses_a_store_that_is_none(make_publisher, store):
    with pytest.raises(sr.PolicyError, match=r"A store is an object such as MemoryStore\(\), or a"):
        make_publisher(store=store)


def test_publisher__takes_the_path_of_a_store(make_publisher, table, tmp_path):
    make_publisher(store=tmp_path / "study.store").publish(table, at=1)
    assert (tmp_path / "study.store").exists()


def test_publisher__refuses_an_ordered_distance_over_values_without_an_order(make_publisher):
    with pytest.raises(sr.PolicyError, match=r"'exam', which have none\. Declare it.*ordered=True"):
        make_publisher(sr.KAnonymity(k=2) & sr.TCloseness(t=0.5, distance="ordered"))


def test_publisher__takes_an_ordered_distance_over_values_with_an_order(
    make_publisher, schema, table
):
    exam = sr.Sensitive("exam", ["neg", "pos"], ordered=True)
    publisher = make_publisher(
        sr.KAnonymity(k=2) & sr.TCloseness(t=0.5, distance="ordered"),
        schema=replace(schema, sensitive=exam),
    )
    assert len(publisher.publish(table, at=1)) == 8


@pytest.mark.parametrize("declared", [False, True])
def test_series__goes_on_when_views_widen_what_was_read_off(make_publisher, table, declared):
    """Ages and genders of later views lie outside those of the first."""
    attributes = [
        sr.Numeric("age"),
        sr.Categorical("gender"),
        sr.Hierarchical("zip", mask="prefix"),
    ]
    if declared:
        attributes[0] = sr.Numeric("age", 0, 120)
    schema = sr.Schema("name", attributes, sr.Sensitive("exam", ["neg", "pos"]))
    publisher = make_publisher(schema=schema)
    zips = [f"1203{digit}" for digit in range(8)]
    views = [
        changed(table, zip=zips),
        changed(table, zip=["9" + code for code in zips], age=[19, *table["age"][1:-1], 101]),
        changed(table, zip=zips, gender=["X", "A"] * 4),
        changed(table, zip=zips),
    ]
    for at, view in enumerate(views):
        release = publisher.publish(view, at=at)
        made = publisher.latest
        assert len(release) == 8
        for number, group in enumerate(release.groups):
            inside = group.region.contains(made.view.roster)
            assert inside[made.membership.group_of == number].all()
    age, gender, code = made.view.schema.quasi_identifiers
    assert (age.low, age.high) == ((0, 120) if declared else (19, 101))
    assert set(gender.values) == {"F", "M", "X", "A"}
    assert len(code.values) == 16


def test_series__keeps_the_declared_schema_in_every_release(make_publisher, schema, table):
    publisher = make_publisher()
    publisher.publish(table, at=1)
    publisher.publish(changed(table, age=list(range(8))), at=2)
    assert [release.schema for release in publisher.history] == [schema, schema]


def crowd(n=60):
    """Many people at three points; who has what changes from view to view."""
    rng = np.random.default_rng(4)
    return [
        {
            "name": [f"SECRET-{number:04d}" for number in range(n)],
            "age": [50 + number % 3 for number in range(n)],
            "gender": ["F"] * n,
            "exam": rng.choice(["neg", "pos"], n).tolist(),
        }
        for _ in range(3)
    ]


def people_of(publication):
    """Who is together with whom, whatever the numbers of the groups."""
    groups, names = publication.membership.group_of, publication.view.respondents.to_pylist()
    return {
        frozenset(name for name, group in zip(names, groups, strict=True) if group == number)
        for number in range(publication.release.n_groups)
    }


@pytest.mark.parametrize("again", ["the same publisher", "a new publisher"])
def test_ties__keep_the_same_people_together_over_a_series(make_publisher, again):
    store = sr.MemoryStore()
    publisher, together = make_publisher(sr.KAnonymity(k=4), store=store), []
    for at, view in enumerate(crowd()):
        if again == "a new publisher":
            publisher = make_publisher(sr.KAnonymity(k=4), store=store)
        publisher.publish(view, at=at)
        together.append(people_of(publisher.latest))
    assert len(together[0]) == 15
    assert together[0] == together[1] == together[2]


def test_ties__do_not_follow_the_order_of_ids(make_publisher):
    publisher = make_publisher(sr.KAnonymity(k=4))
    publisher.publish(crowd()[0], at=1)
    names = sorted(crowd()[0]["name"][::3])
    assert frozenset(names[:4]) not in people_of(publisher.latest)


def test_ties__are_others_under_another_secret(make_publisher):
    made = [make_publisher(sr.KAnonymity(k=4), seed=seed) for seed in range(5)]
    for publisher in made:
        publisher.publish(crowd()[0], at=1)
    assert len({frozenset(people_of(publisher.latest)) for publisher in made}) == 5


@pytest.mark.parametrize("kind", [pa.int8(), pa.int32(), pa.uint16()])
def test_respondents__are_recognized_by_numbers_of_another_width(
    make_publisher, table, reader, kind
):
    publisher = make_publisher(adversary=reader)
    publisher.publish(changed(table, name=pa.array(range(8), pa.int64())), at=1)
    before = publisher.preview(changed(table, name=list(range(8))), at=2).revised.of("pos")
    again = publisher.preview(changed(table, name=pa.array(range(8), kind)), at=2)
    assert again.revised.of("pos").tolist() == before.tolist()
    assert not np.isclose(before, 0.5).any()


@pytest.mark.parametrize("turned", [False, True], ids=["text first", "numbers first"])
def test_respondents__are_not_texts_once_and_numbers_then(make_publisher, table, reader, turned):
    publisher = make_publisher(adversary=reader)
    views = [changed(table, name=[str(n) for n in range(8)]), changed(table, name=list(range(8)))]
    first, second = views[:: -1 if turned else 1]
    publisher.publish(first, at=1)
    with pytest.raises(sr.OrderError, match=r"could not be recognized\. Use one kind of id"):
        publisher.publish(second, at=2)


def test_js_reduce__tells_people_apart_by_what_is_expected_of_them(make_publisher, table, ids):
    known = {"respondent": ids, "value": table["exam"], "probability": [1.0] * 8}
    reader = sr.Adversary(prior=sr.TabulatedPrior.from_table(known))
    bounded = sr.KAnonymity(k=2) & sr.JSBound(j=0.0)
    loose = make_publisher(adversary=reader).publish(table, at=1)
    strict = make_publisher(bounded, reader, remainder="merge")
    assert {len(group.counts) for group in loose.groups} == {2}
    with pytest.raises(sr.UnsatisfiableError, match=r"JSBound\(j=0\.0\) fails: 1 bit, 1 off"):
        strict.publish(table, at=1)


@pytest.mark.parametrize(
    ("remainder", "sizes", "suppressed"), [("suppress", [3, 3], 2), ("merge", [3, 5], 0)]
)
def test_remainder__is_suppressed_or_merged(make_publisher, table, remainder, sizes, suppressed):
    publisher = make_publisher(sr.KAnonymity(k=3), remainder=remainder)
    release = publisher.publish(table, at=1)
    assert (sorted(release.sizes), publisher.latest.suppressed) == (sizes, suppressed)


def test_merge__gives_the_leftovers_to_their_neighbours(make_publisher, schema, table):
    schema = sr.Schema("name", schema.quasi_identifiers[:1], schema.sensitive)
    publisher = make_publisher(sr.KAnonymity(k=3), schema=schema, remainder="merge")
    frame = publisher.publish(table, at=1).to_frame()
    assert sorted(frame["age"]) == ["[51,53]"] * 3 + ["[54,73]"] * 5


def test_policy__is_open_to_everyone(make_publisher):
    assert make_publisher(sr.KAnonymity(k=3)).policy.requirement == sr.KAnonymity(k=3)


def test_view__that_was_read_already_is_published_if_it_fits():
    schema = sr.Schema("id", [sr.Numeric("age", 0, 9)], sr.Sensitive("exam", ["a", "b"]))
    table = {"id": [1, 2], "age": [1, 2], "exam": ["a", "b"]}
    policy = sr.Policy(sr.KAnonymity(k=2))
    view = sr.View.from_table(table, schema)
    releases = [
        sr.Publisher(schema, policy, sr.Adversary(), seed=1).publish(one, at=1)
        for one in (table, view)
    ]
    assert releases[0].to_arrow().equals(releases[1].to_arrow())
    other = sr.Schema("id", [sr.Numeric("age", 0, 9)], sr.Sensitive("exam", ["b", "a"]))
    with pytest.raises(sr.OrderError, match="another schema"):
        sr.Publisher(other, policy, sr.Adversary(), seed=1).publish(view, at=1)


def test_publisher__refuses_a_view_that_was_read_with_a_domain_of_its_own():
    schema = sr.Schema("name", [sr.Categorical("ward")], sr.Sensitive("exam", ["neg", "pos"]))
    publisher = sr.Publisher(schema, sr.Policy(sr.KAnonymity(k=2)), sr.Adversary(), seed=1)

    def table(*wards):
        return {"name": list(range(len(wards))), "ward": wards, "exam": ["neg", "pos"] * 2}

    publisher.publish(table("east", "east", "west", "west"), at=1)
    alone = sr.View.from_table(table("north", "north", "west", "west"), schema)
    with pytest.raises(sr.OrderError, match="a domain of 'ward' of its own"):
        publisher.publish(alone, at=2)
    assert publisher.publish(table("north", "north", "west", "west"), at=2).at == 2
