"""Made series by the name of their preset: hospitals, and the register."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from seriatim.errors import PolicyError, did_you_mean, listed
from seriatim.simulate.hospital import Hospital, hospital
from seriatim.simulate.presets import PRESETS
from seriatim.simulate.ranges import require_whole_between
from seriatim.simulate.register import Register, register

REGISTER = "register"
"""The preset that is no hospital."""

NAMES = (*PRESETS, REGISTER)
"""All presets."""

_OTHERS = 2**40
"""How far the seeds of other people's registers lie apart."""

_NOTHING: Mapping[str, Any] = {}


def made_series(
    preset: str,
    *,
    views: int | None = None,
    size: int | None = None,
    seed: int = 1,
    patients: int = 0,
    settings: Mapping[str, Any] = _NOTHING,
) -> Hospital | Register:
    """Make the series of a preset.

    ``size`` is that of each view, or how many are enrolled in a register; what is left out is as
    ``hospital`` and ``register`` have it. ``settings`` are those of ``register`` alone. Another
    number of ``patients`` has other people, drawn from the same knowledge.

    >>> made_series("mild", views=2, size=50)
    Hospital(2 views of 50 tuples, seed 1)
    >>> made_series("register", settings={"stays": 0.99})
    Register(8 releases of 500 people, seed 1)
    """
    if preset not in NAMES:
        message = (
            f"There is no preset {preset!r}; possible are {listed(NAMES)}."
            f"{did_you_mean(preset, NAMES)}"
        )
        raise PolicyError(message)
    if preset != REGISTER:
        _require_none(settings, preset)
        shape = {"views": views, "size": size}
        return hospital(preset=preset, seed=seed, patients=patients, **_given(shape))
    for name, number in _given({"views": views, "size": size}).items():
        require_whole_between(name, number, 1, 100_000_000)
    require_whole_between("seed", seed, 0, 2**62)
    require_whole_between("patients", patients, 0, 1_000_000)
    shape = {"people": size, "releases": views}
    return register(seed=seed + patients * _OTHERS, **_given(shape), **settings)


def _given(shape: dict[str, int | None]) -> dict[str, Any]:
    return {name: number for name, number in shape.items() if number is not None}


def _require_none(settings: Mapping[str, Any], preset: str) -> None:
    """Refuse settings of the register for another preset."""
    if settings:
        names, be = listed(settings), "are" if len(settings) > 1 else "is"
        message = (
            f"{names} {be} free for the preset {REGISTER!r} alone,"
            f" and the preset is {preset!r}. Leave {names} out, or ask for {REGISTER!r}."
        )
        raise PolicyError(message)
