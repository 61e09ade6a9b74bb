import hashlib
import hmac
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest

import seriatim as sr
from seriatim.kernels.compiled import kept_in
from seriatim.kernels.hmac import hmac_states
from seriatim.microdata import keys
from seriatim.microdata.keys import respondent_keys
from seriatim.publish import DuckDBStore
from studies import week, write_study

SECRET = b"a secret of the series"


@pytest.fixture(autouse=True, params=["library", "kernel"])
def computed_by(request, monkeypatch):
    """Few keys are computed by the standard library, many by a kernel: every test is of both."""
    monkeypatch.setattr(keys, "LEAST_FOR_KERNEL", 1 if request.param == "kernel" else 10**9)
    return request.param


def key(canonical, secret=SECRET):
    return hmac.new(secret, canonical, hashlib.sha256).digest()[:16]


def test_keys__are_sixteen_bytes_each():
    found = respondent_keys(pa.array(["Alice", "Betty"]), SECRET)
    assert found.type == pa.binary(16)
    assert found.to_pylist() == [key(b"tAlice"), key(b"tBetty")]
    found.validate(full=True)


WIDTHS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


@pytest.mark.parametrize("width", WIDTHS)
def test_keys__of_a_number_are_the_same_at_any_width(width):
    numbers = pa.array([0, 5, 127], getattr(pa, width)())
    assert respondent_keys(numbers, SECRET).to_pylist() == [key(b"n0"), key(b"n5"), key(b"n127")]


def test_keys__of_the_largest_and_the_least_numbers_are_of_all_their_digits():
    least, most = -(2**63), 2**64 - 1
    assert respondent_keys(pa.array([least]), SECRET)[0].as_py() == key(b"n-9223372036854775808")
    largest = pa.array([most], pa.uint64())
    assert respondent_keys(largest, SECRET)[0].as_py() == key(b"n18446744073709551615")


def test_keys__of_a_number_and_of_its_text_differ():
    number, text = pa.array([5]), pa.array(["5"])
    assert respondent_keys(number, SECRET).to_pylist() != respondent_keys(text, SECRET).to_pylist()


def test_keys__do_not_depend_on_how_texts_are_stored():
    names = ["Alice", "Betty", "Alice", ""]
    expected = respondent_keys(pa.array(names), SECRET).to_pylist()
    for kind in (pa.large_string(), pa.string_view()):
        assert respondent_keys(pa.array(names, kind), SECRET).to_pylist() == expected
    folded = pa.array(names).dictionary_encode()
    assert respondent_keys(folded, SECRET).to_pylist() == expected
    pieces = pa.chunked_array([names[:1], names[1:]])
    assert respondent_keys(pieces, SECRET).to_pylist() == expected


@pytest.mark.parametrize(
    ("respondents", "text"),
    [
        (pa.array([True]), b"ttrue"),
        (pa.array([0.5]), b"t0.5"),
        (pa.array([19000], pa.date32()), b"t2022-01-08"),
    ],
)
def test_keys__of_other_kinds_are_those_of_their_texts(respondents, text):
    assert respondent_keys(respondents, SECRET).to_pylist() == [key(text)]


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.int64(), pa.null()])
def test_keys__of_nobody_are_none(kind):
    found = respondent_keys(pa.array([], kind), SECRET)
    assert (len(found), found.type) == (0, pa.binary(16))


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()])
def test_keys__of_empty_texts_are_of_the_letter_alone(kind):
    assert respondent_keys(pa.array(["", ""], kind), SECRET).to_pylist() == [key(b"t")] * 2


@pytest.mark.parametrize(
    "respondents", [pa.array(["Alice", None]), pa.array([1, None]), pa.array([0.0, float("nan")])]
)
def test_keys__refuse_a_missing_id_by_its_position(respondents):
    with pytest.raises(sr.TableError, match="row position 1") as error:
        respondent_keys(respondents, SECRET)
    assert "Alice" not in str(error.value)


def test_keys__of_many_respondents_are_those_of_each():
    names = [f"person {number}" * (number % 9) for number in range(5000)]
    expected = [key(b"t" + name.encode()) for name in names]
    assert respondent_keys(pa.array(names), SECRET).to_pylist() == expected


@pytest.mark.parametrize("longest", [20, 54, 55, 90])
def test_keys__of_many_ids_are_those_of_each_alone(longest):
    ids = [f"{number}".rjust(1 + number % longest, "x") for number in range(1000)]
    found = respondent_keys(pa.array(ids), b"a secret").to_pylist()
    assert found == [
        hmac.new(b"a secret", b"t" + one.encode(), "sha256").digest()[:16] for one in ids
    ]


@pytest.mark.parametrize("computed_by", ["kernel"], indirect=True)
def test_keys__that_are_computed_wrongly_are_refused_before_anything_is_written(
    tmp_path, monkeypatch
):
    study = sr.Study.read(write_study(tmp_path))

    def wrong(secret, states):
        hmac_states(secret, states)
        states[0, 3] ^= 1

    monkeypatch.setattr("seriatim.kernels.hmac.hmac_states", wrong)
    with (
        sr.Press(study) as press,
        pytest.raises(sr.InternalError, match="not those that the standard library computes"),
    ):
        press.publish(week(study.path, 1), at=1)
    assert not list(study.output_folder.glob("*"))
    with DuckDBStore(study.store_path) as store:
        assert store.n_releases == 0


WRONG_TABLE = """
import sys
from seriatim.kernels import sha256

sha256.ROUNDS[3] ^= 1  # before the kernels are compiled, which take it in as it is then
import seriatim as sr
from seriatim.microdata import keys

keys.LEAST_FOR_KERNEL = 1

study = sr.Study.read(sys.argv[1])
try:
    with sr.Press(study) as press:
        press.publish(study.folder / "views" / "week-1.csv", at=1)
except sr.InternalError as error:
    print(error)
"""


@pytest.mark.slow
@pytest.mark.parametrize("computed_by", ["kernel"], indirect=True)
def test_keys__of_a_kernel_that_computes_wrongly_are_refused_before_anything_is_written(
    tmp_path,
):
    study = write_study(tmp_path / "study")
    # All kernels as they are here, but for those of the digests.
    cache, here = tmp_path / "cache", kept_in(os.environ.get("NUMBA_CACHE_DIR", ""))
    if here.exists():
        shutil.copytree(here, cache / here.name)
    for kind in ("hmac", "sha256"):
        for file in cache.rglob(f"{kind}.*"):
            file.unlink()
    done = subprocess.run(
        [sys.executable, "-c", WRONG_TABLE, str(study)],
        env=os.environ
        | {"NUMBA_CACHE_DIR": str(cache), "PYTHONPATH": str(Path(sr.__file__).parents[1])},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "not those that the standard library computes" in done.stdout
    assert not list((tmp_path / "study" / "releases").glob("*"))
    with DuckDBStore(tmp_path / "study" / "study.store") as store:
        assert store.n_releases == 0
