"""Who is listed: newcomers and leavers in batches, people who stay listed, periods pooled."""

import json
import signal
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import killed
import seriatim as sr
from processes import exit_code
from seriatim.publish.extension import Extension
from seriatim.publish.listing import Listing, listed
from seriatim.publish.small_differences import opening
from seriatim.publish.whereabouts import Whereabouts
from small_series import in_batches, week

SCHEMA = sr.Schema(
    "who", [sr.Numeric("age", 0, 99), sr.Categorical("ward")], sr.Sensitive("ill", ["p", "q"])
)
IN_BATCHES = sr.Policy(sr.KAnonymity(k=4), sr.StandingCells(6), batch=3)


def month(ids, ill="pq", ward="north"):
    """A table of people: the first letter of an id says whether they are young or old."""
    ages = {"y": 20, "o": 80}
    return {
        "who": list(ids),
        "age": [ages[one[0]] + len(one) for one in ids],
        "ward": [ward] * len(ids),
        "ill": [ill[place % len(ill)] for place in range(len(ids))],
    }


def young(*numbers):
    return [f"y{number:02}" for number in numbers]


def old(*numbers):
    return [f"o{number:02}" for number in numbers]


EVERYBODY = [*young(*range(10)), *old(*range(10))]


def published(*tables, policy=IN_BATCHES, store=None, schema=SCHEMA):
    publisher = sr.Publisher(schema, policy, sr.Adversary(), seed=1, store=store)
    made = []
    for at, table in enumerate(tables, start=1):
        publisher.publish(table, at=at)
        made.append(publisher.latest)
    return made


def names(publication):
    return publication.view.respondents.to_pylist()


def test_first_release__lists_everybody():
    (first,) = published(month(EVERYBODY))
    assert names(first) == sorted(EVERYBODY)
    assert (first.waiting, first.carried, first.held_back) == (0, 0, 0)


def test_newcomers__wait_until_a_batch_of_their_cell_is_there():
    _, second, third = published(
        month(EVERYBODY),
        month([*EVERYBODY, *young(20, 21), *old(20)]),
        month([*EVERYBODY, *young(20, 21, 22, 23), *old(20)]),
    )
    assert second.waiting == 3
    assert names(second) == sorted(EVERYBODY)
    assert third.waiting == 1
    assert names(third) == sorted([*EVERYBODY, *young(20, 21, 22, 23)])


def test_who_waits_and_never_comes_again__was_never_there():
    _, _, third = published(
        month(EVERYBODY), month([*EVERYBODY, *young(20, 21)]), month([*EVERYBODY, *young(22)])
    )
    assert third.waiting == 1
    assert names(third) == sorted(EVERYBODY)


def test_who_left__stays_listed_as_last_seen_until_a_batch_has_left():
    _, second, third = published(
        month(EVERYBODY, ill="p"),
        month(EVERYBODY[2:], ill="q"),
        month(EVERYBODY[3:], ill="q"),
    )
    assert second.carried == 2
    assert names(second) == sorted(EVERYBODY)
    carried = second.membership.carried
    assert np.array(names(second))[carried].tolist() == young(0, 1)
    assert second.view.value_codes[carried].tolist() == [0, 0]
    assert set(second.view.value_codes[~carried].tolist()) == {1}
    assert third.carried == 0
    assert names(third) == sorted(EVERYBODY[3:])


def test_who_comes_back_while_listed__is_as_they_are_now():
    _, second, third = published(
        month(EVERYBODY, ill="p"), month(EVERYBODY[1:], ill="p"), month(EVERYBODY, ill="q")
    )
    assert (second.carried, third.carried) == (1, 0)
    assert set(third.view.value_codes.tolist()) == {1}


def test_kept_people__stay_listed_for_so_many_releases_and_leave_one_by_one():
    policy = sr.Policy(sr.KAnonymity(k=4), keep=2)
    made = published(month(EVERYBODY), *[month(EVERYBODY[1:])] * 3, month(EVERYBODY), policy=policy)
    assert [one.carried for one in made] == [0, 1, 1, 0, 0]
    assert [len(one.view) for one in made] == [20, 20, 20, 19, 20]


