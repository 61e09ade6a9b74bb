"""The laboratory: each series once, whole tables, and going on where it stopped."""

import numpy as np
import pyarrow.parquet
import pytest

import seriatim as sr
from seriatim.experiments import laboratory
from seriatim.experiments.claims import judged, on_condition
from seriatim.experiments.plans import Demand, Plan, Scale, merged, possible
from seriatim.experiments.results import COLUMNS, Results
from seriatim.experiments.settings import MadeSetting
from seriatim.experiments.standing import greatest_told

SETTING = MadeSetting("mild", 3, 120, 4)
SCALE = Scale(views=3, size=120, seeds=1, queries=20, query_every=3)
PLAN = Plan("l-diversity", sr.l_diversity(l=2))


def rows(*found):
    """Results from (seed, release, value) of one measure of one series."""
    return Results(
        pyarrow.Table.from_pylist(
            [
                {
                    "setting": "made",
                    "seed": seed,
                    "series": "JS",
                    "attack": attack,
                    "release": release,
                    "measure": measure,
                    "value": float(value),
                }
                for attack, measure, seed, release, value in found
            ],
            schema=COLUMNS,
        )
    )


def test_job__measures_what_the_audit_measures():
    demand = Demand(PLAN, ("DK", "DK joint", "1-step", "SPM/2", "IE", "snapshot"), (0.1,))
    table = laboratory.run_job(SETTING, demand, SCALE)
    found = Results(table)
    made = sr.hospital(views=3, size=120, preset="mild", seed=4)
    publisher = sr.Publisher(made.schema, PLAN.policy, sr.Adversary(made.prior), seed=4)
    memberships = []
    for at, view in enumerate(made.tables, start=1):
        publisher.publish(view, at=at)
        memberships.append(publisher.latest.membership)
    corpus = sr.hospital(views=3, size=60, preset="mild", seed=4, patients=1)
    strong = sr.Adversary(made.prior, made.sequence, rule="strongest", filtering="joint")
    mined = sr.mine(list(corpus.stream()), steps=3, respondent="patient", value="exam_result")
    readers = {
        "DK": sr.Adversary(made.prior, made.sequence),
        "DK joint": strong,
        "1-step": sr.Adversary(made.prior, sr.truncate(made.sequence, steps=1)),
        "SPM/2": sr.Adversary(made.prior, mined),
        "IE": sr.Adversary(made.prior, sr.IncrementalKnowledge(3)),
        "snapshot": sr.Adversary(made.prior),
    }
    audited = sr.audit(list(publisher.history), list(made.views), readers, memberships=memberships)
    for row in audited.rows:
        curve = {point.x: point.mean for point in found.curve("l-diversity", row.reader)}
        assert curve[row.at] == pytest.approx(row.gain)
    penalties = [point.mean for point in found.curve("l-diversity", measure="GCP")]
    assert penalties == pytest.approx([sr.global_certainty_penalty(r) for r in publisher.history])
    error = found.curve("l-diversity", measure="query error 0.1")
    assert [point.x for point in error] == [3.0]
    last = sr.median_query_error(
        publisher.history[2], made.views[2], selectivity=0.1, queries=20, seed=4
    )
    assert error[0].mean == pytest.approx(last)


def test_corpus__has_other_patients_under_the_same_course():
    here, there = (sr.hospital(views=2, size=50, seed=3, patients=number) for number in (0, 1))
    assert np.array_equal(here.sequence.next_value, there.sequence.next_value)
    assert not here.tables[0].equals(there.tables[0])


def test_job__of_a_register_is_attacked_with_what_it_is_drawn_from():
    """Where values stay, exact knowledge tells most, and others' people teach nearly as much."""
    demand = Demand(Plan("k", sr.k_anonymity(5)), ("DK joint", "1-step joint", "SPM joint"))
    setting = MadeSetting("register", 4, 200, 3)
    found = Results(laboratory.run_job(setting, demand, SCALE))
    exact, short, mined = (
        [point.mean for point in found.curve("k", attack)] for attack in demand.attacks
    )
    assert exact == pytest.approx(short)
    assert exact[-1] > exact[0] + 0.05
    assert mined[-1] > mined[0] + 0.05
    assert setting.material().schema == sr.register().schema


