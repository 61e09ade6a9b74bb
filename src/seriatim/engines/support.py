"""What an engine over shards can do, and plain words for what it cannot.

A shard sees its own rows and a few figures of the whole view. What must look at all of a view
at once, or at people one by one, stays with the publisher on one machine.
"""

from __future__ import annotations

from seriatim.errors import PolicyError, listed
from seriatim.inference.adversary import Adversary
from seriatim.knowledge.learning import Learner
from seriatim.microdata.schema import Schema
from seriatim.partition.hilbert_greedy import HilbertGreedy
from seriatim.partition.standing_cells import StandingCells
from seriatim.privacy.beta_likeness import BetaLikeness
from seriatim.privacy.delta_disclosure import DeltaDisclosure
from seriatim.privacy.entropy_l_diversity import EntropyLDiversity
from seriatim.privacy.js_bound import JSBound
from seriatim.privacy.k_anonymity import KAnonymity
from seriatim.privacy.l_diversity import DistinctLDiversity
from seriatim.privacy.recursive_cl_diversity import RecursiveCLDiversity
from seriatim.privacy.t_closeness import TCloseness
from seriatim.publish.policy import Policy

_REQUIREMENTS = (
    KAnonymity,
    DistinctLDiversity,
    EntropyLDiversity,
    RecursiveCLDiversity,
    TCloseness,
    BetaLikeness,
    DeltaDisclosure,
    JSBound,
)
_INSTEAD = " Publish this study with the publisher on one machine, or change it."


def require_supported(schema: Schema, policy: Policy, reader: Adversary) -> None:
    """Refuse what an engine over shards cannot do."""
    others = [part for part in policy.requirement.parts if not isinstance(part, _REQUIREMENTS)]
    cannot = [
        (bool(others), f"the requirement {others[0] if others else ''}"),
        (
            not isinstance(policy.partitioner, HilbertGreedy | StandingCells),
            f"the partitioner {type(policy.partitioner).__name__}; possible are HilbertGreedy and"
            " StandingCells",
        ),
        (policy.remainder == "counterfeit", "counterfeits"),
        (policy.form != "generalized", "releases in buckets"),
        (policy.batch > 1, "people who move in batches"),
        (policy.keep > 0, "people who stay listed while they are away"),
        (policy.pool > 1, "several tables for a release"),
        (bool(schema.insensitive), f"insensitive columns ({listed(schema.insensitive)})"),
        (isinstance(reader.prior, Learner), "a prior that is learned from the views"),
        (isinstance(reader.sequence, Learner), "sequence knowledge that is learned from the views"),
        (reader.compromised is not None, "compromised tuples"),
    ]
    for found, what in cannot:
        if found:
            message = f"An engine over shards does not support {what}.{_INSTEAD}"
            raise PolicyError(message)
