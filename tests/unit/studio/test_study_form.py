"""A study as a form, and a form as a study."""

import tomllib

import pytest

from seriatim.errors import StudyError
from seriatim.publish.study import Study
from seriatim.publish.study_file import study_json_schema
from seriatim.studio.forms import Form
from seriatim.studio.study_form import (
    FIRST,
    fields,
    sensitive_settings,
    settings,
    with_fields,
    with_parts,
)
from studies import STUDY

SAID = tomllib.loads(STUDY)


def every_field():
    """All fields of the study's form, as a browser would send them."""
    shown = [one for section in FIRST for half in fields(SAID, section) for one in half]
    for name, column in SAID["quasi_identifiers"].items():
        shown += settings(SAID, name, column["kind"])
    return [(one.name, one.value) for one in shown + sensitive_settings(SAID)]


def test_form__sent_back_unchanged_leaves_every_byte(tmp_path):
    parts = [
        ("part/patient", "respondent"),
        ("part/age", "quasi-identifier"),
        ("part/gender", "quasi-identifier"),
        ("part/zip", "quasi-identifier"),
        ("part/exam", "sensitive"),
    ]
    form = Form([*parts, *every_field()])
    assert with_fields(with_parts(STUDY, form), form) == STUDY


def test_form__has_every_key_that_a_study_may_have():
    names = {name for name, _ in every_field()}
    for section in FIRST:
        model = study_json_schema()["properties"][section]["$ref"].rsplit("/", 1)[-1]
        for key in study_json_schema()["$defs"][model]["properties"]:
            assert f"set/{section}/{key}" in names


@pytest.mark.parametrize(
    ("name", "typed", "section", "key", "found"),
    [
        ("set/policy/k", "9", "policy", "k", 9),
        ("set/policy/t", "0.25", "policy", "t", 0.25),
        ("set/policy/t", "", "policy", "t", None),
        ("set/policy/l", "two", "policy", "l", "two"),
        ("set/plan/enforce", "true", "plan", "enforce", True),
        ("set/plan/enforce", "enlarge", "plan", "enforce", "enlarge"),
        ("set/plan/lag", "2", "plan", "lag", 2),
        ("set/output/files", '"csv"', "output", "files", ["csv"]),
        ("set/output/files", "csv, parquet", "output", "files", ["csv", "parquet"]),
        ("set/reader/sequence", 'a "b".csv', "reader", "sequence", 'a "b".csv'),
    ],
)
def test_field__becomes_a_key_of_its_kind(name, typed, section, key, found):
    said = tomllib.loads(with_fields(STUDY, Form([(name, typed)])))
    assert said.get(section, {}).get(key) == found


@pytest.mark.parametrize("name", ["set/nowhere/k", "set/policy/kk", "set/store/file"])
def test_field__that_is_none_of_ours_is_refused(name):
    with pytest.raises(StudyError, match="There is no field"):
        with_fields(STUDY, Form([(name, "1")]))


def test_parts__that_move_take_their_tables_along():
    form = Form(
        [
            ("part/patient", "respondent"),
            ("part/age", "quasi-identifier"),
            ("part/gender", "insensitive"),
            ("part/zip", "quasi-identifier"),
            ("kind/zip", "categorical"),
            ("part/exam", "sensitive"),
        ]
    )
    text = with_parts(STUDY, form)
    said = tomllib.loads(text)
    assert said["columns"]["insensitive"] == ["gender"]
    assert said["quasi_identifiers"] == {
        "age": SAID["quasi_identifiers"]["age"],
        "zip": {"kind": "categorical"},
    }


def test_parts__that_cannot_be_meant_are_refused():
    with pytest.raises(StudyError, match="patient and age both say"):
        with_parts(STUDY, Form([("part/patient", "respondent"), ("part/age", "respondent")]))


def test_study__made_by_a_form_is_one(tmp_path):
    (tmp_path / "study.toml").write_text(STUDY)
    form = Form([("set/policy/k", "9"), ("set/reader/sequence", "views")])
    study = Study.from_text(tmp_path / "study.toml", with_fields(STUDY, form))
    assert study.declared.policy.k == 9
