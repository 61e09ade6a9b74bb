"""Ties: a secret order among respondents with the same quasi-identifiers.

It must be the same in every release of a series. Were it drawn anew, people who
cannot be told apart would be dealt into new groups each time, and a reader would
intersect the groups and learn, from nothing but our dice, who has what.
"""

from __future__ import annotations

import hashlib

import numpy as np
import pyarrow as pa

from seriatim._typing import WordArray
from seriatim.microdata.letters import letters_of
from seriatim.microdata.roster import Roster
from seriatim.microdata.tables import to_text


def tie_order(roster: Roster, secret: bytes) -> WordArray:
    """Return a number for each respondent that depends on the id and the secret alone."""
    return keyed_numbers(roster.texts, secret, b"ties")


def keyed_numbers(
    respondents: pa.Array, secret: bytes, purpose: bytes, name: str = "respondent"
) -> WordArray:
    """Return a number for each id that depends on it, the secret and a purpose alone."""
    from seriatim.kernels._jit import over_ranges
    from seriatim.kernels.siphash import siphash

    drawn = hashlib.blake2b(secret, digest_size=16, person=purpose).digest()
    key = np.frombuffer(drawn, np.uint64)
    texts = to_text(respondents, name)
    numbers = np.empty(len(texts), np.uint64)
    over_ranges(siphash, len(texts), *letters_of(texts), key, numbers)
    return numbers
