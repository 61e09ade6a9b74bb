"""The made register: its settings do what they say, and its knowledge is what it is drawn from."""

import itertools
import re
from collections import Counter

import numpy as np
import pytest

import seriatim as sr
from seriatim.checks import check_prior, check_sequence_model
from seriatim.simulate.made import NAMES, made_series
from seriatim.simulate.register import DIAGNOSES, POSTCODES

FAR = 4.0
"""Standard deviations beyond which an observed share is not the one that was set."""


def rows_of(made):
    """Return for each release what is shown of each person, by their number."""
    return [
        {person: tuple(row) for person, *row in zip(*table.to_pydict().values(), strict=True)}
        for table in made.stream()
    ]


def assert_share(hits, tries, share):
    spread = np.sqrt(max(share * (1 - share), 1e-9) / tries)
    assert abs(hits / tries - share) < FAR * spread


def test_default__is_eight_releases_of_five_hundred_who_keep_their_diagnosis():
    made = sr.register()
    releases = rows_of(made)
    assert [len(one) for one in releases] == [500] * 8
    assert len(set().union(*releases)) == 570
    assert sum(newcomers for _, newcomers in made.counted()) == 570
    seen = {}
    for person, row in itertools.chain(*(one.items() for one in releases)):
        assert seen.setdefault(person, row) == row
    assert made.schema.quasi_identifier_names == ("year_of_birth", "sex", "postcode")
    shares = list(made.prior.distribution.values())
    assert [round(share, 2) for share in shares] == [0.3, 0.22, 0.16, 0.11, 0.08, 0.06, 0.04, 0.03]
    assert tuple(made.prior.distribution) == made.schema.sensitive.domain == DIAGNOSES[:8]


def test_attributes__cover_their_ranges_and_do_not_move():
    seen = {}
    for release in rows_of(sr.register(people=5000, stays=0.5, attendance=0.5)):
        for person, (*who, _) in release.items():
            assert seen.setdefault(person, who) == who
    born, sexes, postcodes = zip(*seen.values(), strict=True)
    assert (min(born), max(born)) == (1935, 2004)
    assert set(sexes) == {"F", "M"}
    assert set(postcodes) == set(POSTCODES)


@pytest.mark.parametrize("stays", [0.0, 0.5, 0.95])
def test_stays__is_the_share_that_is_not_drawn_anew(stays):
    made = sr.register(people=20_000, releases=4, stays=stays, turnover=0.1)
    for before, after in itertools.pairwise(rows_of(made)):
        both = before.keys() & after.keys()
        same = sum(before[one] == after[one] for one in both)
        # Whoever is drawn anew may get the same again.
        assert_share(same, len(both), stays + (1 - stays) * (made.shares**2).sum())


def test_turnover__is_who_leaves_for_good_and_how_many_join():
    made = sr.register(people=1000, releases=6, turnover=0.05)
    releases = rows_of(made)
    gone = set()
    for before, after in itertools.pairwise(releases):
        left, joined = before.keys() - after.keys(), after.keys() - before.keys()
        assert len(left) == len(joined) == 50
        gone |= left
        assert gone.isdisjoint(after)
    # Anybody may leave, not only those who came first or last.
    original = sum(one <= 1000 for one in gone)
    assert_share(original, 250, np.mean([0.95**age for age in range(5)]))


def test_turnover__of_part_of_a_person_holds_over_the_series():
    releases = rows_of(sr.register(people=30, releases=11, turnover=0.02))
    left = [len(before.keys() - after.keys()) for before, after in itertools.pairwise(releases)]
    assert left == [1, 0, 1, 0, 1, 1, 0, 1, 0, 1]
    still = rows_of(sr.register(people=30, releases=5, turnover=0))
    assert all(one.keys() == still[0].keys() for one in still)


def test_attendance__is_the_chance_of_being_shown_whatever_one_has_and_had_before():
    made = sr.register(people=20_000, releases=3, turnover=0, attendance=0.3)
    first, second, third = rows_of(made)
    for release in (first, second, third):
        assert_share(len(release), 20_000, 0.3)
    for diagnosis in DIAGNOSES[:8]:
        ill = [one for one, (*_, value) in first.items() if value == diagnosis]
        assert_share(sum(one in second for one in ill), len(ill), 0.3)
    shown_twice = first.keys() & second.keys()
    assert_share(len(shown_twice & third.keys()), len(shown_twice), 0.3)


def test_attendance__leaves_no_release_empty():
    releases = rows_of(sr.register(people=3, releases=30, attendance=0.01))
    assert min(len(one) for one in releases) == 1


@pytest.mark.parametrize("values", [2, 5, len(DIAGNOSES)])
def test_values__have_shares_from_one_to_a_tenth(values):
    made = sr.register(people=50_000, releases=1, values=values)
    shares = list(made.prior.distribution.values())
    assert len(shares) == values
    assert shares[0] == pytest.approx(10 * shares[-1])
    found = Counter(made.tables[0]["diagnosis"].to_pylist())
    for diagnosis, share in made.prior.distribution.items():
        assert_share(found[diagnosis], 50_000, share)


