"""Techniques side by side: the same views, the same readers, and figures that can be checked."""

from dataclasses import replace

import numpy as np
import pytest

import seriatim as sr
from seriatim.experiments import TECHNIQUES, matched_technique, publish_series, technique
from seriatim.inference.readers import named_readers
from seriatim.report import comparison_chart


@pytest.fixture(scope="module")
def hospital():
    return sr.hospital(views=3, size=200, preset="mild", seed=5)


@pytest.fixture(scope="module")
def material(hospital):
    return sr.Material(hospital.tables, hospital.schema, seed=5)


@pytest.fixture(scope="module")
def knowledge(hospital):
    return sr.Adversary(hospital.prior, hospital.sequence)


def test_compare__tells_what_an_audit_of_each_series_tells(material, knowledge):
    readers = named_readers(["paper", "joint"], knowledge)
    techniques = [technique("l-diversity"), technique("m-invariance")]
    found = sr.compare(material, techniques, knowledge, readers, queries=50)
    assert [row.technique for row in found.rows] == ["l-diversity", "m-invariance"]
    for row, one in zip(found.rows, techniques, strict=True):
        series = publish_series(one, material, knowledge)
        audited = sr.audit(series.releases, series.views, readers, memberships=series.memberships)
        for name in readers:
            gains = [finding.gain for finding in audited.rows if finding.reader == name]
            assert row.gains[name] == pytest.approx(gains)
            assert row.gain(name) == pytest.approx(np.mean(gains))
        assert row.penalty == pytest.approx(
            np.mean([sr.global_certainty_penalty(release) for release in series.releases])
        )
        errors = [
            sr.median_query_error(publication.release, publication.view, queries=50, seed=5)
            for publication in series.publications
        ]
        assert row.query_error == pytest.approx(np.mean(errors))
        shares = [
            sr.learnability(one.release, one.view, one.membership, seed=5).share
            for one in series.publications
        ]
        known = [share for share in shares if share is not None]
        assert row.learnability == (pytest.approx(np.mean(known)) if known else None)
        assert row.counterfeits == sum(one.counterfeits for one in series.publications)
        assert (row.releases, row.failure) == (3, None)
        assert tuple(row.findings.values()) == audited.series
        assert row.strongest.reader == audited.strongest


def test_series__ends_where_a_view_allows_no_release(material, knowledge):
    impossible = sr.Technique("too much", sr.Policy(sr.KAnonymity(k=201)))
    series = publish_series(impossible, material, knowledge)
    assert len(series.publications) == 0
    assert "No group of the 200 tuples satisfies the policy" in series.failure
    readers = named_readers(["paper"], knowledge)
    row = sr.compare(material, [impossible], knowledge, readers, queries=10).rows[0]
    assert (row.releases, row.gain("paper"), row.failure) == (0, None, series.failure)
    assert (row.findings, row.strongest) == ({}, None)
    figures = (row.mean_size, row.penalty, row.semiperimeter, row.query_error, row.suppressed)
    assert set(figures) == {None}


def test_learnability__is_the_mean_over_the_releases_that_have_one(knowledge):
    """Results that follow from age, in the second week; in the first from nothing."""
    made = sr.hospital(views=2, size=200, preset="mild", seed=5)
    schema, views = made.schema, []
    for week, table in enumerate(made.tables):
        values = list(schema.sensitive.domain[:2])
        old = [age > 59 for age in table["age"].to_pylist()] if week else [True] * 200
        column = [values[one] for one in old]
        place = table.column_names.index(schema.sensitive.name)
        views.append(table.set_column(place, schema.sensitive.name, [column]))
    material = sr.Material(views, schema, seed=7)
    asked = technique("k-anonymity")
    readers = named_readers(["paper"], knowledge)
    (row,) = sr.compare(material, [asked], knowledge, readers, queries=10).rows
    _, second = publish_series(asked, material, knowledge).publications
    found = sr.learnability(second.release, second.view, second.membership, seed=7)
    assert row.learnability == found.share
    other = sr.learnability(second.release, second.view, second.membership, seed=8)
    assert other.share != found.share


