"""Names for the arrays and tables that travel through the package.

Arrays run (instants, respondents, values); a shorter array drops axes from the left.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

FloatArray: TypeAlias = npt.NDArray[np.float64]
SingleArray: TypeAlias = npt.NDArray[np.float32]
IntArray: TypeAlias = npt.NDArray[np.int64]
SmallIntArray: TypeAlias = npt.NDArray[np.int32]
HalfArray: TypeAlias = npt.NDArray[np.uint16]
BoolArray: TypeAlias = npt.NDArray[np.bool_]
ByteArray: TypeAlias = npt.NDArray[np.uint8]
WordArray: TypeAlias = npt.NDArray[np.uint64]

Value: TypeAlias = Hashable
"""A sensitive value or a category as the table writes it: a string, a number, a boolean."""

Instant: TypeAlias = Any
"""When a release is made: anything ordered, such as a number or a date."""

Table: TypeAlias = Any
"""A pandas, polars or pyarrow table, or a mapping from column names to columns."""
