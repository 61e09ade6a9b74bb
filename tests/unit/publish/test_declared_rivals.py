"""study.toml with partitioners, (B, t)-privacy, m-invariance, counterfeits and buckets."""

import json

import pytest

import seriatim as sr
from studies import week, write_study

ASKED = 'k = 5\nt = 0.6\nj = 1.0\nremainder = "merge"\n'

STUDIES = {
    'k = 5\npartitioner = "mondrian"\n': (
        sr.Policy(sr.KAnonymity(k=5), sr.Mondrian()),
        ["k-anonymity"],
    ),
    'k = 5\nt = 0.6\npartitioner = "hilbert-optimal"\n': (
        sr.Policy(sr.KAnonymity(k=5) & sr.TCloseness(t=0.6), sr.HilbertOptimal()),
        ["k-anonymity", "t-closeness"],
    ),
    'k = 4\nl = 2\nt = 0.7\npartitioner = "mondrian"\nremainder = "merge"\n': (
        sr.Policy(
            sr.KAnonymity(k=4) & sr.DistinctLDiversity(l=2) & sr.TCloseness(t=0.7),
            sr.Mondrian(),
            "merge",
        ),
        ["k-anonymity", "distinct l-diversity", "t-closeness"],
    ),
    "k = 3\nbt_bandwidth = 0.5\nbt_t = 0.6\n": (
        sr.Policy(sr.KAnonymity(k=3) & sr.BTPrivacy(bandwidth=0.5, t=0.6)),
        ["k-anonymity"],
    ),
    'k = 3\nbt_bandwidth = 0.5\nbt_t = 0.6\npartitioner = "mondrian"\n': (
        sr.Policy(sr.KAnonymity(k=3) & sr.BTPrivacy(bandwidth=0.5, t=0.6), sr.Mondrian()),
        ["k-anonymity"],
    ),
    'k = 2\nm = 2\npartitioner = "m-invariant"\n': (
        sr.Policy(sr.KAnonymity(k=2) & sr.MUniqueness(m=2), sr.MInvariant(m=2)),
        ["k-anonymity", "m-uniqueness"],
    ),
    'k = 3\nm = 3\nl = 3\npartitioner = "m-invariant"\n': (
        sr.Policy(
            sr.KAnonymity(k=3) & sr.DistinctLDiversity(l=3) & sr.MUniqueness(m=3),
            sr.MInvariant(m=3),
        ),
        ["k-anonymity", "distinct l-diversity", "m-uniqueness"],
    ),
    'k = 7\nj = 0.3\nremainder = "counterfeit"\n': (
        sr.Policy(sr.KAnonymity(k=7) & sr.JSBound(j=0.3), remainder="counterfeit"),
        ["k-anonymity"],
    ),
}


def study_of(folder, lines, *, form="generalized"):
    path = write_study(folder, changes=[(ASKED, lines)])
    path.write_text(path.read_text() + f'\n[output]\nform = "{form}"\n')
    return sr.Study.read(path)


IN_BUCKETS = [lines for lines in STUDIES if "counterfeit" in lines or "m = 2" in lines]


@pytest.mark.parametrize(
    ("lines", "form"),
    [*((one, "generalized") for one in STUDIES), *((one, "buckets") for one in IN_BUCKETS)],
)
def test_study__is_declared_published_and_verified(tmp_path, lines, form):
    policy, confirmed = STUDIES[lines]
    study = study_of(tmp_path, lines, form=form)
    found = study.policy
    assert (found.partitioner, found.remainder, found.form) == (
        policy.partitioner,
        policy.remainder,
        form,
    )
    assert found.requirement.parts == policy.requirement.parts
    with sr.Press(study) as press:
        printed = [press.publish(week(study.path, number), at=number) for number in (1, 2)]
        entries = press.store.entries
    checks = sr.verify_chain(sorted(study.output_folder.glob("*.certificate.json")))
    assert [one.holds for one in checks] == [True] * 2
    for name in confirmed:
        assert any(check.what.startswith(f"{name} of ") for check in checks[0].checks), name
    for one, entry in zip(printed, entries, strict=True):
        certificate = json.loads(one.files[-1].read_text())
        assert certificate["counterfeits"] == len(entry.counterfeits)
        assert certificate["made by"]["partitioner"] == str(policy.partitioner)
        assert certificate["form"] == form
    assert all(entry.counterfeits for entry in entries) >= ("counterfeit" in lines)


def test_series__of_a_study_keeps_signatures_where_values_stay(tmp_path):
    """The same view three times, in three runs of the press: nobody's group shows new values."""
    study = study_of(tmp_path, 'k = 2\nm = 2\npartitioner = "m-invariant"\n')
    made = []
    for at in (1, 2, 3):
        with sr.Press(study) as press:
            made.append(press.publish(week(study.path, 1), at=at, again=True).publication)
    found = sr.invariance([one.release for one in made], [one.membership for one in made])
    assert found.holds
    assert found.returning == 120


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ("k = 2\nm = 2\n", 'm and partitioner = "m-invariant" need each other'),
        ('k = 2\npartitioner = "m-invariant"\n', 'm and partitioner = "m-invariant" need'),
        ('k = 2\nm = 2\npartitioner = "mondrian"\n', 'm and partitioner = "m-invariant" need'),
        ("k = 2\nbt_t = 0.5\n", "needs both bt_bandwidth and bt_t"),
        ("k = 2\nbt_bandwidth = 0.5\n", "needs both bt_bandwidth and bt_t"),
        ("k = 2\nbt_bandwidth = 0\nbt_t = 0.5\n", "policy.bt_bandwidth"),
        ("k = 2\nbt_bandwidth = inf\nbt_t = 0.5\n", "policy.bt_bandwidth"),
        ("k = 2\nbt_bandwidth = 0.5\nbt_t = 1.5\n", "policy.bt_t"),
        ('k = 2\nm = 1\npartitioner = "m-invariant"\n', "policy.m"),
        ('k = 2\npartitioner = "mondrain"\n', "(?s)policy.partitioner.*'mondrian'"),
        ('k = 2\nremainder = "counterfeits"\n', "(?s)policy.remainder.*'counterfeit'"),
        ("k = 2\nbandwith = 0.5\n", "policy.bandwith"),
    ],
)
def test_study__tells_what_cannot_be_meant(tmp_path, lines, told):
    with pytest.raises(sr.StudyError, match=told):
        study_of(tmp_path, lines)


@pytest.mark.parametrize("lines", ['k = 5\nm = 2\npartitioner = "m-invariant"\n'])
def test_study__tells_what_m_invariant_groups_cannot_promise(tmp_path, lines):
    with pytest.raises(sr.PolicyError, match="cannot promise"):
        study_of(tmp_path, lines)