def test_kept_people__leave_in_batches_where_both_are_asked_for():
    policy = replace(IN_BATCHES, keep=1)
    made = published(
        month(EVERYBODY),
        month(EVERYBODY[1:]),  # one is away
        month(EVERYBODY[2:]),  # the first is gone, another is away
        month(EVERYBODY[3:]),  # two are gone, another is away
        month(EVERYBODY[3:]),  # three are gone
        policy=policy,
    )
    assert [one.carried for one in made] == [0, 1, 2, 3, 0]


def test_listing__does_not_depend_on_sensitive_values():
    rng = np.random.default_rng(3)
    tables = [month(rng.permutation(EVERYBODY)[:17].tolist()) for _ in range(5)]
    others = [{**one, "ill": rng.permutation(one["ill"]).tolist()} for one in tables]
    for one, other in zip(published(*tables), published(*others), strict=True):
        assert names(one) == names(other)
        assert one.waiting == other.waiting


def test_listing__does_not_depend_on_the_order_of_rows():
    tables = [month(EVERYBODY), month(EVERYBODY[1:]), month(EVERYBODY[2:])]
    turned = [{name: column[::-1] for name, column in one.items()} for one in tables]
    for one, other in zip(published(*tables), published(*turned), strict=True):
        assert one.release.to_arrow().equals(other.release.to_arrow())


def test_carried_codes__are_those_of_the_later_view():
    # Read apart, the second view numbers the wards otherwise.
    later = replace(
        SCHEMA,
        quasi_identifiers=[SCHEMA.quasi_identifiers[0], sr.Categorical("ward", ["east", "north"])],
    )
    _, second = published(
        sr.View.from_table(month(EVERYBODY, ward="north"), SCHEMA),
        sr.View.from_table(month(EVERYBODY[1:], ward="east"), later),
    )
    ward = second.view.schema.quasi_identifiers[1]
    wards = [ward.values[int(code)] for code in second.view.points[:, 1]]
    assert wards == ["north" if one else "east" for one in second.membership.carried]
    assert second.carried == 1


def test_range_of_a_view_that_was_read_apart__takes_in_who_is_carried():
    schema = sr.Schema("who", [sr.Numeric("age")], sr.Sensitive("ill", ["p", "q"]))
    tables = [{"who": list(range(8)), "age": [20] * 7 + [90], "ill": ["p", "q"] * 4}]
    tables.append({name: column[:7] for name, column in tables[0].items()})
    views = [sr.View.from_table(table, schema) for table in tables]
    policy = sr.Policy(sr.KAnonymity(k=4), keep=1)
    _, second = published(*views, policy=policy, schema=schema)
    assert second.carried == 1
    assert second.view.schema.quasi_identifiers[0].high == 90
    assert sorted(second.release.covers[0].text.to_pylist()) == ["20", "[20,90]"]


def test_insensitive_columns__are_repeated_with_who_is_carried():
    schema = replace(SCHEMA, insensitive=["note"], allow_unique=["note"])
    tables = [month(EVERYBODY), month(EVERYBODY[1:])]
    for number, table in enumerate(tables):
        table["note"] = [f"{number} {one}" for one in table["who"]]
    _, second = published(*tables, schema=schema)
    assert sorted(second.release.to_arrow().column("note").to_pylist()) == sorted(
        [f"1 {one}" for one in EVERYBODY[1:]] + [f"0 {EVERYBODY[0]}"]
    )


def test_insensitive_columns__of_another_kind_than_before_are_refused():
    schema = replace(SCHEMA, insensitive=["note"], allow_unique=["note"])
    tables = [month(EVERYBODY), month(EVERYBODY[1:])]
    tables[0]["note"], tables[1]["note"] = ["a"] * 20, [1.5] * 19
    with pytest.raises(sr.SchemaError, match="'note'"):
        published(*tables, schema=schema)


def test_ids_of_another_kind__are_refused():
    table = month(EVERYBODY)
    with pytest.raises(sr.OrderError, match="Use one kind of id"):
        published(table, {**table, "who": list(range(20))})


def test_groups_that_no_merge_mends__are_left_out_whole_where_people_move_in_batches():
    # Among the old, two of the east are believed to have what the others do not.
    beliefs = {
        "ward": ["west", "west", "east", "east"],
        "value": ["p", "q"] * 2,
        "probability": [0.95, 0.05, 0.05, 0.95],
    }
    reader = sr.Adversary(sr.ClassPrior.from_table(beliefs, classes="ward"))
    table = month(EVERYBODY)
    table["ward"] = [*["west"] * 18, *["east"] * 2]
    requirement = sr.KAnonymity(k=4) & sr.JSBound(j=0.1)
    found = {}
    for batch in (1, 3):
        policy = sr.Policy(requirement, sr.StandingCells(10), batch=batch)
        publisher = sr.Publisher(SCHEMA, policy, reader, seed=1)
        publisher.publish(table, at=1)
        found[batch] = publisher.latest
    assert [one.suppressed for one in found.values()] == [2, 10]
    assert [found[batch].release.n_groups for batch in found] == [2, 1]
    assert found[3].held_back == 0


