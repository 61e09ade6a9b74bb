"""A study that moves people in batches, keeps them listed and pools tables tells so everywhere."""

import json

import pytest
from typer.testing import CliRunner

import seriatim as sr
from seriatim.cli.app import app
from seriatim.publish.certificate_file import read_certificate
from seriatim.report.of_study import parameters_of
from seriatim.report.words import listing_asked, listing_told
from studies import begun_study, week

LISTING = (
    'remainder = "merge"\n',
    'remainder = "merge"\npartitioner = "standing-cells"\ncell_size = 15\nbatch = 3\nkeep = 1\n',
)
POOLED = ('remainder = "merge"\n', 'remainder = "merge"\npool = 2\n')
RUN = CliRunner()


def asked(study, *words):
    return RUN.invoke(app, [*words, "--study", str(study)])


def test_publish_and_history__tell_who_is_listed_and_who_waits(tmp_path):
    study = begun_study(tmp_path, releases=2, changes=[LISTING])
    tried = json.loads(asked(study, "publish", str(week(study, 3)), "--dry-run", "--json").stdout)
    done = json.loads(asked(study, "publish", str(week(study, 3)), "--json").stdout)
    told = {name: done[name] for name in ("waiting", "carried over", "held back")}
    assert told == {name: tried[name] for name in told}
    assert done["certificate"]["listing"] == told
    assert told["waiting"] > 0
    assert told["carried over"] > 0
    assert (
        done["certificate"]["made by"] | {"batch": 3, "keep": 1} == done["certificate"]["made by"]
    )
    listed = asked(study, "history").stdout
    assert "waiting" in listed
    assert "carried" in listed
    assert "held back" not in listed
    found = json.loads(asked(study, "history", "--json").stdout)
    assert found[-1]["listing"] == told
    assert all(
        one.holds for one in sr.verify_chain(sorted((tmp_path / "releases").glob("*.json"))[1:])
    )


def test_publish__says_it_in_words(tmp_path):
    study = begun_study(tmp_path, releases=1, changes=[LISTING])
    said = asked(study, "publish", str(week(study, 2))).stdout
    assert "listed as last seen, not in the table" in said
    (line,) = [one for one in said.splitlines() if "waiting to be listed" in one]
    certificate = read_certificate(tmp_path / "releases" / "release-0002.certificate.json")
    assert line.strip() == listing_told(certificate)[0]


def test_words__tell_of_what_was_held_back():
    told = {"waiting": 0, "carried over": 1200, "held back": 15}
    first, second = listing_told({"listing": told})
    assert first.startswith("1,200 listed")
    assert second.startswith("15 of the suppressed were held back")
    assert listing_told({}) == []


def test_study_without_these_settings__is_certified_as_ever(tmp_path):
    study = begun_study(tmp_path, releases=1)
    found = read_certificate(tmp_path / "releases" / "release-0001.certificate.json")
    assert "listing" not in found
    assert set(found["made by"]) == {"partitioner", "remainder"}
    assert listing_asked(sr.Study.read(study).policy) == ""


def test_report__tells_whom_a_study_lists(tmp_path):
    study = sr.Study.read(begun_study(tmp_path, releases=0, changes=[LISTING]))
    told = dict(parameters_of(study))["people who come and go"]
    assert told == (
        "people enter and leave cells in batches of 3; who is away stays listed for a release"
    )


@pytest.mark.parametrize(
    "forged",
    [{"waiting": -1}, {"carried over": 10**9}, {"held back": 1}, {"waiting": "2"}],
)
def test_certificate__with_a_listing_that_cannot_be_is_refused(tmp_path, forged):
    begun_study(tmp_path, releases=2, changes=[LISTING])
    file = tmp_path / "releases" / "release-0002.certificate.json"
    found = json.loads(file.read_text("utf-8"))
    file.write_text(json.dumps(found | {"listing": found["listing"] | forged}), "utf-8")
    with pytest.raises(sr.TableError, match="listing"):
        read_certificate(file)


def test_other_settings_than_before__are_told(tmp_path):
    study = begun_study(tmp_path, releases=1, changes=[LISTING])
    text = study.read_text("utf-8")
    study.write_text(text.replace("batch = 3", "batch = 4"), "utf-8")
    with sr.Press(sr.Study.read(study)) as press:
        printed = press.publish(week(study, 2), at=2)
    (changed,) = printed.changed
    assert changed.startswith("made by")


def test_pooled_study__makes_a_release_of_two_tables(tmp_path):
    study = begun_study(tmp_path, releases=0, changes=[POOLED])
    both = [str(week(study, number)) for number in (1, 2)]
    done = json.loads(asked(study, "publish", *both, "--json").stdout)
    people = set()
    for number in (1, 2):
        table = sr.open_table(week(study, number), columns=["patient"])
        people |= set(table.column("patient").to_pylist())
    assert done["certificate"]["tuples"] + done["certificate"]["suppressed"] == len(people)
    assert done["certificate"]["made by"]["pool"] == 2
    alone = asked(study, "publish", str(week(study, 3)))
    assert isinstance(alone.exception, sr.TableError)
    assert "pools 2 tables into a release (pool = 2), and 1 was given" in str(alone.exception)
    again = asked(study, "publish", *both)
    assert "was published before" in str(again.exception)


