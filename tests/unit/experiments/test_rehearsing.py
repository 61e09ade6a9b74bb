"""Rehearsals in the laboratory: found once, kept, published, or absent with a reason."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import seriatim as sr
from seriatim.experiments import laboratory, lasting
from seriatim.experiments.plans import Demand, Plan, Scale, possible
from seriatim.experiments.recommendation import Recommendation, from_table, to_table
from seriatim.experiments.rehearsing import Question, answered
from seriatim.experiments.results import COLUMNS, Results
from seriatim.experiments.same_size import as_large
from seriatim.experiments.series import publish_series
from seriatim.experiments.settings import MadeSetting
from seriatim.experiments.standing import STANDING, STANDING_IE, STANDING_SPM
from seriatim.experiments.techniques import Technique
from seriatim.publish.rehearsal import rehearse
from seriatim.publish.series_plan import SeriesPlan

SETTING = MadeSetting("mild", 3, 150, 4)
SCALE = Scale(views=3, size=150, seeds=1, queries=20, query_every=3)
POLICY = sr.js_reduce(k=5, t=0.6, j=0.8)
CELLS = Plan("cells", POLICY, "DK", target=0.2)
OTHERS = Plan("others", POLICY, "DK", target=0.2, every=2)
LIKE = Plan("like", sr.k_anonymity(2), as_large_as=(CELLS,))
HOPELESS = replace(CELLS, name="hopeless", target=0.001)


def run(folder, *plans, told=None):
    demands = [Demand(plan, ("DK",)) for plan in plans]
    done = (lambda _: None) if told is None else told.append
    return laboratory.run([SETTING], demands, SCALE, folder, workers=1, done=done)


@pytest.fixture
def counted(monkeypatch):
    """Count the rehearsals."""
    asked, rehearsal = [], laboratory.run_rehearsal

    def count(setting, question):
        asked.append(question)
        return rehearsal(setting, question)

    monkeypatch.setattr(laboratory, "run_rehearsal", count)
    return asked


@pytest.mark.usefixtures("few_boxes")
def test_answer__is_what_the_custodian_would_be_recommended():
    made = sr.hospital(views=3, size=150, preset="mild", seed=4)
    found = rehearse(
        POLICY,
        sr.Adversary(made.prior, made.sequence),
        [made.views[0].roster],
        SeriesPlan(releases=3, target=0.2, reader="retrospective", share=1.0, allow=()),
        seed=4,
    )
    answer = answered(SETTING, Question(POLICY, "DK", 0.2))
    assert answer.cells == found.recommended.cells
    assert answer.policy(POLICY) == found.recommended.policy(POLICY)
    assert (answer.gain, answer.penalty) == (found.recommended.gain, found.recommended.penalty)
    assert (answer.releases, answer.histories, answer.reason) == (3, 3, "")


def test_answer__knowledge_counted_in_the_views_has_nothing_to_rehearse_with():
    answer = answered(SETTING, Question(POLICY, "IE", 0.2))
    assert answer.cells is None
    assert answer.reason.startswith("IncrementalKnowledge learns from the original views")


class Undeclared(MadeSetting):
    """The same hospital, where nobody wrote down which values there are."""

    def material(self):
        found = super().material()
        sensitive = replace(found.schema.sensitive, values=None)
        return replace(found, schema=replace(found.schema, sensitive=sensitive))


@pytest.mark.usefixtures("few_boxes")
def test_answer__values_that_nobody_declared_are_those_that_readers_know_of():
    setting = Undeclared("mild", 3, 150, 4)
    assert setting.material().schema.sensitive.values is None
    assert answered(setting, Question(POLICY, "SPM", 0.2)).cells is not None


@pytest.mark.usefixtures("few_boxes")
def test_answer__says_how_near_it_came_where_nothing_holds():
    answer = answered(SETTING, Question(POLICY, "DK", 0.001))
    assert answer.cells is None
    assert "came nearest, with a gain of" in answer.reason


def test_recommendations__survive_a_table():
    found = (
        Recommendation("made", 1, "DK", 0.12, 24, 3, 40, "current", "stay", 10, 0.09, 0.1, 0.0),
        Recommendation("made", 1, "IE", 0.12, 24, reason="learns from the views"),
    )
    assert from_table(to_table(found)) == found


@pytest.mark.usefixtures("few_boxes")
def test_run__rehearses_once_for_all_series_that_wait_for_it(tmp_path, counted):
    told = []
    plans = (CELLS, OTHERS, LIKE)
    found = run(tmp_path, *plans, told=told)
    assert counted == [Question(POLICY, "DK", 0.2)]
    assert sorted(told) == sorted(
        laboratory.job_names([SETTING], [Demand(plan, ("DK",)) for plan in plans])
    )
    assert told[0] == "mild, seed 4: rehearsal with DK"
    again = run(tmp_path, *plans)
    assert len(counted) == 1
    assert again.rehearsals == found.rehearsals
    assert again.curve("cells", "DK") == found.curve("cells", "DK")


@pytest.mark.usefixtures("few_boxes")
def test_run__publishes_with_the_cells_that_were_recommended(tmp_path):
    found = run(tmp_path, CELLS)
    (answer,) = found.rehearsed("DK")
    made = sr.hospital(views=3, size=150, preset="mild", seed=4)
    policy = answer.policy(POLICY)
    publisher = sr.Publisher(made.schema, policy, sr.Adversary(made.prior, made.sequence), seed=4)
    for at, view in enumerate(made.tables, start=1):
        publisher.publish(view, at=at)
    penalties = [sr.global_certainty_penalty(release) for release in publisher.history]
    assert [point.mean for point in found.curve("cells", measure="GCP")] == penalties


@pytest.mark.usefixtures("few_boxes")
def test_run__leaves_out_what_nothing_was_recommended_for(tmp_path):
    told = []
    like = replace(LIKE, name="like hopeless", as_large_as=(HOPELESS,))
    plain = Plan("k", sr.k_anonymity(5))
    found = run(tmp_path, HOPELESS, like, plain, told=told)
    assert set(found.table.column("series").to_pylist()) == {"k"}
    assert found.rehearsals[0].reason
    # Whoever counts what is done gets to the end all the same.
    assert len(told) == 4


@pytest.mark.slow
def test_run__rehearses_the_same_on_several_processes(tmp_path):
    demands = [Demand(plan, ("DK",)) for plan in (CELLS, LIKE)]
    alone, together = (
        laboratory.run([SETTING], demands, SCALE, tmp_path / str(workers), workers=workers)
        for workers in (1, 2)
    )
    assert alone.rehearsals == together.rehearsals
    for series in ("cells", "like"):
        assert alone.curve(series, "DK") == together.curve(series, "DK")


@pytest.mark.parametrize("size", [4.0, 9.0, 17.5])
@pytest.mark.parametrize("partitioner", [sr.Mondrian(), sr.HilbertGreedy()])
def test_as_large__finds_the_k_that_trying_them_all_finds(size, partitioner):
    material, reader = SETTING.material(), SETTING.reader("snapshot")
    policy = sr.Policy(sr.KAnonymity(k=2) & sr.TCloseness(t=0.9), partitioner)
    first = replace(material, views=material.views[:1])

    def away(k):
        one = publish_series(Technique("", policy.with_k(k)), first, reader)
        return abs(one.mean_size - size)

    least = min(away(k) for k in range(2, 30))
    assert away(as_large(policy, size, material, reader).k) == pytest.approx(least)


@pytest.mark.usefixtures("few_boxes")
def test_run__tells_the_k_that_made_groups_as_large(tmp_path):
    found = run(tmp_path, CELLS, LIKE)
    (k,) = found.by_seed("like", measure="k").ravel()
    sizes = [
        found.mean(name, measure="tuples").mean / found.mean(name, measure="groups").mean
        for name in ("cells", "like")
    ]
    assert k > 2
    assert abs(sizes[0] - sizes[1]) < 0.25 * sizes[0]


def test_possible__mined_knowledge_takes_the_place_of_an_exact_one():
    plan = Plan("k", sr.k_anonymity(5), as_large_as=(STANDING, STANDING_SPM))
    (found,) = possible([Demand(plan, ("DK", "DK joint", "SPM"))], ("snapshot", "SPM"))
    assert found.attacks == ("SPM", "SPM joint")
    assert found.plan.as_large_as == (STANDING_SPM,)
    alone = replace(plan, as_large_as=(STANDING,))
    assert possible([Demand(alone, ("DK",))], ("snapshot", "SPM")) == []


def lasted(found, promised, suppressed=0.0):
    """Results of standing cells on two seeds: greatest gains found, gains promised."""
    measures = [
        *((seed, attack, "gain", gain) for seed, gain in found for attack in lasting.ATTACKS),
        *((seed, "", "suppressed", suppressed) for seed, _ in found),
        *((seed, "", "tuples", 1000.0) for seed, _ in found),
        *((seed, "", "groups", 20.0) for seed, _ in found),
        *((seed, "", "GCP", 0.1) for seed, _ in found),
    ]
    columns = list(zip(*measures, strict=True))
    n = len(measures)
    table = pa.table(
        {
            "setting": ["made"] * n,
            "seed": columns[0],
            "series": [STANDING.name] * n,
            "attack": columns[1],
            "release": np.ones(n, dtype=np.int64),
            "measure": columns[2],
            "value": columns[3],
        }
    ).cast(COLUMNS)
    rehearsals = tuple(
        Recommendation("made", seed, "DK", 0.12, 24, reason="no cells held it")
        if gain is None
        else Recommendation(
            "made", seed, "DK", 0.12, 24, 3, 40, "current", "stay", 10, gain, 0.1, 0.0
        )
        for seed, gain in promised
    )
    return Results(table, rehearsals)


def said(results, words):
    return next(claim for claim in lasting.claims(results) if words in claim.says)


@pytest.mark.parametrize(
    ("found", "promised", "below", "as_promised"),
    [
        ([(1, 0.08), (2, 0.05)], [(1, 0.09), (2, 0.06)], "reproduced", "reproduced"),
        # The second seed's cells promised less: means over seeds would hide it.
        ([(1, 0.05), (2, 0.08)], [(1, 0.09), (2, 0.06)], "reproduced", "not reproduced"),
        ([(1, 0.05), (2, 0.13)], [(1, 0.09), (2, 0.14)], "not reproduced", "reproduced"),
        ([(1, 0.05)], [(1, 0.09), (2, None)], "reproduced", "partly"),
    ],
)
def test_promises__are_held_to_seed_by_seed(found, promised, below, as_promised):
    results = lasted(found, promised)
    assert said(results, "every reader below 0.12").verdict == below
    assert said(results, "than was rehearsed").verdict == as_promised


def test_promises__bought_by_suppression_are_kept_in_part():
    results = lasted([(1, 0.08)], [(1, 0.09)], suppressed=100.0)
    assert said(results, "every reader below 0.12").verdict == "partly"
    assert said(results, "0.25 % of every release").verdict == "not reproduced"


def test_promises__where_nothing_was_recommended_the_reason_is_the_finding():
    empty = lasted([(1, 0.08)], [(1, None)])
    (claim,) = lasting.claims(Results(empty.table.slice(0, 0), empty.rehearsals))
    assert claim.word == "does not hold"
    assert claim.measured == "DK: no cells held it"


def test_standing_plans__promise_what_js_reduce_promises():
    for plan in (STANDING, STANDING_SPM, STANDING_IE):
        assert plan.policy == sr.js_reduce(k=10, t=0.5, j=0.6)
        assert plan.target == 0.12
