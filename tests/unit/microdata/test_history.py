import datetime as dt
from dataclasses import replace

import numpy as np
import pytest

import seriatim as sr


@pytest.fixture
def release(running_example):
    return running_example.releases[0]


def test_history__keeps_releases_in_order(running_example):
    history = sr.History()
    for release in running_example.releases:
        history = history.append(release)
    assert (len(history), history.instants) == (2, (1, 2))
    assert list(history) == [history[0], history[1]] == list(running_example.releases)


def test_history__is_never_changed_in_place(release):
    empty = sr.History()
    assert (len(empty.append(release)), len(empty)) == (1, 0)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (1, 2),
        (1, 1.5),
        ("2024-01", "2024-02"),
        (dt.date(2024, 1, 1), dt.date(2024, 1, 2)),
        ((2024, 1), (2024, 2)),
    ],
)
def test_history__takes_any_instants_that_have_an_order(release, first, second):
    history = sr.History().append(replace(release, at=first)).append(replace(release, at=second))
    assert history.instants == (first, second)


@pytest.mark.parametrize("at", [1, 0, -3.5])
def test_history__refuses_an_instant_that_is_not_later(release, at):
    history = sr.History().append(release)
    with pytest.raises(sr.OrderError, match=f"at {at} was asked.*reaches 1.*give a later instant"):
        history.append(replace(release, at=at))


@pytest.mark.parametrize("at", ["2", dt.date(2024, 1, 1), (2,)])
def test_history__refuses_an_instant_of_another_kind(release, at):
    history = sr.History().append(release)
    with pytest.raises(sr.OrderError, match=r"cannot be compared with 1.*one kind of instant"):
        history.append(replace(release, at=at))


@pytest.mark.parametrize("at", [None, float("nan"), {}, np.array([1, 2]), 1j], ids=repr)
def test_history__refuses_an_instant_without_before_and_after(release, at):
    history = sr.History().append(release)
    with pytest.raises(sr.OrderError, match="is no instant: it has no before and after"):
        history.append(replace(release, at=at))


def test_history__checks_its_order_however_it_is_made(running_example):
    first, second = running_example.releases
    assert sr.History((first, second)).instants == (1, 2)
    with pytest.raises(sr.OrderError, match="give a later instant"):
        sr.History((second, first))
    with pytest.raises(sr.OrderError, match="give a later instant"):
        sr.History((first, first))


@pytest.mark.parametrize("change", ["columns", "domain"])
def test_history__refuses_a_release_of_another_schema(release, change):
    schema = release.schema
    if change == "columns":
        other = replace(schema, quasi_identifiers=schema.quasi_identifiers[:2])
    else:
        values = ("new", *schema.sensitive.domain)
        other = replace(schema, sensitive=replace(schema.sensitive, values=values))
    with pytest.raises(sr.OrderError, match="A history keeps one schema"):
        sr.History().append(release).append(replace(release, at=2, schema=other))


def test_history__lets_the_respondents_column_change_its_name(release):
    other = replace(release.schema, respondent="person")
    assert len(sr.History().append(release).append(replace(release, at=2, schema=other))) == 2


def test_history__may_grow_by_values_at_the_end_of_the_domain(release):
    grown = replace(release.schema, sensitive=release.schema.sensitive.including(("new",)))
    later = replace(release, at=release.at + 1, schema=grown)
    assert len(sr.History((release, later))) == 2