def test_study_that_pools_nothing__hints_at_it(tmp_path):
    study = begun_study(tmp_path, releases=0)
    both = [str(week(study, number)) for number in (1, 2)]
    refused = asked(study, "publish", *both)
    assert "set pool = 2 under [policy]" in str(refused.exception)


def test_mistake_in_one_of_two_tables__names_which(tmp_path):
    study = begun_study(tmp_path, releases=0, changes=[POOLED])
    lines = week(study, 2).read_text("utf-8").splitlines()
    cells = lines[4].split(",")
    cells[lines[0].replace('"', "").split(",").index("age")] = ""
    lines[4] = ",".join(cells)
    week(study, 2).write_text("\n".join(lines) + "\n", "utf-8")
    refused = asked(study, "publish", str(week(study, 1)), str(week(study, 2)))
    assert "Table 2 of 2: " in str(refused.exception)
    assert "row position 3" in str(refused.exception)


@pytest.mark.parametrize("changes", [LISTING, POOLED])
def test_engines_over_shards__refuse_to_list_others(tmp_path, changes):
    study = begun_study(tmp_path, releases=0, changes=[changes])
    refused = asked(study, "publish", str(week(study, 1)), "--engine", "shards")
    assert isinstance(refused.exception, sr.StudyError)
    assert "an engine over shards publishes one table at a time" in str(refused.exception)


def test_study__with_batches_and_no_standing_cells_is_refused(tmp_path):
    changes = [(LISTING[0], LISTING[1].replace("standing-cells", "mondrian"))]
    study = begun_study(tmp_path, releases=0)
    text = study.read_text("utf-8").replace(*changes[0])
    study.write_text(text, "utf-8")
    with pytest.raises(sr.PolicyError, match="batch=3"):
        sr.Study.read(study)


def test_store__is_checked_exported_and_backed_up_with_its_listing(tmp_path):
    study = begun_study(tmp_path, releases=2, changes=[LISTING])
    backup, out = tmp_path / "backup", tmp_path / "out"
    assert asked(study, "store", "check").exit_code == 0
    assert asked(study, "store", "backup", str(backup)).exit_code == 0
    asked(study, "publish", str(week(study, 3)))
    assert asked(study, "store", "restore", str(backup)).exit_code == 0
    with sr.Press(sr.Study.read(study)) as press:
        assert press.store.listing.release == 2
        someone = press.store.listing.respondents[0].as_py()
    assert asked(study, "store", "export", str(out)).exit_code == 0
    assert not [file for file in out.iterdir() if "listing" in file.name]
    assert asked(study, "store", "forget", str(someone)).exit_code == 0
    with sr.Press(sr.Study.read(study)) as press:
        assert someone not in press.store.listing.respondents.to_pylist()


def test_sealed_store__keeps_its_listing_sealed(tmp_path, monkeypatch):
    monkeypatch.setenv("CLINIC_KEY", "0123456789abcdef" * 4)
    sealed = ("[reader]", '[store]\nsealed = true\nkey_variable = "CLINIC_KEY"\n\n[reader]')
    study = begun_study(tmp_path, releases=1, changes=[LISTING, sealed])
    with sr.Press(sr.Study.read(study)) as press:
        press.publish(week(study, 2), at=2)
    with sr.Press(sr.Study.read(study)) as press:
        assert press.store.listing.release == 2
        ids = press.store.listing.respondents.to_pylist()
    files = [file for file in (tmp_path / "study.store").rglob("*") if file.is_file()]
    content = b"".join(file.read_bytes() for file in files)
    assert content
    assert not any(str(one).encode() in content for one in ids if len(str(one)) > 6)


def attacked(study, releases, originals):
    words = [
        "audit",
        *(str(study.parent / "releases" / f"release-{one:04}.csv") for one in releases),
    ]
    for number in originals:
        words += ["--original", str(week(study, number))]
    return asked(study, *words, "--reader", "paper", "--json")


def test_audit__measures_readers_by_who_is_listed(tmp_path):
    study = begun_study(tmp_path, releases=3, changes=[LISTING])
    found = json.loads(attacked(study, (1, 2, 3), (1, 2, 3)).stdout)
    assert [one["gain"] is not None for one in found["releases"]] == [True] * 3
    tables = [json.loads(asked(study, "history", "--json").stdout)][0]
    assert sum(one["tuples"] for one in found["releases"]) == sum(one["tuples"] for one in tables)


def test_audit__of_pooled_releases_takes_all_of_their_tables(tmp_path):
    study = begun_study(tmp_path, releases=0, changes=[POOLED])
    asked(study, "publish", *[str(week(study, number)) for number in (1, 2)])
    found = json.loads(attacked(study, (1,), (1, 2)).stdout)
    assert len(found["releases"]) == 1
    refused = attacked(study, (1,), (1,))
    assert "Give all 2, the earliest first" in str(refused.exception)
