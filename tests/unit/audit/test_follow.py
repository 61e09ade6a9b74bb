"""Following one respondent, against what the audit holds of them."""

import numpy as np
import pytest

import seriatim as sr
from seriatim.audit.follow import follow
from seriatim.errors import TableError
from seriatim.inference.readers import named_readers


@pytest.fixture(scope="module")
def findings():
    made = sr.clinic(weeks=3, size=80)
    adversary = sr.Adversary(made.prior, made.sequence)
    publisher = sr.Publisher(made.schema, sr.js_reduce(k=4, t=0.8, j=2.0), adversary, seed=1)
    published = []
    for week, table in enumerate(made.weeks, start=1):
        publisher.publish(table, at=week)
        published.append(publisher.latest)
    return sr.audit(
        [one.release for one in published],
        [one.view for one in published],
        named_readers(["paper", "joint", "retrospective"], adversary),
        memberships=[one.membership for one in published],
    )


@pytest.mark.parametrize("reader", ["paper", "joint", "retrospective"])
def test_follow__gives_the_beliefs_of_the_audit_and_explains_them(findings, reader):
    ids = [set(roster.respondents.to_pylist()) for roster in findings.rosters]
    someone = sorted(set.intersection(*ids))[0]
    told = []
    course = follow(findings, reader, someone, progress=told.append)
    assert len(told) == len(course.sights)
    for sight in course.sights:
        roster = findings.rosters[sight.release]
        row = roster.respondents.to_pylist().index(someone)
        held = findings.beliefs[reader][sight.release].probabilities[row]
        assert np.allclose(sight.beliefs, held, atol=1e-12)
        assert sight.value == course.domain[roster.value_codes[row]]
        assert sight.belief == pytest.approx(held[roster.value_codes[row]], abs=1e-9)
        assert sum(sight.counted) == pytest.approx(1.0)
        assert sight.is_true
    assert someone not in repr(course)


def test_follow__of_someone_unknown_is_an_error_that_names_nobody(findings):
    with pytest.raises(TableError) as error:
        follow(findings, "paper", "SECRET-7")
    assert "SECRET-7" not in str(error.value)


def test_audit__tells_its_progress_and_ends_where_that_raises(findings):
    class EndedError(Exception):
        pass

    def stop(step):
        if "joint" in step:
            raise EndedError

    with pytest.raises(EndedError):
        sr.audit(
            findings.releases,
            findings.rosters,
            findings.adversaries,
            memberships=findings.memberships,
            progress=stop,
        )


def test_reader__who_did_not_attack_is_refused_with_a_suggestion(findings):
    someone = findings.rosters[0].respondents[0].as_py()
    with pytest.raises(sr.OrderError, match="Did you mean 'paper'"):
        follow(findings, "papre", someone)
