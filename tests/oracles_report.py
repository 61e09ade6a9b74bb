"""Slow, obvious twins of what reports count; not one import from the package."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction


def histogram(gains: Sequence[float], edges: Sequence[float]) -> list[int]:
    """Count each gain in the last class that begins at or below it; the first takes the rest."""
    counts = [0] * (len(edges) - 1)
    for gain in gains:
        place = 0
        for number, edge in enumerate(edges[:-1]):
            if gain >= edge:
                place = number
        counts[place] += 1
    return counts


def quantile(figures: Sequence[float], share: float) -> float:
    """Read off the sorted figures at a share of the way, on a straight line between two."""
    ordered = sorted(figures)
    place = share * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])


def sizes(group_of: Sequence[int]) -> list[tuple[int, int]]:
    """How many groups there are of each size."""
    members: dict[int, int] = {}
    for group in group_of:
        members[group] = members.get(group, 0) + 1
    found = list(members.values())
    return [(size, found.count(size)) for size in sorted(set(found))]


def mean_penalty(group_of: Sequence[int], penalties: Sequence[float]) -> Fraction:
    """What the groups' penalties are for a tuple, on the mean."""
    total = sum((Fraction(penalties[group]) for group in group_of), Fraction(0))
    return total / len(group_of)
