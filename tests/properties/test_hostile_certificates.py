"""Certificates that anybody may have written: verified, refused or not, but never a traceback."""

import copy
import json
import os
import shutil
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import seriatim as sr
from profiles import examples
from seriatim.cli.app import main
from seriatim.publish.certificate import sha256
from seriatim.publish.certificate_file import MOST_BYTES
from studies import begun_study, week

ODD = st.sampled_from(
    [
        *(None, True, 0, -1, 1, 3.5, 2**53, 2**63, 2**70, -(2**70), 1e308, float("nan")),
        *("", "x", "\ud800", "\x1b[2J", "a\n  ok  b: c", "..", "../x.csv", "a/b.csv", "2" * 5000),
        *([], {}, [[]], [None], {"x": None}, [[[[]]]], ["a", "a"], [1, "1"], [True, "true"]),
        *({"name": "k-anonymity"}, {"name": "k-anonymity", "k": 2**62}, {"number": 2**70}),
        *({"sha256": "0" * 64, "bytes": 1}, {"sha256": "x"}, "release-0001.parquet"),
    ]
)


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    return begun_study(tmp_path_factory.mktemp("study"), releases=2)


@pytest.fixture(scope="module")
def certificate(study):
    return study.parent / "releases" / "release-0001.certificate.json"


@pytest.fixture(scope="module")
def good(certificate):
    return certificate.read_text()


def places(found, above=()):
    """Return where something stands in some JSON."""
    inside = found.items() if isinstance(found, dict) else enumerate(found)
    here = [(*above, key) for key, _ in inside]
    for key in here:
        one = found[key[-1]]
        if isinstance(one, dict | list):
            here = [*here, *places(one, key)]
    return here


@st.composite
def changes(draw):
    """Return some changes of a certificate: a place, as a share of all, and what comes there."""
    return draw(
        st.lists(
            st.tuples(
                st.floats(0, 1, exclude_max=True),
                st.sampled_from(["put", "put", "remove", "add"]),
                ODD,
            ),
            min_size=1,
            max_size=3,
        )
    )


def changed(text, some):
    found = json.loads(text)
    for share, how, odd in some:
        there = places(found)
        *above, key = there[int(share * len(there))]
        inside = found
        for one in above:
            inside = inside[one]
        if how == "remove" and len(found) > 1:
            del inside[key]
        elif how == "add" and isinstance(inside, list):
            inside.append(copy.deepcopy(odd))
        else:
            inside[key] = copy.deepcopy(odd)
    return json.dumps(found)


def run(*arguments):
    """Run a command as the shell does; anything but an exit is a traceback."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["seriatim", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
    return int(ended.value.code or 0)


SHARING = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@given(some=changes(), chain=st.booleans())
@settings(SHARING, max_examples=examples(3))
def test_verify__of_a_changed_certificate_ends_with_0_or_1(some, chain, certificate, good, capsys):
    certificate.write_text(changed(good, some))
    verified = (certificate.parent,) if chain else (certificate, "--json")
    assert run("verify", *verified) in (0, 1)
    told = capsys.readouterr()
    assert "\x1b[2J" not in told.out + told.err


@given(some=changes(), of=st.sampled_from(["releases", "a certificate", "the series"]))
@SHARING
def test_report__by_a_changed_certificate_ends(some, of, study, certificate, good, tmp_path):
    certificate.write_text(changed(good, some))
    named = {"releases": releases(certificate), "a certificate": [certificate], "the series": []}
    out = ("--study", study, "--out", tmp_path / "r.html")
    assert run("report", *named[of], *out) in (0, 1, 2)


@given(some=changes())
@SHARING
def test_audit__by_a_changed_certificate_ends(some, study, certificate, good):
    certificate.write_text(changed(good, some))
    words = ["-o", week(study, 1), "-o", week(study, 2), "--reader", "paper", "--json"]
    assert run("audit", *releases(certificate), *words, "--study", study) == 0


def releases(certificate):
    return [certificate.with_name(f"release-000{number}.csv") for number in (1, 2)]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[" * 200_000, "no JSON"),
        ("NaN", "no JSON"),
        ("9" * 5000, "no JSON"),
        ('{"a": 1, "a": 2}', "no JSON"),
        ('{"seriatim certificate": 1, "x": 1e999}', "a number beyond"),
        ('{"seriatim certificate": true}', "has no"),
        (f'{{"seriatim certificate": 1, "x": {2**70}}}', "a number beyond"),
        ('{"seriatim certificate": 1, "x": "\\ud800"}', "half a character"),
        (b"\xff\xfe", "no text"),
    ],
)
def test_certificate__that_is_none_is_refused_with_a_reason(tmp_path, text, why):
    path = tmp_path / "release-0001.certificate.json"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(
        sr.TableError, match=rf"no certificate of seriatim, or was changed: .*{why}"
    ):
        sr.verify(path)


def test_certificate__that_is_huge_a_folder_or_a_pipe_is_refused(tmp_path):
    huge = tmp_path / "huge.certificate.json"
    with huge.open("wb") as file:
        file.truncate(MOST_BYTES + 1)
    (tmp_path / "folder.certificate.json").mkdir()
    os.mkfifo(tmp_path / "pipe.certificate.json")
    for name, why in (("huge", "more than 64 MB"), ("folder", "no such"), ("pipe", "no such")):
        with pytest.raises(sr.TableError, match=why):
            sr.verify(tmp_path / f"{name}.certificate.json")


def test_certificate__that_asks_for_more_than_memory_is_refused(study, good, tmp_path):
    folder = shutil.copytree(study.parent / "releases", tmp_path / "releases")
    path = folder / "release-0001.certificate.json"
    found = json.loads(good)
    path.write_text(json.dumps(found | {"tuples": 2**52, "groups": 2**52}))
    assert not sr.verify(path).holds
    named = found["values"][0]
    table = "\n".join(f'{row + 1},"50","F","12030","{named}"' for row in range(40_000))
    content = f'"group","age","gender","zip","exam"\n{table}\n'
    (folder / "release-0001.csv").write_text(content)
    found["files"] = {"release-0001.csv": {"sha256": sha256(content.encode())}}
    found["values"] += [f"value {place}" for place in range(200_000)]
    path.write_text(json.dumps(found | {"tuples": 40_000, "groups": 40_000}))
    with pytest.raises(sr.TableError, match=r"too many for 200,0\d\d values"):
        sr.verify(path)
