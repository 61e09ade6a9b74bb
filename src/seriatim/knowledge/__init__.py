"""What a reader may know: who is likely to have what, and what tends to follow what."""

from seriatim.knowledge.automaton import Automaton, SequenceModel
from seriatim.knowledge.belief import Belief
from seriatim.knowledge.class_prior import ClassPrior
from seriatim.knowledge.classes import Classes
from seriatim.knowledge.distributions import Distributions
from seriatim.knowledge.divergence import entropy, js_divergence
from seriatim.knowledge.domain_knowledge import DomainKnowledge
from seriatim.knowledge.kernel_prior import KernelPrior
from seriatim.knowledge.marginal_prior import MarginalPrior
from seriatim.knowledge.mining import Corpus, MinedKnowledge, count_sequences, mine
from seriatim.knowledge.prior import Prior
from seriatim.knowledge.tabulated_prior import TabulatedPrior
from seriatim.knowledge.truncate import truncate
from seriatim.knowledge.uniform_prior import UniformPrior

__all__ = [
    "Automaton",
    "Belief",
    "ClassPrior",
    "Classes",
    "Corpus",
    "Distributions",
    "DomainKnowledge",
    "KernelPrior",
    "MarginalPrior",
    "MinedKnowledge",
    "Prior",
    "SequenceModel",
    "TabulatedPrior",
    "UniformPrior",
    "count_sequences",
    "entropy",
    "js_divergence",
    "mine",
    "truncate",
]
