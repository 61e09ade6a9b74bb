"""Differences of published groups: who is separated, and whose value follows."""

import numpy as np
import pytest

import seriatim as sr
from seriatim.measure.subtraction import shown
from seriatim.partition.standing_cells import StandingCells

VALUES = ("asthma", "gout", "lupus", "none")
SCHEMA = sr.Schema("who", [sr.Numeric("cell", 0, 99)], sr.Sensitive("exam", VALUES))


def series(*weeks):
    """Return originals and releases of weeks that say of each person their cell and value."""
    views, releases = [], []
    for at, week in enumerate(weeks, start=1):
        cells, exams = ([one[place] for one in week.values()] for place in (0, 1))
        views.append(sr.View.from_table({"who": [*week], "cell": cells, "exam": exams}, SCHEMA))
        table = {"cell": [str(cell) for cell in cells], "exam": exams}
        releases.append(sr.read_release(table, SCHEMA, at=at))
    return views, releases, [sr.place(*both) for both in zip(views, releases, strict=True)]


def found_in(*weeks, k=3, **options):
    views, releases, members = series(*weeks)
    return sr.differences(releases, members, k=k, originals=views, **options)


CELL = {"A": (1, "asthma"), "B": (1, "gout"), "C": (1, "gout"), "D": (1, "none")}
OTHERS = {"W": (2, "asthma"), "X": (2, "gout"), "Y": (2, "lupus"), "Z": (2, "none")}


def without(week, *people):
    return {person: shown for person, shown in week.items() if person not in people}


def test_whoever_leaves__has_what_is_missing_from_then_on():
    found = found_in(CELL | OTHERS, without(CELL, "D") | OTHERS)
    assert (found.people, found.separated, found.named, found.right) == (8, 1, 1, 1)
    assert (found.subtractions, found.contradictory) == (1, 0)
    (case,) = found.cases()
    assert (case.release, case.row, case.value, case.right) == (0, 3, "none", True)


def test_one_leaves_and_one_comes__their_values_differ_and_both_follow():
    later = without(CELL, "D") | {"E": (1, "lupus")}
    found = found_in(CELL, later)
    assert (found.separated, found.named, found.right) == (2, 2, 2)
    assert {(case.value, case.release) for case in found.cases()} == {("none", 0), ("lupus", 1)}


def test_one_leaves_and_one_comes__of_equal_values_nothing_follows():
    found = found_in(CELL, without(CELL, "D") | {"E": (1, "none")})
    assert (found.separated, found.named, found.right) == (2, 0, 0)


def test_group__whose_people_may_be_elsewhere_takes_no_part():
    views, (release,), _ = series({**CELL, "A": (3, "asthma"), "B": (3, "gout"), "E": (4, "none")})
    # The third fits both groups of two, which have only one member for certain.
    starts, groups = np.array([0, 1, 3, 4, 5, 6]), np.array([0, 0, 1, 1, 2, 2])
    places = sr.Placement(views[0].roster, starts, groups)
    assert (shown(release, places, np.arange(5), 5, len(VALUES)).groups == -1).all()


def test_k__bounds_how_many_people_a_subtraction_leaves_over():
    weeks = CELL, without(CELL, "D") | {"E": (1, "lupus")}
    assert found_in(*weeks, k=2).separated == 0
    assert found_in(*weeks, k=3).separated == 2


def test_parts_of_a_group__are_subtracted_together():
    halves = {**CELL, "A": (3, "asthma"), "B": (3, "gout")}
    found = found_in(CELL, without(halves, "D"))
    assert (found.separated, found.named, found.right) == (1, 1, 1)
    assert "groups 1, 2 together" in found.cases()[0].told


def test_merged_groups__are_the_group_that_they_are_subtracted_from():
    together = {person: (5, value) for person, (_, value) in (CELL | OTHERS).items()}
    found = found_in(CELL | OTHERS, without(together, "Z"))
    assert (found.separated, found.named, found.right) == (1, 1, 1)


def test_what_several_subtractions_tell__is_put_together():
    # D and E leave together with two values, and D's next group shows only one of them.
    first = CELL | {"E": (1, "lupus")}
    elsewhere = {"D": (9, "none"), "P": (9, "asthma"), "Q": (9, "gout")}
    found = found_in(first, without(first, "D", "E"), elsewhere, k=3)
    assert found.named == 2
    assert found.right == 2


def test_a_single_value_in_a_group__is_no_difference():
    alike = {"A": (1, "gout"), "B": (1, "gout"), "C": (1, "gout")}
    found = found_in(alike, without(alike, "C"))
    assert (found.separated, found.named) == (1, 0)


def test_values_that_change__contradict_and_name_nobody():
    later = without(CELL, "D") | {"A": (1, "lupus"), "B": (1, "lupus")}
    found = found_in(CELL, later)
    assert (found.separated, found.subtractions, found.contradictory, found.named) == (1, 0, 1, 0)


