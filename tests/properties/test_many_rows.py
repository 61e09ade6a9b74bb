"""What kernels do where rows are many is what is done one by one where they are few."""

import itertools

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import oracles_intake
import seriatim as sr
from profiles import examples
from seriatim.kernels.stretches import over_groups
from seriatim.kernels.texts import compare_texts
from seriatim.microdata.cover import interval_text, run_texts
from seriatim.microdata.gathers import (
    codes_in_groups,
    different_sets,
    ends_in_groups,
    gathered,
    gathered_columns,
)
from seriatim.microdata.inferred import inferred
from seriatim.microdata.letters import MANY, letters_of, repeated, texts_of
from seriatim.microdata.repeats import one_each
from seriatim.microdata.tables import find_codes, read_table, to_text
from seriatim.publish.csv_text import csv_bytes, grouped_csv_bytes

CELLS = st.one_of(
    st.integers(-(10**6), 10**6).map(str),
    st.integers(-(2**66), 2**66).map(str),
    st.sampled_from(
        ["", "0", "-0", "007", "-7", "+7", "-", " 12 ", "NA", "1.5", "0x1F", "1_0", "a"]
    ),
    st.none(),
)


def many(few, *, at_least=MANY + 7):
    """The same cells over and over, the last ones in another order."""
    times = at_least // len(few) + 1
    return list(few) * times + list(few)[::-1]


@given(st.lists(CELLS, min_size=1, max_size=9), st.integers(0, 2))
@example(["1", "2"] * 3 + [str(2**63)], 1)
@example([None, "", "5"], 1)
@example(["", None], 0)
@example(["9" * 18, "-" + "9" * 18], 0)
@settings(max_examples=examples(3))
def test_inferred__is_what_reading_cell_by_cell_gives(few, late):
    cells = many([cell for cell in few if cell is None or late == 0 or cell.isdigit()] or ["1"])
    if late == 2:  # what spoils the numbers comes last
        cells += few
    chunks = [cells[: len(cells) // 3], [], cells[len(cells) // 3 :]]
    read = inferred(pa.chunked_array([pa.array(chunk, pa.string()) for chunk in chunks]))
    assert read.to_pylist() == oracles_intake.inferred(cells)


@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=40))
@example([-(2**63), 2**63 - 1, 0, 9, 10, 99, 100, 999, 1000, 9999, 10_000, -1, -10])
def test_to_text__writes_numbers_as_they_are_written(numbers):
    numbers = many(numbers)
    assert to_text(pa.array(numbers), "id").to_pylist() == [str(number) for number in numbers]


@pytest.mark.parametrize("kind", [pa.int8(), pa.int32(), pa.uint16(), pa.uint64()])
def test_to_text__knows_every_kind_of_whole_number(kind):
    numbers = many(range(100))
    assert to_text(pa.array(numbers, kind), "id").to_pylist() == [str(one) for one in numbers]


def test_to_text__leaves_gaps_gaps():
    assert to_text(pa.array(many([1, None])), "id").to_pylist() == many(["1", None])


@given(st.lists(st.text(max_size=5), max_size=6), st.integers(0, 3))
def test_letters__are_those_of_the_texts_also_of_a_slice(texts, skipped):
    array = pa.array(texts, pa.string())[skipped:]
    letters, begins = letters_of(array)
    own = [bytes(letters[begin:end]).decode() for begin, end in itertools.pairwise(begins)]
    assert own == texts[skipped:]
    assert texts_of(letters, begins).to_pylist() == texts[skipped:]


@pytest.mark.parametrize("rows", [5, MANY + 5])
@pytest.mark.parametrize("kind", [float, np.int64])
def test_gathered__is_the_array_in_another_order(rows, kind):
    rng = np.random.default_rng(7)
    source = rng.integers(0, 99, (50, 3)).astype(kind)
    order = rng.integers(0, 50, rows)
    assert np.array_equal(gathered(source[:, 1], order), source[order, 1])
    table = np.zeros((rows, 2), kind)
    assert np.array_equal(gathered(source[:, 2], order, into=table[:, 1]), source[order, 2])
    assert np.array_equal(table[:, 1], source[order, 2])
    points = source.astype(float)
    assert np.array_equal(gathered_columns(points, order), points[order].T)


