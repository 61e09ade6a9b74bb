"""What a reader may know: who is likely to have what, and what tends to follow what."""

from seriatim.knowledge.automaton import Automaton, SequenceModel
from seriatim.knowledge.belief import Belief
from seriatim.knowledge.class_prior import ClassPrior
from seriatim.knowledge.classes import Classes
from seriatim.knowledge.corpus import Corpus, count_sequences
from seriatim.knowledge.distributions import Distributions
from seriatim.knowledge.divergence import entropy, js_divergence
from seriatim.knowledge.domain_knowledge import DomainKnowledge
from seriatim.knowledge.files import read_knowledge, write_knowledge
from seriatim.knowledge.incremental import IncrementalKnowledge
from seriatim.knowledge.kernel_prior import KernelPrior
from seriatim.knowledge.learning import Learner, Lesson, LocalNotebook, Notebook
from seriatim.knowledge.marginal_prior import MarginalPrior
from seriatim.knowledge.mining import MinedKnowledge, mine
from seriatim.knowledge.prior import Prior
from seriatim.knowledge.tabulated_prior import TabulatedPrior
from seriatim.knowledge.tempo import Period, Rates
from seriatim.knowledge.timed import PerPeriod, TransitionRates
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
    "IncrementalKnowledge",
    "KernelPrior",
    "Learner",
    "Lesson",
    "LocalNotebook",
    "MarginalPrior",
    "MinedKnowledge",
    "Notebook",
    "PerPeriod",
    "Period",
    "Prior",
    "Rates",
    "SequenceModel",
    "TabulatedPrior",
    "TransitionRates",
    "UniformPrior",
    "count_sequences",
    "entropy",
    "js_divergence",
    "mine",
    "read_knowledge",
    "truncate",
    "write_knowledge",
]
