"""Forms groups: along the Hilbert curve, by cuts, or by cells that stay; and what is left over."""

from seriatim.partition.generalize import generalize
from seriatim.partition.hilbert import hilbert_index, hilbert_order
from seriatim.partition.hilbert_greedy import HilbertGreedy
from seriatim.partition.hilbert_optimal import HilbertOptimal
from seriatim.partition.m_invariant import MInvariant
from seriatim.partition.mondrian import Mondrian
from seriatim.partition.partition import Counterfeits, Partition, Partitioner
from seriatim.partition.register import Enrolment, LocalRegister, Register, SerialPartitioner
from seriatim.partition.remainder import Remainder, settle
from seriatim.partition.standing_cells import StandingCells
from seriatim.partition.ties import tie_order

__all__ = [
    "Counterfeits",
    "Enrolment",
    "HilbertGreedy",
    "HilbertOptimal",
    "LocalRegister",
    "MInvariant",
    "Mondrian",
    "Partition",
    "Partitioner",
    "Register",
    "Remainder",
    "SerialPartitioner",
    "StandingCells",
    "generalize",
    "hilbert_index",
    "hilbert_order",
    "settle",
    "tie_order",
]