@pytest.mark.parametrize(("rows", "n_codes"), [(20, 3), (MANY + 5, 3), (MANY + 5, 10**6)])
def test_codes_in_groups__are_each_once(rows, n_codes):
    rng = np.random.default_rng(7)
    codes = rng.integers(0, min(n_codes, 9), rows)
    starts = np.unique(np.r_[0, rng.integers(0, rows, rows // 10), rows])
    groups = np.searchsorted(starts, np.arange(rows), side="right") - 1
    pairs = sorted({int(group * n_codes + code) for group, code in zip(groups, codes, strict=True)})
    assert codes_in_groups(codes.astype(float), starts, n_codes).tolist() == pairs


@pytest.mark.parametrize(("rows", "n_codes"), [(20, 3), (MANY + 5, 1), (MANY + 5, 12), (MANY, 13)])
@given(seed=st.integers(0, 2**32))
def test_groups__have_the_sets_and_the_ends_of_their_codes(rows, n_codes, seed):
    rng = np.random.default_rng(seed)
    codes = np.sort(rng.integers(0, n_codes, rows)).astype(float)
    rng.shuffle(codes[rng.integers(0, rows) :])
    starts = np.unique(np.r_[0, rng.integers(0, rows, rows // 7), rows])
    groups = [codes[begin:end].tolist() for begin, end in itertools.pairwise(starts)]
    pairs, which = different_sets(codes, starts, n_codes)
    own = [set() for _ in range(which.max() + 1)]
    for pair in pairs.tolist():
        own[pair // n_codes].add(pair % n_codes)
    assert [own[place] for place in which] == [set(group) for group in groups]
    least, greatest = ends_in_groups(codes, starts)
    assert least.tolist() == [min(group) for group in groups]
    assert greatest.tolist() == [max(group) for group in groups]


@given(
    st.lists(st.tuples(st.integers(-9, 9), st.integers(0, 9)), min_size=1, max_size=9),
    st.sampled_from([1, 50, 500]),
)
def test_runs__that_groups_share_are_written_as_each_alone(runs, times):
    least = np.array([low for low, _ in runs] * times, float)
    greatest = least + np.array([length for _, length in runs] * times)

    def write(numbers):
        return pa.array(numbers.astype(np.int64)).cast(pa.string())

    alone = interval_text(pa.array(least == greatest), write(least), write(greatest))
    assert run_texts(least, greatest, write).to_pylist() == alone.to_pylist()


@given(st.lists(st.lists(st.text("ab", max_size=3), max_size=4), min_size=1), st.integers(0, 2))
def test_texts__of_a_group_differ_where_one_is_not_the_first(groups, skipped):
    alike = [[*group[:1] * len(group)] for group in groups]
    for drawn in (groups, alike):
        texts = pa.array(["left out"] * skipped + [text for group in drawn for text in group])
        starts, differ = np.cumsum([0, *map(len, drawn)]), np.zeros(1, bool)
        compare_texts(0, len(drawn), *letters_of(texts.cast(pa.string())[skipped:]), starts, differ)
        assert differ[0] == any(len(set(group)) > 1 for group in drawn)


@pytest.mark.parametrize("rows", [5, MANY + 5, 3 * MANY])
@given(
    words=st.lists(st.text("ab,[]é\n 1", max_size=20), min_size=1, max_size=6),
    odd=st.sampled_from(["", 'a "word"', None, 1.5, True]),
    numbers=st.lists(st.integers(-(2**40), 2**40), min_size=1, max_size=6),
)
def test_csv__is_to_the_byte_what_arrow_writes(rows, words, odd, numbers):
    table = {
        "group": pa.array(np.resize(np.array(numbers), rows)),
        'zip, "code"': pa.array(many(words, at_least=rows)[:rows], pa.string()),
        "exam": pa.array(many(words[::-1], at_least=rows)[:rows], pa.string()),
    }
    if odd != "":
        table["odd"] = pa.array([odd] * rows)
    made = pa.BufferOutputStream()
    pyarrow.csv.write_csv(pa.table(table), made)
    assert csv_bytes(pa.table(table)) == made.getvalue().to_pybytes()
    assert bytes(csv_bytes(pa.table(table)[1:])).endswith(b"\n")


@pytest.mark.parametrize("rows", [5, MANY + 5, 3 * MANY])
@given(
    words=st.lists(st.text("ab,[]é\n 1", max_size=20), min_size=1, max_size=6),
    odd=st.sampled_from(["", 'a "word"', 1.5, True, 7]),
    seed=st.integers(0, 99),
)
def test_csv__written_group_by_group_is_the_same_to_the_byte(rows, words, odd, seed):
    rng = np.random.default_rng(seed)
    starts = np.unique(np.r_[0, rng.integers(0, rows + 1, 40), rows])
    starts = np.insert(starts, 1, 0)  # a group without rows
    number = np.arange(len(starts) - 1)
    groups = pa.table(
        {"group": number + 1, 'zip, "code"': pa.array(np.resize(words, len(number)), pa.string())}
    )
    values = pa.array(words if odd == "" else [odd] * len(words))
    codes = rng.integers(0, len(values), rows)
    of = pa.array(np.repeat(number, np.diff(starts)))
    table = groups.take(of).append_column("exam", values.take(pa.array(codes)))
    found = grouped_csv_bytes(groups, starts, "exam", values, codes)
    assert (found is None) == (rows < MANY or odd in ('a "word"', 1.5, True))
    assert found is None or bytes(found) == bytes(csv_bytes(table))


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("rows", [0, 9, MANY + 9])
def test_repeated__is_a_text_for_each_row_of_its_group(rows, missing):
    starts = np.unique(np.r_[0, np.random.default_rng(7).integers(0, rows + 1, 5), rows])
    words = [None if missing else "é", "", "[51,52]", "*", "a", "b", "c"][: len(starts) - 1]
    expected = [
        word for word, size in zip(words, np.diff(starts), strict=True) for _ in range(size)
    ]
    texts = pa.array(["before", *words], pa.string())[1:]
    assert repeated(texts, starts).to_pylist() == expected


@pytest.mark.parametrize("missing", [False, True])
def test_find_codes__finds_each_value_among_many(missing):
    few = ["b", "x", "a", None if missing else "c"]
    codes = {"a": 0, "b": 1, "c": 2}
    found = find_codes(pa.array(many(few)), ["a", "b", "c"])
    assert found.tolist() == [codes.get(one, -1) for one in many(few)]


@pytest.mark.parametrize(
    ("kind", "spread"),
    [
        *((kind, 1) for kind in (pa.int8(), pa.uint8(), pa.int64(), pa.uint64())),
        *((kind, 2**55) for kind in (pa.int64(), pa.uint64())),
    ],
)
@pytest.mark.parametrize("again", [False, True])
def test_one_each__takes_everyone_where_ids_differ(kind, spread, again):
    low = 0 if pa.types.is_unsigned_integer(kind) else -100
    ids = [(low + place) * spread for place in (100, 3, 0, 101, 50, 2)]
    ids += ids[1:2] if again else []
    table = read_table({"id": pa.array(ids, kind)})
    taken = one_each(table, ("id",), np.ones(len(ids), bool), "first")
    assert taken.tolist() == [True] * 6 + [False] * again


@pytest.mark.parametrize("spread", [1, 3, 2**40])
@pytest.mark.parametrize("again", [False, True])
def test_one_each__takes_everyone_where_many_ids_differ(spread, again):
    ids = np.random.default_rng(7).permutation(2 * MANY) * spread - 5
    ids[3] = ids[-2] if again else ids[3]
    table = read_table({"id": ids})
    taken = one_each(table, ("id",), np.ones(len(ids), bool), "first")
    assert np.flatnonzero(~taken).tolist() == [len(ids) - 2] * again


@pytest.mark.parametrize("again", [False, True])
def test_roster__of_many_rows_is_sorted_by_respondent(again):
    ids = np.random.default_rng(7).permutation(2 * MANY) - 5
    ids[3] = ids[-2] if again else ids[3]
    schema = sr.Schema("id", [sr.Numeric("age")], sr.Sensitive("exam"))
    table = {"id": ids, "age": ids % 90}
    if again:
        with pytest.raises(
            sr.TableError, match=f"2 rows share theirs, at row positions 3, {len(ids) - 2} "
        ):
            sr.Roster.from_table(table, schema)
        return
    roster = sr.Roster.from_table(table, schema)
    assert roster.respondents.equals(pa.array(np.sort(ids)))
    assert np.array_equal(ids[roster.positions], np.sort(ids))
    assert np.array_equal(roster.points[:, 0], np.sort(ids) % 90)


@pytest.mark.parametrize(
    "sizes", [[5], [1, 40_000, 1], [3] * 20_000, [0, 0, 90_000, 0], [50_000, 7]]
)
def test_over_groups__goes_over_each_group_once(sizes, monkeypatch):
    monkeypatch.setenv("SERIATIM_CORES", "3")
    seen = np.zeros(len(sizes), int)

    def work(first, last, times):
        times[first:last] += 1

    over_groups(work, np.concatenate([[0], np.cumsum(sizes)]), seen)
    assert (seen == 1).all()
