"""Made series: the paper's running example."""

from seriatim.simulate.running_example import RunningExample, running_example

__all__ = ["RunningExample", "running_example"]
