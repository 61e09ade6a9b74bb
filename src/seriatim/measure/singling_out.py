"""Singling out: what the sets of a release tell of who is in it.

k-anonymity holds where every row of a group has the same set, however the set came about. A
set with a member for each tuple lists them one by one: who knows someone's value finds it in
one place of the release, and knows that it is theirs. It is measured on the public table, so
that every reader can measure it again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from seriatim._figures import written_figure
from seriatim._typing import FloatArray, IntArray
from seriatim.errors import UnsatisfiableError
from seriatim.microdata.categorical import Categorical
from seriatim.microdata.near_unique import declared_values, few_values
from seriatim.microdata.release import Release
from seriatim.microdata.schema import Schema
from seriatim.microdata.tables import to_numpy
from seriatim.microdata.words import read_words

Fits: TypeAlias = Mapping[str, float]
"""How many tuples fit each value of a column, as far as a release tells."""

MOST = 0.5
"""The share of tuples that the sets of a column may single out.

More would be what a column shows that is nearly unique: of most tuples, hardly two fit a value."""

_COMPANY = 2.0
"""Tuples that a value must fit for nobody to be singled out by it."""


def singled_out(release: Release) -> dict[str, float]:
    """Return the share of tuples that the sets of each categorical quasi-identifier single out.

    A group of s tuples with a set of m values leaves s / m tuples to each value, as far as the
    release tells. Over all groups that list a value v these add up to the tuples that fit it::

        e(v) = Σ s / m, over the groups whose set has v
        singled out: Σ e(v) / tuples, over the values with e(v) < 2

    So a value counts that stands in one group, in a set with nearly a member for each tuple. One
    that other groups list too, as F and M are, fits their tuples as well, and singles nobody
    out. Nothing is generalized in buckets, and nothing is measured there.

    >>> from seriatim import Adversary, KAnonymity, Numeric, Policy, Publisher, Schema, Sensitive
    >>> columns = [Numeric("age"), Categorical("sex"), Categorical("born")]
    >>> schema = Schema("who", columns, Sensitive("exam"))
    >>> table = {"who": [1, 2, 3, 4], "age": [51, 52, 70, 71], "sex": ["F", "M", "F", "M"]}
    >>> table |= {"born": ["1.3.", "2.3.", "7.3.", "9.3."], "exam": ["neg", "pos", "neg", "pos"]}
    >>> publisher = Publisher(schema, Policy(KAnonymity(k=2)), Adversary(), seed=1)
    >>> singled_out(publisher.publish(table, at=1))
    {'sex': 0.0, 'born': 1.0}
    """
    return {name: share_singled_out(fitting) for name, fitting in fits_of(release).items()}


def fits_of(release: Release) -> dict[str, Fits]:
    """Return how many tuples fit each value of each categorical quasi-identifier."""
    if release.form == "buckets":
        return {}
    found = zip(release.schema.quasi_identifiers, release.covers, strict=True)
    return {
        attribute.name: fits(cover.text, release.sizes)
        for attribute, cover in found
        if isinstance(attribute, Categorical)
    }


def fits(texts: pa.Array, sizes: IntArray) -> Fits:
    """Return how many tuples fit each value, by the sets of some groups and their sizes.

    >>> fits(pa.array(["{a,b}", "b"]), np.array([3, 2]))
    {'a': 1.5, 'b': 3.5}
    """
    encoded = pc.dictionary_encode(texts)
    tuples = np.bincount(to_numpy(encoded.indices), sizes, minlength=len(encoded.dictionary))
    members = _members(encoded.dictionary)
    lengths = to_numpy(pc.list_value_length(members)).astype(np.int64)
    values = pc.dictionary_encode(members.flatten())
    each: FloatArray = np.repeat(tuples / np.maximum(lengths, 1), lengths)
    total = np.bincount(to_numpy(values.indices), each, minlength=len(values.dictionary))
    return dict(zip(values.dictionary.to_pylist(), total.tolist(), strict=True))


def summed(parts: Iterable[Fits]) -> Fits:
    """Return how many tuples fit each value of a release that is in several parts.

    >>> summed([{"a": 1.0, "b": 1.0}, {"b": 2.0}])
    {'a': 1.0, 'b': 3.0}
    """
    total: dict[str, float] = {}
    for part in parts:
        for value, fitting in part.items():
            total[value] = total.get(value, 0.0) + fitting
    return total


def share_singled_out(fits: Fits) -> float:
    """Return the share of tuples whose value fits fewer than two.

    >>> share_singled_out({"a": 1.0, "b": 3.0})
    0.25
    """
    fitting = np.fromiter(fits.values(), dtype=np.float64, count=len(fits))
    # A sum of shares may miss 2 by its last digits: what reads as two is two.
    alone = fitting < _COMPANY - 1e-9
    return float(fitting[alone].sum() / fitting.sum()) if len(fitting) else 0.0


def require_hidden(found: Mapping[str, Fits], declared: Schema) -> None:
    """Refuse a release whose sets list most of its people one by one.

    Few values are categories, however few people there are: see ``is_nearly_unique``.
    ``declared`` is the schema before any domain was read off data.
    """
    attributes = {one.name: one for one in declared.quasi_identifiers}
    for name, fitting in found.items():
        share = share_singled_out(fitting)
        few = len(fitting) <= few_values(declared_values(attributes[name]))
        if share <= MOST or few or name in declared.allow_unique:
            continue
        message = (
            f"The sets of {name!r} would list {share:.0%} of the tuples one by one: they have"
            f" {len(fitting):,} values, most of which fit fewer than two tuples, and {MOST:.0%} is"
            " the most that is published. Give the column fewer values (bands, a hierarchy, a date"
            " or a number), use larger groups, or leave it out. To publish it all the same, say"
            f' so: allow_unique = ["{name}"] under [columns] of study.toml, or allow_unique of the'
            " Schema; certificates will tell it."
        )
        raise UnsatisfiableError(message)


def told(shares: Mapping[str, float], allowed: Iterable[str] = ()) -> list[str]:
    """Say whom the sets of a release single out, a sentence for each column that does.

    >>> told({"sex": 0.0, "ward": 0.125})
    ["Sets of 'ward' single out 12.5% of the tuples: their values fit fewer than two tuples."]
    """
    return [
        f"Sets of {name!r} single out {written_figure(share, '.1%')} of the tuples: their values"
        f" fit fewer than two tuples{' (allowed by allow_unique)' if name in allowed else ''}."
        for name, share in shares.items()
        if share > 0
    ]


def _members(texts: pa.Array) -> pa.Array:
    """Return the values of some different sets, as lists."""
    if pc.any(pc.match_substring(texts, '"')).as_py():
        words = [_read(text) for text in texts.to_pylist()]
        return pa.array(words, pa.large_list(pa.string()))
    braced = pc.and_(pc.starts_with(texts, "{"), pc.ends_with(texts, "}"))
    inner = pc.if_else(braced, pc.utf8_slice_codeunits(texts, 1, -1), texts)
    return pc.split_pattern(inner, ",")


def _read(text: str) -> Iterable[str]:
    return read_words(text[1:-1] if text.startswith("{") and text.endswith("}") else text)
