"""pyCANON reads what the presets publish and finds what they promise."""

import json

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pycanon import anonymity

import seriatim as sr
import studies
from seriatim.privacy import Evidence
from seriatim.publish import guard
from strategies import hospital_schema, hospital_tables

PRESETS = {
    "k": sr.k_anonymity(4),
    "k & t": sr.k_anonymity(4, t=0.5),
    "l": sr.l_diversity(2),
    "l & k & t": sr.l_diversity(2, k=4, t=0.6),
    "t": sr.t_closeness(0.4, k=3),
    "(B, t)": sr.bt_privacy(0.5, 0.3, k=3),
    "(B, t) & t": sr.bt_privacy(0.5, 0.3, k=3, closeness=0.6),
    "m": sr.m_invariance(2),
}
ASKED = {
    sr.KAnonymity: lambda part: ("k", part.k),
    sr.DistinctLDiversity: lambda part: ("l", part.l),
    sr.TCloseness: lambda part: ("t", part.t),
    sr.MUniqueness: lambda part: ("l", part.m),
}


def read_back(release, folder):
    """Write the public table, and read what was written."""
    file = folder / "release.csv"
    pd.DataFrame(release.to_arrow().to_pydict()).to_csv(file, index=False)
    return pd.read_csv(file, dtype=str)


def found_by_pycanon(frame, schema):
    by = ["group", *schema.quasi_identifier_names]
    value = schema.sensitive.name
    return {
        "k": anonymity.k_anonymity(frame, by),
        "l": anonymity.l_diversity(frame, by, [value]),
        "t": anonymity.t_closeness(frame, by, [value]),
    }


def agrees(one, policy, schema, folder):
    found = found_by_pycanon(read_back(one.release, folder), schema)
    for part, finding in zip(policy.requirement.parts, one.verdict.findings, strict=True):
        if type(part) in ASKED:
            name, bound = ASKED[type(part)](part)
            assert found[name] == pytest.approx(finding.worst, abs=1e-9)
            kept = found[name] <= bound + 1e-9 if name == "t" else found[name] >= bound
            assert kept, (name, bound, found)


def again_guarded(one, policy):
    evidence = Evidence.of(one.view, one.revised)
    return guard(one.release, one.view, one.membership, evidence, policy.requirement)


@pytest.mark.parametrize("name", PRESETS)
def test_preset__publishes_what_pycanon_confirms_on_random_views(name, tmp_path):
    @given(hospital_tables(least=8, most=30), st.sampled_from(["suppress", "merge", "counterfeit"]))
    def confirmed(table, remainder):
        made = PRESETS[name]
        policy = sr.Policy(made.requirement, made.partitioner, remainder)
        publisher = sr.Publisher(hospital_schema(), policy, sr.Adversary(), seed=1)
        try:
            publisher.publish(table, at=1)
        except sr.UnsatisfiableError:
            return
        agrees(publisher.latest, policy, hospital_schema(), tmp_path)
        assert again_guarded(publisher.latest, policy).holds

    confirmed()


@pytest.fixture(scope="module")
def hospital():
    return sr.hospital(views=2, size=400, preset="mild")


@pytest.mark.parametrize("name", PRESETS)
def test_preset__publishes_what_pycanon_confirms_of_a_hospital(name, hospital, tmp_path):
    policy = PRESETS[name]
    publisher = sr.Publisher(hospital.schema, policy, sr.Adversary(), seed=2)
    for at, week in enumerate(hospital.tables, start=1):
        publisher.publish(week, at=at)
        one = publisher.latest
        agrees(one, policy, hospital.schema, tmp_path)
        assert again_guarded(one, policy).holds
        assert one.release.n_groups > 10
        assert one.suppressed < 400


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (lambda: sr.k_anonymity(0), "k must be a whole number"),
        (lambda: sr.l_diversity(0), "l must be a whole number"),
        (lambda: sr.t_closeness(1.5), "t must be a number"),
        (lambda: sr.m_invariance(0), "m must be a whole number"),
    ],
)
def test_presets__refuse_bounds_that_are_none(asked, told):
    with pytest.raises(sr.PolicyError, match=told):
        asked()


def test_written_certificate__of_a_mondrian_study_names_it(tmp_path):
    changes = [('remainder = "merge"', 'remainder = "merge"\npartitioner = "mondrian"')]
    study = sr.Study.read(studies.write_study(tmp_path, size=150, changes=changes))
    with sr.Press(study) as press:
        printed = press.publish(studies.week(study.path, 1), at=1)
    certificate = json.loads(printed.files[-1].read_text())
    assert certificate["made by"]["partitioner"] == "Mondrian()"
    frame = pd.read_csv(study.output_folder / "release-0001.csv")
    by = ["group", "age", "gender", "zip"]
    assert anonymity.k_anonymity(frame, by) == certificate["measured"][0]["worst"] >= 5
    t = certificate["measured"][1]["worst"]
    assert anonymity.t_closeness(frame, by, ["exam"]) == pytest.approx(t, abs=1e-9)
    assert t <= 0.6 + 1e-9
