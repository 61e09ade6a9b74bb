"""Verification finds every change, from the files alone."""

import json
import shutil

import pyarrow.csv
import pytest

import seriatim as sr
from seriatim.publish.certificate import sha256, written_certificate
from studies import week, write_study


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    study = sr.Study.read(write_study(tmp_path_factory.mktemp("study")))
    with sr.Press(study) as press:
        for number in (1, 2, 3):
            press.publish(week(study.path, number), at=number)
    return study.output_folder


@pytest.fixture
def folder(made, tmp_path):
    return shutil.copytree(made, tmp_path / "releases")


def certificates(folder):
    return sorted(folder.glob("*.certificate.json"))


def test_verify__finds_a_series_as_it_was_published(folder):
    found = sr.verify_chain(certificates(folder))
    assert [one.holds for one in found] == [True] * 3
    assert "JSBound" in found[0].attested[0]
    assert "verified" in str(found[0])


@pytest.mark.parametrize("name", ["release-0002.csv", "release-0002.parquet"])
def test_verify__finds_any_changed_byte(folder, name):
    whole = (folder / name).read_bytes()
    for place in range(0, len(whole), max(len(whole) // 50, 1)):
        changed = bytearray(whole)
        changed[place] ^= 1
        (folder / name).write_bytes(bytes(changed))
        assert not sr.verify(certificates(folder)[1]).holds


def test_verify__finds_a_missing_file(folder):
    (folder / "release-0001.csv").unlink()
    found = sr.verify(certificates(folder)[0])
    assert not found.holds
    assert "could not be read" in str(found)


@pytest.mark.parametrize("number", [1, 2, 3])
def test_chain__finds_a_changed_certificate(folder, number):
    path = certificates(folder)[number - 1]
    certificate = json.loads(path.read_text())
    certificate["suppressed"] += 1
    path.write_bytes(written_certificate(certificate))
    found = sr.verify_chain(certificates(folder))
    assert all(one.holds for one in found) is (number == 3)


def test_chain__finds_a_certificate_left_out(folder):
    found = sr.verify_chain([certificates(folder)[0], certificates(folder)[2]])
    assert [one.holds for one in found] == [True, False]


def forged(folder, change):
    """Change a release and give its certificate the digest of the change."""
    path = certificates(folder)[0]
    table = pyarrow.csv.read_csv(folder / "release-0001.csv")
    pyarrow.csv.write_csv(change(table), folder / "release-0001.csv")
    certificate = json.loads(path.read_text())
    content = (folder / "release-0001.csv").read_bytes()
    certificate["files"] = {"release-0001.csv": {"sha256": sha256(content), "bytes": len(content)}}
    path.write_bytes(written_certificate(certificate))
    return sr.verify(path)


def test_verify__measures_again_and_does_not_believe_the_certificate(folder):
    found = forged(folder, lambda table: table.slice(1))
    assert not found.holds
    assert "NOT" in str(found)


@pytest.mark.parametrize("text", ["", "{}", "[]", "hello", '{"seriatim certificate": 1}'])
def test_verify__refuses_what_is_no_certificate(folder, text):
    path = certificates(folder)[0]
    path.write_text(text)
    with pytest.raises(sr.TableError, match="no certificate"):
        sr.verify(path)


def test_verify__refuses_a_newer_form(folder):
    path = certificates(folder)[0]
    path.write_text('{"seriatim certificate": 99}')
    with pytest.raises(sr.TableError, match="newer seriatim"):
        sr.verify(path)
