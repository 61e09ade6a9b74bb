"""Attendance and turnover, estimated from who was in past rosters."""

import numpy as np
import pytest

import oracles_foresight as oracles
import seriatim as sr
from seriatim.simulate.foresight import Presence, presence_of, sizes_of

SCHEMA = sr.Schema("id", [sr.Numeric("age", 0, 99)], sr.Sensitive("exam", ["a", "b"]))


def rosters_of(people):
    return [
        sr.Roster.from_table({"id": sorted(one), "age": [30] * len(one)}, SCHEMA) for one in people
    ]


@pytest.mark.parametrize("turnover", [0.0, 0.03, 0.1])
@pytest.mark.parametrize("attendance", [1.0, 0.7, 0.4])
def test_presence__of_a_made_register_is_near_the_truth(attendance, turnover):
    made = sr.register(people=3000, releases=8, attendance=attendance, turnover=turnover)
    found = presence_of(made.views)
    assert found.again == pytest.approx(attendance, abs=0.03)
    assert found.back == pytest.approx(attendance, abs=0.04)
    assert found.leaving == pytest.approx(turnover, abs=0.02)
    assert found.share == pytest.approx(attendance, abs=0.04)
    assert found.trend == 1.0


def test_presence__tells_absence_that_lasts_from_absence_by_chance():
    rng = np.random.default_rng(3)
    here = rng.random(4000) < 0.5
    people = []
    for _ in range(10):
        people.append(set(np.flatnonzero(here).tolist()))
        here = rng.random(4000) < np.where(here, 0.8, 0.2)
    found = presence_of(rosters_of(people))
    assert (found.again, found.back) == pytest.approx((0.8, 0.2), abs=0.03)
    assert found.leaving < 0.02


def test_presence__is_likelier_than_others_by_summing_over_all_times_of_leaving():
    made = sr.register(people=150, releases=6, attendance=0.6, turnover=0.1, seed=5)
    people = [set(one.respondents.to_pylist()) for one in made.views]
    found = presence_of(made.views)
    recent = oracles.patterns_of(people[-5:])
    own = oracles.log_likelihood(recent, found.again, found.back, found.leaving)
    # Five people's worth of belief that those away come alike may cost as much as it says.
    others = [
        oracles.log_likelihood(recent, again, back, leaving)
        for again in np.linspace(0.05, 0.95, 10)
        for back in np.linspace(0.05, 0.95, 10)
        for leaving in np.linspace(0, 0.5, 11)
    ]
    assert own > max(others) - 1.0
    assert own < 0


def test_presence__of_two_rosters_takes_nobody_to_have_left():
    found = presence_of(rosters_of([{1, 2, 3, 4}, {3, 4, 5, 6}]))
    assert (found.again, found.back, found.leaving) == (0.5, 0.5, 0.0)
    assert not found.leaving_is_known


def test_presence__of_one_roster_is_assumed():
    found = presence_of(rosters_of([{1, 2}]))
    assert (found.again, found.back, found.leaving, found.views) == (0.5, 0.5, 0.0, 1)


def test_presence__that_is_given_overrules_what_is_seen():
    views = sr.register(people=400, releases=6, attendance=0.6, turnover=0.05).views
    both = presence_of(views, sr.Attendance(0.9, 0.01))
    assert (both.again, both.back, both.leaving) == (0.9, 0.9, 0.01)
    leaving = presence_of(views, sr.Attendance(turnover=0.0))
    assert leaving.leaving == 0.0
    assert leaving.back < presence_of(views).back
    two = presence_of(views[:2], sr.Attendance(turnover=0.05))
    assert two.again * 0.95 == pytest.approx(presence_of(views[:2]).again)


def test_presence__where_nobody_ever_comes_again_is_leaving():
    found = presence_of(rosters_of([{1, 2}, {3, 4}, {5, 6}]))
    assert 0 <= found.again <= 1
    assert 0 <= found.leaving <= 1
    assert (1 - found.leaving) * found.again < 0.01


def test_views__that_shrink_beyond_chance_go_on_shrinking_to_a_tenth():
    people = [set(range(round(1000 * 0.8**view))) for view in range(4)]
    found = presence_of(rosters_of(people))
    assert found.trend == pytest.approx(0.8, abs=0.001)
    sizes = sizes_of(500, 24, found)
    assert sizes[:3].tolist() == [500, 400, 320]
    assert sizes.min() == 50
    steady = [set(range(1000)), set(range(990)), set(range(980))]
    assert presence_of(rosters_of(steady)).trend == 1.0


def test_share__in_the_long_run_is_what_the_chances_settle_at():
    presence, share = Presence(0.9, 0.3, 0.0), 0.2
    for _ in range(200):
        share = presence.again * share + presence.back * (1 - share)
    assert presence.share == pytest.approx(share)
    assert Presence(1.0, 0.0, 0.0).share == 1.0


@pytest.mark.parametrize("bad", [{"share": 0}, {"share": 1.5}, {"turnover": 1}, {"turnover": -1}])
def test_attendance__that_is_none_is_refused(bad):
    with pytest.raises(sr.PolicyError, match="Attendance is a share"):
        sr.Attendance(**bad)
