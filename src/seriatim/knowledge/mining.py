"""Mining: sequence knowledge from a corpus of other people's sequences.

The paper's Algorithm 3 counts every sequence of past values of every respondent;
the chance of s after a sequence is how often the two occur together over how often
the sequence occurs. Counting is done on whole columns, one length after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Literal

import numpy as np

from seriatim._typing import FloatArray, IntArray, SmallIntArray, Table, Value
from seriatim.errors import KnowledgeError, listed
from seriatim.knowledge.automaton import Automaton
from seriatim.knowledge.classes import Classes
from seriatim.knowledge.contexts import back_off, suffix_automaton
from seriatim.knowledge.corpus import Corpus

Unseen = Literal["suffix", "impossible"]
"""What is expected after a context that the corpus does not have."""


@dataclass(frozen=True, eq=False)
class MinedKnowledge:
    """Sequence knowledge counted in a corpus (the paper's SPM-BKseq).

    With ``unseen="suffix"`` a history is judged by the longest context it ends with
    that has a successor in the corpus, and chances are shares of the successors.

    With ``unseen="impossible"`` it is Algorithm 3 as printed: the chance of s after a
    context is occ(context, s) / occ(context), nothing is expected after a context that
    was never seen, and chances sum to less than 1 because occ(context) also counts
    sequences that end there. What a reader expects is then rescaled, and left to the
    prior where nothing remains; the paper says nothing about either case.

    >>> weeks = [{"who": [1, 2], "exam": ["a", "a"]}, {"who": [1, 2], "exam": ["b", "a"]}]
    >>> model = mine(weeks, steps=1, respondent="who", value="exam")
    >>> model
    MinedKnowledge(3 contexts, 1 steps)
    >>> model.contexts[1], model.followed[1].tolist(), int(model.ended[1])  # after a
    ((0,), [1, 1], 1)
    """

    values: tuple[Value, ...]
    """The values that occur."""

    contexts: tuple[tuple[int, ...], ...]
    """Codes of the past values of each row, oldest first."""

    class_of: IntArray
    """The class of each row."""

    followed: IntArray
    """How often each value came next (rows, values)."""

    ended: IntArray
    """How often nothing came next (rows)."""

    steps: int
    """How many past values are looked at."""

    unseen: Unseen = "suffix"
    """What is expected after a context that the corpus does not have."""

    classes: Classes | None = None
    """How respondents fall into classes, where it matters."""

    def __post_init__(self) -> None:
        """Refuse a memory that is none, and a way to treat the unseen that is not known."""
        require_steps(self.steps)
        if self.unseen not in ("suffix", "impossible"):
            message = f"unseen={self.unseen!r} is not known; possible are 'suffix', 'impossible'."
            raise KnowledgeError(message)

    @classmethod
    def count(cls, corpus: Corpus, steps: int, unseen: Unseen = "suffix") -> MinedKnowledge:
        """Count what follows every context of up to ``steps`` values."""
        require_steps(steps)
        n_values = len(corpus.values)
        contexts: list[tuple[int, ...]] = []
        class_of, followed, ended = [], [], []
        for length in range(min(steps, int(corpus.age.max()) + 1) + 1):
            rows, kinds, successors, ends = _count_length(corpus, length, n_values)
            contexts += [tuple(row) for row in rows.tolist()]
            class_of.append(kinds)
            followed.append(successors)
            ended.append(ends)
        return cls(
            corpus.values,
            tuple(contexts),
            np.concatenate(class_of),
            np.concatenate(followed),
            np.concatenate(ended),
            steps,
            unseen,
            corpus.classes,
        )

    def __repr__(self) -> str:
        """Say how large it is."""
        return f"MinedKnowledge({len(self.contexts)} contexts, {self.steps} steps)"

    def automaton(self, domain: tuple[Value, ...]) -> Automaton:
        """Return its computable form."""
        missing = [value for value in self.values if value not in domain]
        if missing:
            message = (
                f"The corpus has values outside the sensitive domain: {listed(missing)}."
                f" The domain is {listed(domain)}. Declare them in Sensitive(values=...)."
            )
            raise KnowledgeError(message)
        literal = self.unseen == "impossible"
        times = self.followed.sum(axis=1) + (self.ended if literal else 0)
        counted = np.flatnonzero(times)
        place = np.array([domain.index(value) for value in self.values])
        contexts = [tuple(int(place[code]) for code in self.contexts[row]) for row in counted]
        states, next_state, shorter = suffix_automaton(contexts, len(domain))
        n_classes = 1 if self.classes is None else len(self.classes)
        next_value = np.zeros((n_classes, len(states), len(domain)))
        known = np.full((n_classes, len(states)), literal)
        state_of = np.array([states[context] for context in contexts], dtype=np.int64)
        rows = np.zeros((len(counted), len(domain)))
        rows[:, place] = self.followed[counted] / times[counted, None]
        next_value[self.class_of[counted], state_of] = rows
        known[self.class_of[counted], state_of] = True
        if literal:
            lengths = np.array([len(context) for context in states])
            next_state, next_value = _exact_contexts(next_state, next_value, lengths, self.steps)
            return Automaton(
                tuple(domain), next_value, next_state, classes=self.classes, deficient=True
            )
        back_off(next_value, known, shorter)
        return Automaton(tuple(domain), next_value, next_state, 0, known, self.classes)


def mine(
    corpus: Table | Sequence[Table],
    *,
    steps: int,
    respondent: str,
    value: str,
    at: str | None = None,
    by: str | Sequence[str] = (),
    unseen: Unseen = "suffix",
) -> MinedKnowledge:
    """Learn what tends to follow what from a corpus of sequences.

    ``corpus`` is a table with a column of instants, or a list of tables in order.
    ``by`` names columns that make classes, mined apart; their cells must be such as
    a release would write of the quasi-identifier of that name (``F``, ``45-54``).
    ``unseen`` says what to expect after a context that the corpus does not have:
    what follows its longest known ending (``"suffix"``), or nothing (``"impossible"``,
    the paper's Algorithm 3 to the letter).

    >>> weeks = [{"who": [1, 2], "exam": ["a", "a"]}, {"who": [1, 2], "exam": ["b", "a"]}]
    >>> model = mine(weeks, steps=1, respondent="who", value="exam")
    >>> model.automaton(("a", "b")).next_value[0].round(2).tolist()
    [[0.75, 0.25], [0.5, 0.5]]
    """
    read = Corpus.from_tables(corpus, respondent=respondent, value=value, at=at, by=by)
    return MinedKnowledge.count(read, steps, unseen)


def require_steps(steps: object) -> None:
    """Refuse a memory that is no number of values."""
    if isinstance(steps, bool) or not isinstance(steps, Integral) or steps < 0:
        message = f"steps is a whole number from 0, not {steps!r}."
        raise KnowledgeError(message)


def _count_length(
    corpus: Corpus, length: int, n_values: int
) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Count what follows the contexts of one length: contexts, classes, followed, ended.

    A context lies before each entry that is old enough, and after each last entry.
    """
    before = np.flatnonzero(corpus.age >= length)
    at_end = np.flatnonzero(corpus.last & (corpus.age >= length - 1)) if length else before[:0]
    # Entries right behind the contexts; behind a last entry that is the next respondent's first,
    # but only what lies before it is looked at.
    here = np.concatenate([before, at_end + 1])
    kinds = corpus.class_of[np.concatenate([before, at_end])]
    number = corpus.numbered(here, range(length, 0, -1), kinds)
    _, first, row = np.unique(number, return_index=True, return_inverse=True)
    row = row.ravel()
    cells = row[: len(before)] * n_values + corpus.codes[before]
    followed = np.bincount(cells, minlength=len(first) * n_values).reshape(-1, n_values)
    ended = np.bincount(row[len(before) :], minlength=len(first))
    behind = here[first]
    contexts = np.column_stack(
        [corpus.codes[behind - back] for back in range(length, 0, -1)]
        or [np.empty((len(behind), 0), dtype=np.int64)]
    )
    return contexts, kinds[first], followed, ended


def _exact_contexts(
    next_state: SmallIntArray, next_value: FloatArray, lengths: IntArray, steps: int
) -> tuple[SmallIntArray, FloatArray]:
    """Tell contexts that were seen in full from the known endings of longer ones.

    A state is a context together with how many past values matter, at most ``steps``;
    only where the context has all of them does it expect anything.
    """
    n_states, n_values = next_state.shape
    depths = np.arange(steps + 1, dtype=np.int32)
    deeper = np.minimum(depths + 1, steps)
    following = next_state[:, None, :] * np.int32(steps + 1) + deeper[:, None]
    whole = lengths[:, None] == depths
    expected = next_value[:, :, None, :] * whole[:, :, None]
    return (
        following.reshape(n_states * (steps + 1), n_values),
        expected.reshape(len(next_value), n_states * (steps + 1), n_values),
    )
