"""Ids, and columns without a role, are nowhere in what is published or printed."""

import pickle

import pandas as pd
import pytest

import seriatim as sr
from seriatim.inference import PublishedGroups
from seriatim.microdata.tables import read_table
from seriatim.privacy import Evidence, Tally
from seriatim.publish import Step

MARKS = ("SECRET", "DIARY")
N = 24


def traces(text):
    return [mark for mark in MARKS if mark in text]


@pytest.fixture
def series(make_publisher, views):
    """A publisher after three releases, with its store."""
    store = sr.MemoryStore()
    publisher = make_publisher(store=store)
    for at, view in enumerate(views, start=1):
        publisher.publish(view, at=at)
    return publisher, store


def test_frames__hold_no_trace(make_publisher, views, to_kind):
    publisher = make_publisher()
    for at, view in enumerate(views, start=1):
        frame = publisher.publish(to_kind(view), at=at).to_frame()
        printed = frame.to_csv() if isinstance(frame, pd.DataFrame) else str(frame)
        assert traces(printed) == []
        assert traces(pickle.dumps(frame).decode("latin-1")) == []


def test_frames__have_only_the_columns_with_a_role(make_publisher, views, to_kind):
    frame = make_publisher().publish(to_kind(views[0]), at=1).to_frame()
    columns = getattr(frame, "column_names", None) or list(getattr(frame, "columns", frame))
    assert columns == ["group", "age", "zip", "exam"]


def test_frames__of_pandas_have_an_index_that_says_nothing(make_publisher, views):
    indexed = pd.DataFrame(views[0]).set_index("name", drop=False)
    frame = make_publisher().publish(indexed, at=1).to_frame()
    assert list(frame.index) == list(range(len(frame)))
    assert frame.index.name is None


def test_tables__of_pyarrow_carry_no_metadata_of_the_input(make_publisher, views, to_kind):
    release = make_publisher().publish(to_kind(views[0]), at=1)
    assert release.to_arrow().schema.metadata is None


def test_releases__hold_no_trace_when_pickled(series):
    for release in series[0].history:
        assert traces(pickle.dumps(release).decode("latin-1")) == []
        again = pickle.loads(pickle.dumps(release))
        assert again.to_frame() == release.to_frame()


def test_pickled_view__would_show_them_if_they_were_there(series):
    assert traces(pickle.dumps(series[0].latest.view).decode("latin-1")) == ["SECRET"]


def test_objects__print_no_trace(series, schema, adversary, views):
    publisher, store = series
    latest = publisher.latest
    roster = sr.Roster.from_table(views[0], schema)
    expectation = adversary.anticipate(latest.view.roster)
    impression = adversary.consider(latest.release, latest.membership, expectation)
    evidence = Evidence.of(latest.view, latest.revised)
    columns = read_table(views[0])
    known, pasts = store.memory.recall(latest.view.respondents)
    assert known.any()
    objects = {
        "publisher": publisher,
        "policy": publisher.policy,
        "store": store,
        "memory": store.memory,
        "pasts": pasts,
        "publication": latest,
        "release": latest.release,
        "groups": list(latest.release.groups),
        "regions": [str(group.region) for group in latest.release.groups],
        "history": publisher.history,
        "view": latest.view,
        "roster": roster,
        "schema": latest.view.schema,
        "membership": latest.membership,
        "revised": latest.revised,
        "posterior": latest.posterior,
        "verdict": latest.verdict,
        "findings": latest.verdict.findings,
        "adversary": adversary,
        "prior": adversary.prior,
        "distributions": adversary.prior.distributions,
        "sequence": adversary.sequence,
        "automaton": adversary.sequence.automaton(("neg", "pos")),
        "expectation": expectation,
        "impression": impression,
        "step": Step(latest.release, impression, latest.view.schema, latest.view.digest()),
        "evidence": evidence,
        "tally": Tally.of(evidence, latest.membership.members, latest.release.starts),
        "published groups": PublishedGroups(
            latest.membership.members,
            latest.release.starts,
            latest.release.value_codes,
            latest.release.starts,
        ),
        "columns": columns,
        "gain": sr.adversary_gain(
            latest.posterior.probabilities, latest.view.value_codes, latest.membership.group_of
        ),
    }
    found = {name: traces(repr(one) + str(one)) for name, one in objects.items()}
    assert found == {name: [] for name in objects}


def test_reprs__say_how_large_things_are_and_nothing_else(series, adversary, views):
    latest = series[0].latest
    evidence = Evidence.of(latest.view, latest.revised)
    release, members = latest.release, latest.membership.members
    expectation = adversary.anticipate(latest.view.roster)
    said = [
        repr(read_table(views[0])),
        repr(evidence),
        repr(Tally.of(evidence, members, release.starts)),
        repr(PublishedGroups(members, release.starts, release.value_codes, release.starts)),
        repr(expectation),
        repr(adversary.consider(release, latest.membership, expectation)),
        repr(latest),
        repr(latest.membership),
        repr(latest.view),
        repr(latest.view.roster),
    ]
    published, groups = len(release), release.n_groups
    assert said == [
        f"Columns({N} rows, ['name', 'diary', 'age', 'zip', 'exam'])",
        f"Evidence({N} tuples, 2 values)",
        f"Tally({groups} groups)",
        f"PublishedGroups({groups} groups)",
        f"Expectation({N} respondents)",
        f"Impression({N} respondents)",
        f"Publication({release!r}, {N - published} suppressed)",
        f"Membership({published} of {N} respondents)",
        f"View({N} respondents)",
        f"Roster({N} respondents)",
    ]


def test_publishers__parts_print_no_trace_either(series):
    """But for the slots of the memory, which are its private index from id to row."""
    publisher, store = series
    for one in (publisher, store, store.memory):
        for name, part in vars(one).items():
            if name != "_slots":
                assert traces(repr(part)) == [], name


def test_step__holds_a_digest_that_is_no_trace(series):
    digest = series[0].latest.view.digest()
    assert (len(digest), traces(digest.decode("latin-1"))) == (32, [])


def test_refusals__hold_no_trace(make_publisher, views):
    few = {name: column[:3] for name, column in views[0].items()}
    with pytest.raises(sr.UnsatisfiableError, match="No group of the 3 tuples") as refusal:
        make_publisher().publish(few, at=1)
    assert traces(str(refusal.value)) == []
