"""Certificates: what was promised of a release, what was measured, and its place in a chain.

A certificate is public. It names files by digest, so that any changed byte shows; it
names the certificate before it by digest, so that none can be left out or put in.
Whoever has the files and the certificate can measure again all that needs no beliefs.
"""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from seriatim._version import __version__
from seriatim.inference.adversary import Adversary
from seriatim.measure.utility import global_certainty_penalty, semiperimeter
from seriatim.microdata.release import GROUP_COLUMN
from seriatim.privacy.bt_privacy import BTPrivacy
from seriatim.privacy.js_bound import JSBound
from seriatim.privacy.k_anonymity import KAnonymity
from seriatim.privacy.l_diversity import DistinctLDiversity
from seriatim.privacy.m_uniqueness import MUniqueness
from seriatim.privacy.requirement import Measured, Requirement
from seriatim.privacy.t_closeness import TCloseness
from seriatim.privacy.verdict import Verdict
from seriatim.publish.policy import Policy
from seriatim.publish.publisher import Publication
from seriatim.publish.records import write_instant

FORM = 1
"""The form of certificates; grows when a field changes its meaning."""

_LONGEST = 200


def certify(
    publication: Publication,
    policy: Policy,
    reader: Adversary,
    *,
    study: str,
    number: int,
    files: Mapping[str, bytes],
    previous: str | None,
) -> dict[str, Any]:
    """Return the certificate of a release."""
    release = publication.release
    schema = release.schema
    return {
        "seriatim certificate": FORM,
        "study": study,
        "number": number,
        "at": json.loads(write_instant(release.at)),
        "form": release.form,
        "files": {
            name: {"sha256": sha256(content), "bytes": len(content)}
            for name, content in files.items()
        },
        "columns": {
            "group": GROUP_COLUMN,
            "quasi-identifiers": [one.name for one in schema.quasi_identifiers],
            "sensitive": schema.sensitive.name,
            "insensitive": list(schema.insensitive),
        },
        "values": [_plain(value) for value in schema.sensitive.domain],
        "tuples": len(release),
        "groups": release.n_groups,
        "suppressed": publication.suppressed,
        "merged": publication.merged,
        "counterfeits": publication.counterfeits,
        "promised": promises(policy.requirement),
        "measured": measures(policy.requirement, publication.verdict),
        "made by": {"partitioner": str(policy.partitioner), "remainder": policy.remainder},
        "reader": {
            "prior": _described(reader.prior),
            "sequence": _described(reader.sequence),
            "rule": str(reader.rule),
            "filtering": str(reader.filtering),
        },
        "detail lost": {
            "global certainty penalty": round(global_certainty_penalty(release), 12),
            "semiperimeter": round(semiperimeter(release), 12),
        },
        "versions": {
            "seriatim": __version__,
            "python": platform.python_version(),
            "numpy": np.__version__,
            "pyarrow": pa.__version__,
        },
        "previous": previous,
    }


def promises(requirement: Requirement) -> list[dict[str, Any]]:
    """Return what a requirement asks, part by part."""
    return [_promise(part) for part in requirement.parts]


def requirement_of(promised: list[dict[str, Any]]) -> list[tuple[Measured, bool]]:
    """Return the requirements that a certificate promises, and which the files can confirm."""
    made: list[tuple[Measured, bool]] = []
    for one in promised:
        if one["name"] == "k-anonymity":
            made.append((KAnonymity(k=one["k"]), True))
        elif one["name"] == "distinct l-diversity":
            made.append((DistinctLDiversity(l=one["l"]), True))
        elif one["name"] == "t-closeness":
            made.append((TCloseness(t=one["t"], distance=one["distance"]), True))
        elif one["name"] == "divergence of beliefs":
            made.append((JSBound(j=one["j"]), False))
        elif one["name"] == "m-uniqueness":
            made.append((MUniqueness(m=one["m"]), True))
        elif one["name"] == "(B,t)-privacy":
            made.append((BTPrivacy(bandwidth=one["bandwidth"], t=one["t"]), False))
    return made


def measures(requirement: Requirement, verdict: Verdict) -> list[dict[str, Any]]:
    """Return what was measured of each part of a requirement, and on which group worst."""
    found = []
    for part, finding in zip(requirement.parts, verdict.findings, strict=True):
        worst = int(np.argmin(finding.margins)) + 1
        name = _promise(part)["name"]
        found.append({"name": name, "worst": round(finding.worst, 12), "group": worst})
    return found


def written_certificate(certificate: Mapping[str, Any]) -> bytes:
    """Return the bytes of a certificate."""
    return (json.dumps(certificate, indent=1, ensure_ascii=False) + "\n").encode()


def sha256(content: bytes) -> str:
    """Return the SHA-256 digest of some bytes, in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def _promise(part: Measured) -> dict[str, Any]:
    if isinstance(part, KAnonymity):
        return {"name": "k-anonymity", "k": part.k}
    if isinstance(part, DistinctLDiversity):
        return {"name": "distinct l-diversity", "l": part.l}
    if isinstance(part, TCloseness):
        return {"name": "t-closeness", "t": part.t, "distance": part.distance}
    if isinstance(part, MUniqueness):
        return {"name": "m-uniqueness", "m": part.m}
    if isinstance(part, JSBound):
        return {"name": "divergence of beliefs", "j": part.j, "unit": "bit"}
    if isinstance(part, BTPrivacy):
        return {"name": "(B,t)-privacy", "bandwidth": part.bandwidth, "t": part.t}
    return {"name": str(part)}


def _described(knowledge: object) -> str | None:
    """Say what kind of knowledge it is and how large; contents are the publisher's own."""
    if knowledge is None:
        return None
    told = repr(knowledge)
    return told if len(told) <= _LONGEST else type(knowledge).__name__


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
