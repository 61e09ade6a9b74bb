"""An independent program, pyCANON, reads our releases and finds what we promised."""

import json

import numpy as np
import pandas as pd
import pytest
from pycanon import anonymity

import seriatim as sr
import studies

SCHEMA = sr.Schema(
    "id",
    [sr.Numeric("age"), sr.Categorical("sex"), sr.Hierarchical("zip", mask="prefix")],
    sr.Sensitive("exam"),
)
POLICY = sr.Policy(
    sr.KAnonymity(k=7) & sr.DistinctLDiversity(l=3) & sr.TCloseness(t=0.4), remainder="merge"
)


@pytest.fixture(scope="module")
def publications():
    rng = np.random.default_rng(11)
    publisher = sr.Publisher(SCHEMA, POLICY, sr.Adversary(), seed=5)
    found = []
    for week in range(3):
        size = 400 + 50 * week
        table = pd.DataFrame(
            {
                "id": rng.choice(5000, size, replace=False),
                "age": rng.integers(40, 80, size),
                "sex": rng.choice(["F", "M"], size),
                "zip": rng.choice(["12030", "12031", "12044", "38100"], size),
                "exam": rng.choice(list("abcdef"), size, p=[0.4, 0.2, 0.15, 0.1, 0.1, 0.05]),
            }
        )
        publisher.publish(table, at=week)
        found.append(publisher.latest)
    return found


@pytest.mark.parametrize("week", range(3))
def test_release__has_the_k_l_and_t_that_pycanon_measures(publications, week):
    publication = publications[week]
    frame = publication.release.to_frame()
    by = ["group", "age", "sex", "zip"]
    k, distinct, t = publication.verdict.findings
    assert publication.suppressed == 0  # pyCANON compares with the published values only
    assert anonymity.k_anonymity(frame, by) == k.worst
    assert anonymity.l_diversity(frame, by, ["exam"]) == distinct.worst
    assert anonymity.t_closeness(frame, by, ["exam"]) == pytest.approx(t.worst, abs=1e-12)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_written_release__has_the_k_and_t_of_its_certificate(tmp_path, kind):
    path = studies.write_study(
        tmp_path, size=200, changes=[('remainder = "merge"', 'remainder = "suppress"')]
    )
    study = sr.Study.read(path)
    with sr.Press(study) as press:
        for number in (1, 2, 3):
            press.publish(studies.week(path, number), at=number)
    by = ["group", "age", "gender", "zip"]
    for number in (1, 2, 3):
        file = study.output_folder / f"release-{number:04}.{kind}"
        frame = pd.read_csv(file) if kind == "csv" else pd.read_parquet(file)
        certificate = json.loads(file.with_suffix(".certificate.json").read_text())
        k, t = (one["worst"] for one in certificate["measured"][:2])
        assert anonymity.k_anonymity(frame, by) == k
        assert anonymity.t_closeness(frame, by, ["exam"]) == pytest.approx(t, abs=1e-11)
