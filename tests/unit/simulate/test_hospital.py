"""The made hospital: its shape, its seeds, and what it refuses."""

import itertools
import re

import numpy as np
import pytest

import seriatim as sr
from seriatim.checks import check_prior, check_sequence_model
from seriatim.simulate import population
from seriatim.simulate.presets import PRESETS


@pytest.fixture(scope="module")
def made():
    return sr.hospital(views=4, size=500)


def test_default__has_the_shape_of_the_paper():
    made = sr.hospital()
    assert (made.n_views, made.size, made.pool) == (24, 5000, 10_000)
    assert len(made.schema.sensitive.domain) == 19
    assert (made.sequence.n_states, made.sequence.n_classes) == (309, 18)
    individuals = sum(week.newcomers for week in made.weeks())
    assert abs(individuals - 16_160) < 500


def test_individuals__are_those_who_appear(made):
    ids = np.concatenate([week.patient for week in made.weeks()])
    assert len(np.unique(ids)) == sum(week.newcomers for week in made.weeks())


def test_attributes__cover_their_ranges_and_stay_with_a_patient(made):
    assert [len(view) for view in made.views] == [500] * 4
    seen = {}
    for table in made.tables:
        rows = table.to_pydict()
        assert (min(rows["age"]), max(rows["age"])) == (45, 74)
        assert (min(rows["weight"]), max(rows["weight"])) == (60, 89)
        assert len(set(rows["patient"])) == 500
        people = zip(rows["age"], rows["gender"], rows["weight"], strict=True)
        for patient, who in zip(rows["patient"], people, strict=True):
            assert seen.setdefault(patient, who) == who


@pytest.mark.parametrize("preset", PRESETS)
def test_nobody__is_seen_after_an_end(preset):
    gone = set()
    for week in sr.hospital(views=10, size=1000, preset=preset).weeks():
        assert gone.isdisjoint(week.patient.tolist())
        gone |= set(week.patient[week.value >= 17].tolist())
    assert gone


def test_seed__gives_the_same_tables_and_a_longer_series_begins_with_the_shorter(made):
    again = sr.hospital(views=6, size=500)
    assert list(itertools.islice(again.stream(), 4)) == list(made.stream())
    other = sr.hospital(views=4, size=500, seed=2)
    assert other.tables[0] != made.tables[0]
    assert not np.allclose(other.sequence.next_value, made.sequence.next_value)


def test_weeks__are_the_same_however_many_blocks_a_pool_has(monkeypatch):
    monkeypatch.setattr(population, "_BLOCK", 64)
    made = sr.hospital(views=3, size=500)
    for week in made.weeks():
        assert len(np.unique(week.patient)) == 500
    assert [week.patient.tolist() for week in made.weeks()] == [
        week.patient.tolist() for week in made.weeks()
    ]


def test_attendance__of_everyone_leaves_nobody_out():
    made = sr.hospital(views=3, size=200, preset=sr.Progression(attendance=1.0, exit_rate=0.0))
    first, *later = (week.patient.tolist() for week in made.weeks())
    assert [first, first] == later


@pytest.mark.parametrize("preset", PRESETS)
def test_knowledge__keeps_the_laws(preset):
    made = sr.hospital(views=1, size=50, preset=preset)
    check_sequence_model(made.sequence, cases=1)
    check_prior(made.prior, made.views[0], made.schema.sensitive.domain)