def test_policy__refuses_batches_without_cells_that_stay():
    asked = sr.KAnonymity(k=4)
    for partitioner in (
        sr.HilbertGreedy(),
        sr.StandingCells(6, by="current"),
        sr.StandingCells(6, by="current", merges="recut"),
    ):
        with pytest.raises(sr.PolicyError, match=r"batch=3 .* Possible are StandingCells"):
            sr.Policy(asked, partitioner, batch=3)
    with pytest.raises(sr.PolicyError, match="counterfeit"):
        sr.Policy(asked, sr.StandingCells(6), "counterfeit", batch=3)


@pytest.mark.parametrize("wrong", [{"batch": 0}, {"keep": -1}, {"pool": 0}, {"batch": 1.5}])
def test_policy__refuses_settings_that_are_none(wrong):
    with pytest.raises(sr.PolicyError, match=next(iter(wrong))):
        sr.Policy(sr.KAnonymity(k=4), sr.StandingCells(6), **wrong)


def test_group_that_stayed_out__is_held_back_where_it_would_differ_by_few():
    numbers = np.arange(10, dtype=np.uint64)
    groups = np.zeros(10, np.int32)
    before = Whereabouts(1, numbers, groups, np.int32([10]), np.zeros(10, np.int32))
    # One went and came since, in different batches: two people are left over.
    now = np.append(numbers[1:], np.uint64(20))
    assert opening(now, groups, [before], 3).tolist() == [True]
    assert opening(now, groups, [before], 2).tolist() == [False]
    assert opening(numbers, groups, [before], 3).tolist() == [False]


def test_who_was_forgotten__still_counts_in_their_former_group():
    numbers = np.arange(10, dtype=np.uint64)
    groups = np.zeros(10, np.int32)
    whole = Whereabouts(1, numbers, groups, np.int32([10]), np.zeros(10, np.int32))
    forgotten = whole.of(numbers > 0)
    assert opening(numbers[1:], groups[1:], [forgotten], 3).tolist() == [True]
    assert opening(numbers[4:], groups[4:], [forgotten], 3).tolist() == [False]


def test_release_after_somebody_was_forgotten__holds_their_group_back(tmp_path):
    with sr.DuckDBStore(tmp_path / "series.store") as store:
        published(month(EVERYBODY), store=store)
        assert store.forget(pa.array(young(0))) == 1
        publisher = sr.Publisher(SCHEMA, IN_BATCHES, sr.Adversary(), seed=1, store=store)
        publisher.publish(month(EVERYBODY[1:]), at=2)
        assert publisher.latest.held_back == 9
        assert publisher.latest.suppressed == 9
        assert len(publisher.latest.release) == 10


def test_nothing_is_published__where_every_group_would_differ_by_few(tmp_path):
    with sr.DuckDBStore(tmp_path / "series.store") as store:
        published(month(EVERYBODY), store=store)
        store.forget(pa.array([*young(0), *old(0)]))
        publisher = sr.Publisher(SCHEMA, IN_BATCHES, sr.Adversary(), seed=1, store=store)
        with pytest.raises(sr.UnsatisfiableError, match="fewer than 3 people"):
            publisher.publish(month([*young(*range(1, 10)), *old(*range(1, 10))]), at=2)
        assert store.n_releases == 1
        assert store.listing.release == 1


def test_listing__goes_on_in_another_process_as_in_one(tmp_path):
    rng = np.random.default_rng(5)
    more = [*EVERYBODY, *young(*range(20, 30)), *old(*range(20, 30))]
    tables = [month(sorted(rng.permutation(more)[:30].tolist())) for _ in range(6)]
    policy = replace(IN_BATCHES, keep=1)
    at_once = published(*tables, policy=policy)
    path = tmp_path / "series.store"
    for at, table in enumerate(tables, start=1):
        with sr.DuckDBStore(path) as store:
            publisher = sr.Publisher(SCHEMA, policy, sr.Adversary(), seed=1, store=store)
            publisher.publish(table, at=at)
            made, twin = publisher.latest, at_once[at - 1]
            assert made.release.to_arrow().equals(twin.release.to_arrow())
            assert (made.waiting, made.carried) == (twin.waiting, twin.carried)
            assert store.listing.carried.sum() == made.carried
    assert any(one.carried for one in at_once)
    assert any(one.waiting for one in at_once)


