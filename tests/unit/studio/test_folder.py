"""The studio's folder, and what leads out of it."""

import pytest

from seriatim.errors import StudyError
from seriatim.studio.folder import Folder
from studies import write_study


@pytest.fixture
def folder(tmp_path):
    here = tmp_path / "here"
    here.mkdir()
    write_study(here, weeks=2)
    return Folder(here.resolve())


@pytest.mark.parametrize("name", ["..", "../x.csv", "/etc/passwd", "views/../../x", "a\0b"])
def test_inside__refuses_what_leads_out(folder, name):
    with pytest.raises(StudyError, match="is not in the folder"):
        folder.inside(name)


def test_inside__refuses_a_link_that_leads_out(folder, tmp_path):
    (tmp_path / "x.csv").write_text("secret")
    (folder.root / "x.csv").symlink_to(tmp_path / "x.csv")
    with pytest.raises(StudyError, match="is not in the folder"):
        folder.inside("x.csv")
    assert "x.csv" not in [one.name for one in folder.tables()]


def test_tables__are_in_their_natural_order_and_releases_are_none(folder):
    (folder.root / "views" / "week-10.csv").write_text("a")
    (folder.root / "releases").mkdir()
    (folder.root / "releases" / "release-0001.csv").write_text("a")
    (folder.root / ".hidden").mkdir()
    (folder.root / ".hidden" / "x.csv").write_text("a")
    names = [one.name for one in folder.tables()]
    weeks = ["views/week-1.csv", "views/week-2.csv", "views/week-10.csv"]
    assert names == ["knowledge.csv", *weeks]


def test_studies__are_found_by_name_or_by_what_they_say(folder):
    text = (folder.root / "study.toml").read_text()
    (folder.root / "views" / "other.toml").write_text(text)
    (folder.root / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    assert folder.studies() == ["study.toml", "views/other.toml"]


def test_study__must_keep_its_files_in_the_folder(folder, tmp_path):
    text = (folder.root / "study.toml").read_text()
    (tmp_path / "knowledge.csv").write_bytes((folder.root / "knowledge.csv").read_bytes())
    outside = text.replace('"knowledge.csv"', '"../knowledge.csv"')
    (folder.root / "out.toml").write_text(outside)
    assert folder.study("study.toml").declared.name == "test clinic"
    with pytest.raises(StudyError, match="outside the folder"):
        folder.study("out.toml")
