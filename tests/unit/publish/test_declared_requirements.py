"""What study.toml asks of groups is promised, kept, and confirmed from the files."""

import json

import pyarrow.csv
import pytest

import seriatim as sr
from seriatim.publish.certificate import promises, requirement_of, sha256, written_certificate
from studies import week, write_study

ASKED = {
    "entropy_l = 1.5": sr.EntropyLDiversity(l=1.5),
    "recursive_c = 3.0\nrecursive_l = 2": sr.RecursiveCLDiversity(c=3.0, l=2),
    "beta = 3.0": sr.BetaLikeness(beta=3.0),
    "beta = 3.0\nbeta_enhanced = true": sr.BetaLikeness(beta=3.0, enhanced=True),
    "delta = 2.5": sr.DeltaDisclosure(delta=2.5),
}


def study_asking(folder, lines, **options):
    change = [("t = 0.6\nj = 1.0\n", f"{lines}\n")]
    return sr.Study.read(write_study(folder, changes=change, **options))


@pytest.mark.parametrize("lines", ASKED)
@pytest.mark.parametrize("form", ["generalized", "buckets"])
def test_requirement__is_declared_published_and_verified(tmp_path, lines, form):
    path = write_study(tmp_path, size=200, changes=[("t = 0.6\nj = 1.0\n", f"{lines}\n")])
    path.write_text(path.read_text() + f'\n[output]\nform = "{form}"\n')
    study = sr.Study.read(path)
    assert study.policy.requirement.parts == (sr.KAnonymity(k=5), ASKED[lines])
    with sr.Press(study) as press:
        for number in (1, 2):
            press.publish(week(study.path, number), at=number)
    found = sr.verify_chain(sorted(study.output_folder.glob("*.certificate.json")))
    assert [one.holds for one in found] == [True, True]
    assert all(one.attested == () for one in found)
    promised = promises(ASKED[lines])[0]
    assert any(check.what.startswith(f"{promised['name']} of ") for check in found[0].checks)


@pytest.mark.parametrize("requirement", ASKED.values(), ids=str)
def test_promise__is_read_back_from_a_certificate_as_it_was_made(requirement):
    written = json.loads(json.dumps(promises(requirement)))
    assert requirement_of(written) == [(requirement, True)]


def test_verify__measures_a_missing_value_again(tmp_path):
    """Without one of its values a group's logarithm is infinite, whatever is certified."""
    study = study_asking(tmp_path, "delta = 2.5", size=200)
    with sr.Press(study) as press:
        press.publish(week(study.path, 1), at=1)
    file = study.output_folder / "release-0001.csv"
    rows = pyarrow.csv.read_csv(file).to_pylist()
    group = [row for row in rows if row["group"] == 1]
    kept, gone = sorted({row["exam"] for row in group})[:2]
    for row in group:
        row["exam"] = kept if row["exam"] == gone else row["exam"]
    pyarrow.csv.write_csv(pyarrow.Table.from_pylist(rows), file)
    path = file.with_suffix(".certificate.json")
    certificate = json.loads(path.read_text())
    content = file.read_bytes()
    certificate["files"] = {file.name: {"sha256": sha256(content), "bytes": len(content)}}
    path.write_bytes(written_certificate(certificate))
    told = str(sr.verify(path))
    assert "NOT VERIFIED" in told
    assert "worst inf" in told


@pytest.mark.parametrize(
    ("lines", "mistake"),
    [
        ("recursive_c = 3.0", "needs both recursive_c and recursive_l"),
        ("recursive_l = 3", "needs both recursive_c and recursive_l"),
        ("beta_enhanced = true", "beta_enhanced is true, and no beta is given"),
        ("delta = 0", "policy.delta"),
        ("entropy_l = 0.5", "policy.entropy_l"),
        ("beta = inf", "policy.beta"),
        ("recursive_c = 0\nrecursive_l = 3", "policy.recursive_c"),
    ],
)
def test_study__tells_what_cannot_be_meant(tmp_path, lines, mistake):
    with pytest.raises(sr.StudyError, match=mistake):
        study_asking(tmp_path, lines)