def test_store__keeps_a_listing_as_it_is_and_none_where_there_is_none(tmp_path):
    schema = replace(SCHEMA, insensitive=["note"], allow_unique=["note"])
    table = month(EVERYBODY)
    table["note"] = [f"note {one}" for one in EVERYBODY]
    with sr.DuckDBStore(tmp_path / "series.store") as store:
        assert store.listing is None
        made = published(table, store=store, schema=schema)[0]
        kept = store.listing
        assert kept.respondents.equals(made.view.respondents)
        assert np.array_equal(kept.points, made.view.points)
        assert kept.kept.column("note").to_pylist() == made.view.kept.column("note").to_pylist()
        assert "listing" in store.tables
        usual = replace(IN_BATCHES, batch=1)
        sr.Publisher(schema, usual, sr.Adversary(), seed=1, store=store).publish(table, at=2)
        assert store.listing is None
        assert "listing" not in store.tables


def test_who_was_forgotten__is_not_listed_any_more(tmp_path):
    path = tmp_path / "series.store"
    with sr.DuckDBStore(path) as store:
        published(month(EVERYBODY), month(EVERYBODY[1:]), store=store)
        assert EVERYBODY[0] in store.listing.respondents.to_pylist()
        store.forget(pa.array([EVERYBODY[0]]))
        assert EVERYBODY[0] not in store.listing.respondents.to_pylist()
        store.settle()
    content = b"".join(file.read_bytes() for file in path.rglob("*") if file.is_file())
    assert EVERYBODY[0].encode() not in content
    assert EVERYBODY[1].encode() in content


def test_domain_that_is_extended__leaves_who_is_listed_as_they_were(tmp_path):
    path = tmp_path / "series.store"
    with sr.DuckDBStore(path) as store:
        published(month(EVERYBODY, ill="q"), store=store)
        schema = replace(store.schema, sensitive=sr.Sensitive("ill", ["p", "q", "r"]))
        store.extend(Extension(schema))
        wider = replace(SCHEMA, sensitive=sr.Sensitive("ill", ["r", "q", "p"]))
        publisher = sr.Publisher(wider, IN_BATCHES, sr.Adversary(), seed=1, store=store)
        publisher.publish(month(EVERYBODY[1:], ill="p"), at=2)
        view = publisher.latest.view
        codes = view.value_codes[publisher.latest.membership.carried]
        assert [view.schema.sensitive.domain[code] for code in codes] == ["q"]


def test_series_that_takes_batches_up_later__begins_with_everybody_who_comes():
    store = sr.MemoryStore()
    usual = replace(IN_BATCHES, batch=1)
    published(month(EVERYBODY), policy=usual, store=store)
    publisher = sr.Publisher(SCHEMA, IN_BATCHES, sr.Adversary(), seed=1, store=store)
    publisher.publish(month(EVERYBODY[1:]), at=2)
    assert (publisher.latest.waiting, publisher.latest.carried) == (0, 0)
    publisher.publish(month(EVERYBODY[2:]), at=3)
    assert publisher.latest.carried == 1


def test_preview__changes_nothing_of_who_is_listed():
    store = sr.MemoryStore()
    published(month(EVERYBODY), store=store)
    publisher = sr.Publisher(SCHEMA, IN_BATCHES, sr.Adversary(), seed=1, store=store)
    before = store.listing
    assert publisher.preview(month(EVERYBODY[1:]), at=2).carried == 1
    assert store.listing is before


def test_pooled_tables__have_everybody_once_by_their_latest_row():
    policy = sr.Policy(sr.KAnonymity(k=4), pool=3)
    tables = [
        month(EVERYBODY[:12], ill="p"),
        month(EVERYBODY[5:], ill="q", ward="east"),
        month(EVERYBODY[5:7], ill="p", ward="west"),
    ]
    (made,) = published(tables, policy=policy)
    ward = made.view.schema.quasi_identifiers[1].values
    found = {
        name: (ward[int(code)], "pq"[value])
        for name, code, value in zip(
            names(made), made.view.points[:, 1], made.view.value_codes, strict=True
        )
    }
    expected = dict.fromkeys(EVERYBODY[:5], ("north", "p"))
    expected |= dict.fromkeys(EVERYBODY[5:], ("east", "q"))
    expected |= dict.fromkeys(EVERYBODY[5:7], ("west", "p"))
    assert found == expected


