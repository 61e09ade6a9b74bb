import pytest

import seriatim as sr
from seriatim.engines.local.files import LocalFiles
from seriatim.engines.series import Manifest, SeriesFolder
from seriatim.errors import OrderError, StoreError

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


def test_recovery__refuses_releases_that_the_series_does_not_know(place, tmp_path):
    (tmp_path / "out" / "release-0001").mkdir(parents=True)
    with pytest.raises(OrderError, match="already has release-0001"):
        place.recover(None)


def test_secret__is_in_no_representation(place):
    assert "secret" not in repr(manifest()).replace("secret=", "")
