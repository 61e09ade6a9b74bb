"""Has state: the policy, the store, and the publisher that makes a series."""

from seriatim.publish.guard import guard
from seriatim.publish.policy import Policy, js_reduce
from seriatim.publish.publisher import Publication, Publisher
from seriatim.publish.store import MemoryStore, Step, Store

__all__ = [
    "MemoryStore",
    "Policy",
    "Publication",
    "Publisher",
    "Step",
    "Store",
    "guard",
    "js_reduce",
]
