"""Knowledge read from a sheet."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from seriatim.errors import KnowledgeError, did_you_mean, listed
from seriatim.knowledge.automaton import Automaton
from seriatim.knowledge.class_prior import ClassPrior
from seriatim.knowledge.classes import Classes
from seriatim.knowledge.domain_knowledge import DomainKnowledge
from seriatim.knowledge.incremental import IncrementalKnowledge
from seriatim.knowledge.kernel_prior import KernelPrior
from seriatim.knowledge.marginal_prior import MarginalPrior
from seriatim.knowledge.mining import MinedKnowledge
from seriatim.knowledge.sheet import RESERVED, Sheet
from seriatim.knowledge.tabulated_prior import TabulatedPrior
from seriatim.knowledge.tempo import Period
from seriatim.knowledge.timed import PerPeriod, TransitionRates
from seriatim.knowledge.uniform_prior import UniformPrior


def from_sheet(sheet: Sheet) -> Any:
    """Return the prior or sequence model that a sheet holds."""
    kind: object = sheet.kind
    if not isinstance(kind, str) or kind not in _MAKERS:
        message = (
            f"There is no knowledge of the kind {sheet.kind!r}; possible are {listed(_MAKERS)}."
            f"{did_you_mean(sheet.kind, _MAKERS)}"
        )
        raise KnowledgeError(message)
    try:
        return _MAKERS[sheet.kind](sheet)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError):
        message = (
            f"The sheet of {sheet.kind} lacks something, or has it in another form: its columns"
            f" are {listed(sheet.columns)}, and in front of it stands {sheet.settings!r}."
        )
        raise KnowledgeError(message) from None


def _domain_knowledge(sheet: Sheet) -> Any:
    model = DomainKnowledge.from_table(
        sheet.columns,
        given=_given(sheet),
        classes=_classes(sheet),
        unlisted=sheet.settings.get("unlisted", "error"),
    )
    return _timed(model, sheet)


def _mined_knowledge(sheet: Sheet) -> Any:
    given = _given(sheet)
    steps = _whole(sheet.settings.get("steps", len(given)))
    contexts = [_context(row) for row in zip(*(sheet.columns[name] for name in given), strict=True)]
    if not contexts:
        message = "Mined knowledge needs counts, and there are none."
        raise KnowledgeError(message)
    following = sheet.columns["next"]
    named = dict.fromkeys([*(v for one in contexts for v in one), *following])
    listed_values = sheet.settings.get("values", [])
    values = [*listed_values, *(v for v in named if v is not None and v not in listed_values)]
    code_of = {value: code for code, value in enumerate(values)}
    kinds, classes = _class_numbers(sheet)
    rows: dict[tuple[int, tuple[int, ...]], int] = {}
    row_of = [
        rows.setdefault((kind, tuple(code_of[value] for value in context)), len(rows))
        for kind, context in zip(kinds, contexts, strict=True)
    ]
    counts = np.zeros((len(rows), len(values) + 1), dtype=np.int64)
    for row, value, count in zip(row_of, following, sheet.columns["count"], strict=True):
        if not 0 <= _whole(count) < 2**53:
            message = "Counts are whole numbers from 0."
            raise KnowledgeError(message)
        counts[row, len(values) if value is None else code_of[value]] += _whole(count)
    model = MinedKnowledge(
        tuple(values),
        tuple(context for _, context in rows),
        np.array([kind for kind, _ in rows], dtype=np.int64),
        counts[:, :-1],
        counts[:, -1],
        steps,
        sheet.settings.get("unseen", "suffix"),
        classes,
    )
    return _timed(model, sheet)


def _context(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return a context without its empty cells, which may only be the oldest."""
    filled = tuple(cell for cell in row if cell is not None)
    if row[len(row) - len(filled) :] != filled:
        message = "A context has an empty cell between two values. Leave only the oldest empty."
        raise KnowledgeError(message)
    return filled


def _whole(number: Any) -> int:
    """Return a whole number; anything else is an error."""
    if isinstance(number, bool) or not isinstance(number, int | float) or number != int(number):
        message = f"A whole number is needed, not {number!r}."
        raise KnowledgeError(message)
    return int(number)


def _whole_numbers(column: list[Any]) -> list[int]:
    """Return a column of whole numbers; mostly it is one already."""
    return column if set(map(type, column)) == {int} else [_whole(one) for one in column]


def _transition_rates(sheet: Sheet) -> Any:
    if not any(sheet.columns.values()) and "values" in sheet.settings:
        values = tuple(sheet.settings["values"])
        return _timed(TransitionRates(values, np.zeros((1, len(values), len(values)))), sheet)
    return _timed(TransitionRates.from_table(sheet.columns, classes=_classes(sheet)), sheet)