def test_chart__names_who_failed_and_draws_nothing_of_them(material, knowledge):
    impossible = sr.Technique("too much", sr.Policy(sr.KAnonymity(k=201)))
    readers = named_readers(["paper"], knowledge)
    found = sr.compare(
        material, [technique("k-anonymity"), impossible], knowledge, readers, queries=10
    )
    curves, *dots = comparison_chart(found)["hconcat"]
    assert curves["encoding"]["color"]["scale"]["domain"] == ["k-anonymity", "too much (failed)"]
    assert len(dots) >= 2  # against detail lost, against query error
    for one in (curves, *dots):
        assert {row["technique"] for row in one["data"]["values"]} == {"k-anonymity"}


@pytest.mark.parametrize("name", sorted(set(TECHNIQUES) - {"m-invariance"}))
def test_matched_technique__asks_all_for_the_same_k_and_t(name):
    matched = matched_technique(technique(name), k=7, t=0.4).policy.requirement
    assert [part.k for part in matched.parts if isinstance(part, sr.KAnonymity)] == [7]
    assert [part.t for part in matched.parts if isinstance(part, sr.TCloseness)] == [0.4]
    own = technique(name).policy.requirement.parts
    kept = [part for part in own if not isinstance(part, sr.KAnonymity | sr.TCloseness)]
    assert all(part in matched.parts for part in kept)


def test_matched_technique__has_as_many_values_as_the_others_have_tuples():
    policy = matched_technique(technique("m-invariance"), k=7, t=0.4).policy
    assert policy.requirement == sr.MUniqueness(m=7)
    assert policy.partitioner == sr.MInvariant(m=7)


def test_technique__that_is_not_known_names_the_nearest():
    with pytest.raises(sr.PolicyError, match=r"'l-diversty'.*Did you mean 'l-diversity'"):
        technique("l-diversty")


@pytest.mark.parametrize("missing", ["views", "techniques", "readers"])
def test_compare__needs_something_of_each(missing, material, knowledge, hospital):
    views = [] if missing == "views" else hospital.tables
    techniques = [] if missing == "techniques" else [technique("l-diversity")]
    readers = {} if missing == "readers" else named_readers(["paper"], knowledge)
    with pytest.raises(sr.OrderError, match="at least one view, one technique and one reader"):
        sr.compare(sr.Material(views, hospital.schema), techniques, knowledge, readers)


def test_chart__holds_aggregates_only(material, knowledge):
    readers = named_readers(["paper"], knowledge)
    found = sr.compare(material, [technique("k-anonymity")], knowledge, readers, queries=10)
    spec = comparison_chart(found)
    curves, *points = (panel["data"]["values"] for panel in spec["hconcat"])
    assert [row["release"] for row in curves] == [1, 2, 3]
    assert [row["gain"] for row in curves] == pytest.approx(found.rows[0].gains["paper"], abs=1e-6)
    assert all(len(one) == 1 for one in points)
    assert "patient" not in str(spec)


def test_chart__draws_each_technique_by_its_own_strongest_reader(material, knowledge):
    readers = named_readers(["paper", "joint"], knowledge)
    found = sr.compare(material, [technique("k-anonymity")], knowledge, readers, queries=10)
    (row,) = found.rows
    paper, joint = (row.findings[name] for name in ("paper", "joint"))
    assert paper.log_loss > joint.log_loss
    misled = replace(joint, log_loss=joint.log_loss_by_frequency + 0.1)
    changed = replace(row, findings={"paper": paper, "joint": misled})

    def drawn(one):
        curves = comparison_chart(replace(found, rows=(one,)))["hconcat"][0]["data"]["values"]
        return [point["gain"] for point in curves]

    assert drawn(row) == pytest.approx(row.gains["joint"], abs=1e-6)
    assert drawn(changed) == pytest.approx(row.gains["paper"], abs=1e-6)
    assert drawn(replace(changed, findings={"joint": misled})) == []
