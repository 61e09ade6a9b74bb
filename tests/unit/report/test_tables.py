"""Releases in figures, against counting tuple by tuple."""

import numpy as np
import pytest

import oracles_report as oracles
import seriatim as sr
from seriatim.publish.publisher import Publisher
from seriatim.report.account import SeriesAccount, TableFigures
from seriatim.report.tables import beside_original, over_tables, table_figures


@pytest.fixture(scope="module")
def publication():
    made = sr.clinic(weeks=1, size=80)
    publisher = Publisher(made.schema, sr.k_anonymity(k=5), sr.Adversary(), seed=1)
    publisher.publish(made.weeks[0], at=1)
    return publisher.latest


def test_figures__are_what_counting_tuple_by_tuple_gives(publication):
    release = publication.release
    found = table_figures(1, release)
    group_of = release.group_of.tolist()
    assert list(found.sizes) == oracles.sizes(group_of)
    assert (found.tuples, found.groups) == (len(group_of), len(set(group_of)))
    for axis, name in enumerate(release.schema.quasi_identifier_names):
        penalties = release.penalties[:, axis].tolist()
        expected = oracles.mean_penalty(group_of, penalties)
        assert found.attributes[name] == pytest.approx(float(expected))
    assert found.penalty == pytest.approx(np.mean(list(found.attributes.values())))
    assert (found.smallest, found.largest) == (min(release.sizes), max(release.sizes))


def test_figures__leave_out_what_has_no_length(publication):
    schema = publication.release.schema
    read = sr.read_release(publication.release.to_arrow(), schema, at=1)
    found = table_figures(1, read)
    assert found.penalty is None
    assert sorted(found.attributes) == ["age", "gender"]


def test_figures__take_detail_lost_from_the_certificate_where_there_is_one(publication):
    stated = {"detail lost": {"global certainty penalty": 0.25}, "suppressed": 3, "counterfeits": 0}
    found = table_figures(1, publication.release, {"certificate": stated})
    assert (found.penalty, found.suppressed, found.counterfeits) == (0.25, 3, 0)


def test_recorded_gains__stand_in_their_own_fields(publication):
    record = {
        "certificate": {"suppressed": 1, "counterfeits": 0},
        "watch": {"gain": 0.25, "back": 0.5},
    }
    found = table_figures(1, publication.release, record)
    assert (found.suppressed, found.watched, found.watched_back) == (1, 0.25, 0.5)
    assert (found.query_error, found.learnability) == (None, None)


def test_original__tells_who_was_left_out_and_how_well_counts_come_out(publication):
    release, view = publication.release, publication.view
    where, figures = publication.membership, table_figures(1, release)
    found = beside_original(figures, release, view, where)
    assert found.suppressed == len(view) - len(release)
    assert found.query_error == sr.median_query_error(release, view)
    assert found.learnability == sr.learnability(release, view, where).share
    blind = beside_original(figures, release, view.roster, where)
    assert (blind.query_error, blind.learnability) == (None, None)


def test_series__has_means_over_tuples_and_releases():
    tables = (
        TableFigures(1, "1", 30, 3, ((10, 3),), 0.2, suppressed=2, counterfeits=0),
        TableFigures(2, "2", 30, 2, ((15, 2),), 0.4, suppressed=0, counterfeits=1),
    )
    found = over_tables(SeriesAccount("s", tables))
    assert (found.mean_size, found.counterfeits) == (12, 1)
    assert found.penalty == pytest.approx(0.3)
    assert found.suppressed == pytest.approx(2 / 61)  # 60 published, one of them nobody's, 2 not
    assert found.query_error is None