def _automaton(sheet: Sheet) -> Any:
    states, codes, kinds, classes = _automaton_places(sheet)
    values = tuple(sheet.settings["values"])
    n_states = max(states) + 1
    n_classes = 1 if classes is None else len(classes)
    next_value = np.full((n_classes, n_states, len(values)), np.nan)
    next_state = np.full((n_states, len(values)), -1)
    chances = [np.nan if one is None else one for one in sheet.columns["probability"]]
    next_value[kinds, states, codes] = chances
    next_state[states, codes] = _whole_numbers(sheet.columns["to"])
    known = ~np.isnan(next_value).any(axis=2)
    if (known != ~np.isnan(next_value).all(axis=2)).any():
        message = "A state has probabilities for all values, or for none where it is not known."
        raise KnowledgeError(message)
    period = sheet.settings.get("period")
    return Automaton(
        values,
        np.where(known[:, :, None], next_value, 0.0),
        next_state,
        _whole(sheet.settings.get("start", 0)),
        known,
        classes,
        bool(sheet.settings.get("deficient", False)),
        None if period is None else Period(period),
    )


def _automaton_places(sheet: Sheet) -> tuple[list[int], list[int], list[int], Classes | None]:
    """Return state, value and class of each row of an automaton's table."""
    if "values" not in sheet.settings:
        named = dict.fromkeys(sheet.columns["next"])
        sheet.settings["values"] = list(named)
    code_of = {value: code for code, value in enumerate(sheet.settings["values"])}
    unknown = set(sheet.columns["next"]) - code_of.keys()
    states = _whole_numbers(sheet.columns["state"])
    # Every state has a row, so there are no more states than rows.
    if unknown or not states or min(states) < 0 or max(states) >= len(states):
        message = (
            "Each row of an automaton has a state, counted from 0, and one of its values"
            f" {listed(code_of)}."
        )
        raise KnowledgeError(message)
    kinds, classes = _class_numbers(sheet)
    return states, list(map(code_of.__getitem__, sheet.columns["next"])), kinds, classes


def _incremental_knowledge(sheet: Sheet) -> Any:
    _, classes = _class_numbers(sheet)
    return _timed(IncrementalKnowledge(_whole(sheet.settings["steps"]), classes), sheet)


def _marginal_prior(sheet: Sheet) -> Any:
    if None in sheet.columns["value"]:
        message = "A row has a probability, and no value."
        raise KnowledgeError(message)
    pairs = dict(zip(sheet.columns["value"], sheet.columns["probability"], strict=True))
    if len(pairs) < len(sheet.columns["value"]):
        message = "A value has two probabilities. Keep one."
        raise KnowledgeError(message)
    return MarginalPrior(pairs, sheet.settings.get("unlisted", "error"))


def _class_prior(sheet: Sheet) -> Any:
    unlisted = sheet.settings.get("unlisted", "error")
    return ClassPrior.from_table(sheet.columns, classes=_classes(sheet), unlisted=unlisted)


def _tabulated_prior(sheet: Sheet) -> Any:
    if sheet.settings.get("respondents") == "texts":
        sheet.columns["respondent"] = [str(one) for one in sheet.columns["respondent"]]
    return TabulatedPrior.from_table(
        sheet.columns,
        unlisted=sheet.settings.get("unlisted", "error"),
        otherwise=UniformPrior() if sheet.settings.get("otherwise") else None,
    )


def _timed(model: Any, sheet: Sheet) -> Any:
    period = sheet.settings.get("period")
    return model if period is None else PerPeriod(model, period)


_MAKERS: dict[str, Callable[[Sheet], Any]] = {
    "domain knowledge": _domain_knowledge,
    "mined knowledge": _mined_knowledge,
    "transition rates": _transition_rates,
    "automaton": _automaton,
    "incremental knowledge": _incremental_knowledge,
    "uniform prior": lambda _: UniformPrior(),
    "marginal prior": _marginal_prior,
    "class prior": _class_prior,
    "tabulated prior": _tabulated_prior,
    "kernel prior": lambda sheet: KernelPrior(sheet.settings["bandwidth"]),
}


def _given(sheet: Sheet) -> list[str]:
    names = [name for name in sheet.columns if name == "given" or name.startswith("given_")]
    return sorted(names, key=lambda name: -int(name[6:]) if name[6:].isdigit() else 0)


def _classes(sheet: Sheet) -> list[str]:
    if "classes" in sheet.settings:
        return list(sheet.settings["classes"])
    given = _given(sheet)
    return [name for name in sheet.columns if name not in RESERVED and name not in given]


def _class_numbers(sheet: Sheet) -> tuple[list[int], Classes | None]:
    names = _classes(sheet)
    length = len(next(iter(sheet.columns.values()), []))
    if not names:
        return [0] * length, None
    cells = [sheet.columns[name] for name in names]
    rows = dict.fromkeys(zip(*cells, strict=True))
    numbers = {row: number for number, row in enumerate(rows)}
    kinds = list(map(numbers.__getitem__, zip(*cells, strict=True)))
    return kinds, Classes(tuple(names), tuple(numbers))
