"""Certificates: what was promised of a release, what was measured, and its place in a chain.

A certificate is public. It names files by digest, so that any changed byte shows; it
names the certificate before it by digest, so that none can be left out or put in.
Whoever has the files and the certificate can measure again all that needs no beliefs.
"""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from seriatim._typing import IntArray
from seriatim._version import __version__
from seriatim.errors import OrderError, PolicyError, listed
from seriatim.inference.adversary import Adversary
from seriatim.knowledge.class_prior import ClassPrior
from seriatim.knowledge.marginal_prior import MarginalPrior
from seriatim.measure.utility import global_certainty_penalty, semiperimeter
from seriatim.microdata.release import GROUP_COLUMN
from seriatim.microdata.schema import Schema
from seriatim.microdata.sensitive import Sensitive
from seriatim.privacy.beta_likeness import BetaLikeness
from seriatim.privacy.bt_privacy import BTPrivacy
from seriatim.privacy.delta_disclosure import DeltaDisclosure
from seriatim.privacy.entropy_l_diversity import EntropyLDiversity
from seriatim.privacy.js_bound import JSBound
from seriatim.privacy.k_anonymity import KAnonymity
from seriatim.privacy.l_diversity import DistinctLDiversity
from seriatim.privacy.m_uniqueness import MUniqueness
from seriatim.privacy.posterior_bound import PosteriorBound
from seriatim.privacy.recursive_cl_diversity import RecursiveCLDiversity
from seriatim.privacy.requirement import Measured, Requirement
from seriatim.privacy.t_closeness import TCloseness
from seriatim.privacy.verdict import Verdict
from seriatim.publish.csv_text import Content
from seriatim.publish.policy import Policy
from seriatim.publish.publisher import Publication
from seriatim.publish.records import write_instant

FORM = 1
"""The form of certificates; grows when a field changes its meaning."""

_PROMISES: dict[str, tuple[type[Measured], tuple[str, ...], bool]] = {
    "k-anonymity": (KAnonymity, ("k",), True),
    "distinct l-diversity": (DistinctLDiversity, ("l",), True),
    "entropy l-diversity": (EntropyLDiversity, ("l",), True),
    "recursive (c, l)-diversity": (RecursiveCLDiversity, ("c", "l"), True),
    "t-closeness": (TCloseness, ("t", "distance"), True),
    "beta-likeness": (BetaLikeness, ("beta", "enhanced"), True),
    "delta-disclosure privacy": (DeltaDisclosure, ("delta",), True),
    "m-uniqueness": (MUniqueness, ("m",), True),
    "divergence of beliefs": (JSBound, ("j",), False),
    "(B, t)-privacy": (BTPrivacy, ("bandwidth", "t"), False),
    "gain on every member": (PosteriorBound, ("gain", "rule"), False),
}
"""By the name in a certificate: the requirement, its parameters, whether files can confirm it."""

_LONGEST = 200
"""Characters up to which knowledge is described by what it says of itself."""


def certify(
    publication: Publication,
    policy: Policy,
    reader: Adversary,
    *,
    study: str,
    number: int,
    files: Mapping[str, Content],
    previous: str | None,
    declared: Sensitive,
) -> dict[str, Any]:
    """Return the certificate of a release; ``declared`` is the sensitive attribute as declared."""
    release = publication.release
    schema = release.schema
    shown = np.bincount(release.value_codes, minlength=len(schema.sensitive.domain))
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
        "columns": columns_told(schema),
        "values": values_told(schema.sensitive, shown, declared),
        "tuples": len(release),
        "groups": release.n_groups,
        "suppressed": publication.suppressed,
        "merged": publication.merged,
        "counterfeits": publication.counterfeits,
        "promised": promises(policy.requirement),
        "measured": measures(policy.requirement, publication.verdict),
        "made by": {
            "partitioner": str(policy.partitioner),
            "remainder": policy.remainder,
            **listing_settings(policy),
        },
        **_listing_told(publication, policy),
        "reader": reader_told(reader),
        "detail lost": {
            "global certainty penalty": round(global_certainty_penalty(release), 12),
            "semiperimeter": round(semiperimeter(release), 12),
        },
        "singled out": {name: round(one, 12) for name, one in publication.singled_out.items()},
        "versions": versions(),
        "previous": previous,
    }


def listing_settings(policy: Policy) -> dict[str, int]:
    """Return how a policy says who is listed, where that is not just who is in the table.

    >>> listing_settings(Policy(KAnonymity(k=10), keep=2))
    {'keep': 2}
    """
    told = {"batch": (policy.batch, 1), "keep": (policy.keep, 0), "pool": (policy.pool, 1)}
    return {name: asked for name, (asked, usual) in told.items() if asked != usual}


def _listing_told(publication: Publication, policy: Policy) -> dict[str, dict[str, int]]:
    """Return how many are listed who are not in the table, and are not who are."""
    if not policy.lists:
        return {}
    return {
        "listing": {
            "waiting": publication.waiting,
            "carried over": publication.carried,
            "held back": publication.held_back,
        }
    }


