"""Releases are the same, group for group, as they were when their digests were recorded.

    python tests/unit/publish/test_releases_stay.py

prints them anew, for a change that is meant. Faster code must give the same releases.
"""

import hashlib
import json
import tempfile
from pathlib import Path

import pytest

import seriatim as sr

RECORDED = Path(__file__).parents[2] / "data" / "releases" / "digests.json"
JS = {"k": 5, "t": 0.6, "j": 1.0}


def policies():
    return {
        "suppress": sr.js_reduce(**JS),
        "merge": sr.js_reduce(**JS, remainder="merge"),
        "counterfeit": sr.js_reduce(k=4, t=0.4, j=0.8, remainder="counterfeit"),
        "best cuts": sr.Policy(
            sr.KAnonymity(k=5) & sr.TCloseness(t=0.6) & sr.JSBound(j=1.0), sr.HilbertOptimal()
        ),
        "mondrian": sr.l_diversity(2),
        "buckets": sr.Policy(sr.KAnonymity(k=5) & sr.DistinctLDiversity(l=2), form="buckets"),
    }


def readers(made):
    return {
        "paper's": sr.Adversary(sequence=made.sequence),
        "joint": sr.Adversary(sequence=made.sequence, filtering="joint"),
        "learning": sr.Adversary(sequence=sr.IncrementalKnowledge(steps=1)),
    }


CASES = [(policy, "paper's", "memory") for policy in policies()] + [
    ("merge", reader, store) for reader in ("paper's", "joint", "learning") for store in ("file",)
]


def digests(policy, reader, store):
    """Return a digest of each release of a small series."""
    made = sr.clinic(weeks=4, size=300, seed=11)
    with tempfile.TemporaryDirectory() as folder:
        kept = sr.DuckDBStore(Path(folder) / "s.store") if store == "file" else sr.MemoryStore()
        publisher = sr.Publisher(
            made.schema, policies()[policy], readers(made)[reader], store=kept, seed=3
        )
        found = []
        for at, week in enumerate(made.weeks):
            tables = publisher.publish(week, at=at).tables()
            content = repr({name: table.to_pydict() for name, table in tables.items()})
            found.append(hashlib.sha256(content.encode()).hexdigest()[:16])
        kept.close()
    return found


@pytest.mark.parametrize("case", CASES, ids=", ".join)
def test_releases__are_those_that_were_recorded(case):
    assert digests(*case) == json.loads(RECORDED.read_text())[", ".join(case)]


if __name__ == "__main__":
    RECORDED.parent.mkdir(exist_ok=True)
    RECORDED.write_text(json.dumps({", ".join(case): digests(*case) for case in CASES}, indent=1))
