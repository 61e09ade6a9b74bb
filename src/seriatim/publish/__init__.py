"""Has state: the policy, the store, and the publisher that makes a series."""

from seriatim.publish.duckdb_store import DuckDBStore
from seriatim.publish.guard import guard
from seriatim.publish.policy import Policy, js_reduce
from seriatim.publish.presets import (
    bt_privacy,
    k_anonymity,
    l_diversity,
    m_invariance,
    t_closeness,
)
from seriatim.publish.publisher import Publication, Publisher
from seriatim.publish.seal import Key
from seriatim.publish.store import Entry, MemoryStore, Step, Store

__all__ = [
    "DuckDBStore",
    "Entry",
    "Key",
    "MemoryStore",
    "Policy",
    "Publication",
    "Publisher",
    "Step",
    "Store",
    "bt_privacy",
    "guard",
    "js_reduce",
    "k_anonymity",
    "l_diversity",
    "m_invariance",
    "t_closeness",
]
