"""Forms groups: the Hilbert order, the greedy scan, regions, and what is left over."""

from seriatim.partition.generalize import generalize
from seriatim.partition.hilbert import hilbert_index, hilbert_order
from seriatim.partition.hilbert_greedy import HilbertGreedy
from seriatim.partition.partition import Partition, Partitioner
from seriatim.partition.remainder import Remainder, settle
from seriatim.partition.ties import tie_order

__all__ = [
    "HilbertGreedy",
    "Partition",
    "Partitioner",
    "Remainder",
    "generalize",
    "hilbert_index",
    "hilbert_order",
    "settle",
    "tie_order",
]
