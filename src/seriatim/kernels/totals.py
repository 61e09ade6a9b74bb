"""The totals of finished groups: values, beliefs and entropies of their members.

Axes: group g has the rows members[starts[g]:starts[g + 1]]; value_codes and entropies
(tuples), beliefs (tuples, values); value_counts and belief_sums (groups, values),
entropy_sums (groups), all zero beforehand.
"""

from __future__ import annotations

from seriatim._typing import FloatArray, IntArray
from seriatim.kernels._jit import kernel


@kernel
def add_members(
    first: int,
    last: int,
    members: IntArray,
    starts: IntArray,
    value_codes: IntArray,
    beliefs: FloatArray,
    entropies: FloatArray,
    value_counts: IntArray,
    belief_sums: FloatArray,
    entropy_sums: FloatArray,
) -> None:
    """Add the members of groups first..last to their totals."""
    for group in range(first, last):
        for place in range(starts[group], starts[group + 1]):
            row = members[place]
            value_counts[group, value_codes[row]] += 1
            entropy_sums[group] += entropies[row]
            for value in range(beliefs.shape[1]):
                belief_sums[group, value] += beliefs[row, value]
