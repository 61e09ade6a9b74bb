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


BY = ["group", "age", "sex", "zip"]


def published_under(requirement):
    """Publish one view, everyone in it, under k-anonymity and another requirement."""
    rng = np.random.default_rng(3)
    size = 600
    table = pd.DataFrame(
        {
            "id": rng.choice(5000, size, replace=False),
            "age": rng.integers(40, 80, size),
            "sex": rng.choice(["F", "M"], size),
            "zip": rng.choice(["12030", "12031", "12044", "38100"], size),
            "exam": rng.choice(list("abcd"), size, p=[0.4, 0.3, 0.2, 0.1]),
        }
    )
    policy = sr.Policy(sr.KAnonymity(k=5) & requirement, remainder="merge")
    publisher = sr.Publisher(SCHEMA, policy, sr.Adversary(), seed=5)
    publisher.publish(table, at=1)
    publication = publisher.latest
    assert publication.suppressed == 0  # pyCANON compares with the published values only
    assert publication.release.n_groups > 3
    return publication.release, publication.verdict.findings[1].worst


def counts_of(release):
    codes = release.group_of * 4 + release.value_codes
    return np.bincount(codes, minlength=release.n_groups * 4).reshape(-1, 4)


@pytest.mark.parametrize("l", [1.5, 2.2, 3.1])
def test_entropy_l_diversity__is_what_pycanon_measures(l):
    """pyCANON rounds e^H down to a whole number; 2^H in bits is the same before that."""
    release, effective = published_under(sr.EntropyLDiversity(l=l))
    assert effective >= l
    assert effective % 1 > 1e-9
    assert anonymity.entropy_l_diversity(release.to_frame(), BY, ["exam"]) == int(effective)


def test_entropy_l_diversity__of_equally_frequent_values_is_whole_and_pycanon_rounds_it_down():
    """The entropy of three equally frequent values is ln 3, less a binary digit: pyCANON says 2."""
    frame = pd.DataFrame({"age": ["*"] * 3, "exam": list("abc")})
    assert anonymity.entropy_l_diversity(frame, ["age"], ["exam"]) in (2, 3)
    _, effective = published_under(sr.EntropyLDiversity(l=3))
    assert effective == 3.0


def test_recursive_diversity__holds_by_definition_where_pycanon_differs():
    """pyCANON (1.0.1) sorts the counts from the least, so that its r₁ is the rarest value, chooses
    l itself (that of distinct l-diversity), and rounds c up; Machanavajjhala et al. sort from
    the greatest. What compares is pyCANON's l, and its c when we sort as it does.
    """
    release, worst = published_under(sr.RecursiveCLDiversity(c=1.5, l=3))
    counts = np.sort(counts_of(release), axis=1)
    assert worst == max(most / (third + fourth) for fourth, third, _, most in counts) < 1.5
    c, l = anonymity.recursive_c_l_diversity(release.to_frame(), BY, ["exam"])
    assert l == np.count_nonzero(counts, axis=1).min() >= 3
    present = [row[row > 0] for row in counts]
    assert c == max(int(row[0] / row[l - 1 :].sum() + 1) for row in present)


@pytest.mark.parametrize("beta", [0.8, 1.5])
def test_basic_likeness__is_what_pycanon_measures(beta):
    release, worst = published_under(sr.BetaLikeness(beta=beta))
    found = anonymity.basic_beta_likeness(release.to_frame(), BY, ["exam"])
    assert found == pytest.approx(worst, abs=1e-12)
    assert found <= beta + 1e-12


def test_enhanced_likeness__keeps_what_pycanon_computes_of_its_parts():
    """pyCANON (1.0.1) returns max over values of min(greatest growth of any value, −ln p); Cao and
    Karras ask that each value's own growth is at most min(β, −ln p). Where every value keeps
    its −ln p, as here, the greatest growth is our measure, and pyCANON's is that capped by the
    rarest value's −ln p, which is above it.
    """
    release, worst = published_under(sr.BetaLikeness(beta=1.2, enhanced=True))
    frame, counts = release.to_frame(), counts_of(release)
    q, p = counts / counts.sum(axis=1, keepdims=True), counts.sum(axis=0) / counts.sum()
    assert (np.where(q > p, q / p - 1, 0) <= np.minimum(1.2, -np.log(p))).all()
    assert worst == pytest.approx(anonymity.basic_beta_likeness(frame, BY, ["exam"]), abs=1e-12)
    assert worst < -np.log(p.min())
    assert anonymity.enhanced_beta_likeness(frame, BY, ["exam"]) == pytest.approx(worst, abs=1e-12)


def test_delta_disclosure__is_what_pycanon_measures_where_every_group_has_every_value():
    """pyCANON skips values that a group lacks; for Brickell and Shmatikov they are infinitely bad.
    A release made with the requirement has none, and the two agree.
    """
    release, worst = published_under(sr.DeltaDisclosure(delta=1.0))
    assert (counts_of(release) > 0).all()
    found = anonymity.delta_disclosure(release.to_frame(), BY, ["exam"])
    assert found == pytest.approx(worst, abs=1e-12)
    assert found < 1.0
