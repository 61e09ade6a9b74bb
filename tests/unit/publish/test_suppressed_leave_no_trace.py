"""Values that only suppressed people have are in nothing that is published."""

import json

import numpy as np
import pytest

import seriatim as sr
from seriatim.engines import LocalEngine, Series
from seriatim.privacy.tally import Tally
from seriatim.publish.certificate import _PROMISES, values_told

RARE = "only-of-the-suppressed"

STUDY = """\
name = "a ward"

[columns]
respondent = "patient"

[quasi_identifiers.age]
kind = "numeric"

[quasi_identifiers.ward]
kind = "categorical"

[sensitive]
column = "exam"

[policy]
k = 4
t = 0.45
remainder = "suppress"

[output]
form = "FORM"

[reader]
prior = "uniform"
sequence = "none"
"""


def view_with_an_outlier(extra=()):
    """Return a view whose last person fits no group under t, and has values of their own."""
    ages = [*range(20, 60), 97]
    rows = {
        "patient": [f"p{row}" for row in range(41)],
        "age": ages,
        "ward": ["east", "west"] * 20 + ["a ward of one"],
        "exam": ["neg", "pos"] * 20 + [RARE],
    }
    return {name: [*column, *dict(extra).get(name, [])] for name, column in rows.items()}


def published(folder, form="generalized"):
    (folder / "study.toml").write_text(STUDY.replace("FORM", form))
    study = sr.Study.read(folder / "study.toml")
    with sr.Press(study) as press:
        printed = press.publish(view_with_an_outlier(), at=1)
    return study, printed


@pytest.mark.parametrize("form", ["generalized", "buckets"])
def test_release__names_no_value_that_only_suppressed_people_have(tmp_path, form):
    study, printed = published(tmp_path, form)
    assert printed.publication.suppressed >= 1
    assert RARE not in printed.publication.release.tables().popitem()[1].to_pydict()["exam"]
    for file in study.output_folder.rglob("*"):
        assert not file.is_file() or RARE.encode() not in file.read_bytes(), file
        assert not file.is_file() or b"a ward of one" not in file.read_bytes(), file
    assert printed.certificate["values"] == ["neg", "pos"]


def test_release__verifies_by_the_values_that_it_shows(tmp_path):
    _, printed = published(tmp_path)
    found = sr.verify(printed.files[-1])
    assert found.holds, str(found)
    assert any(check.what.startswith("t-closeness") for check in found.checks)


def test_later_release__names_the_value_once_it_is_published(tmp_path):
    study, _ = published(tmp_path)
    with sr.Press(study) as press:
        view = view_with_an_outlier()
        view["exam"] = ([RARE] * 2 + ["neg", "pos"]) * 10 + ["neg"]
        view["age"][-1], view["ward"][-1] = 59, "west"
        printed = press.publish(view, at=2)
    assert printed.certificate["values"] == ["neg", RARE, "pos"]
    assert all(one.holds for one in sr.verify_chain([study.output_folder / n for n in NAMES]))


NAMES = ("release-0001.certificate.json", "release-0002.certificate.json")


def test_declared_domain__is_named_whole(tmp_path):
    declared = f'column = "exam"\nvalues = ["neg", "pos", "{RARE}"]'
    text = STUDY.replace('column = "exam"', declared).replace("FORM", "generalized")
    (tmp_path / "study.toml").write_text(text)
    with sr.Press(sr.Study.read(tmp_path / "study.toml")) as press:
        printed = press.publish(view_with_an_outlier(), at=1)
    assert printed.certificate["values"] == ["neg", "pos", RARE]


def test_shards__name_no_value_that_only_suppressed_people_have(tmp_path):
    schema = sr.Schema("patient", [sr.Numeric("age", 0, 99)], sr.Sensitive("exam"))
    policy = sr.Policy(sr.KAnonymity(k=4) & sr.TCloseness(t=0.45))
    series = Series(str(tmp_path / "s"), str(tmp_path / "out"), schema, policy, sr.Adversary())
    view = {name: column for name, column in view_with_an_outlier().items() if name != "ward"}
    outcome = LocalEngine().publish(series, view, at=1)
    assert outcome.certificate["suppressed"] >= 1
    assert outcome.certificate["values"] == ["neg", "pos"]
    assert sr.verify(outcome.files[-1]).holds


def test_shards__give_no_age_of_suppressed_people_away(tmp_path):
    told = []
    for age in (97, 117):
        view = {name: column for name, column in view_with_an_outlier().items() if name != "ward"}
        view["age"] = [
            age if exam == RARE else min(now, 60)
            for now, exam in zip(view["age"], view["exam"], strict=True)
        ]
        schema = sr.Schema("patient", [sr.Numeric("age")], sr.Sensitive("exam"))
        policy = sr.Policy(sr.KAnonymity(k=4) & sr.TCloseness(t=0.45))
        folder = tmp_path / str(age)
        series = Series(str(folder / "s"), str(folder / "out"), schema, policy, sr.Adversary())
        outcome = LocalEngine().publish(series, view, at=1, shards=1, seed=7)
        assert outcome.certificate["suppressed"] >= 1
        told.append(outcome.certificate["detail lost"])
    assert told[0] == told[1]


def test_prior__is_told_without_its_contents(tmp_path):
    schema = sr.Schema("patient", [sr.Numeric("age", 0, 99)], sr.Sensitive("exam"))
    series = Series(
        str(tmp_path / "s"),
        str(tmp_path / "out"),
        schema,
        sr.Policy(sr.KAnonymity(k=4)),
        sr.Adversary(prior=sr.MarginalPrior({"neg": 0.5, "pos": 0.4, RARE: 0.1})),
    )
    view = {name: column[:40] for name, column in view_with_an_outlier().items() if name != "ward"}
    told = LocalEngine().publish(series, view, at=1).certificate
    assert RARE not in json.dumps(told)
    assert told["reader"]["prior"] == "MarginalPrior(3 values)"


PARTS = [
    sr.KAnonymity(k=2),
    sr.DistinctLDiversity(l=2),
    sr.EntropyLDiversity(l=1.5),
    sr.RecursiveCLDiversity(c=3, l=2),
    sr.TCloseness(t=0.5),
    sr.BetaLikeness(beta=2),
    sr.DeltaDisclosure(delta=2),
    sr.MUniqueness(m=2),
]


def test_promises__that_files_confirm_are_all_tried():
    confirmable = {kind for kind, _, known in _PROMISES.values() if known}
    assert {type(part) for part in PARTS} == confirmable


@pytest.mark.parametrize("part", PARTS, ids=str)
def test_promise__is_the_same_over_the_values_that_are_shown(part):
    rng = np.random.default_rng(7)
    for _ in range(50):
        counts = rng.integers(0, 4, size=(5, 6))
        counts[:, rng.permutation(6)[: rng.integers(1, 4)]] = 0
        counts[:, 0] += 1
        shown = counts.sum(axis=0) > 0
        whole, told = (
            part.finding(
                Tally(some.sum(axis=1), some, np.zeros(some.shape), np.zeros(5), some.sum(axis=0))
            )
            for some in (counts, counts[:, shown])
        )
        assert whole.worst == told.worst
        assert np.array_equal(whole.margins, told.margins)


def test_values__keep_the_order_of_the_domain():
    seen = sr.Sensitive("exam", ["c", "a", "b"])
    assert values_told(seen, [1, 0, 2], sr.Sensitive("exam")) == ["c", "b"]