def columns_told(schema: Schema) -> dict[str, Any]:
    """Return which columns of the files play which part."""
    return {
        "group": GROUP_COLUMN,
        "quasi-identifiers": list(schema.quasi_identifier_names),
        "sensitive": schema.sensitive.name,
        "insensitive": list(schema.insensitive),
    }


def values_told(
    sensitive: Sensitive, shown: Sequence[int] | IntArray, declared: Sensitive
) -> list[Any]:
    """Return the sensitive values that a certificate names.

    A declared domain is named whole. One that was read off the views may have values that only
    suppressed people have, so of these the certificate names those that the published table
    shows, and no others: readers find in it what the table tells them anyway. Every promise that
    files can confirm is the same over these values, because a value that nobody shows adds
    nothing to any of them. Ordered distances count such values, too, and need a declared domain.

    >>> seen = Sensitive("exam", ["neg", "pos", "rare"])
    >>> values_told(seen, [3, 2, 0], declared=Sensitive("exam"))
    ['neg', 'pos']
    >>> values_told(seen, [3, 2, 0], declared=seen)
    ['neg', 'pos', 'rare']
    """
    told = [plain_value(value) for value in sensitive.domain]
    if declared.values is not None:
        return told
    return [value for value, times in zip(told, shown, strict=True) if times > 0]


def reader_told(reader: Adversary) -> dict[str, str | None]:
    """Return what kind of reader a release was chosen against."""
    return {
        "prior": described(reader.prior),
        "sequence": described(reader.sequence),
        "rule": str(reader.rule),
        "filtering": str(reader.filtering),
    }


def versions() -> dict[str, str]:
    """Return what a release was made with."""
    return {
        "seriatim": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "pyarrow": pa.__version__,
    }


def promises(requirement: Requirement) -> list[dict[str, Any]]:
    """Return what a requirement asks, part by part."""
    return [_promise(part) for part in requirement.parts]


def requirement_of(promised: list[dict[str, Any]]) -> list[tuple[Measured, bool]]:
    """Return the requirements that a certificate promises, and which the files can confirm."""
    made = [part_promised(one) for one in promised]
    return [one for one in made if one is not None]


def part_promised(promise: Mapping[str, Any]) -> tuple[Measured, bool] | None:
    """Return the requirement of one promise, and whether files can confirm it; None for others'.

    One of a known name that says more than is known of it is an error: it would go unmeasured.
    """
    if promise["name"] not in _PROMISES:
        return None
    kind, parameters, confirmable = _PROMISES[promise["name"]]
    part = kind(**{name: promise[name] for name in parameters})
    if promise.keys() - {"unit"} != {"name", *parameters}:
        message = f"A promise of {promise['name']} has {listed(parameters)}, and nothing else."
        raise PolicyError(message)
    if promise.get("unit", part.unit) != part.unit:
        message = f"A promise of {promise['name']} is measured in {part.unit!r}."
        raise PolicyError(message)
    return part, confirmable


def measures(requirement: Requirement, verdict: Verdict) -> list[dict[str, Any]]:
    """Return what was measured of each part of a requirement, and on which group worst."""
    found = []
    for part, finding in zip(requirement.parts, verdict.findings, strict=True):
        worst = int(np.argmin(finding.margins)) + 1
        name = _promise(part)["name"]
        found.append({"name": name, "worst": round(finding.worst, 12), "group": worst})
    return found


def require_same_name(name: str, before: Mapping[str, Any]) -> None:
    """Refuse to go on with a series under another name: its certificates would be of two."""
    if before["study"] != name:
        message = (
            f"The study is called {name!r}, and release {before['number']} of this series"
            f" {before['study']!r}. All certificates of a series have one name, or it does not"
            f" verify. Call the study {before['study']!r} again, or begin a series of its own with"
            " another store and another folder."
        )
        raise OrderError(message)


def written_certificate(certificate: Mapping[str, Any]) -> bytes:
    """Return the bytes of a certificate."""
    return (json.dumps(certificate, indent=1, ensure_ascii=False) + "\n").encode()


def sha256(content: Content) -> str:
    """Return the SHA-256 digest of some bytes, in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def _promise(part: Measured) -> dict[str, Any]:
    for name, (kind, parameters, _) in _PROMISES.items():
        if isinstance(part, kind):
            told = {"name": name} | {one: plain_value(getattr(part, one)) for one in parameters}
            return told | ({"unit": part.unit} if part.unit == "bit" else {})
    return {"name": str(part)}


def described(knowledge: object) -> str | None:
    """Say what kind of knowledge it is and how large; contents are the publisher's own."""
    if knowledge is None:
        return None
    if isinstance(knowledge, MarginalPrior | ClassPrior):
        # They write their contents out, which may have been counted in the views.
        return f"{type(knowledge).__name__}({len(knowledge.values)} values)"
    told = repr(knowledge)
    return told if len(told) <= _LONGEST else type(knowledge).__name__


def plain_value(value: Any) -> Any:
    """Return a value of numpy as one of Python."""
    return value.item() if isinstance(value, np.generic) else value