@pytest.mark.parametrize(("preset", "ending"), [("sharp", "csv"), ("literature", "json")])
def test_knowledge__comes_back_from_its_files(preset, ending, tmp_path):
    made = sr.hospital(views=1, size=50, preset=preset)
    sr.write_knowledge(made.sequence, tmp_path / f"sequence.{ending}")
    sr.write_knowledge(made.prior, tmp_path / f"prior.{ending}")
    sequence = sr.read_knowledge(tmp_path / f"sequence.{ending}")
    prior = sr.read_knowledge(tmp_path / f"prior.{ending}")
    assert (sequence.next_value == made.sequence.next_value).all()
    assert (sequence.structure, sequence.classes) == (
        made.sequence.structure,
        made.sequence.classes,
    )
    assert sequence.tempo == made.sequence.tempo
    domain = made.schema.sensitive.domain
    expected = made.prior.belief(made.views[0], domain).probabilities
    assert (prior.belief(made.views[0], domain).probabilities == expected).all()


def test_presets__differ_in_how_much_a_past_tells():
    """Mean uncertainty about the next result, in bits: sharp below paper-like below mild."""

    def bits(preset):
        made = sr.hospital(preset=preset)
        weights = np.bincount([0], minlength=made.sequence.n_states).astype(float)
        total = 0.0
        rows = made.sequence.next_value[4]
        for _ in range(12):
            total += weights @ sr.entropy(rows)
            flow = (weights[:, None] * rows).ravel()
            weights = np.bincount(made.sequence.next_state.ravel(), flow, minlength=len(weights))
        return total / 12

    assert bits("sharp") + 0.3 < bits("paper-like") < bits("mild") - 0.5


def test_parameters__of_ones_own_are_used():
    never = sr.hospital(views=1, size=1, preset=sr.Progression(switch=0.0, exit_rate=0.0))
    rows = never.sequence.next_value[:, 1:-2]
    assert (np.count_nonzero(rows, axis=2) <= 3).all()
    assert not rows[:, :, 17:].any()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"views": 0}, "views is a whole number from 1"),
        ({"size": 2.5}, "size is a whole number from 1 to 1,000,000,000, not 2.5"),
        ({"size": True}, "not True"),
        ({"seed": -1}, "seed is a whole number from 0"),
        ({"preset": "paperlike"}, "Did you mean 'paper-like'"),
    ],
)
def test_hospital__refuses_what_cannot_be_meant(wrong, message):
    with pytest.raises(sr.PolicyError, match=re.escape(message)):
        sr.hospital(**wrong)


@pytest.mark.parametrize(
    "wrong",
    [
        {"attendance": 0.0},
        {"attendance": float("nan")},
        {"switch": 1.5},
        {"power": "2"},
        {"dwell_cap": 2.5},
        {"dwell_exponent": 99},
        {"staying": (0.6, 0.3)},
        {"stages": ()},
        {"stages": (("a", 0),)},
        {"stages": (("a", 2), ("a", 3))},
    ],
    ids=str,
)
def test_progression__refuses_what_cannot_be_meant(wrong):
    with pytest.raises(sr.PolicyError):
        sr.Progression(**wrong)


def test_hospital__may_have_more_results_than_a_byte_holds():
    many = sr.Progression(stages=(("a", 100), ("b", 100)))
    found = set(sr.hospital(views=1, size=5000, preset=many).tables[0]["exam_result"].to_pylist())
    assert {name.partition("-")[0] for name in found} == {"a", "b"}
    assert len(found) > 128


def test_hospital__refuses_what_no_course_can_be_drawn_from():
    with pytest.raises(sr.PolicyError, match=r"no preset None; possible are .*Progression\(\)"):
        sr.hospital(preset=None)


@pytest.mark.parametrize("wrong", [{"size": 0}, {"size": -1}, {"weeks": 1.5}, {"seed": -1}])
def test_clinic__refuses_numbers_that_cannot_be_meant(wrong):
    with pytest.raises(sr.PolicyError, match=f"{next(iter(wrong))} is a whole number from"):
        sr.clinic(**wrong)


@pytest.mark.parametrize("wrong", [{"share": "half"}, {"share": 0}, {"turnover": 1}])
def test_attendance__is_a_share(wrong):
    with pytest.raises(sr.PolicyError, match="Attendance is a share above 0"):
        sr.Attendance(**wrong)
