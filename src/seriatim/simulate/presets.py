"""Hospitals with a name."""

from __future__ import annotations

from seriatim.errors import PolicyError, did_you_mean, listed
from seriatim.simulate.course import Model
from seriatim.simulate.literature import Literature
from seriatim.simulate.progression import Progression

PRESETS: dict[str, Model] = {
    "paper-like": Progression(),
    "mild": Progression(dwell_exponent=None, momentum=3.0, power=1.0, switch=0.3),
    "sharp": Progression(momentum=50.0, power=3.0, switch=0.01),
    "literature": Literature(),
}
"""
- ``paper-like``: attack curves like the paper's, and about as many individuals.
- ``mild``: dwell time and momentum weigh little, and three in ten results come as if anew;
  a past tells little.
- ``sharp``: rows raised to the third power and hardly a switch, everything else as in
  ``paper-like``: what one past leads to is nearly certain, so a reader who follows it wins most.
- ``literature``: stage transitions of the four diseases as published, by the week.
"""


def preset_by_name(preset: str | Model) -> Model:
    """Return a model given by name or as itself."""
    if not isinstance(preset, str) and hasattr(preset, "draw"):
        return preset
    if preset == "register":
        message = (
            "A register is no hospital: its people keep their diagnoses, and there is no course"
            " of illness to draw. Make it with register(people=..., releases=...)."
        )
        raise PolicyError(message)
    if not isinstance(preset, str) or preset not in PRESETS:
        message = (
            f"There is no preset {preset!r}; possible are {listed(PRESETS)}, and models such as"
            f" Progression().{did_you_mean(preset, PRESETS)}"
        )
        raise PolicyError(message)
    return PRESETS[preset]
