"""Made series: the paper's running example, a small clinic, hospitals and registers of any size."""

from seriatim.simulate.clinic import Clinic, clinic
from seriatim.simulate.disease import Disease
from seriatim.simulate.hospital import Hospital, hospital
from seriatim.simulate.literature import Literature
from seriatim.simulate.progression import Progression
from seriatim.simulate.register import Register, register
from seriatim.simulate.running_example import RunningExample, running_example

__all__ = [
    "Clinic",
    "Disease",
    "Hospital",
    "Literature",
    "Progression",
    "Register",
    "RunningExample",
    "clinic",
    "hospital",
    "register",
    "running_example",
]
