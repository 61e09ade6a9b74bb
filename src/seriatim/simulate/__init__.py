"""Made series: the paper's running example, and a small clinic."""

from seriatim.simulate.clinic import Clinic, clinic
from seriatim.simulate.running_example import RunningExample, running_example

__all__ = ["Clinic", "RunningExample", "clinic", "running_example"]
