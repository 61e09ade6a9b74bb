"""Knowledge written as a sheet."""

from __future__ import annotations

from collections.abc import Iterable
from functools import singledispatch
from typing import Any

import numpy as np

from seriatim._typing import Value
from seriatim.errors import KnowledgeError, listed
from seriatim.knowledge.automaton import Automaton
from seriatim.knowledge.class_prior import ClassPrior
from seriatim.knowledge.classes import Classes
from seriatim.knowledge.distributions import Distributions
from seriatim.knowledge.domain_knowledge import DomainKnowledge
from seriatim.knowledge.incremental import IncrementalKnowledge
from seriatim.knowledge.kernel_prior import KernelPrior
from seriatim.knowledge.marginal_prior import MarginalPrior
from seriatim.knowledge.mining import MinedKnowledge
from seriatim.knowledge.sheet import RESERVED, Sheet
from seriatim.knowledge.tabulated_prior import TabulatedPrior
from seriatim.knowledge.tempo import Period, Rates
from seriatim.knowledge.timed import PerPeriod, TransitionRates
from seriatim.knowledge.uniform_prior import UniformPrior

_LONGEST = 100_000


@singledispatch
def to_sheet(knowledge: object) -> Sheet:
    """Return knowledge as a sheet; only seriatim's own kinds have one."""
    message = f"{type(knowledge).__name__} cannot be written to a file."
    raise KnowledgeError(message)


@to_sheet.register
def _(knowledge: DomainKnowledge) -> Sheet:
    rows = knowledge.distributions
    which, codes = np.nonzero(rows.listed)
    columns = _class_columns(knowledge.classes, knowledge.class_of[which])
    columns |= _context_columns([knowledge.contexts[row] for row in which], knowledge.steps)
    columns["next"] = [rows.values[code] for code in codes]
    columns["probability"] = rows.probabilities[which, codes].tolist()
    settings = _settings(knowledge.values, knowledge.classes) | {"unlisted": rows.unlisted}
    return Sheet("domain knowledge", columns, settings)


@to_sheet.register
def _(knowledge: MinedKnowledge) -> Sheet:
    counts = np.column_stack([knowledge.followed, knowledge.ended])
    which, codes = np.nonzero(counts)
    names = [*knowledge.values, None]
    contexts = [tuple(knowledge.values[code] for code in knowledge.contexts[row]) for row in which]
    columns = _class_columns(knowledge.classes, knowledge.class_of[which])
    columns |= _context_columns(contexts, knowledge.steps)
    columns["next"] = [names[code] for code in codes]
    columns["count"] = counts[which, codes].tolist()
    settings = _settings(knowledge.values, knowledge.classes)
    settings |= {"steps": int(knowledge.steps), "unseen": knowledge.unseen}
    return Sheet("mined knowledge", columns, settings)


@to_sheet.register
def _(knowledge: TransitionRates) -> Sheet:
    pairs = np.broadcast_to(~np.eye(len(knowledge.values), dtype=bool), knowledge.generator.shape)
    which, before, after = np.nonzero(pairs)
    columns = _class_columns(knowledge.classes, which)
    columns["given"] = [knowledge.values[code] for code in before]
    columns["next"] = [knowledge.values[code] for code in after]
    columns["rate"] = knowledge.generator[which, before, after].tolist()
    return Sheet("transition rates", columns, _settings(knowledge.values, knowledge.classes))


@to_sheet.register
def _(knowledge: Automaton) -> Sheet:
    if isinstance(knowledge.tempo, Rates):
        message = "An automaton of rates is written as the TransitionRates it was made from."
        raise KnowledgeError(message)
    if knowledge.classes is None and knowledge.n_classes > 1:
        message = "An automaton with several tables is written with the classes that go by them."
        raise KnowledgeError(message)
    assert knowledge.known is not None
    kinds, states, codes = np.indices(knowledge.next_value.shape).reshape(3, -1)
    chances = knowledge.next_value.ravel().tolist()
    known = knowledge.known[kinds, states].tolist()
    columns = _class_columns(knowledge.classes, kinds)
    columns["state"] = states.tolist()
    columns["next"] = [knowledge.values[code] for code in codes]
    columns["probability"] = [
        one if is_known else None for one, is_known in zip(chances, known, strict=True)
    ]
    columns["to"] = knowledge.next_state[states, codes].tolist()
    settings = _settings(knowledge.values, knowledge.classes)
    settings |= {"start": int(knowledge.start), "deficient": knowledge.deficient}
    if isinstance(knowledge.tempo, Period):
        settings["period"] = float(knowledge.tempo.length)
    return Sheet("automaton", columns, settings)


@to_sheet.register
def _(knowledge: PerPeriod) -> Sheet:
    inner = to_sheet(knowledge.model)
    return Sheet(inner.kind, inner.columns, inner.settings | {"period": float(knowledge.length)})