def test_pooled_tables__of_undeclared_values_have_all_of_them():
    schema = sr.Schema("who", [sr.Numeric("age")], sr.Sensitive("ill"))
    policy = sr.Policy(sr.KAnonymity(k=4), pool=2)
    one = {"who": [1, 2, 3, 4], "age": [20, 21, 22, 23], "ill": ["q", "q", "p", "p"]}
    two = {"who": [3, 4, 5, 6], "age": [40, 41, 42, 43], "ill": ["r", "r", "p", "p"]}
    (made,) = published([one, two], policy=policy, schema=schema)
    assert made.view.schema.sensitive.domain == ("p", "q", "r")
    assert made.view.points[:, 0].tolist() == [20, 21, 40, 41, 42, 43]


def test_other_numbers_of_tables_than_are_pooled__are_refused():
    table = month(EVERYBODY)
    three = sr.Policy(sr.KAnonymity(k=4), pool=3)
    for given in ([table, table], table):
        with pytest.raises(sr.TableError, match=r"pools 3 tables .* Give 3 at a time"):
            published(given, policy=three)
    with pytest.raises(sr.TableError, match=r"2 tables were given .* set pool = 2"):
        published([table, table], policy=sr.Policy(sr.KAnonymity(k=4)))


def test_view_that_was_read_already__is_taken_as_it_is():
    (made,) = published(
        sr.View.from_table(month(EVERYBODY), SCHEMA), policy=sr.Policy(sr.KAnonymity(k=4), pool=3)
    )
    assert len(made.view) == 20


def test_mistake_in_one_of_several_tables__names_which():
    policy = sr.Policy(sr.KAnonymity(k=4), pool=2)
    wrong = month(EVERYBODY)
    wrong["age"][3] = None
    with pytest.raises(sr.TableError, match=r"Table 2 of 2: .*'age'.* row position 3"):
        published([month(EVERYBODY), wrong], policy=policy)


def test_what_is_kept_of_who_is_listed__says_nothing_of_anyone():
    store = sr.MemoryStore()
    (made,) = published(month(EVERYBODY), store=store)
    view = made.view
    found = listed(view, store.listing, 2, lambda roster: np.zeros(len(roster)))
    told = [repr(store.listing), repr(found), repr(made)]
    assert told[:2] == [
        "Listing(release 1, 20 respondents)",
        "Listed(20 respondents, 0 carried, 0 waiting)",
    ]
    assert not any(one in text for one in EVERYBODY for text in told)


def test_listing__takes_some_of_its_people():
    made = Listing(
        3, pa.array([1, 2, 3]), np.zeros((3, 1)), np.arange(3), np.array([3, 2, 3]), None
    )
    assert made.carried.tolist() == [False, True, False]
    assert len(made.without(pa.array([2, 9]))) == 2
    assert json.dumps(made.without(pa.array([2])).respondents.to_pylist()) == "[1, 3]"


@pytest.mark.parametrize(("when", "there"), [("before", 2), ("after", 3)])
def test_commit_that_is_killed__leaves_the_listing_as_it_was_or_all_of_the_next(
    tmp_path, when, there
):
    path, twin = tmp_path / "series.store", sr.MemoryStore()
    with sr.DuckDBStore(path) as store:
        for at in (1, 2):
            in_batches(store).publish(week(at), at=at)
    for at in (1, 2, 3, 4):
        if at == there + 1:
            before = twin.listing
        in_batches(twin).publish(week(at), at=at)
    assert exit_code(killed.committing, path, when, in_batches) == -signal.SIGKILL
    with sr.DuckDBStore(path) as store:
        kept = store.listing
        assert kept.release == store.n_releases == there
        assert kept.respondents.equals(before.respondents)
        assert kept.last_seen.tolist() == before.last_seen.tolist()
        for at in range(there + 1, 5):
            made = in_batches(store).publish(week(at), at=at)
        assert made.to_arrow().equals(twin.history[-1].to_arrow())
