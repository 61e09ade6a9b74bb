"""An audit tells what each reader learned of a series, and why."""

import numpy as np
import pytest

import oracles
import seriatim as sr


@pytest.fixture
def readers(running_example):
    knowledge = {"prior": running_example.prior, "sequence": running_example.sequence}
    return {
        "snapshot": sr.Adversary(prior=running_example.prior),
        "paper": sr.Adversary(**knowledge, rule="additive"),
        "retrospective": sr.Retrospective(sr.Adversary(**knowledge, rule="exact")),
    }


@pytest.fixture
def findings(running_example, readers):
    return sr.audit(running_example.releases, running_example.views, readers)


def test_audit__measures_every_reader_on_every_release(findings):
    assert [(row.reader, row.at) for row in findings.rows] == [
        (reader, at) for reader in ("snapshot", "paper", "retrospective") for at in (1, 2)
    ]


def test_audit__finds_that_a_snapshot_reader_gains_nothing(findings):
    assert [row.gain for row in findings.of("snapshot")] == pytest.approx([0, 0])


def test_audit__finds_what_the_papers_reader_gains(findings):
    first, second = findings.of("paper")
    # Alice and Carol at 0.8986 each in a pair; three others at the frequency of their group.
    assert first.gain == pytest.approx(0)
    assert second.gain == pytest.approx(2 * (0.62 / 0.69 - 0.5) / 0.5 / 5)
    assert (second.above_half, second.above_nine_tenths) == (0.4, 0.0)
    assert second.confidence_by_frequency == pytest.approx((2 * 0.5 + 3 / 3) / 5)


def test_audit__finds_that_going_back_tells_of_the_first_release(findings):
    assert findings.of("retrospective")[0].above_nine_tenths == 0.5


def test_findings__come_as_a_table_that_names_nobody(findings):
    frame = findings.to_frame("mapping")
    assert len(frame["reader"]) == 6
    assert "Alice" not in repr(findings) + str(frame)


def test_findings__point_at_the_tuples_most_at_risk_by_row(findings, running_example):
    worst, *_ = findings.at_risk("paper", most=2)
    assert worst.release == 1
    assert findings.respondent(worst) in ("Alice", "Carol")
    assert "Alice" not in repr(worst)


def test_explanation__names_the_transition_that_raised_the_belief(running_example, readers):
    story = sr.explain(
        readers["paper"],
        running_example.releases,
        running_example.memberships,
        release=1,
        row=0,
        value="BCM-pos",
    )
    last, belief, part = story.appearances[-1].because[0]
    assert (last, belief) == ("MAM-pos", pytest.approx(0.5))
    assert part == pytest.approx(0.5 * 0.6)
    assert story.appearances[-1].expected == pytest.approx(0.31)
    assert "97% of the expectation came through MAM-pos" in str(story)
    assert "Alice" not in str(story)


def test_explanation__adds_up_to_what_was_expected(running_example, readers):
    story = sr.explain(
        readers["paper"],
        running_example.releases,
        running_example.memberships,
        release=1,
        row=1,
        value="PNE-pos",
    )
    step = story.appearances[-1]
    assert sum(part for _, _, part in step.because) == pytest.approx(step.expected)


@pytest.mark.parametrize(("release", "row"), [(2, 0), (-1, 0), (1, 5)])
def test_explanation__refuses_what_is_not_there(running_example, readers, release, row):
    with pytest.raises(sr.OrderError, match="release"):
        sr.explain(
            readers["paper"],
            running_example.releases,
            running_example.memberships,
            release=release,
            row=row,
            value="BCM-pos",
        )


@pytest.mark.parametrize(
    ("releases", "readers_given", "words"),
    [(slice(0, 2), False, "at least one reader"), (slice(0, 1), True, "as many originals")],
)
def test_audit__refuses_half_of_what_it_needs(
    running_example, readers, releases, readers_given, words
):
    with pytest.raises(sr.OrderError, match=words):
        sr.audit(
            running_example.releases[releases],
            running_example.views,
            readers if readers_given else {},
        )


def test_findings__suggest_the_reader_that_was_meant(findings):
    with pytest.raises(sr.OrderError, match="Did you mean 'paper'"):
        findings.of("papr")


def test_exposure__agrees_with_counting_by_hand():
    rng = np.random.default_rng(0)
    posterior, codes = rng.dirichlet(np.ones(3), 30), rng.integers(0, 3, 30)
    groups = rng.integers(-1, 5, 30)
    found = sr.exposure(posterior, codes, groups)
    shown = [row for row in range(30) if groups[row] >= 0]
    true = [posterior[row, codes[row]] for row in shown]
    assert found.log_loss == pytest.approx(oracles.mean([-np.log2(one) for one in true]))
    assert found.top_rate == pytest.approx(
        oracles.mean([float(posterior[row].argmax() == codes[row]) for row in shown])
    )
    assert found.above(0.5) == pytest.approx(oracles.mean([float(one > 0.5) for one in true]))


def test_retrospective__needs_an_original_for_each_release(running_example, readers):
    with pytest.raises(sr.OrderError, match="2 releases need as many originals, not 1"):
        sr.Retrospective(readers["paper"]).read(
            running_example.releases, running_example.memberships, running_example.views[:1]
        )
