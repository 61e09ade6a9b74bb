"""The command line: the library's thin twin, with the same words.

Exit codes: 0 done; 1 the data or a guarantee does not allow it; 2 bad usage or
configuration; 3 the store is locked, damaged or the key is wrong; 70 a defect of
seriatim itself; 71 no memory, no room on the disk or no permission; 129, 130, 141 and 143
ended by a signal.
"""

from seriatim.cli.app import main

__all__ = ["main"]
