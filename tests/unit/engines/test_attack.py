"""Readers go through a series in shards, and learn what they learn without shards."""

import pytest

import seriatim as sr
from seriatim.engines.local.engine import LocalEngine
from seriatim.errors import OrderError, PolicyError
from sharded_series import (
    POLICY,
    SIZES,
    by_the_publisher,
    clinic,
    publish_all,
    readers_of,
    series_in,
    source_of,
)


@pytest.fixture(scope="module")
def audited(tmp_path_factory):
    """A series in one shard, and the same one by the publisher with what its audit tells."""
    folder, made = tmp_path_factory.mktemp("audited"), clinic()
    series, weeks, readers = series_in(folder, made), made.weeks[:2], readers_of(made)
    publish_all(LocalEngine(sizes=SIZES), series, weeks, folder, shards=1)
    sources = [source_of(week, folder, f"o-{at}") for at, week in enumerate(weeks)]
    releases, members, views = [], [], []
    for release, latest in by_the_publisher(folder, POLICY, series.reader, weeks):
        releases.append(release)
        members.append(latest.membership)
        views.append(latest.view)
    findings = sr.audit(releases, views, readers, memberships=members)
    exposed = {
        (name, release.at): sr.exposure(belief.probabilities, view.value_codes, member.group_of)
        for name, beliefs in findings.beliefs.items()
        for belief, release, view, member in zip(beliefs, releases, views, members, strict=True)
    }
    return series, sources, readers, findings.rows, exposed


def test_audit__finds_what_an_audit_on_one_machine_finds(audited):
    series, sources, readers, expected, exposed = audited
    found = LocalEngine(sizes=SIZES).audit(series, sources, readers)
    assert [(one.reader, one.at) for one in found] == [(one.reader, one.at) for one in expected]
    for mine, other in zip(found, expected, strict=True):
        assert mine.tuples == other.respondents
        for figure in (
            "gain",
            "gain_spread",
            "confidence",
            "confidence_by_frequency",
            "log_loss",
            "log_loss_by_frequency",
        ):
            # What is remembered between releases is kept in 32 bits.
            assert getattr(mine, figure) == pytest.approx(getattr(other, figure), abs=1e-5), figure
        # Beliefs of exactly one half lie on either side of it, by their last digit.
        one = exposed[mine.reader, mine.at]
        assert one.above(0.5 + 1e-6) <= mine.above_half <= one.above(0.5 - 1e-6)
        assert one.above(0.9 + 1e-6) <= mine.above_nine_tenths <= one.above(0.9 - 1e-6)
        assert 0 < mine.top_rate < 1


def test_audit__needs_an_original_for_each_release(audited):
    series, sources, readers, *_ = audited
    with pytest.raises(OrderError, match="2 releases, and 1 originals"):
        LocalEngine().audit(series, sources[:1], readers)


def test_audit__refuses_readers_who_look_back(audited):
    series, sources, readers, *_ = audited
    with pytest.raises(PolicyError, match="look back"):
        LocalEngine().audit(series, sources, {"back": sr.Retrospective(readers["paper"])})