def test_two_values_of_one_person__name_neither():
    # Who leaves had asthma by one subtraction and gout by the other: somebody changed.
    changed = {"A": (1, "gout"), "B": (1, "gout"), "C": (1, "gout"), "D": (1, "none")}
    first, second = CELL | {"E": (1, "asthma")}, changed | {"E": (1, "gout")}
    found = found_in(first, CELL, second, changed)
    assert found.contradictory > 0
    assert found.named == 0


def test_back__bounds_how_far_apart_two_releases_are():
    weeks = CELL, OTHERS, without(CELL, "D")
    assert found_in(*weeks).separated == 1
    assert found_in(*weeks, back=1).separated == 0
    assert found_in(*weeks, back=2).separated == 1


def test_without_the_truth__it_is_not_said_how_many_are_right():
    views, releases, members = series(CELL, without(CELL, "D"))
    found = sr.differences(releases, members, k=3)
    assert (found.named, found.right) == (1, None)
    assert found.cases()[0].right is None
    rosters = [view.roster for view in views]
    assert sr.differences(releases, members, k=3, originals=rosters).right is None


def test_open_membership__lets_only_groups_take_part_that_nobody_else_may_be_in():
    views, releases, _ = series(CELL | OTHERS, without(CELL, "D") | OTHERS)
    wide = {"cell": ["1"] * 3 + ["1-2"] * 4, "exam": ["asthma", "gout", "gout", *VALUES]}
    open_release = sr.read_release(wide, SCHEMA, at=2)
    everyone = views[0].roster
    members = [sr.place(everyone, releases[0]), sr.place(everyone, open_release)]
    assert isinstance(members[1], sr.Placement)
    assert sr.differences([releases[0], open_release], members, k=3).separated == 0


def test_a_group_with_tuples_of_nobody__takes_no_part():
    _, releases, members = series(CELL, without(CELL, "D") | {"nobody": (1, "lupus")})
    roster = sr.Roster.from_table({"who": list("ABC"), "cell": [1, 1, 1]}, SCHEMA)
    invented = sr.Membership(roster, np.zeros(3, dtype=int), np.array([1]))
    assert sr.differences(releases, [members[0], invented], k=3).separated == 0


def test_nothing_shown__names_anyone():
    found = found_in(CELL, without(CELL, "D"))
    told = repr(found) + str(found) + repr(found.cases()) + repr(found._found)
    assert not any(f"'{person}'" in told for person in CELL)


@pytest.mark.parametrize(
    ("k", "options", "error", "words"),
    [
        (1, {}, sr.PolicyError, "at least 2"),
        (3, {"back": 0}, sr.PolicyError, "at least 1"),
        (3, {"originals": []}, sr.OrderError, "as they were made together"),
    ],
)
def test_differences__refuse_what_makes_no_sense(k, options, error, words):
    _, releases, members = series(CELL, OTHERS)
    with pytest.raises(error, match=words):
        sr.differences(releases, members, k=k, **options)


def chronic(seed, *, patients=500, releases=8, moving=10):
    """Return views of patients whose diagnosis stays; some leave and some join each month."""
    rng = np.random.default_rng(seed)
    total = patients + moving * (releases - 1)
    ages, sexes = rng.integers(20, 90, total), rng.choice(["F", "M"], total)
    diagnoses = rng.choice([f"diagnosis {one}" for one in "ABCDEFGH"], total)
    there, newest = list(range(patients)), patients
    for _ in range(releases):
        now = sorted(there)
        yield {
            "patient": [f"p{one:04}" for one in now],
            "age": ages[now].tolist(),
            "sex": sexes[now].tolist(),
            "diagnosis": diagnoses[now].tolist(),
        }
        leaving = rng.choice(there, moving, replace=False).tolist()
        there = [one for one in there if one not in leaving]
        there += range(newest, newest + moving)
        newest += moving


def test_a_register_of_chronic_patients__is_named_by_subtraction_alone():
    schema = sr.Schema(
        "patient",
        [sr.Numeric("age"), sr.Categorical("sex")],
        sr.Sensitive("diagnosis", [f"diagnosis {one}" for one in "ABCDEFGH"]),
    )
    policy = sr.Policy(sr.KAnonymity(10) & sr.TCloseness(0.5), StandingCells(10), remainder="merge")
    publisher = sr.Publisher(schema, policy, sr.Adversary(), seed=1)
    made = []
    for at, table in enumerate(chronic(1), start=1):
        publisher.publish(table, at=at)
        made.append(publisher.latest)
    found = sr.differences(
        [one.release for one in made],
        [one.membership for one in made],
        k=10,
        originals=[one.view for one in made],
    )
    assert found.people == 570
    assert found.contradictory == 0
    assert 0.10 < found.named / found.people < 0.25
    assert found.right == found.named
    assert found.separated > found.named
