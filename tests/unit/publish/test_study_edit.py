"""Changing study.toml key by key."""

import copy
import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from profiles import examples
from seriatim.errors import StudyError
from seriatim.publish.propose import assign, propose
from seriatim.publish.study import Study
from seriatim.publish.study_edit import edited, save_study
from seriatim.publish.study_text import study_text
from seriatim.publish.toml_text import toml_key, toml_value
from studies import STUDY

KEYS = st.sampled_from(["k", "t", "name", "post code", "values", "ä"])
TABLES = st.sampled_from([(), ("policy",), ("plan",), ("quasi_identifiers", "post code")])
VALUES = (
    st.integers(-5, 99)
    | st.booleans()
    | st.floats(0, 1)
    | st.text('ab"\\\n\t=[]#é', max_size=6)
    | st.lists(st.text("ab,]", max_size=3), max_size=3)
)
FILES = st.dictionaries(TABLES, st.dictionaries(KEYS, VALUES, max_size=3), max_size=4)


def written(tables):
    """Write tables as a person would, with comments and empty lines."""
    lines = ["# a study"]
    for table in sorted(tables):
        if table:
            lines += ["", f"[{'.'.join(map(toml_key, table))}]  # what it is"]
        for key, value in tables[table].items():
            lines += [f"# why {toml_key(key)}", f"{toml_key(key)} = {toml_value(value)}"]
    return "\n".join(lines) + "\n"


def changed(said, place, value):
    """What a file should say after a change, without its text."""
    meant = copy.deepcopy(said)
    here = meant
    for part in place[:-1]:
        here = here.setdefault(part, {})
    if value is None:
        here.pop(place[-1], None)
    else:
        here[place[-1]] = value
    return meant


@given(FILES, TABLES, KEYS, VALUES)
def test_edited__says_what_was_meant_and_keeps_all_else(tables, table, key, value):
    text = written(tables)
    found = edited(text, {(*table, key): value})
    assert tomllib.loads(found) == changed(tomllib.loads(text), (*table, key), value)
    comments = [line for line in text.splitlines() if line.startswith("#")]
    assert [line for line in found.splitlines() if line.startswith("#")] == comments


@given(FILES, TABLES, KEYS)
def test_edited__takes_a_key_out(tables, table, key):
    text = written(tables)
    found = edited(text, {(*table, key): None})
    said = tomllib.loads(found)
    for part in table:
        said = said.get(part, {})
    assert key not in said


def test_edited__changes_a_value_that_goes_over_lines():
    text = '[sensitive]\nvalues = [\n  "a",  # first\n  "b",\n]\ncolumn = "x"\n'
    assert edited(text, {("sensitive", "values"): ["c"]}) == (
        '[sensitive]\nvalues = ["c"]\ncolumn = "x"\n'
    )


def test_edited__puts_a_table_beside_its_siblings_and_takes_one_out():
    found = edited(STUDY, {("quasi_identifiers", "post code"): {"kind": "categorical"}})
    assert list(tomllib.loads(found)["quasi_identifiers"]) == ["age", "gender", "zip", "post code"]
    assert found.index("post code") < found.index("[sensitive]")
    assert edited(found, {("quasi_identifiers", "post code"): None}) == STUDY


@pytest.mark.parametrize("text", ["policy = {k = 5}\n", "policy.k = 5\n"])
def test_edited__says_that_it_cannot_change_what_is_written_in_one_line(text):
    with pytest.raises(StudyError, match="cannot be changed by itself"):
        edited(text, {("policy", "k"): 8})


def test_propose__takes_a_column_without_any_value():
    table = {"id": [1, 2, 3], "age": [51, 52, 60], "exam": ["a", "b", "a"], "empty": [None] * 3}
    empty = next(one for one in propose(table).columns if one.name == "empty")
    assert (empty.part, empty.because) == ("none", "the same in every row")


def test_save_study__puts_a_whole_file_in_place_and_leaves_nothing_else(tmp_path):
    file = tmp_path / "study.toml"
    file.write_text("old")
    file.chmod(0o640)
    save_study(file, STUDY)
    assert file.read_text() == STUDY
    assert file.stat().st_mode & 0o777 == 0o640
    assert sorted(one.name for one in tmp_path.iterdir()) == ["study.schema.json", "study.toml"]


def test_save_study__to_where_nothing_can_be_written_is_an_error(tmp_path):
    with pytest.raises(StudyError, match="could not be written"):
        save_study(tmp_path / "nowhere" / "study.toml", STUDY)


def test_assign__gives_columns_the_parts_and_kinds_that_were_chosen(tmp_path):
    table = {
        "id": list(range(40)),
        "age": [20 + row % 30 for row in range(40)],
        "ward": ["a", "b"] * 20,
        "exam": ["neg", "pos", "neg", "neg"] * 10,
    }
    parts = {"ward": "insensitive"}
    chosen = assign(table, propose(table), parts, {"age": "ordinal"})
    text = study_text(chosen)
    study = Study.from_text(tmp_path / "study.toml", text)
    assert study.declared.columns.insensitive == ["ward"]
    assert study.declared.quasi_identifiers["age"].kind == "ordinal"
    assert assign(table, propose(table), {}, {}) == propose(table)


HOSTILE = (
    'note\n[store]\nfolder = "/elsewhere"\n#',
    'note\r\n[store]\r\nfolder = "/elsewhere"\r\n#',
    "note\u2028[store]\u2028folder = 'x'",
    "age [years]",
    'the "age"',
    "\x1b[2J\x00\x7f\x85\u202e\U000e0001",
    "back\\slash \\n \\u0041",
)


@st.composite
def titles(draw):
    one = st.one_of(st.sampled_from(HOSTILE), st.text(st.characters(exclude_categories=["Cs"])))
    return draw(st.lists(one.filter(bool), min_size=5, max_size=5, unique=True))


@given(titles=titles())
@settings(max_examples=examples(4))
def test_study_text__says_the_same_whatever_titles_columns_have(titles):
    """Each column has a part of its own, so that a title stands in every place of the text."""
    someone, age, exam, kept, unused = titles
    table = {
        someone: [f"p{who}" for who in range(40)],
        age: [20 + who % 30 for who in range(40)],
        exam: ["neg", "pos", "neg", "neg"] * 10,
        kept: ["a", "b"] * 20,
        unused: ["c"] * 40,
    }
    parts = ("respondent", "quasi-identifier", "sensitive", "insensitive", "none")
    chosen = assign(table, propose(table), dict(zip(titles, parts, strict=True)), {age: "numeric"})
    text = study_text(chosen)
    study = Study.from_text(Path("study.toml"), text)
    assert study.declared.columns.respondent == someone
    assert list(study.declared.quasi_identifiers) == [age]
    assert study.declared.sensitive.column == exam
    assert study.declared.columns.insensitive == [kept]
    assert study.store_path == Path("study.store")
    told = assign(table, chosen, {unused: "identifying"}, {})
    named = Study.from_text(Path("study.toml"), study_text(told))
    assert named.declared.columns.identifying == [unused]
    assert named.store_path == Path("study.store")
    changed = edited(text, {("quasi_identifiers", age, "low"): 3, ("policy", "k"): 4})
    assert Study.from_text(Path("study.toml"), changed).schema.quasi_identifiers[0].low == 3
    assert changed.count("\n") == text.count("\n")
