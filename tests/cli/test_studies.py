"""A custodian's weeks at the command line, and what goes wrong in them."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow.csv
import pytest
from typer.testing import CliRunner

import seriatim as sr
from seriatim.cli.app import app, main
from seriatim.cli.common import program
from studies import week, write_study

MALFORMED = Path(__file__).parents[1] / "data" / "malformed"
STUDIES = sorted(path.stem for path in (MALFORMED / "studies").glob("*.toml"))
TABLES = sorted(path.name for path in (MALFORMED / "tables").iterdir())

GOOD_STUDY = """\
[columns]
respondent = "patient"
[quasi_identifiers.age]
kind = "numeric"
low = 18
high = 95
[sensitive]
column = "exam"
[policy]
k = 2
[reader]
sequence = "none"
"""
GOOD_TABLE = "patient,age,exam\nSECRET-1,30,neg\nSECRET-2,40,pos\n"


@pytest.fixture
def run(monkeypatch, capsys):
    """Run a command as the shell does: exit code, output, errors."""

    def run_command(*arguments):
        monkeypatch.setattr(sys, "argv", ["seriatim", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        shown = capsys.readouterr()
        return int(ended.value.code or 0), shown.out, shown.err

    return run_command


@pytest.fixture
def study(tmp_path):
    return write_study(tmp_path)


def test_series__is_published_listed_verified_audited_and_looked_after(study, run, tmp_path):
    for number in (1, 2, 3):
        code, told, _ = run("publish", week(study, number), "--study", study)
        assert (code, f"Release {number} at {number} published: 60 tuples" in told) == (0, True)
    releases = study.parent / "releases"
    code, told, _ = run("history", "--study", study)
    assert (code, told.count("60")) == (0, 3)
    code, told, _ = run("verify", releases)
    assert (code, "3 of 3 verified." in told) == (0, True)
    files = [releases / f"release-000{number}.csv" for number in (1, 2, 3)]
    originals = [part for number in (1, 2, 3) for part in ("-o", week(study, number))]
    code, told, _ = run("audit", *files, *originals, "--study", study)
    assert code == 0
    assert "retrospective" in told
    people = {one for number in (1, 2, 3) for one in _patients(study, number)}
    assert len(people) < 180
    words = " ".join(told.split())
    assert f"3 releases, {len(people)} people; 180 of their 180 tuples fit a group." in words
    assert "Most at risk: someone." in told
    (best,) = (line for line in told.splitlines() if line.rstrip().endswith("strongest"))
    assert best.split()[0] in ("joint", "retrospective", "worlds")
    assert "people are separated from the others by fewer than 5 people" in words
    assert "If values do not change, the counts alone give" in words
    code, told, _ = run("store", "check", "--study", study)
    assert (code, "NOT" in told) == (0, False)
    assert run("store", "export", tmp_path / "export", "--study", study)[0] == 0
    assert run("store", "backup", tmp_path / "study.backup", "--study", study)[0] == 0
    assert run("store", "backup", tmp_path / "study.backup", "--study", study)[0] == 3
    code, told, _ = run("store", "forget", "P00000", "--study", study)
    assert (code, "0 of 1 were known" in told) == (0, True)
    code, told, _ = run("store", "restore", tmp_path / "study.backup", "--study", study)
    assert (code, "is restored" in told) == (0, True)


def test_audit__sends_a_reader_of_worlds_who_may_know_nothing_but_the_releases(study, run):
    for number in (1, 2):
        run("publish", week(study, number), "--study", study)
    files = [study.parent / "releases" / f"release-000{number}.csv" for number in (1, 2)]
    originals = [part for number in (1, 2) for part in ("-o", week(study, number))]
    asked = ("audit", *files, *originals, "--study", study, "--reader", "worlds")
    code, told, _ = run(*asked)
    assert code == 0
    assert any(line.strip().startswith("worlds") for line in told.splitlines())
    code, alone, _ = run(*asked, "--sequence", "releases", "--json")
    assert code == 0
    (found,) = json.loads(alone)["series"]
    assert found["reader"] == "worlds"
    assert found["log_loss"] > 0
    learned = "as much as can be learned from the releases alone"
    assert [pair[1] for pair in json.loads(alone)["knowledge"][:2]] == [learned, learned]
    code, _, wrong = run("audit", *files, *originals, "--study", study, "--reader", "words")
    assert (code, "Did you mean 'worlds'?" in " ".join(wrong.split())) == (2, True)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--reader", "joint", "--sweeps", "50"], "not among the readers"),
        (["--sequence", "relases"], "Did you mean 'releases'?"),
        (["--sequence", "empty.csv"], "It has no columns"),
        (["--sequence", "releases"], "One release teaches nothing"),
    ],
)
def test_audit__refuses_what_no_reader_would_look_at(study, run, monkeypatch, words, told):
    run("publish", week(study, 1), "--study", study)
    monkeypatch.chdir(study.parent)
    Path("empty.csv").write_text("")
    file = study.parent / "releases" / "release-0001.csv"
    code, _, wrong = run("audit", file, "-o", week(study, 1), "--study", study, *words)
    assert code in (1, 2)
    assert told in " ".join(wrong.split())


def test_audit__of_rosters_says_what_a_reader_who_learns_from_views_needs(study, run):
    text = study.read_text(encoding="utf-8").replace(
        'sequence = "knowledge.csv"', 'sequence = "views"'
    )
    study.write_text(text, encoding="utf-8")
    run("publish", week(study, 1), "--study", study)
    roster = study.parent / "roster.csv"
    table = pyarrow.csv.read_csv(week(study, 1))
    sensitive = "exam" if "exam" in table.column_names else "state"
    pyarrow.csv.write_csv(table.drop_columns([sensitive]), roster)
    file = study.parent / "releases" / "release-0001.csv"
    code, _, wrong = run("audit", file, "-o", roster, "--study", study)
    assert code == 2
    assert "some of these originals have no sensitive column" in " ".join(wrong.split())


def _patients(study, number):
    return pyarrow.csv.read_csv(week(study, number))["patient"].to_pylist()


def test_audit__names_people_only_when_asked(study, run):
    for number in (1, 2):
        run("publish", week(study, number), "--study", study)
    releases = study.parent / "releases"
    files = [releases / f"release-000{number}.csv" for number in (1, 2)]
    originals = [part for number in (1, 2) for part in ("-o", week(study, number))]
    people = set(pyarrow.csv.read_csv(week(study, 1))["patient"].to_pylist())
    people |= set(pyarrow.csv.read_csv(week(study, 2))["patient"].to_pylist())

    def named(*more):
        code, told, _ = run("audit", *files, *originals, "--study", study, *more)
        assert code == 0
        return any(person in told for person in people)

    assert not named()
    assert not named("--json")
    assert not named("--differences", "--explain", 9)
    assert not named("--differences", "--json")
    assert not named("--reader", "worlds")
    assert named("--show-ids")
    assert not named("--show-ids", "--explain", 0)
    assert named("--show-ids", "--json", "--differences", "--explain", 1)
    assert named("--show-ids", "--json")


def test_audit__tells_in_words_whose_values_follow_by_subtraction(run, tmp_path):
    study = tmp_path / "study.toml"
    study.write_text(
        '[columns]\nrespondent = "who"\n\n[quasi_identifiers.age]\nkind = "numeric"\n\n'
        '[sensitive]\ncolumn = "ill"\n\n[policy]\nk = 5\n',
        "utf-8",
    )
    people = [("NAME-1", 21, "gout"), ("NAME-2", 22, "none"), ("NAME-3", 23, "none")]
    people += [("NAME-4", 24, "none"), ("NAME-5", 25, "asthma"), ("NAME-6", 29, "gout")]
    for number, shown in ((1, people), (2, people[:-1])):
        views = "\n".join(["who,age,ill", *(f"{who},{age},{ill}" for who, age, ill in shown)])
        rows = "\n".join(["age,ill", *(f"20-29,{ill}" for _, _, ill in shown)])
        (tmp_path / f"view-{number}.csv").write_text(views, "utf-8")
        (tmp_path / f"out-{number}.csv").write_text(rows, "utf-8")
    files = [tmp_path / "out-1.csv", tmp_path / "out-2.csv"]
    originals = ["-o", tmp_path / "view-1.csv", "-o", tmp_path / "view-2.csv"]
    asked = ("audit", *files, *originals, "--study", study)
    found = json.loads(run(*asked, "--json")[1])["differences"]
    figures = {"k": 5, "people": 6, "separated": 1, "named": 1, "right": 1}
    assert found == figures | {"subtractions": 1, "contradictory": 0, "cases": []}
    (case,) = json.loads(run(*asked, "--json", "--differences")[1])["differences"]["cases"]
    assert (case["release"], case["row"], case["value"], case["right"]) == (0, 5, "gout", True)
    told = run(*asked, "--differences")[1]
    assert f"By subtraction: someone.\n{case['told']}" in told
    assert "NAME" not in told
    assert "By subtraction: respondent 'NAME-6'." in run(*asked, "--differences", "--show-ids")[1]
    assert "By subtraction" not in run(*asked, "--differences", "--explain", 0)[1]
    assert "By subtraction" not in run(*asked)[1]


@pytest.mark.parametrize(
    "command",
    [["publish", "VIEW", "--dry-run"], ["history"], ["verify", "RELEASES"], ["store", "check"]],
    ids=" ".join,
)
def test_json__is_printed_alone(study, run, command):
    run("publish", week(study, 1), "--study", study)
    names = {"VIEW": week(study, 2), "RELEASES": study.parent / "releases"}
    arguments = [names.get(word, word) for word in command]
    if command[0] != "verify":
        arguments += ["--study", study]
    code, told, complaints = run(*arguments, "--json")
    assert (code, complaints) == (0, "")
    json.loads(told)


def test_dry_run__writes_nothing(study, run):
    before = sorted(study.parent.rglob("*"))
    code, told, _ = run("publish", week(study, 1), "--study", study, "--dry-run")
    assert (code, "Nothing was written" in told) == (0, True)
    assert sorted(study.parent.rglob("*")) == before


def test_same_view__is_refused_and_allowed_on_purpose(study, run):
    run("publish", week(study, 1), "--study", study)
    code, _, told = run("publish", week(study, 1), "--study", study)
    assert (code, "published before, as release 1" in told) == (1, True)
    assert run("publish", week(study, 1), "--study", study, "--again")[0] == 0


def test_mine__writes_knowledge_that_a_study_can_use(study, run, tmp_path):
    weeks = [week(study, number) for number in (1, 2, 3)]
    target = study.parent / "knowledge.csv"
    code, told, _ = run(
        "mine", *weeks, "--respondent", "patient", "--value", "exam", "--output", target
    )
    assert (code, "180 tuples" in told) == (0, True)
    assert isinstance(sr.read_knowledge(target), sr.MinedKnowledge)
    assert run("publish", weeks[0], "--study", study)[0] == 0


def test_init__proposes_a_study_that_publishes(run, tmp_path):
    write_study(tmp_path)
    views = [tmp_path / "views" / f"week-{number}.csv" for number in (1, 2)]
    study = tmp_path / "new.toml"
    code, told, _ = run("init", views[0], "--study", study, "--yes")
    assert (code, "written" in told) == (0, True)
    declared = sr.Study.read(study)
    assert declared.schema.respondent == "patient"
    assert declared.schema.sensitive.name == "exam"
    kinds = {one.name: type(one).__name__ for one in declared.schema.quasi_identifiers}
    assert kinds == {"age": "Numeric", "gender": "Categorical", "zip": "Hierarchical"}
    for view in views:
        code, _, told = run("publish", view, "--study", study)
        assert code == 0, told
    code, _, told = run("init", views[0], "--study", study, "--yes")
    assert (code, "exists" in told) == (2, True)


def test_init__makes_the_folder_of_a_study_and_names_it_in_the_next_command(run, tmp_path):
    table = week(write_study(tmp_path / "data"), 1)
    folder = tmp_path / "not" / "there.yet"
    code, told, _ = run("init", table, "--study", folder, "--yes")
    assert (code, f"publish {table} --dry-run --study {folder}" in told) == (0, True)
    assert sr.Study.read(folder).path == folder / "study.toml"
    code, _, told = run("init", table, "--study", table / "below", "--yes")
    assert (code, "could not be made" in told) == (2, True)


def test_init__leaves_room_for_what_later_views_bring(run, tmp_path):
    rows = [f"p{row},{row % 41 + 60},{('neg', 'pos')[row % 2]}" for row in range(100)]
    (tmp_path / "view.csv").write_text("patient,weight,exam\n" + "\n".join(rows) + "\n")
    assert run("init", tmp_path / "view.csv", "--study", tmp_path, "--yes")[0] == 0
    weight = sr.Study.read(tmp_path).schema.quasi_identifiers[0]
    assert (weight.low, weight.high) == (50, 110)
    assert "the range stays" in (tmp_path / "study.toml").read_text(encoding="utf-8")


def test_key_that_stands_twice__is_shown_with_its_line(run, tmp_path):
    (tmp_path / "view.csv").write_text(GOOD_TABLE)
    (tmp_path / "study.toml").write_text(GOOD_STUDY.replace("k = 2\n", "k = 2\nk = 3\n"))
    code, _, told = run("publish", tmp_path / "view.csv", "--study", tmp_path)
    line = GOOD_STUDY.splitlines().index("k = 2") + 2
    assert code == 2
    assert told.splitlines()[:3] == [
        "seriatim: study.toml is not TOML:",
        f"  line {line}: k = 3",
        "  This stands further up already. Keep one of the two.",
    ]


def test_audit__says_which_release_or_original_is_wrong(run, tmp_path):
    (tmp_path / "study.toml").write_text(GOOD_STUDY)
    for number, ages in enumerate(((30, 40), (30, 140)), start=1):
        rows = "".join(f"p{age},{age},{exam}\n" for age, exam in zip(ages, "np", strict=True))
        (tmp_path / f"view-{number}.csv").write_text(f"patient,age,exam\n{rows}")
        (tmp_path / f"out-{number}.csv").write_text("age,exam\n30-95,n\n30-95,p\n")
    views = [part for number in (1, 2) for part in ("-o", tmp_path / f"view-{number}.csv")]
    tables = [tmp_path / f"out-{number}.csv" for number in (1, 2)]
    code, _, told = run("audit", *tables, *views, "--study", tmp_path)
    assert (code, "view-2.csv: Column 'age' has 1 value(s) outside" in told) == (1, True)
    tables[1].write_text("age,exam\nthirty,n\n30-95,p\n")
    _, _, told = run("audit", *tables, *views, "--study", tmp_path)
    assert told.startswith("seriatim: Release 2: ")


def test_rehearse__right_after_init_learns_from_the_view_and_says_so(run, tmp_path):
    table = week(write_study(tmp_path / "data"), 1)
    study = tmp_path / "study.toml"
    assert run("init", table, "--study", study, "--yes")[0] == 0
    options = ("--study", study, "--releases", 2, "--size", 12, "--histories", 1)
    code, told, errors = run("rehearse", table, *options)
    assert (code, errors) == (0, "")
    words = " ".join(told.split())
    assert "Learned from 1 view, whose sensitive values were read" in words
    assert "values are taken to stay" in words


def test_init__that_would_write_a_wrong_study_leaves_the_old_one(run, tmp_path, monkeypatch):
    table = week(write_study(tmp_path), 1)
    before = (tmp_path / "study.toml").read_text(encoding="utf-8")
    monkeypatch.setattr("seriatim.cli.init.study_text", lambda *_, **__: "[policy]\nk = 0\n")
    code, _, errors = run("init", table, "--study", tmp_path, "--yes", "--force")
    assert (code, "k" in errors) == (2, True)
    assert (tmp_path / "study.toml").read_text(encoding="utf-8") == before


@pytest.mark.parametrize(
    ("engine", "option", "for_whom"),
    [
        ("local", ("--shards", "2"), "'shards', 'spark'"),
        ("local", ("--setting", "a=b"), "'spark'"),
        ("shards", ("--master", "yarn"), "'spark'"),
        ("shards", ("--encoding", "latin-1"), "'local'"),
        ("shards", ("--wait", "5"), "'local'"),
    ],
)
def test_publish__refuses_an_option_that_its_engine_would_not_look_at(
    study, run, engine, option, for_whom
):
    asked = ("publish", week(study, 1), "--study", study, "--engine", engine, *option)
    code, _, errors = run(*asked)
    assert code == 2
    assert f"{option[0]} means nothing to the engine '{engine}', only to {for_whom}." in errors
    assert not (study.parent / "releases").exists()


@pytest.mark.parametrize("engine", ["local", "shards"])
def test_publish__counts_rows_with_missing_values_not_their_cells(tmp_path, run, engine):
    study = write_study(
        tmp_path, size=80, changes=[("[policy]", '[input]\nmissing = "drop"\n\n[policy]')]
    )
    head, *rows = week(study, 1).read_text().splitlines()
    names = [name.strip('"') for name in head.split(",")]
    for row in range(20):
        cells = rows[row].split(",")
        for name in ("age", "gender", "zip", "exam"):
            cells[names.index(name)] = ""
        rows[row] = ",".join(cells)
    week(study, 1).write_text("\n".join([head, *rows, ""]))
    asked = ("publish", week(study, 1), "--study", study, "--engine", engine, "--dry-run")
    code, told, _ = run(*asked)
    assert (code, "Left out before: 20 rows with missing values" in told) == (0, True)
    figures = json.loads(run(*asked, "--json")[1])
    assert figures["certificate"]["dropped for missing values"] == 20
    assert figures["rows dropped for missing values"] == 20
    assert figures["missing cells of dropped rows"] == dict.fromkeys(
        ("age", "gender", "zip", "exam"), 20
    )


def test_singled_out__is_told_by_publish_history_report_and_certificate(tmp_path, run):
    changes = [
        ('respondent = "patient"', 'respondent = "patient"\nallow_unique = ["note"]'),
        ("[sensitive]", '[quasi_identifiers.note]\nkind = "categorical"\n\n[sensitive]'),
    ]
    study = write_study(tmp_path, changes=changes)
    code, told, _ = run("publish", week(study, 1), "--study", study)
    assert code == 0
    assert "Sets of 'note' single out 100.0% of the tuples" in told
    assert "Published though nearly unique, as the study says: note." in told
    code, told, _ = run("history", "--study", study)
    assert (code, "singled" in told, "100.0%" in told) == (0, True, True)
    certificate = json.loads(run("history", "--study", study, "--json")[1])[0]
    assert certificate["singled out"] == {"gender": 0.0, "note": 1.0}
    page = tmp_path / "page.html"
    assert run("report", "--study", study, "--out", page)[0] == 0
    text = page.read_text("utf-8")
    assert "Whom sets single out" in text
    assert "published though nearly unique" in text


def test_publish__refuses_a_column_that_gives_people_away_in_words(tmp_path, run):
    changes = [("[sensitive]", '[quasi_identifiers.note]\nkind = "categorical"\n\n[sensitive]')]
    study = write_study(tmp_path, changes=changes)
    code, _, errors = run("publish", week(study, 1), "--study", study)
    assert (code, "Traceback" in errors, "note of row" in errors) == (1, False, False)
    assert "has 60 different values among 60 people" in " ".join(errors.split())
    assert not list((study.parent / "releases").glob("release-*"))


def test_audit__attacks_a_series_in_shards_where_it_lies(study, run):
    for number in (1, 2):
        asked = ("publish", week(study, number), "--study", study, "--engine", "shards")
        assert run(*asked)[0] == 0
    originals = ("-o", week(study, 1), "-o", week(study, 2))
    asked = ("audit", *originals, "--study", study, "--engine", "shards")
    code, told, _ = run(*asked, "--json")
    found = json.loads(told)["releases"]
    assert code == 0
    assert [one["reader"] for one in found] == [
        name for name in ("snapshot", "paper", "joint") for _ in range(2)
    ]
    assert all(one["tuples"] == 60 for one in found)
    for one in found:
        right, sure = one["sure_and_right"], one["sure_above_nine_tenths"]
        assert one["above_nine_tenths"] == pytest.approx((right or 0.0) * sure)
    code, told, _ = run(*asked, "--reader", "paper")
    assert (code, "paper" in told, "snapshot" in told) == (0, True, False)


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ((), "No release was named"),
        (("--engine", "shards", "--reader", "retrospective"), "no reader who looks back"),
        (("--engine", "shards", "--follow"), "--follow means nothing"),
        (("--engine", "shards", "--master", "yarn"), "--master means nothing"),
        (("release.csv", "--engine", "shards"), "RELEASES means nothing"),
        (("release.csv", "--engine", "local", "--setting", "a=b"), "--setting means nothing"),
    ],
)
def test_audit__refuses_what_its_engine_would_not_look_at(study, run, asked, told):
    code, _, errors = run("audit", *asked, "-o", week(study, 1), "--study", study)
    assert (code, told in errors) == (2, True), errors


def test_audit__of_no_series_in_shards_says_so(study, run):
    asked = ("audit", "-o", week(study, 1), "--study", study, "--engine", "shards")
    code, _, errors = run(*asked)
    assert (code, "There is no series in shards here yet" in errors) == (1, True)


def test_audit__does_not_follow_into_json(study, run):
    run("publish", week(study, 1), "--study", study)
    release = study.parent / "releases" / "release-0001.csv"
    asked = ("audit", release, "-o", week(study, 1), "--study", study, "--follow", "--json")
    code, told, errors = run(*asked)
    assert (code, told, "--follow" in errors) == (2, "", True)


@pytest.mark.parametrize(
    "command", [("demo", "--folder"), ("simulate", "--views", "2", "--output")]
)
def test_made_data__is_not_written_where_a_file_is(run, tmp_path, command):
    there = tmp_path / "there"
    there.write_text("mine", encoding="utf-8")
    for place in (there, there / "below"):
        code, told, errors = run(*command, place)
        assert (code, told, str(place) in errors) == (2, "", True)
    assert there.read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize(
    "arguments",
    [("rehearse", "VIEW", "--seed"), ("audit", "VIEW", "-o", "VIEW", "--explain")],
    ids=" ".join,
)
def test_number__below_zero_is_bad_usage(study, run, arguments):
    words = [week(study, 1) if word == "VIEW" else word for word in arguments]
    code, told, errors = run(*words, "-1", "--study", study)
    assert (code, told) == (2, "")
    assert f"Invalid value for '{arguments[-1]}'" in errors


def test_rekey__without_a_key_is_bad_usage_and_not_a_bad_store(study, run):
    run("publish", week(study, 1), "--study", study)
    code, _, errors = run("store", "rekey", "--study", study)
    assert (code, "either --key-file or --key-variable" in errors) == (2, True)


def test_next_command__is_named_as_the_program_was_called(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "argv", ["seriatim"])
    assert program() == "seriatim"
    monkeypatch.setattr(sys, "argv", ["env/bin/seriatim"])
    assert program() == "env/bin/seriatim"
    there = tmp_path / "seriatim"
    there.write_text("#!/bin/sh\n", encoding="utf-8")
    there.chmod(0o755)
    monkeypatch.setattr(sys, "argv", [str(there)])
    assert program() == "seriatim"


def test_init__asks_on_a_terminal(tmp_path):
    write_study(tmp_path)
    study = tmp_path / "asked.toml"
    answers = "patient\nexam\nage,zip\n"
    view = str(tmp_path / "views" / "week-1.csv")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("seriatim.cli.init._on_terminal", lambda: True)
        done = CliRunner().invoke(app, ["init", view, "--study", str(study)], input=answers)
    assert done.exit_code == 0, done.output
    names = [one.name for one in sr.Study.read(study).schema.quasi_identifiers]
    assert names == ["age", "zip"]


def test_rekey__seals_and_seals_again(study, run, monkeypatch, tmp_path):
    run("publish", week(study, 1), "--study", study)
    key = tmp_path / "key"
    assert run("store", "key", key)[0] == 0
    assert run("store", "key", key)[0] == 3
    plain = study.read_text()
    study.write_text(plain + '\n[store]\nsealed = true\nkey_file = "key"\n')
    code, told, _ = run("store", "rekey", "--key-file", key, "--study", study)
    assert (code, "sealed with the new key" in told) == (0, True)
    study.write_text(plain)
    code, _, told = run("publish", week(study, 2), "--study", study)
    assert (code, "is sealed" in told) == (3, True)
    text = study.read_text() + '\n[store]\nsealed = true\nkey_file = "key"\n'
    study.write_text(text)
    assert run("publish", week(study, 2), "--study", study)[0] == 0
    monkeypatch.setenv("OTHER", "a passphrase of some length")
    assert run("store", "rekey", "--key-variable", "OTHER", "--study", study)[0] == 0
    code, _, told = run("history", "--study", study)
    assert (code, "not the key" in told) == (3, True)


@pytest.mark.parametrize("name", STUDIES)
def test_malformed_study__is_explained(run, tmp_path, name):
    for file in (MALFORMED / "studies").glob("*.csv"):
        shutil.copy(file, tmp_path)
    shutil.copy(MALFORMED / "studies" / f"{name}.toml", tmp_path / "study.toml")
    (tmp_path / "view.csv").write_text(GOOD_TABLE)
    code, _, told = run("publish", tmp_path / "view.csv", "--study", tmp_path / "study.toml")
    assert code == 2, told
    assert told.startswith("seriatim: ")
    assert "Traceback" not in told
    assert "SECRET" not in told
    assert not (tmp_path / "releases").exists()


@pytest.mark.parametrize("name", TABLES)
def test_malformed_table__is_explained(run, tmp_path, name):
    (tmp_path / "study.toml").write_text(GOOD_STUDY)
    shutil.copy(MALFORMED / "tables" / name, tmp_path)
    code, _, told = run("publish", tmp_path / name, "--study", tmp_path / "study.toml")
    assert code in (1, 2), told
    assert told.startswith("seriatim: ")
    assert "Traceback" not in told
    assert "SECRET" not in told
    assert not (tmp_path / "releases").exists()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("unknown-key", "Did you mean 'remainder'"),
        ("unknown-section", "Did you mean 'policy'"),
        ("unknown-kind", "Did you mean 'numeric'"),
        ("wrong-remainder", "Did you mean 'merge'"),
        ("k-too-small", "greater than or equal to 2"),
        ("two-trees", "either mask"),
        ("knowledge-is-a-prior", "cannot be the reader's sequence"),
    ],
)
def test_mistake__is_told_with_what_was_meant(run, tmp_path, name, words):
    for file in (MALFORMED / "studies").glob("*.csv"):
        shutil.copy(file, tmp_path)
    shutil.copy(MALFORMED / "studies" / f"{name}.toml", tmp_path / "study.toml")
    (tmp_path / "view.csv").write_text(GOOD_TABLE)
    _, _, told = run("publish", tmp_path / "view.csv", "--study", tmp_path)
    assert words in told


def test_mistakes__are_told_together_with_their_lines(run, tmp_path):
    shutil.copy(MALFORMED / "studies" / "many-mistakes.toml", tmp_path / "study.toml")
    _, _, told = run("history", "--study", tmp_path)
    assert "has 5 mistakes" in told
    for words in ("line 4", "line 7", "line 15", "line 16"):
        assert words in told


@pytest.mark.parametrize("command", ["history", "publish"])
def test_damaged_store__exits_with_3(study, run, command):
    run("publish", week(study, 1), "--study", study)
    store = study.parent / "study.store" / "current" / "series.duckdb"
    store.write_bytes(b"x" * 5000)
    more = [week(study, 2)] if command == "publish" else []
    code, _, told = run(command, *more, "--study", study)
    assert (code, "restore a backup" in told.lower()) == (3, True)


def test_two_publishers__one_is_refused_and_one_waits(study):
    def start(number, *more):
        command = [sys.executable, "-m", "seriatim.cli", "publish", str(week(study, number))]
        return subprocess.Popen(
            [*command, "--study", str(study), "--at", str(number), *more],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    with start(1, "--wait", "60") as first, start(2, "--wait", "60") as second:
        told = [one.communicate() for one in (first, second)]
    codes = sorted([first.returncode, second.returncode])
    # Whoever came second waited; if that was week 1, it was out of order by then.
    assert codes in ([0, 0], [0, 1]), told


def test_ids_row_order_and_other_columns__are_nowhere_in_what_is_written(study, run):
    shown = [run("publish", week(study, number), "--study", study) for number in (1, 2, 3)]
    ids = pyarrow.csv.read_csv(week(study, 1))["patient"].to_pylist()
    written = b"".join(
        path.read_bytes()
        for path in study.parent.rglob("*")
        if path.is_file() and "views" not in path.parts
    )
    told = "".join(out + err for _, out, err in shown).encode()
    for one in (*ids, "note of row"):
        assert one.encode() not in written + told


def test_publish__never_writes_over_a_release_that_is_out(study, run):
    run("publish", week(study, 1), "--study", study)
    before = {file.name: file.read_bytes() for file in (study.parent / "releases").iterdir()}
    store = study.parent / "study.store"
    store.rename(study.parent / "aside")
    code, _, told = run("publish", week(study, 2), "--study", study)
    assert (code, "and there is no store" in told, store.exists()) == (3, True, False)
    run("publish", week(study, 1), "--study", write_study(study.parent / "other"))
    (study.parent / "other" / "study.store").rename(store)
    for file in (study.parent / "releases").iterdir():
        file.rename(file.with_name(file.name.replace("0001", "0002")))
    code, _, told = run("publish", week(study, 2), "--study", study)
    assert (code, "already has release-0002" in told) == (1, True)
    for file in (study.parent / "releases").iterdir():
        file.rename(file.with_name(file.name.replace("0002", "0001")))
    after = {file.name: file.read_bytes() for file in (study.parent / "releases").iterdir()}
    assert after == before


def test_publish__says_when_less_is_promised_than_before(study, run):
    run("publish", week(study, 1), "--study", study)
    study.write_text(study.read_text().replace("k = 5", "k = 3"))
    code, told, _ = run("publish", week(study, 2), "--study", study)
    assert (code, "Changed since the release before, promised" in told) == (0, True)


def test_numbers__as_sensitive_values_are_published_and_verified(run, tmp_path):
    rows = [f"p{row},{20 + row},{(1.5, 1000.0, 2.0)[row % 3]}" for row in range(30)]
    (tmp_path / "view.csv").write_text("patient,age,exam\n" + "\n".join(rows) + "\n")
    (tmp_path / "study.toml").write_text(GOOD_STUDY)
    code, _, told = run("publish", tmp_path / "view.csv", "--study", tmp_path)
    assert code == 0, told
    assert run("verify", tmp_path / "releases")[0] == 0


def test_history__of_a_study_without_a_store_makes_none(study, run):
    code, told, _ = run("history", "--study", study)
    assert (code, "Nothing was published yet" in told) == (0, True)
    assert not (study.parent / "study.store").exists()


def test_instant__that_is_none_is_refused(study, run):
    code, _, told = run("publish", week(study, 1), "--study", study, "--at", "2024-13-45")
    assert (code, "is no instant" in told) == (2, True)


def test_verify__goes_on_after_a_broken_certificate(study, run):
    for number in (1, 2):
        run("publish", week(study, number), "--study", study)
    releases = study.parent / "releases"
    (releases / "release-0002.certificate.json").write_text("{")
    code, told, _ = run("verify", releases)
    assert (code, "1 of 2 verified" in told) == (1, True)


def test_verify__of_a_folder_asks_for_the_whole_series(study, run, tmp_path):
    for number in (1, 2, 3):
        run("publish", week(study, number), "--study", study)
    releases = study.parent / "releases"
    kept = shutil.copy(releases / "head.json", tmp_path / "kept.json")
    assert run("verify", releases)[0] == 0
    assert run("verify", *sorted(releases.glob("*.json")))[0] == 0
    code, told, _ = run("verify", releases / "release-0002.csv")
    assert (code, "not the whole series: head.json names release 3" in told) == (0, True)
    (releases / "release-0003.certificate.json").unlink()
    code, told, _ = run("verify", releases)
    assert (code, "NOT end of the series: head.json names release 3" in told) == (1, True)
    (releases / "head.json").unlink()
    code, told, _ = run("verify", releases, "--json")
    assert (code, "no head.json was found" in json.loads(told)[-1]["notes"][0]) == (0, True)
    assert run("verify", releases, "--head", kept)[0] == 1
    code, _, told = run("verify", releases, "--head", tmp_path / "none.json")
    assert (code, "there is no such file" in told) == (1, True)
    (releases / "release-0001.certificate.json").unlink()
    code, told, _ = run("verify", releases)
    assert (code, "the series begins with release 2" in told) == (1, True)


def test_verify__tells_unknown_promises_in_text_and_json(study, run):
    run("publish", week(study, 1), "--study", study)
    path = study.parent / "releases" / "release-0001.certificate.json"
    certificate = json.loads(path.read_text())
    certificate["promised"].append({"name": "nobody learns anything"})
    certificate["measured"].append({"name": "nobody learns anything", "worst": 0, "group": 1})
    path.write_text(json.dumps(certificate))
    path.with_name("head.json").unlink()
    code, told, _ = run("verify", path.parent)
    assert (code, "1 promises are unknown here, NOT measured" in told) == (1, True)
    assert "unknown promise, NOT measured: nobody learns anything" in told
    _, told, _ = run("verify", path.parent, "--json")
    (found,) = json.loads(told)
    assert found["unknown"] == ["nobody learns anything: worst 0.0"]
    assert found["holds"] is False


def test_verify__of_a_file_that_is_not_certified_is_an_error(study, run):
    run("publish", week(study, 1), "--study", study)
    releases = study.parent / "releases"
    code, _, told = run("verify", releases / "release-0001.extra.csv")
    assert (code != 0, "there is no such file" in told) == (True, True)
    (releases / "release-0001.extra.csv").write_text("patient,exam\np1,pos\n")
    code, _, told = run("verify", releases / "release-0001.extra.csv")
    assert (code != 0, "release-0001.extra.csv is not certified" in told) == (True, True)
    assert run("verify", releases / "release-0001.csv")[0] == 1
    code, _, told = run("verify", study)
    assert (code != 0, "There is no certificate beside" in told) == (True, True)


def test_publish__in_shards_tells_detail_lost_of_declared_domains_alone(study, run):
    code, told, _ = run(
        "publish", week(study, 1), "--study", study, "--engine", "shards", "--shards", "1"
    )
    assert (code, "Detail lost (GCP): told where all domains are declared" in told) == (0, True)
    part = study.parent / "releases" / "release-0001" / "part-00000.parquet"
    assert run("verify", part)[0] == 0


def test_tables__fit_a_terminal_of_80_characters(run, tmp_path, monkeypatch):
    plan = "[plan]\nreleases = 2\ntarget_gain = 0.12\n\n[policy]\n"
    prior = '[reader]\nprior = "uniform"\n'
    study = write_study(tmp_path, changes=[("[policy]\n", plan), ("[reader]\n", prior)])
    views = [week(study, number) for number in (1, 2)]
    for view in views:
        assert run("publish", view, "--study", study)[0] == 0
    releases = sorted((tmp_path / "releases").glob("*.csv"))
    originals = [part for view in views for part in ("-o", view)]
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "80")
    for words in (
        ("history --study", study),
        ("audit", *releases, *originals, "--explain", 0, "--study", study),
        ("rehearse", views[0], "--size", 8, "--histories", 1, "--study", study),
        ("compare", study, *views, "--technique", "k-anonymity"),
    ):
        code, told, _ = run(*words[0].split(), *words[1:])
        plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", told)
        assert (code, "…" in plain) == (0, False), plain
        assert max(map(len, plain.splitlines())) <= 80, plain


SMALL = "patient,age,exam,note\n" + "".join(
    f"SECRET-{who},{30 + who % 9},{'np'[who % 2]},x\n" for who in range(40)
)
SMALL_STUDY = GOOD_STUDY.replace('column = "exam"', 'column = "exam"\nvalues = ["n", "p"]')


@pytest.fixture
def small(tmp_path):
    """Write a study, and a table changed in some of its lines; the header is line 1."""
    (tmp_path / "study.toml").write_text(SMALL_STUDY)

    def write(changes=(), name="view.csv"):
        lines = SMALL.splitlines()
        for line, old, new in changes:
            assert old in lines[line - 1]
            lines[line - 1] = lines[line - 1].replace(old, new)
        (tmp_path / name).write_text("\n".join(lines) + "\n")
        return tmp_path / name

    return write


def test_publish__refuses_a_view_whose_rows_would_disappear_in_a_cell(small, run, tmp_path):
    for changes, words in (
        (
            [(7, ",x", ',"5 cm')],
            "view.csv ends inside quotes: a double quote opens a cell in line 7",
        ),
        ([(7, ",x", ',"5 cm'), (9, ",x", ',"7 cm')], "opens in line 7, and"),
    ):
        code, out, told = run("publish", small(changes), "--study", tmp_path)
        assert (code, out) == (1, "")
        assert words in told
        assert "SECRET" not in told
        assert not (tmp_path / "releases").exists()


def test_publish__names_a_bad_cell_with_its_row_in_the_file(small, run, tmp_path):
    text = SMALL_STUDY + '[input]\nmissing = "drop"\n'
    (tmp_path / "study.toml").write_text(text)
    gaps = [(3, ",p,", ",,"), (5, ",p,", ",,")]
    for line, old, new in ((12, ",n,", ",never,"), (12, ",31,", ",forty,"), (12, ",31,", ",131,")):
        view = small([*gaps, (line, old, new)])
        code, _, told = run("publish", view, "--study", tmp_path)
        assert code == 1
        assert "at row position 10 (" in told
        assert new.strip(",") in told or new == ",131,"


def test_publish__refuses_ids_and_rows_between_a_pair_of_stray_quotes(small, run, tmp_path):
    whole = small().read_text().splitlines()
    for line, words in ((7, "look like rows: 4 row(s) would be part"), (40, "look like rows")):
        lines = list(whole)
        lines[line - 1] = '"' + lines[line - 1]
        first, rest = lines[line + 3 if line == 7 else line].split(",", 1)
        lines[line + 3 if line == 7 else line] = f'{first}",{rest}'
        (tmp_path / "view.csv").write_text("\n".join(lines) + "\n")
        code, out, told = run("publish", tmp_path / "view.csv", "--study", tmp_path)
        assert (code, out) == (1, "")
        assert words in told
    lines = list(whole)
    first, rest = lines[6].split(",", 1)
    lines[6] = f'"{first}\nagain",{rest}'
    (tmp_path / "view.csv").write_text("\n".join(lines) + "\n")
    code, out, told = run("publish", tmp_path / "view.csv", "--study", tmp_path)
    assert (code, out) == (1, "")
    assert "which says who a row is about, has 1 cell(s) that span lines, at row position 5" in told
    assert first not in told
    assert not (tmp_path / "releases").exists()


def test_errors_about_views__say_what_to_write_in_the_study_or_on_the_command_line(
    small, run, tmp_path
):
    for name, content, words in (
        ("gap.csv", SMALL.replace("SECRET-3,33,", "SECRET-3,,"), 'missing = "drop" under [input]'),
        (
            "twice.csv",
            SMALL.replace("SECRET-3,", "SECRET-4,"),
            'repeated = "first" or "last" under',
        ),
        ("ragged.csv", SMALL.replace("SECRET-3,", "SECRET-3,1,"), "--delimiter"),
        ("latin.csv", SMALL.replace("x", "é"), "--encoding cp1252"),
        ("empty.csv", "", "empty.csv is empty"),
    ):
        (tmp_path / name).write_bytes(content.encode("latin-1"))
        code, _, told = run("publish", tmp_path / name, "--study", tmp_path)
        assert (code, words in told) == (1, True), told
        assert "SECRET" not in told


def test_rows_left_out_before__are_told_by_history_and_report(small, run, tmp_path):
    written = SMALL_STUDY + '[input]\nmissing = "drop"\nrepeated = "first"\n'
    (tmp_path / "study.toml").write_text(written)
    view = small([(4, ",n,", ",,"), (6, ",n,", ",,")])
    last = view.read_text().splitlines()[-1]
    view.write_text(view.read_text() + last + "\n")
    assert run("publish", view, "--study", tmp_path)[0] == 0
    code, told, _ = run("history", "--study", tmp_path)
    titles = next(line for line in told.splitlines() if "suppressed" in line).split()
    figures = next(line for line in told.splitlines() if "2 of 2" in line).split()
    assert (code, titles[-2:], figures[-2:]) == (0, ["dropped", "repeated"], ["2", "1"])
    page = tmp_path / "report.html"
    assert run("report", "--study", tmp_path, "--out", page)[0] == 0
    text = page.read_text()
    assert "2 rows with missing values and 1 further rows of the same respondents" in text
    assert "No tuple was left out" not in text


def test_assess__names_the_file_and_the_value_that_is_wrong(small, run, tmp_path):
    views = [small(name="week-1.csv"), small([(4, ",n,", ",never,")], name="week-2.csv")]
    code, _, told = run("assess", *views, "--study", tmp_path)
    assert code == 1
    assert told.startswith(
        "seriatim: week-2.csv: Column 'exam' has 1 value(s) outside its domain: "
    )
    assert "'never', at row position 2 " in told


def test_assess__names_the_file_that_cannot_be_read(small, run, tmp_path):
    views = [small(name="week-1.csv"), small([(4, ",n,", ',"n,')], name="week-2.csv")]
    _, _, told = run("assess", *views, "--study", tmp_path)
    assert told.startswith("seriatim: week-2.csv ends inside quotes")


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_warnings__go_to_stderr_and_into_the_figures(small, run, tmp_path, options):
    (tmp_path / "study.toml").write_text(SMALL_STUDY.replace('"n", "p"', '"=n", "p"'))
    spans = (8, ",x", ',"two\nlines"')
    view = small([spans, *((line, ",n,", ",=n,") for line in range(2, 42, 2))])
    lines = "1 cell(s) of view.csv span lines, the longest 2 lines from line 8 on"
    formulas = (
        "Column 'exam' has 1 different value(s) that a spreadsheet would run as a formula: '=n'"
    )
    for command, expected in (
        (("publish", view), (lines, formulas)),
        (("publish", view, "--dry-run", "--again", "--at", "9"), (lines, formulas)),
        (("assess", view, view), (lines,)),
        (("init", view, "--yes", "--force", "--sensitive", "exam"), (lines, formulas)),
    ):
        code, out, told = run(*command, "--study", tmp_path / "study.toml", *options)
        assert code == 0
        for words in expected:
            assert told.count(f"WARNING: {words}") == 1
            assert words not in out or options
        if options:
            assert [one[:20] for one in json.loads(out)["warnings"]] == [
                one[:20] for one in expected
            ]
    released = (tmp_path / "releases" / "release-0001.csv").read_text()
    assert "=n" in released


def test_warnings__are_told_where_the_view_is_refused_for_something_else(small, run, tmp_path):
    view = small([(8, ",x", ',"two\nlines"'), (12, ",n,", ",never,")])
    code, _, told = run("publish", view, "--study", tmp_path)
    first, second = told.splitlines()
    assert code == 1
    assert first.startswith("WARNING: 1 cell(s) of view.csv span lines")
    assert second.startswith("seriatim: Column 'exam' has 1 value(s) outside its domain: 'never'")


@pytest.mark.parametrize("at", ["1e999", "1_0", "１０", " 5", "nan"])
def test_publish__refuses_an_instant_that_only_python_takes_for_a_number(small, run, tmp_path, at):
    code, _, told = run("publish", small(), "--study", tmp_path, "--at", at)
    assert (code, "is no instant" in told) == (2, True)


@pytest.mark.parametrize("wait", ["inf", "nan", "1e999", "-1"])
def test_publish__refuses_to_wait_for_ever(small, run, tmp_path, wait):
    code, _, told = run("publish", small(), "--study", tmp_path, f"--wait={wait}")
    assert (code, "--wait" in told) == (2, True)


def test_init__shows_titles_that_look_like_markup_or_move_the_cursor(run, tmp_path):
    view = tmp_path / "view.csv"
    view.write_text(SMALL.replace("note", '"[/x] \x1b[2J\n[store]\nfolder = ""y"""', 1))
    code, out, _ = run("init", view, "--yes", "--study", tmp_path / "study.toml")
    assert code == 0
    assert "\x1b[2J" not in out
    assert sr.Study.read(tmp_path).store_path == tmp_path / "study.store"


