import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import seriatim as sr


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
    with pytest.raises(sr.TableError, match=r"outside its domain.*row position 2.*'new'.*'neg'"):
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
    assert store.domain == ("neg", "pos")


def test_store__has_no_domain_before_the_first_release():
    assert sr.MemoryStore().domain is None


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
