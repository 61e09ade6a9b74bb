from dataclasses import replace

import pytest

import seriatim as sr
from seriatim.engines.local.files import LocalFiles
from seriatim.engines.series import Manifest, SeriesFolder
from seriatim.errors import OrderError, StoreError
from seriatim.publish.certificate import sha256, written_certificate

CERTIFIED = "release-0001.certificate.json"

SCHEMA = sr.Schema("id", [sr.Numeric("age", 0, 99)], sr.Sensitive("exam", ["neg", "pos"]))


def manifest(number=1):
    entries = tuple({"at": {"number": at + 1}, "number": at + 1} for at in range(number))
    pasts = tuple(f"{at + 1:04}-0" for at in range(number))
    return Manifest(b"secret", SCHEMA, pasts, 9, 5, "ab", (("0001-0",),), {}, (), entries)


@pytest.fixture
def place(tmp_path):
    return SeriesFolder(LocalFiles(), str(tmp_path / "series"), str(tmp_path / "out"))


def test_manifest__survives_being_written(place):
    assert place.manifest() is None
    place.commit(manifest(1))
    place.commit(manifest(2))
    assert place.manifest() == manifest(2)
    assert place.manifest().last_instant == 2


def test_manifest__is_never_replaced(place):
    place.commit(manifest(1))
    with pytest.raises(OrderError, match="another run went on"):
        place.commit(manifest(1))
    assert place.manifest() == manifest(1)


@pytest.mark.parametrize(
    ("content", "told"), [("{}", "was changed"), ('{"seriatim series": 99}', "newer seriatim")]
)
def test_manifest__that_cannot_be_read_is_an_error_of_the_store(place, tmp_path, content, told):
    place.commit(manifest(1))
    (tmp_path / "series" / "manifest-0001.json").write_text(content)
    with pytest.raises(StoreError, match=told):
        place.manifest()


def test_recovery__sweeps_what_no_manifest_names_and_keeps_the_rest(place, tmp_path):
    place.commit(manifest(1))
    for name in ("pasts/0001-0", "pasts/0002-0", "work-1"):
        (tmp_path / "series" / name).mkdir(parents=True)
    (tmp_path / "out" / ".pending" / "release-0002").mkdir(parents=True)
    place.recover(place.manifest())
    left = {path.name for path in (tmp_path / "series").rglob("*")}
    assert left == {"manifest-0001.json", "pasts", "0001-0"}
    assert not list((tmp_path / "out").iterdir())


@pytest.mark.parametrize("only_pasts", [False, True])
def test_recovery__removes_nothing_where_the_manifest_is_gone(place, tmp_path, only_pasts):
    place.commit(manifest(2))
    for name in ("0001-0", "0002-0"):
        (tmp_path / "series" / "pasts" / name).mkdir(parents=True)
    if not only_pasts:
        (tmp_path / "out" / "release-0002").mkdir(parents=True)
    (tmp_path / "series" / "manifest-0002.json").unlink()
    with pytest.raises((StoreError, OrderError), match=r"manifest that is not there|already has"):
        place.recover(None)
    assert {path.name for path in (tmp_path / "series" / "pasts").iterdir()} == {"0001-0", "0002-0"}


def test_series__is_in_a_folder_that_nobody_else_can_enter(place, tmp_path):
    (tmp_path / "series").mkdir(mode=0o755)
    place.recover(None)
    assert (tmp_path / "series").stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("damage", ["none", "part", "certificate", "removed", "no certificate"])
def test_recovery__moves_a_committed_release_only_whole(place, tmp_path, damage):
    content, pending = b"a part of the release", tmp_path / "out" / ".pending"
    files = {"release-0001/part-00000.parquet": {"sha256": sha256(content)}}
    certificate = {"study": "clinic", "number": 1, "files": files}
    entry = {"at": {"number": 1}, "number": 1, "certificate": certificate}
    written = written_certificate(certificate)
    committed = replace(manifest(1), entries=(entry | {"certificate sha256": sha256(written)},))
    place.commit(committed)
    (pending / "release-0001").mkdir(parents=True)
    part, certified = pending / "release-0001" / "part-00000.parquet", pending / CERTIFIED
    part.touch()
    part.write_bytes(content[:-1] if damage == "part" else content)
    part.chmod(0o666)
    certified.write_bytes(written[:-1] if damage == "certificate" else written)
    if damage == "removed":
        part.unlink()
    if damage == "no certificate":
        certified.unlink()
    if damage == "none":
        place.recover(committed)
        assert (tmp_path / "out" / CERTIFIED).exists()
        modes = {one.stat().st_mode & 0o022 for one in (tmp_path / "out").rglob("*")}
        assert modes == {0}
        return
    with pytest.raises(StoreError, match="was damaged while"):
        place.recover(committed)
    assert certified.exists() == (damage != "no certificate")
    assert part.exists() == (damage != "removed")


def test_recovery__refuses_releases_that_the_series_does_not_know(place, tmp_path):
    (tmp_path / "out" / "release-0001").mkdir(parents=True)
    with pytest.raises(OrderError, match="already has release-0001"):
        place.recover(None)


def test_secret__is_in_no_representation(place):
    assert "secret" not in repr(manifest()).replace("secret=", "")
