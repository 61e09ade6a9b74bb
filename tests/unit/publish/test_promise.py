"""A promise to people: what is planned, what a trial makes of it, and which defence keeps it."""

from dataclasses import replace

import numpy as np
import pytest

import seriatim as sr
from seriatim.publish.district import district
from seriatim.publish.rehearsal import rehearse
from seriatim.publish.trial import attacker_of, tried

pytestmark = pytest.mark.usefixtures("few_boxes")


@pytest.fixture(scope="module")
def register():
    return sr.register(people=240, releases=6, turnover=0.05, stays=0.995)


@pytest.fixture(scope="module")
def knowledge(register):
    return sr.Adversary(register.prior, register.sequence)


POLICY = sr.Policy(sr.KAnonymity(k=6), remainder="merge")
CELLS = sr.Setting(sr.StandingCells(12), 6)


def test_plan__says_its_promise_in_words():
    plan = sr.SeriesPlan
    assert plan().promise == (
        "at most 0.5% of the people ever known above 0.9, mean gain at most 0.12"
    )
    assert plan(share=1.0).promise == "mean gain at most 0.12"
    assert plan(target=1.0, share=0.02, known=0.8).promise == (
        "at most 2% of the people ever known above 0.8"
    )
    assert plan(target=1.0, share=1.0).promise == "nothing"


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"reader": "strongst"}, "Did you mean"),
        ({"basis": "hoped"}, "determined"),
        ({"allow": ("batches",)}, "batch"),
        ({"share": 1.5}, "at most 1"),
        ({"told": -0.1}, "at least 0"),
    ],
)
def test_plan__that_is_none_is_refused(given, told):
    with pytest.raises(sr.PolicyError, match=told):
        sr.SeriesPlan(**given)


def test_trial__counts_who_is_known_by_subtraction(register, knowledge):
    plan = sr.SeriesPlan(releases=6)
    found = tried(POLICY, CELLS, [list(register.views)], knowledge, plan)
    assert found.known.share > 0.05
    assert not found.keeps(plan)
    assert found.excess(plan) > 1
    assert found.keeps(replace(plan, share=1.0, target=1.0))


def test_trial__in_batches_tells_less_and_says_what_that_costs(register, knowledge):
    plan, views = sr.SeriesPlan(releases=6), list(register.views)
    plain = tried(POLICY, CELLS, [views], knowledge, plan)
    batched = tried(POLICY, replace(CELLS, batch=5), [views], knowledge, plan)
    assert batched.known.known < plain.known.known / 2
    assert batched.waiting > 0
    assert batched.cost == pytest.approx(batched.penalty + batched.waiting + batched.carried)
    assert plain.cost == plain.penalty


def test_trial__does_not_count_harmless_values(register, knowledge):
    plan, views = sr.SeriesPlan(releases=6), list(register.views)
    domain = register.schema.sensitive.domain
    harmless = tried(POLICY, CELLS, [views], knowledge, replace(plan, harmless=domain))
    assert harmless.known.known == 0
    some = tried(POLICY, CELLS, [views], knowledge, replace(plan, harmless=domain[:4]))
    everything = tried(POLICY, CELLS, [views], knowledge, plan)
    assert 0 < some.known.known < everything.known.known


def test_trial__leaves_out_whom_the_reader_was_told_of_and_lets_it_use_what_it_was_told(
    register, knowledge
):
    plan, views = sr.SeriesPlan(releases=6), list(register.views)
    told = tried(POLICY, CELLS, [views], knowledge, replace(plan, told=0.5))
    untold = tried(POLICY, CELLS, [views], knowledge, plan)
    assert told.known.people < 0.7 * untold.known.people
    assert told.known.share > untold.known.share


def test_trial__that_is_dearer_than_asked_is_not_attacked(register, knowledge):
    plan = sr.SeriesPlan(releases=6)
    views = list(register.views)
    assert tried(POLICY, CELLS, [views], knowledge, plan, dearer_than=0.001) is None


def test_trial__pools_periods(register, knowledge):
    plan = sr.SeriesPlan(releases=6)
    pooled = tried(POLICY, replace(CELLS, pool=3), [list(register.views)], knowledge, plan)
    plain = tried(POLICY, CELLS, [list(register.views)], knowledge, plan)
    assert pooled.known.known < plain.known.known


def test_strongest_reader__weighs_worlds_where_they_settle_and_passes_messages_elsewhere(register):
    plan = sr.SeriesPlan()
    short = sr.Adversary(register.prior, register.sequence)
    assert isinstance(attacker_of(plan, short, register.schema)[0], sr.Worlds)
    assert attacker_of(plan, short, register.schema)[1] == "determined"
    made = sr.hospital(views=1, size=50, preset="mild")
    long = sr.Adversary(made.prior, made.sequence)
    attacker, basis = attacker_of(plan, long, made.schema)
    assert isinstance(attacker, sr.Retrospective)
    assert basis == "found"


def test_rehearsal__recommends_batches_where_cells_do_not_keep_the_promise(register, knowledge):
    plan = sr.SeriesPlan(releases=6, share=0.02, attendance=sr.Attendance(share=1.0, turnover=0.05))
    rosters = [register.views[0].roster]
    found = rehearse(POLICY, knowledge, rosters, plan, histories=1)
    best = found.recommended
    assert best is not None
    assert best.batch > 1
    assert best.holds(plan)
    assert f"batch {best.batch}" in str(found)
    assert f"batch = {best.batch}" in best.lines
    plain = [one for one in found.trials if one.batch == 1 and not one.asks_for]
    assert not any(one.holds(plan) and one.cost < best.cost for one in plain)


def test_rehearsal__names_what_is_not_allowed_where_nothing_else_helps(register, knowledge):
    plan = sr.SeriesPlan(
        releases=6,
        share=0.0,
        allow=(),
        attendance=sr.Attendance(share=1.0, turnover=0.05),
    )
    found = rehearse(POLICY, knowledge, [register.views[0].roster], plan, histories=1)
    if found.recommended is not None:
        assert found.beyond == found.recommended.asks_for != ()
    assert any(one.pool > 1 for one in found.trials)


def test_district__keeps_whoever_was_first_seen_in_it():
    views = list(sr.register(people=1200, releases=4, turnover=0.1).views)
    some = district(views, 200, np.random.default_rng(3))
    assert 200 <= len(some[0]) <= 300
    met = set()
    for whole, part in zip(views, some, strict=True):
        here = set(part.respondents.to_pylist())
        everyone = set(whole.respondents.to_pylist())
        assert here <= everyone
        # Nobody of the district is left out of a release that shows them.
        assert met & everyone <= here
        met |= here
    assert district(views, 900, np.random.default_rng(3))[0] is views[0]


def test_told_people__are_told_of_whole():
    views = list(sr.register(people=100, releases=3).views)
    found = sr.CompromisedTuples.of_people(views, (1, 2, 3), share=0.3, seed=5)
    codes = [
        found.codes(view.roster, at, view.schema.sensitive.domain)
        for at, view in enumerate(views, start=1)
    ]
    told = [
        set(np.array(view.respondents.to_pylist())[code >= 0].tolist())
        for view, code in zip(views, codes, strict=True)
    ]
    for view, code in zip(views, codes, strict=True):
        assert (code[code >= 0] == view.value_codes[code >= 0]).all()
    here = [set(view.respondents.to_pylist()) for view in views]
    assert told[0] & here[1] == told[1] & here[0]
    assert 10 < len(told[0]) < 50
