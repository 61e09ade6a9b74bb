"""Who is listed is what a slow twin says, and groups that are published never differ by few."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import seriatim as sr
from oracles_listing import few_differ, listed_next
from seriatim.microdata.recoding import recoded_points, recoded_values
from seriatim.publish.listing import listed
from seriatim.publish.pooling import pooled
from seriatim.publish.small_differences import opening
from seriatim.publish.whereabouts import Whereabouts

SCHEMA = sr.Schema("id", [sr.Numeric("age", 0, 99)], sr.Sensitive("exam", ["n", "p"]))
PEOPLE = 24


@st.composite
def comings(draw):
    """Who comes to each of some releases, aged and tested as they are then; and everyone's cell."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_cells, share = draw(st.integers(1, 4)), draw(st.sampled_from([0.3, 0.7, 0.95]))
    cells = rng.integers(0, n_cells, PEOPLE)
    series = []
    for _ in range(draw(st.integers(1, 6))):
        ids = np.flatnonzero(rng.random(PEOPLE) < share)
        if len(ids):
            series.append((ids, rng.integers(0, 99, len(ids)), rng.integers(0, 2, len(ids))))
    return series, cells


def view_of(ids, ages, exams):
    names = [f"p{one}" for one in ids]
    table = {"id": names, "age": ages, "exam": [("n", "p")[code] for code in exams]}
    return sr.View.from_table(table, SCHEMA)


@given(comings(), st.integers(1, 4), st.integers(0, 2))
def test_listing__is_what_its_slow_twin_says(made, batch, keep):
    series, cells = made

    def cells_of(roster):
        return np.array([cells[int(one[1:])] for one in roster.respondents.to_pylist()])

    state = twin = None
    cell_of = {f"p{one}": int(cell) for one, cell in enumerate(cells)}
    for number, (ids, ages, exams) in enumerate(series, start=1):
        view = view_of(ids, ages, exams)
        found = listed(view, state, number, cells_of, batch=batch, keep=keep)
        came = {
            f"p{one}": (float(age), int(exam))
            for one, age, exam in zip(ids, ages, exams, strict=True)
        }
        twin, waiting = listed_next(came, twin, number, cell_of, batch, keep)
        names = found.view.respondents.to_pylist()
        assert names == sorted(twin)
        assert found.waiting == len(waiting)
        for name, point, code, repeated in zip(
            names, found.view.points[:, 0], found.view.value_codes, found.carried, strict=True
        ):
            what, seen = twin[name]
            assert (point, code) == what
            assert repeated == (seen < number) == (name not in came)
        state = found.listing
        assert state.last_seen.tolist() == [twin[name][1] for name in names]


@given(comings(), st.integers(2, 4), st.integers(0, 2))
def test_cells__change_by_nobody_or_by_a_batch(made, batch, keep):
    series, cells = made

    def cells_of(roster):
        return np.array([cells[int(one[1:])] for one in roster.respondents.to_pylist()])

    state = None
    for number, (ids, ages, exams) in enumerate(series, start=1):
        found = listed(view_of(ids, ages, exams), state, number, cells_of, batch=batch, keep=keep)
        now = set(found.view.respondents.to_pylist())
        came = {f"p{one}" for one in ids}
        carried = set(np.array(found.view.respondents.to_pylist())[found.carried].tolist())
        if state is not None:
            then = set(state.respondents.to_pylist())
            for changed in (now - then, then - now):
                sizes = Counter(cells[int(one[1:])] for one in changed)
                assert all(size >= batch for size in sizes.values())
        # Listed and waiting are who came and who is carried over.
        assert now <= came | carried
        assert not came & carried
        assert found.waiting == len(came - now)
        state = found.listing


@st.composite
def two_divisions(draw):
    """The groups of some people in several releases, each of at least so many."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    least = draw(st.integers(2, 4))
    n_groups = draw(st.integers(1, 4))
    home = rng.integers(0, n_groups, PEOPLE)
    releases = []
    for _ in range(draw(st.integers(2, 4))):
        joined = rng.integers(0, n_groups, n_groups)  # groups merge anew
        group_of = np.where(rng.random(PEOPLE) < 0.95, joined[home], -1)
        moved = rng.random(PEOPLE) < 0.03
        group_of[moved] = rng.integers(0, n_groups, moved.sum())
        sizes = np.bincount(group_of[group_of >= 0], minlength=n_groups)
        group_of[(group_of >= 0) & (sizes[group_of] < least)] = -1
        releases.append(np.unique(group_of, return_inverse=True)[1] - int((group_of < 0).any()))
    return releases, least


def as_whereabouts(number, group_of):
    there = np.flatnonzero(group_of >= 0)
    sizes = np.bincount(group_of[there]).astype(np.int32)
    groups = group_of[there].astype(np.int32)
    codes = np.zeros(len(there), np.int32)
    return Whereabouts(number, there.astype(np.uint64), groups, sizes, codes)


def as_sets(group_of, held=()):
    return [
        frozenset(np.flatnonzero(group_of == group).tolist())
        for group in range(int(group_of.max(initial=-1)) + 1)
        if group not in held
    ]


@given(two_divisions())
def test_groups_that_are_held_back__leave_no_small_difference(made):
    (*former, new), least = made
    there = np.flatnonzero(new >= 0)
    before = [as_whereabouts(number, one) for number, one in enumerate(former, start=1)]
    held = opening(there.astype(np.uint64), new[there].astype(np.int32), before, least)
    left = as_sets(new, np.flatnonzero(held).tolist())
    assert not any(few_differ(left, as_sets(one), least) for one in former)
    opened = any(few_differ(as_sets(new), as_sets(one), least) for one in former)
    assert held.any() == opened


@given(comings())
def test_pooled_views__have_everybody_as_the_last_view_that_has_them(made):
    series, _ = made
    if not series:
        return
    latest = {}
    for ids, ages, exams in series:
        for one, age, exam in zip(ids, ages, exams, strict=True):
            latest[f"p{one}"] = (float(age), int(exam))
    whole = pooled([view_of(*one) for one in series])
    found = zip(whole.points[:, 0].tolist(), whole.value_codes.tolist(), strict=True)
    names = whole.respondents.to_pylist()
    assert names == sorted(latest)
    assert dict(zip(names, found, strict=True)) == latest
    # Rows are named as in all tables put one below the other.
    below = np.concatenate([ages for _, ages, _ in series])
    assert whole.points[:, 0].tolist() == below[whole.positions].tolist()


@given(st.lists(st.integers(0, 2), min_size=1, max_size=9), st.permutations(list("abcd")))
def test_recoded__means_what_it_meant(codes, labels):
    before = sr.Schema("id", [sr.Categorical("ward", list("abc"))], sr.Sensitive("exam", "abc"))
    after = sr.Schema("id", [sr.Categorical("ward", labels)], sr.Sensitive("exam", labels))
    points = recoded_points(np.array(codes, dtype=float)[:, None], before, after)
    values = recoded_values(np.array(codes), before, after)
    meant = ["abc"[code] for code in codes]
    assert [labels[int(code)] for code in points[:, 0]] == meant
    assert [labels[code] for code in values] == meant
