"""Laws of knowledge that is learned from original views."""

from __future__ import annotations

import numpy as np

from seriatim._typing import Value
from seriatim.checks._cases import random_view, require
from seriatim.checks.priors import check_prior
from seriatim.checks.sequence_models import check_sequence_model
from seriatim.errors import OrderError
from seriatim.knowledge.learning import Learner, LocalNotebook

_VALUES: tuple[Value, ...] = ("a", "b", "c")


def check_learner(learner: Learner, *, cases: int = 5, seed: int = 0) -> None:
    """Check that knowledge can be learned view by view.

    Studying a view changes nothing until the lesson is kept, and gives the same when
    repeated; what is known then is a prior or a sequence model that keeps its own laws;
    a lesson that rests on an older notebook is refused.
    """
    rng = np.random.default_rng(seed)
    notebook = LocalNotebook()
    for case in range(cases):
        view, _ = random_view(rng, 20, _VALUES)
        version = notebook.version
        learner.study(view, notebook)
        known, lesson = learner.study(view, notebook)
        require(notebook.version == version, "To study must change nothing.", f"case {case}")
        if hasattr(known, "belief"):
            check_prior(known, view, _VALUES)
        else:
            check_sequence_model(known, cases=2, seed=seed)
        if lesson is None:
            continue
        notebook.keep(lesson)
        require(notebook.version > version, "A lesson must be kept.", f"case {case}")
        try:
            notebook.keep(lesson)
        except OrderError:
            continue
        require(False, "A lesson must not be kept twice.", f"case {case}")
