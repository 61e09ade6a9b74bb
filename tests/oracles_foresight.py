"""Slow twins of what populations are learned by: sums over all that may have happened."""

import math
from collections import Counter
from fractions import Fraction


def chance_of_presence(pattern, again, back, leaving):
    """Sum over all times of leaving: the chance to be seen so, once one was seen first.

    ``pattern`` says for each roster from the first on whether one is in it.
    """
    total = 0.0
    for left in range(1, len(pattern) + 1):  # before this one; the last is never
        chance = leaving if left < len(pattern) else 1.0
        for place in range(1, len(pattern)):
            if place >= left:
                chance *= not pattern[place]
                continue
            coming = again if pattern[place - 1] else back
            chance *= (1 - leaving) * (coming if pattern[place] else 1 - coming)
        total += chance
    return total


def log_likelihood(patterns, again, back, leaving):
    """Return the logarithm of the chance of some patterns, in nats."""
    chances = (chance_of_presence(one, again, back, leaving) for one in patterns)
    return sum(math.log(chance) if chance > 0 else -math.inf for chance in chances)


def patterns_of(rosters):
    """Return from each person's first roster on whether they are in it."""
    people = sorted(set().union(*rosters))
    found = []
    for person in people:
        there = [person in roster for roster in rosters]
        found.append(tuple(there[there.index(True) :]))
    return found


def chances_dealt(donors, asked, pseudo_counts):
    """Return the chance of each donor: donors and who asks have a key of each kind."""
    left, found = Fraction(1), Counter()
    for kind, key in enumerate(asked):
        alike = [place for place, keys in enumerate(donors) if keys[kind] == key]
        if not alike:
            continue
        last = kind == len(asked) - 1
        taken = left if last else left * Fraction(len(alike), len(alike) + pseudo_counts)
        for place in alike:
            found[place] += taken / len(alike)
        left -= taken
    return found


def shrunk_row(sequences, context, n_values, pseudo_counts):
    """Return what follows a context, shrunk to that without its oldest value."""
    followed = Counter()
    for sequence in sequences:
        for place, value in enumerate(sequence):
            if tuple(sequence[max(place - len(context), 0) : place]) == tuple(context):
                followed[value] += 1
    total = sum(followed.values())
    if not context:
        return [(followed[value] + 1 / n_values) / (total + 1) for value in range(n_values)]
    shorter = shrunk_row(sequences, context[1:], n_values, pseudo_counts)
    return [
        (followed[value] + pseudo_counts * shorter[value]) / (total + pseudo_counts)
        for value in range(n_values)
    ]


def information_of_cut(column, codes, border):
    """Return twice the information that a cut tells of values, times the people, in nats."""

    def disorder(values):
        counts = Counter(values)
        return -sum(n * math.log(n / len(values)) for n in counts.values())

    below = [code for at, code in zip(column, codes, strict=True) if at <= border]
    above = [code for at, code in zip(column, codes, strict=True) if at > border]
    return 2 * (disorder(codes) - disorder(below) - disorder(above))


def tilts_by_hand(followed, stratum_of, next_value, n_strata, added):
    """Return tilts of one-step knowledge: (person, value before, value) in order."""
    n_values = len(next_value)
    had = [[0.0] * n_values for _ in range(n_strata)]
    thought = [[0.0] * n_values for _ in range(n_strata)]
    for person, before, value in followed:
        stratum = stratum_of[person]
        had[stratum][value] += 1
        for other in range(n_values):
            thought[stratum][other] += next_value[before][other]
    return [
        [(mine + added) / (theirs + added) for mine, theirs in zip(one, two, strict=True)]
        for one, two in zip(had, thought, strict=True)
    ]