@pytest.mark.parametrize("typed", ["1_0", "１０", " 10", "9" * 30])
def test_forget__takes_no_other_word_for_the_id_of_a_number(run, tmp_path, typed):
    (tmp_path / "study.toml").write_text(SMALL_STUDY.replace('"none"', '"views"'))
    (tmp_path / "view.csv").write_text(SMALL.replace("SECRET-", ""))
    assert run("publish", tmp_path / "view.csv", "--study", tmp_path)[0] == 0
    code, _, told = run("store", "forget", typed, "--study", tmp_path)
    assert (code, "are numbers. Give their ids as such, in plain digits." in told) == (2, True)
    assert "10" not in told
    assert run("store", "forget", "10", "--study", tmp_path)[0] == 0


def test_hierarchy__that_ends_inside_quotes_is_refused_with_the_line(run, tmp_path):
    (tmp_path / "wards.csv").write_text('A;north\nB;"5 cm\nC;south\n')
    tree = '[quasi_identifiers.ward]\nkind = "hierarchical"\nhierarchy = "wards.csv"\n'
    (tmp_path / "study.toml").write_text(SMALL_STUDY + tree)
    code, _, told = run("publish", tmp_path / "view.csv", "--study", tmp_path)
    assert (
        code,
        "wards.csv ends inside quotes: a double quote opens a label in line 2" in told,
    ) == (
        2,
        True,
    )