@to_sheet.register
def _(knowledge: IncrementalKnowledge) -> Sheet:
    classes = knowledge.classes
    columns = _class_columns(classes, np.arange(0 if classes is None else len(classes)))
    settings = {"steps": int(knowledge.steps), "classes": list(classes.names) if classes else []}
    return Sheet("incremental knowledge", columns, settings)


@to_sheet.register
def _(knowledge: UniformPrior) -> Sheet:
    return Sheet("uniform prior")


@to_sheet.register
def _(knowledge: MarginalPrior) -> Sheet:
    columns = {
        "value": list(knowledge.distribution),
        "probability": [float(one) for one in knowledge.distribution.values()],
    }
    settings = _settings(knowledge.values, None) | {"unlisted": knowledge.unlisted}
    return Sheet("marginal prior", columns, settings)


@to_sheet.register
def _(knowledge: ClassPrior) -> Sheet:
    rows = knowledge.distributions
    which, codes = np.nonzero(rows.listed)
    columns = _class_columns(knowledge.classes, which) | _listed_columns(rows, which, codes)
    settings = _settings(rows.values, knowledge.classes) | {"unlisted": rows.unlisted}
    return Sheet("class prior", columns, settings)


@to_sheet.register
def _(knowledge: TabulatedPrior) -> Sheet:
    if knowledge.otherwise is not None and not isinstance(knowledge.otherwise, UniformPrior):
        message = "A tabulated prior is written alone, or with a uniform prior for all others."
        raise KnowledgeError(message)
    rows = knowledge.distributions
    which, codes = np.nonzero(rows.listed)
    ids = knowledge.respondents.to_pylist()
    if not all(isinstance(one, str | int) and one != "" for one in ids):
        message = "Respondents in files are texts or whole numbers."
        raise KnowledgeError(message)
    columns = {"respondent": [ids[row] for row in which]} | _listed_columns(rows, which, codes)
    settings = _settings(rows.values, None) | {
        "unlisted": rows.unlisted,
        "otherwise": None if knowledge.otherwise is None else "uniform prior",
        "respondents": "texts" if all(isinstance(one, str) for one in ids) else "numbers",
    }
    return Sheet("tabulated prior", columns, settings)


@to_sheet.register
def _(knowledge: KernelPrior) -> Sheet:
    if knowledge.view is not None:
        message = (
            "A kernel prior with a corpus holds people's data and is not written. Write"
            " KernelPrior(bandwidth=...), and keep the corpus where it is."
        )
        raise KnowledgeError(message)
    return Sheet("kernel prior", settings={"bandwidth": float(knowledge.bandwidth)})


def _settings(values: Iterable[Value], classes: Classes | None) -> dict[str, Any]:
    known = list(values)
    odd = [one for one in known if not isinstance(one, str | int | float | bool) or one == ""]
    if odd:
        message = f"Values in files are texts, numbers or truth values, not {listed(odd)}."
        raise KnowledgeError(message)
    if len({str(one) for one in known}) < len(known):
        message = "Two values would be written alike, such as 1 and '1'. Rename one."
        raise KnowledgeError(message)
    if any(len(str(one)) > _LONGEST for one in known):
        message = f"Values in files have at most {_LONGEST:,} characters."
        raise KnowledgeError(message)
    return {"values": known, "classes": [] if classes is None else list(classes.names)}


def _class_columns(classes: Classes | None, class_of: np.ndarray) -> dict[str, list[Any]]:
    if classes is None:
        return {}
    clash = [
        name
        for name in classes.names
        if name in RESERVED or name.startswith("given") or name != name.strip() or not name
    ]
    if any(str(cell) == "" for row in classes.cells for cell in row):
        message = "A class has an empty cell, which a file could not tell from none."
        raise KnowledgeError(message)
    if clash:
        message = f"Class columns {listed(clash)} have names that the file needs. Rename them."
        raise KnowledgeError(message)
    return {
        name: [str(classes.cells[kind][place]) for kind in class_of]
        for place, name in enumerate(classes.names)
    }


def _context_columns(contexts: list[tuple[Value, ...]], steps: int) -> dict[str, list[Any]]:
    """Give each step back a column, oldest first; shorter contexts leave the oldest empty."""
    names = _context_names(steps)
    padded = [(None,) * (len(names) - len(context)) + context for context in contexts]
    return {name: [row[place] for row in padded] for place, name in enumerate(names)}


def _context_names(steps: int) -> list[str]:
    return [f"given_{back}" for back in range(steps, 1, -1)] + ["given"]


def _listed_columns(
    rows: Distributions, which: np.ndarray, codes: np.ndarray
) -> dict[str, list[Any]]:
    return {
        "value": [rows.values[code] for code in codes],
        "probability": rows.probabilities[which, codes].tolist(),
    }
