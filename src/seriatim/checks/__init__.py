"""Laws that every part keeps, ours or yours.

Wrote a requirement, a partitioner, a prior, a sequence model, a posterior rule
or a store of your own? Run its check; it raises ``BrokenLawError`` with the law and a
counterexample, or returns.

>>> from seriatim import KAnonymity
>>> from seriatim.checks import check_requirement
>>> check_requirement(KAnonymity(k=3))
"""

from seriatim.checks._cases import BrokenLawError
from seriatim.checks.learners import check_learner
from seriatim.checks.partitioners import check_partitioner
from seriatim.checks.priors import check_prior
from seriatim.checks.requirements import check_requirement
from seriatim.checks.rules import check_rule
from seriatim.checks.sequence_models import check_sequence_model
from seriatim.checks.serial_partitioners import check_serial_partitioner
from seriatim.checks.stores import check_store

__all__ = [
    "BrokenLawError",
    "check_learner",
    "check_partitioner",
    "check_prior",
    "check_requirement",
    "check_rule",
    "check_sequence_model",
    "check_serial_partitioner",
    "check_store",
]
