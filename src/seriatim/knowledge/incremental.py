"""Incrementally extracted knowledge: what followed what in the views so far."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from seriatim._typing import IntArray, Value
from seriatim.errors import KnowledgeError
from seriatim.knowledge.automaton import Automaton
from seriatim.knowledge.classes import Classes
from seriatim.knowledge.contexts import back_off, context_tree
from seriatim.knowledge.learning import Lesson, Notebook
from seriatim.knowledge.mining import require_steps
from seriatim.microdata.view import View

_SHRINKING = 10.0
"""People's worth of the shorter context that is mixed into each."""


@dataclass(frozen=True, eq=False)
class IncrementalKnowledge:
    """Sequence knowledge counted anew with every original view (the paper's IE-BKseq).

    Before a release is formed its view is counted in: the paper extracts this
    knowledge from the data to be released. After each view it expects what ``mine``
    would on all views so far, with its back-off to shorter contexts, at the cost of
    counting one view. The paper's reader applies the knowledge of now to the whole
    past; a joint filter keeps what it concluded with the knowledge of then.

    Only the custodian has original views: this is a reader to defend against, or to
    measure others by.

    >>> from seriatim import clinic
    >>> from seriatim.knowledge import LocalNotebook
    >>> made, notebook = clinic(weeks=1, size=50), LocalNotebook()
    >>> view = View.from_table(made.weeks[0], made.schema)
    >>> automaton, lesson = IncrementalKnowledge(steps=1).study(view, notebook)
    >>> notebook.keep(lesson)
    >>> automaton, notebook
    (Automaton(8 values, 9 states, 1 classes), LocalNotebook(50 respondents))
    """

    steps: int
    """How many past values are looked at."""

    classes: Classes | None = None
    """How respondents fall into classes, counted apart."""

    _trees: dict[tuple[Value, ...], tuple[Automaton, IntArray]] = field(
        default_factory=dict, init=False, repr=False
    )

    def __post_init__(self) -> None:
        """Refuse a memory that is none."""
        require_steps(self.steps)

    @property
    def values(self) -> tuple[Value, ...]:
        """Nothing before the first view."""
        return ()

    def automaton(self, domain: tuple[Value, ...]) -> Automaton:
        """Say that there is nothing to compute with yet."""
        message = (
            "Incremental knowledge comes from the original views, and none was studied. A"
            " Publisher shows each view to its reader; pass originals to read or audit."
        )
        raise KnowledgeError(message)

    def study(self, view: View, notebook: Notebook) -> tuple[Automaton, Lesson]:
        """Count a view in, and return what is expected with it."""
        tree, shorter = self.tree(view.schema.sensitive.domain)
        n_classes, n_states, n_values = tree.next_value.shape
        size = n_classes * n_states * n_values
        counts = notebook.counts(size).copy()
        contexts, kinds, codes = (
            notebook.contexts(view.respondents),
            tree.classes_of(view),
            view.value_codes,
        )
        after = tree.next_state[contexts, codes].astype(np.int64)
        counted = []
        while len(contexts):
            counted.append((kinds * n_states + contexts) * n_values + codes)
            longer = contexts > 0
            contexts, kinds, codes = shorter[contexts[longer]], kinds[longer], codes[longer]
        cells, times = np.unique(np.concatenate(counted), return_counts=True)
        counts[cells] += times
        lesson = Lesson(view.respondents, after, cells, times, size, notebook.version)
        followed = counts.reshape(tree.next_value.shape)
        totals = followed.sum(axis=2)
        known = totals > 0
        next_value = followed / np.maximum(totals, 1)[:, :, None]
        back_off(next_value, known, shorter)
        return tree.with_tables(next_value, known, self.classes), lesson

    def shrunk(self, notebook: Notebook, domain: tuple[Value, ...]) -> Automaton:
        """Return what a notebook counted, each context shrunk to the one without its oldest value.

        P(v | context) = (times v followed + m · P(v | shorter)) / (times anything did + m), with
        m = 10; the empty context is shrunk to all values alike, with m = 1. For views to come,
        where what was never seen to follow may.
        """
        tree, shorter = self.tree(domain)
        counts = notebook.counts(tree.next_value.size).reshape(tree.next_value.shape)
        totals = counts.sum(axis=2, keepdims=True)
        rows = np.empty(tree.next_value.shape)
        rows[:, :1] = (counts[:, :1] + 1.0 / len(domain)) / (totals[:, :1] + 1.0)
        # Each round is right for contexts one value longer.
        for _ in range(self.steps):
            rows[:, 1:] = (counts[:, 1:] + _SHRINKING * rows[:, shorter[1:]]) / (
                totals[:, 1:] + _SHRINKING
            )
        return tree.with_tables(rows, np.ones(rows.shape[:2], dtype=bool), self.classes)

    def tree(self, domain: tuple[Value, ...]) -> tuple[Automaton, IntArray]:
        """Return the automaton of all contexts, and each context without its oldest value.

        Expectations change with every view, the states never.
        """
        if domain not in self._trees:
            next_state, shorter = context_tree(len(domain), self.steps)
            n_classes = 1 if self.classes is None else len(self.classes)
            nothing = np.zeros((n_classes, *next_state.shape))
            known = np.zeros(nothing.shape[:2], dtype=bool)
            tree = Automaton(domain, nothing, next_state, 0, known, self.classes)
            self._trees[domain] = tree, shorter
        return self._trees[domain]
