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


def test_verify__never_opens_a_damaged_parquet_file(folder):
    # The Parquet library aborts the process over one in a hundred of these.
    whole = (folder / "release-0002.parquet").read_bytes()
    footer = int.from_bytes(whole[-8:-4], "little") + 8
    for place in range(len(whole) - footer, len(whole), 2):
        changed = bytearray(whole)
        changed[place] ^= 1
        (folder / "release-0002.parquet").write_bytes(bytes(changed))
        found = sr.verify(certificates(folder)[1])
        assert [one.what for one in found.checks if not one.holds] == [
            "digest of release-0002.parquet"
        ]


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
    assert not all(one.holds for one in sr.verify_chain(certificates(folder)))
    (folder / "head.json").unlink()
    found = sr.verify_chain(certificates(folder))
    assert all(one.holds for one in found) is (number == 3)
    assert "no head.json was found" in found[-1].notes[-1]


def test_chain__finds_a_certificate_left_out(folder):
    found = sr.verify_chain([certificates(folder)[0], certificates(folder)[2]])
    assert [one.holds for one in found] == [True, False]
    some = sr.verify_chain([certificates(folder)[0], certificates(folder)[2]], whole=False)
    assert [one.holds for one in some] == [True, True]
    assert "those behind 1 were not given" in str(some[1])


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


def sealed_again(folder, changed):
    """Put a changed certificate in the place of the first, as anybody could."""
    path = certificates(folder)[0]
    path.write_bytes(written_certificate(changed))
    return path


@pytest.mark.parametrize("wrong", [None, 7, "x", [], {}, [None], {"x": None}])
@pytest.mark.parametrize("name", ["files", "columns", "values", "promised", "measured", "tuples"])
def test_certificate__with_something_else_in_a_place_is_refused_or_does_not_hold(
    folder, name, wrong
):
    certificate = json.loads(certificates(folder)[0].read_text())
    path = sealed_again(folder, certificate | {name: wrong})
    try:
        found = sr.verify(path)
    except sr.SeriatimError:
        return
    assert not found.holds


@pytest.mark.parametrize("name", ["tuples", "groups", "previous", "promised"])
def test_certificate__without_what_is_verified_is_refused(folder, name):
    certificate = json.loads(certificates(folder)[0].read_text())
    del certificate[name]
    with pytest.raises(sr.TableError, match="no certificate of seriatim, or was changed"):
        sr.verify(sealed_again(folder, certificate))


def test_promise__of_a_kind_that_is_not_ours_is_told_as_unknown_and_moves_no_other(folder):
    certificate = json.loads(certificates(folder)[0].read_text())
    certificate["promised"].insert(0, {"name": "AlphaBound(a=0.5)"})
    certificate["measured"].insert(0, {"name": "AlphaBound(a=0.5)", "worst": 0.4, "group": 1})
    found = sr.verify(sealed_again(folder, certificate))
    assert found.checked
    assert not found.holds
    assert found.unknown == ("AlphaBound(a=0.5): worst 0.4",)
    assert "NOT VERIFIED: 1 of its promises are unknown here" in str(found)
    assert "??? unknown promise, NOT measured: AlphaBound(a=0.5)" in str(found)


@pytest.mark.parametrize("group", ["one", "0", "-3"])
def test_file__with_groups_that_are_none_is_refused(folder, group):
    file = folder / "release-0001.csv"
    lines = file.read_text().splitlines()
    lines[1] = ",".join([group, *lines[1].split(",")[1:]])
    file.write_text("\n".join(lines) + "\n")
    certificate = json.loads(certificates(folder)[0].read_text())
    certificate["files"]["release-0001.csv"]["sha256"] = sha256(file.read_bytes())
    with pytest.raises(
        sr.TableError, match=r"numbers of groups|groups that its certificate does not know"
    ):
        sr.verify(sealed_again(folder, certificate))
