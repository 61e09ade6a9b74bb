"""The certificate of a release that was made in shards, from sums over them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from seriatim._typing import Instant
from seriatim.engines.declaration import Series
from seriatim.engines.series import release_name
from seriatim.microdata.schema import Schema
from seriatim.publish.certificate import (
    FORM,
    columns_told,
    promises,
    reader_told,
    values_told,
    versions,
)
from seriatim.publish.records import write_instant

_DIGITS = 6
"""Of detail lost: sums over shards hang in their last digits on how many shards there are."""


def certificate_of(  # noqa: PLR0913 - a certificate tells of everything
    series: Series,
    schema: Schema,
    *,
    at: Instant,
    number: int,
    previous: str | None,
    counted: Mapping[str, Any],
    inspected: Sequence[Mapping[str, Any]],
    told: Sequence[Mapping[str, Any]],
    shards: int,
    dropped: int,
    singled_out: Mapping[str, float],
    entries: Sequence[Mapping[str, Any]],
) -> dict[str, Any]:
    """Return the certificate, in the form that other releases have."""
    policy = series.policy
    tuples = sum(counted["shown"])
    gain = counted["gain"] / tuples
    before = [one["certificate"]["simulated reader"]["mean gain"] for one in entries]
    folder = release_name(number)
    return {
        "seriatim certificate": FORM,
        "study": series.name,
        "number": number,
        "at": json.loads(write_instant(at)),
        "form": "generalized",
        "files": {
            f"{folder}/{one['name']}": {"sha256": one["sha256"], "bytes": one["bytes"]}
            for one in inspected
        },
        "in parts": True,
        "columns": columns_told(schema),
        "values": values_told(schema.sensitive, counted["shown"], series.schema.sensitive),
        "tuples": tuples,
        "groups": counted["groups"],
        "suppressed": sum(one["rows"] for one in told if one["shard"] >= 0) - tuples,
        "merged": sum(one["merged"] for one in told),
        "counterfeits": 0,
        "promised": promises(policy.requirement),
        "measured": _measured(series, counted, inspected),
        "made by": {
            "partitioner": str(policy.partitioner),
            "remainder": policy.remainder,
            "shards": shards,
        },
        "reader": reader_told(series.reader),
        "simulated reader": {
            "mean gain": round(gain, 4) + 0.0,
            "greatest mean gain so far": round(max(gain, *before, 0.0), 4) + 0.0,
        },
        "detail lost": _detail_lost(schema, counted, tuples),
        "dropped for missing values": dropped,
        "repeated rows left out": 0,
        "allowed though nearly unique": list(series.schema.allow_unique),
        "singled out": {name: round(share, 12) for name, share in singled_out.items()},
        "versions": versions(),
        "previous": previous,
    }


def _detail_lost(schema: Schema, counted: Mapping[str, Any], tuples: int) -> dict[str, float]:
    """Return how much detail a release loses; nothing where a domain was not declared.

    Shards measure relative to the domain of the series. One that was read off the views may end
    at a suppressed respondent, whose value the figure would then give away.
    """
    attributes: tuple[Any, ...] = tuple(schema.quasi_identifiers)
    if any(getattr(one, "open", False) for one in attributes):
        return {}
    lost = counted["penalty"] / (len(attributes) * tuples)
    return {
        "global certainty penalty": round(lost, _DIGITS),
        "semiperimeter": round(counted["extent"] / counted["groups"], _DIGITS),
    }


def _measured(
    series: Series, counted: Mapping[str, Any], inspected: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Return what was measured of each part of the requirement, and on which group worst."""
    found = []
    for index, promise in enumerate(promises(series.policy.requirement)):
        measured = [one["parts"][index] for one in inspected]
        if measured[0] is None:
            groups = [one["most divergent"] for one in inspected if one["most divergent"]]
            worst, group = counted["divergence"], groups[0]
        else:
            _, worst, group = min(measured, key=lambda one: (one[0], one[2]))
        found.append({"name": promise["name"], "worst": round(worst, 12), "group": group})
    return found