def test_seed__gives_the_same_tables_and_a_longer_series_begins_with_the_shorter():
    settings = {"people": 200, "stays": 0.9, "attendance": 0.7, "turnover": 0.03}
    made = sr.register(releases=4, **settings)
    again = sr.register(releases=6, **settings)
    assert list(itertools.islice(again.stream(), 4)) == list(made.stream())
    other = sr.register(releases=4, seed=2, **settings)
    assert other.tables[0] != made.tables[0]


def test_settings__change_nothing_but_what_they_are_about():
    plain = rows_of(sr.register(people=300, attendance=0.8))
    for moved in (
        rows_of(sr.register(people=300, attendance=0.8, stays=0.9)),
        rows_of(sr.register(people=300, attendance=0.8, values=3)),
    ):
        for one, other in zip(plain, moved, strict=True):
            assert {person: row[:-1] for person, row in one.items()} == {
                person: row[:-1] for person, row in other.items()
            }
    for one, other in zip(plain, rows_of(sr.register(people=300, attendance=0.4)), strict=True):
        assert other.items() <= one.items()


def test_knowledge__keeps_the_laws():
    made = sr.register(people=50, stays=0.9)
    check_sequence_model(made.sequence, cases=1)
    check_prior(made.prior, made.views[0], made.schema.sensitive.domain)


@pytest.mark.parametrize("ending", ["csv", "json"])
def test_knowledge__comes_back_from_its_files(ending, tmp_path):
    made = sr.register(people=50, stays=0.995, values=len(DIAGNOSES))
    sr.write_knowledge(made.sequence, tmp_path / f"sequence.{ending}")
    sr.write_knowledge(made.prior, tmp_path / f"prior.{ending}")
    sequence = sr.read_knowledge(tmp_path / f"sequence.{ending}")
    assert (sequence.next_value == made.sequence.next_value).all()
    assert (sequence.structure, sequence.tempo) == (made.sequence.structure, made.sequence.tempo)
    prior = sr.read_knowledge(tmp_path / f"prior.{ending}")
    assert prior.distribution == made.prior.distribution


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"people": 0}, "people is a whole number from 1 to 100,000,000, not 0"),
        ({"people": 2.5}, "people is a whole number"),
        ({"releases": 0}, "releases is a whole number from 1"),
        ({"releases": True}, "not True"),
        ({"stays": 1.1}, "stays is a number from 0 to 1, not 1.1"),
        ({"stays": -0.1}, "stays is a number from 0 to 1"),
        ({"stays": True}, "stays is a number from 0 to 1, not True"),
        ({"stays": "0.9"}, "not '0.9'"),
        ({"stays": float("nan")}, "not nan"),
        ({"turnover": 1}, "turnover is a number from 0 and below 1, not 1"),
        ({"turnover": -0.02}, "turnover is a number from 0 and below 1"),
        ({"attendance": 0}, "attendance is a number above 0 and at most 1, not 0"),
        ({"attendance": 1.5}, "attendance is a number above 0 and at most 1, not 1.5"),
        ({"values": 1}, "values is a whole number from 2 to 24, not 1"),
        ({"values": 25}, "values is a whole number from 2 to 24, not 25"),
        ({"seed": -1}, "seed is a whole number from 0"),
    ],
)
def test_register__refuses_what_cannot_be_meant(wrong, message):
    with pytest.raises(sr.PolicyError, match=re.escape(message)):
        sr.register(**wrong)


def test_hospital__says_how_a_register_is_made():
    with pytest.raises(sr.PolicyError, match=r"A register is no hospital.*register\(people="):
        sr.hospital(preset="register")


@pytest.mark.parametrize("preset", NAMES)
def test_preset__is_made_by_its_name(preset):
    made = made_series(preset, views=2, size=40, seed=3)
    again = made_series(preset, views=2, size=40, seed=3)
    assert [table.num_rows for table in made.tables] == [40, 40]
    assert made.tables == again.tables
    others = made_series(preset, views=2, size=40, seed=3, patients=1)
    assert others.tables[0] != made.tables[0]
    assert (others.sequence.next_value == made.sequence.next_value).all()


def test_preset__of_nothing_is_that_of_the_library():
    assert made_series("register").tables == sr.register().tables
    assert repr(made_series("mild")) == repr(sr.hospital(preset="mild"))


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"preset": "regster"}, "no preset 'regster'; possible are 'paper-like', 'mild'"),
        ({"preset": "regster"}, "Did you mean 'register'?"),
        (
            {"preset": "mild", "settings": {"stays": 0.9}},
            "'stays' is free for the preset 'register' alone, and the preset is 'mild'. Leave"
            " 'stays' out, or ask for 'register'.",
        ),
        (
            {"preset": "sharp", "settings": {"stays": 0.9, "values": 3}},
            "'stays', 'values' are free for",
        ),
        ({"preset": "register", "views": 0}, "views is a whole number from 1"),
        ({"preset": "register", "size": 0}, "size is a whole number from 1"),
        ({"preset": "register", "seed": -1}, "seed is a whole number from 0"),
        ({"preset": "register", "patients": -1}, "patients is a whole number from 0"),
        ({"preset": "mild", "size": 0}, "size is a whole number from 1"),
    ],
)
def test_made_series__refuses_what_cannot_be_meant(asked, message):
    with pytest.raises(sr.PolicyError, match=re.escape(message)):
        made_series(**asked)