def test_run__goes_on_where_it_stopped(tmp_path, monkeypatch):
    demands = [Demand(PLAN, ("DK",)), Demand(Plan("k", sr.k_anonymity(5)), ("DK",))]
    told = []
    first = laboratory.run([SETTING], demands[:1], SCALE, tmp_path, workers=1, done=told.append)
    run_job, ran = laboratory.run_job, []

    def counted(setting, demand, scale):
        ran.append(demand.plan.name)
        return run_job(setting, demand, scale)

    monkeypatch.setattr(laboratory, "run_job", counted)
    both = laboratory.run([SETTING], demands, SCALE, tmp_path, workers=1, done=told.append)
    assert ran == ["k"]
    assert told == [
        "mild, seed 4: l-diversity",
        "mild, seed 4: l-diversity",
        "mild, seed 4: k",
    ]
    assert len(list(tmp_path.glob("*.parquet"))) == 2
    assert list(tmp_path.glob("*.part")) == []
    assert both.curve("l-diversity", "DK") == first.curve("l-diversity", "DK")
    assert laboratory.job_names([SETTING], demands) == tuple(sorted(told[1:], key=told.index))[::-1]


def test_run__gives_the_same_on_several_processes(tmp_path):
    demands = [Demand(PLAN, ("DK",)), Demand(Plan("k", sr.k_anonymity(5)), ("DK",))]
    alone, together = (
        laboratory.run([SETTING], demands, SCALE, tmp_path / str(workers), workers=workers)
        for workers in (1, 2)
    )
    for series in ("l-diversity", "k"):
        assert alone.curve(series, "DK") == together.curve(series, "DK")


def test_merged__asks_each_series_once():
    found = merged(
        [Demand(PLAN, ("DK", "IE")), Demand(PLAN, ("DK",), (0.1,)), Demand(PLAN, ("SPM",))]
    )
    assert found == [Demand(PLAN, ("DK", "IE", "SPM"), (0.1,))]


def test_possible__leaves_out_what_nobody_knows():
    asked = [Demand(PLAN, ("DK", "IE joint")), Demand(Plan("js", PLAN.policy, "DK"), ("IE",))]
    assert possible(asked, ("snapshot", "IE")) == [Demand(PLAN, ("IE joint",))]


def test_results__average_over_seeds_and_stop_where_series_end():
    found = rows(
        ("DK", "gain", 1, 1, 0.1),
        ("DK", "gain", 1, 2, 0.3),
        ("DK", "gain", 2, 1, 0.3),
    )
    assert [(p.x, p.mean) for p in found.curve("JS", "DK")] == [(1.0, 0.2), (2.0, 0.3)]
    assert found.mean("JS", "DK").mean == pytest.approx((0.2 + 0.3) / 2)
    assert found.last("JS", "DK").mean == pytest.approx((0.3 + 0.3) / 2)
    assert found.greatest("JS", "DK").mean == pytest.approx(0.3)
    assert not found.has("JS", "IE")


@pytest.mark.parametrize(
    ("suppressed", "failed", "verdict"),
    [(0, False, "reproduced"), (10, False, "partly"), (0, True, "partly")],
)
def test_on_condition__a_bound_that_suppression_buys_is_partly_reproduced(
    suppressed, failed, verdict
):
    measured = [("", "suppressed", 1, 1, suppressed), ("", "tuples", 1, 1, 1000 - suppressed)]
    found = rows(*measured, *([("", "failed", 1, 2, 1)] if failed else []))
    assert on_condition("reproduced", found, "JS") == verdict
    assert on_condition("not reproduced", found, "JS") == "not reproduced"


def test_judged__nothing_to_judge_is_not_reproduced():
    assert judged([]) == "not reproduced"


def test_greatest_gains__are_told_with_log_loss_beside_counting_and_who_is_worse():
    measured = {"gain": 0.2, "log-loss by counting": 1.5, "right above 0.9": 0.75}
    found = rows(
        *(
            (attack, name, 1, 1, value)
            for attack in ("DK", "SPM")
            for name, value in measured.items()
        ),
        ("DK", "log-loss", 1, 1, 1.25),
        ("SPM", "log-loss", 1, 1, 1.75),
        ("IE", "gain", 1, 1, 0.1),
    )
    told = greatest_told(found, "JS", ("DK", "SPM", "IE"))
    assert told == (
        "DK 0.200 ± 0.000 (1.25 bits, counting 1.50, 75% right above .9), SPM 0.200 ± 0.000"
        " (1.75 bits, counting 1.50, 75% right above .9, worse than counting), IE 0.100 ± 0.000"
    )
