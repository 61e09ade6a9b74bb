"""Buckets: people and values in two tables, linked by a group number only."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest
from hypothesis import given
from hypothesis import strategies as st

import seriatim as sr
from seriatim.errors import InternalError, PolicyError, SchemaError
from seriatim.privacy import Evidence
from seriatim.publish import guard
from strategies import hospital_schema, hospital_tables

NAMES = ["age", "gender", "grade", "zip"]
POLICIES = {
    "scan": sr.Policy(sr.KAnonymity(k=3), form="buckets"),
    "mondrian": sr.Policy(
        sr.KAnonymity(k=2) & sr.DistinctLDiversity(l=2), sr.Mondrian(), form="buckets"
    ),
    "counterfeits": sr.Policy(sr.KAnonymity(k=5), remainder="counterfeit", form="buckets"),
    "m-invariant": sr.Policy(sr.MUniqueness(m=2), sr.MInvariant(m=2), form="buckets"),
}


def publish(table, name="scan", *, seed=1, store=None):
    publisher = sr.Publisher(
        hospital_schema(), POLICIES[name], sr.Adversary(), seed=seed, store=store
    )
    try:
        publisher.publish(table, at=1)
    except sr.UnsatisfiableError:
        return None
    return publisher.latest


def rows_of(table):
    return list(zip(*(column.to_pylist() for column in table.columns), strict=True))


@given(hospital_tables(), st.sampled_from(sorted(POLICIES)))
def test_tables__list_people_as_they_are_and_count_values_by_group(table, name):
    one = publish(table, name)
    if one is None:
        return
    tables = one.release.tables()
    assert list(tables) == [".people", ".values"]
    people, values = tables[".people"], tables[".values"]
    assert people.column_names == ["group", *NAMES]
    assert values.column_names == ["group", "exam", "count"]
    group_of = dict(
        zip(one.view.respondents.to_pylist(), one.membership.group_of.tolist(), strict=True)
    )
    mine, shown = Counter(), Counter()
    for row, respondent in enumerate(table["id"]):
        group = group_of[respondent] + 1
        if group:
            mine[(group, *(str(table[column][row]) for column in NAMES))] += 1
            shown[(group, table["exam"][row])] += 1
    listed = Counter(rows_of(people))
    counted = Counter({(group, value): count for group, value, count in rows_of(values)})
    assert mine <= listed
    assert shown <= counted
    assert (listed - mine).total() == (counted - shown).total() == one.counterfeits
    # A group has as many people as values.
    sizes = Counter(people["group"].to_pylist())
    for group, _, count in rows_of(values):
        sizes[group] -= count
    assert set(sizes.values()) == {0}


@given(hospital_tables(), st.sampled_from(sorted(POLICIES)))
def test_rows__lie_in_an_order_that_follows_from_what_they_say(table, name):
    """Sorted inside each group: whoever reads them learns nothing from where a row stands."""
    one = publish(table, name)
    if one is None:
        return
    for table_of in one.release.tables().values():
        groups = table_of["group"].to_pylist()
        assert groups == sorted(groups)
    people = rows_of(one.release.tables()[".people"])
    assert people == sorted(people)
    values = rows_of(one.release.tables()[".values"])
    assert values == sorted(values)


@given(hospital_tables(), st.data())
def test_tables__do_not_follow_the_input(table, data):
    order = data.draw(st.permutations(range(len(table["id"]))))
    turned = {name: [column[row] for row in order] for name, column in table.items()}
    one, other = publish(table), publish(turned)
    assert one.release.tables() == other.release.tables()


def test_groups__are_numbered_in_every_order():
    table = {
        "id": list(range(12)),
        "age": list(range(0, 96, 8)),
        "gender": ["F"] * 12,
        "grade": ["low"] * 12,
        "zip": ["12030"] * 12,
        "exam": ["neg", "pos", "unclear"] * 4,
    }
    first = Counter()
    for seed in range(120):
        first[publish(table, seed=seed).release.tables()[".people"]["age"][0].as_py()] += 1
    assert len(first) == 4
    assert min(first.values()) >= 12


@given(hospital_tables(), st.sampled_from(sorted(POLICIES)))
def test_buckets__lose_no_detail(table, name):
    one = publish(table, name)
    if one is None:
        return
    assert one.release.form == "buckets"
    assert sr.global_certainty_penalty(one.release) == 0.0
    assert sr.semiperimeter(one.release) == 0.0


@pytest.fixture
def table():
    rng = np.random.default_rng(2)
    return {
        "id": list(range(12)),
        "age": rng.permutation(90)[:12].tolist(),
        "gender": rng.choice(["F", "M"], 12).tolist(),
        "grade": rng.choice(["low", "top"], 12).tolist(),
        "zip": rng.choice(["12030", "20100"], 12).tolist(),
        "exam": ["neg", "pos", "unclear"] * 4,
    }


@pytest.mark.parametrize("shown", [lambda r: r.to_arrow(), lambda r: r.to_frame()])
def test_buckets__are_no_single_table(table, shown):
    with pytest.raises(SchemaError, match=r"two tables; take them from its tables\(\)"):
        shown(publish(table).release)


def test_insensitive_columns__have_no_place_in_buckets(table):
    schema = hospital_schema()
    kept = sr.Schema(schema.respondent, schema.quasi_identifiers, schema.sensitive, ["ward"])
    with pytest.raises(PolicyError, match="insensitive columns 'ward' have a place in neither"):
        sr.Publisher(kept, POLICIES["scan"], sr.Adversary())


def test_form__that_is_not_known_is_refused():
    with pytest.raises(PolicyError, match=r"form='bucket' is not known.*Did you mean 'buckets'"):
        sr.Policy(sr.KAnonymity(k=2), form="bucket")


def checked(one, release):
    evidence = Evidence.of(one.view, one.revised)
    return guard(release, one.view, one.membership, evidence, sr.KAnonymity(k=3))


def with_person(release, row, **cells):
    people = []
    for name, column in zip(NAMES, release.people, strict=True):
        texts = column.to_pylist()
        texts[row] = cells.get(name, texts[row])
        people.append(pa.array(texts, column.type))
    return replace(release, people=tuple(people))


def test_guard__passes_buckets_that_are_right(table):
    one = publish(table)
    assert checked(one, one.release).holds


@pytest.mark.parametrize("cells", [{"age": "99"}, {"gender": "X"}, {"zip": "12044"}])
def test_guard__refuses_a_bucket_in_which_a_member_is_missing(table, cells):
    one = publish(table)
    with pytest.raises(InternalError, match="does not list the quasi-identifiers of all"):
        checked(one, with_person(one.release, 0, **cells))


def test_guard__refuses_people_listed_in_another_group(table):
    one = publish(table)
    order = np.roll(np.arange(len(one.release)), 3)
    people = tuple(column.take(pa.array(order)) for column in one.release.people)
    with pytest.raises(InternalError, match="does not list the quasi-identifiers of all"):
        checked(one, replace(one.release, people=people))


def test_guard__refuses_a_bucket_with_fewer_people_than_values(table):
    one = publish(table)
    people = tuple(column.slice(0, len(column) - 1) for column in one.release.people)
    with pytest.raises(InternalError):
        checked(one, replace(one.release, people=people))


class Miscounted(sr.microdata.Release):
    """Buckets whose second table says one more of the first value."""

    def tables(self):
        tables = super().tables()
        counts = tables[".values"]["count"].to_pylist()
        counts[0] += 1
        place = tables[".values"].column_names.index("count")
        tables[".values"] = tables[".values"].set_column(place, "count", pa.array(counts))
        return tables


def test_guard__refuses_a_bucket_with_a_wrong_count(table):
    one = publish(table)
    fields = {name: getattr(one.release, name) for name in one.release.__dataclass_fields__}
    with pytest.raises(InternalError, match="more or fewer values than people"):
        checked(one, Miscounted(**fields))


def test_guard__refuses_values_of_other_groups(table):
    one = publish(table)
    codes = np.roll(one.release.value_codes, 1)
    groups = one.release.group_of
    counts = [
        Counter(zip(groups.tolist(), some.tolist(), strict=True))
        for some in (codes, one.release.value_codes)
    ]
    assert counts[0] != counts[1]
    with pytest.raises(InternalError, match="values of a group are not those of its members"):
        checked(one, replace(one.release, value_codes=codes))


@pytest.mark.parametrize("name", POLICIES)
def test_store__keeps_people(table, name, tmp_path):
    remembered, path = sr.MemoryStore(), tmp_path / "series.store"
    one = publish(table, name, store=remembered)
    with sr.DuckDBStore(path) as store:
        publish(table, name, store=store)
    with sr.DuckDBStore(path) as store:
        (stored,) = store.history
        entries = store.entries
    (kept,) = remembered.history
    assert stored.form == kept.form == "buckets"
    assert stored.tables() == kept.tables() == one.release.tables()
    assert entries[0].counterfeits == remembered.entries[0].counterfeits


def test_buckets__of_a_series_go_on_in_a_store(table, tmp_path):
    with sr.DuckDBStore(tmp_path / "series.store") as store:
        publisher = sr.Publisher(
            hospital_schema(), POLICIES["counterfeits"], sr.Adversary(), store=store, seed=1
        )
        for at in (1, 2, 3):
            publisher.publish({**table, "age": [age + at for age in table["age"]]}, at=at)
        assert [one.form for one in store.history] == ["buckets"] * 3
        assert [len(entry.counterfeits) for entry in store.entries] == [
            len(release) - 12 for release in store.history
        ]


@pytest.mark.parametrize("name", ["count", "group"])
def test_columns__that_buckets_have_of_their_own_are_refused(name):
    schema = sr.Schema("id", [sr.Numeric("age", 0, 9)], sr.Sensitive(name, ["a", "b"]))
    policy = sr.Policy(sr.KAnonymity(k=2), form="buckets")
    table = {"id": [1, 2], "age": [1, 2], name: ["a", "b"]}
    with pytest.raises(sr.SchemaError, match="of its own"):
        sr.Publisher(schema, policy, sr.Adversary()).publish(table, at=1)


def test_column__may_be_called_what_an_aggregate_is():
    schema = sr.Schema("id", [sr.Numeric("count_all", 0, 9)], sr.Sensitive("exam", ["a", "b"]))
    policy = sr.Policy(sr.KAnonymity(k=2), form="buckets")
    table = {"id": [1, 2], "count_all": [1, 2], "exam": ["a", "b"]}
    release = sr.Publisher(schema, policy, sr.Adversary()).publish(table, at=1)
    assert release.tables()[".people"].column("count_all").to_pylist() == ["1", "2"]


@given(hospital_tables())
def test_place__finds_who_is_listed_where(table):
    policy = sr.Policy(sr.KAnonymity(k=3), form="buckets")
    publisher = sr.Publisher(hospital_schema(), policy, sr.Adversary(), seed=1)
    release = publisher.publish(table, at=1)
    membership = publisher.latest.membership
    found = sr.place(membership.roster, release)
    people = release.tables()[".people"].to_pylist()
    if isinstance(found, sr.Membership):
        assert found.group_of.tolist() == membership.group_of.tolist()
        return
    for row, group in enumerate(membership.group_of.tolist()):
        if group < 0:  # suppressed, so listed nowhere
            continue
        possible = found.candidates[found.offsets[row] : found.offsets[row + 1]].tolist()
        assert group in possible
        own = [one for one in people if one["group"] == group + 1]
        assert own


def test_series__is_read_back_from_its_files_and_audited_alike(tmp_path):
    made = sr.clinic(weeks=3, size=80, seed=4)
    reader = sr.Adversary(made.prior, made.sequence)
    policy = sr.Policy(sr.KAnonymity(k=4), sr.Mondrian(), form="buckets")
    publisher = sr.Publisher(made.schema, policy, reader, seed=1)
    memberships = []
    for at, week in enumerate(made.weeks, start=1):
        for ending, one in publisher.publish(week, at=at).tables().items():
            pyarrow.csv.write_csv(one, tmp_path / f"r{at}{ending}.csv")
        memberships.append(publisher.latest.membership)
    for sources in (tmp_path.glob("*.people.csv"), tmp_path.glob("*.csv")):
        read = sr.read_history(sorted(map(str, sources)), made.schema)
        assert [one.form for one in read] == ["buckets"] * 3
        ours = sr.audit(
            list(publisher.history), list(made.weeks), {"r": reader}, memberships=memberships
        )
        theirs = sr.audit(read, list(made.weeks), {"r": reader})
        assert theirs.series[0].gain == pytest.approx(ours.series[0].gain, abs=0.02)


def test_buckets__that_do_not_belong_together_are_refused():
    schema = sr.Schema("id", [sr.Numeric("age", 0, 9)], sr.Sensitive("exam", ["a", "b"]))
    people = {"group": [1, 1], "age": [1, 2]}
    for values in (
        {"group": [1], "exam": ["a"], "count": [1]},
        {"group": [1, 2], "exam": ["a", "b"], "count": [1, 1]},
    ):
        with pytest.raises(sr.TableError, match=r"belong together|groups that the people"):
            sr.read_buckets(people, values, schema, at=1)


def test_buckets__without_people_are_refused():
    people = {"group": pa.array([], pa.int64()), "age": pa.array([], pa.int64())}
    values = {"group": pa.array([], pa.int64()), "exam": pa.array([], pa.string())}
    schema = sr.Schema("id", [sr.Numeric("age", 0, 99)], sr.Sensitive("exam", ["neg", "pos"]))
    with pytest.raises(sr.TableError, match="no rows"):
        sr.read_buckets(people, values, schema, at=1)
