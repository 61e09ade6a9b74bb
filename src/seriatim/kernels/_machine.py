"""What kernels ask of the machine beyond plain loops: memory in time, letters and bits.

None of it changes a result; a kernel without it is the same, and waits longer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numba.core import cgutils
from numba.extending import intrinsic

from seriatim._typing import FloatArray
from seriatim.kernels._jit import inner_kernel

_AT_ONCE = 8
"""Numbers that memory hands over at once."""

_LONG = 64
"""Numbers of a row that are fetched ahead, at most."""


def _fetching(typing: Any, array: Any, index: Any) -> Any:
    """Tell the compiler what ``fetch_ahead`` is made of."""
    making: Any = cgutils
    ir = making.ir

    def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        kind = signature.args[0]
        held = context.make_array(kind)(context, builder, given[0])
        numbers = making.unpack_tuple(builder, given[1]) if kind.ndim > 1 else [given[1]]
        place = making.get_item_pointer(context, builder, kind, held, numbers)
        word, address = ir.IntType(32), making.voidptr_t
        made = ir.FunctionType(ir.VoidType(), [address, word, word, word])
        ask = builder.module.declare_intrinsic("llvm.prefetch", [address], made)
        # Not into the nearest memory: it has room for few that are still on their way.
        to_read, keep_near, data = (ir.Constant(word, one) for one in (0, 2, 1))
        builder.call(ask, [builder.bitcast(place, address), to_read, keep_near, data])
        return context.get_dummy_value()

    return numba.types.void(array, index), generate


fetch_ahead: Any = intrinsic(_fetching)
"""Say in a kernel that an array's memory at an index will soon be needed; it changes no result.

People of one group are anywhere in a view, and a processor that is told in time need not wait
for them. The index is a number, or a tuple of them where the array has several axes."""


def _copying(typing: Any, to: Any, place: Any, source: Any, begin: Any, length: Any) -> Any:
    """Tell the compiler what ``copy_letters`` is made of."""
    making: Any = cgutils

    def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        places = [
            builder.gep(context.make_array(kind)(context, builder, array).data, [index])
            for kind, array, index in zip(
                signature.args[::2], given[:4:2], given[1:4:2], strict=False
            )
        ]
        making.raw_memcpy(builder, *places, given[4], 1)
        return context.get_dummy_value()

    return numba.types.void(to, place, source, begin, length), generate


copy_letters: Any = intrinsic(_copying)
"""Copy so many bytes to a place in an array from a place in another; all places are unsigned.

A loop copies one after the other, where the machine's own way takes many at once."""


@inner_kernel
def fetch_row(rows: FloatArray, row: np.uint64) -> None:
    """Let memory know that a row will soon be needed; of a long one its beginning will do."""
    end = min(rows.shape[1], _LONG)
    for place in range(0, end, _AT_ONCE):
        fetch_ahead(rows, (row, np.uint64(place)))
    # Rows begin anywhere, so the last number may be in a stretch of memory of its own.
    fetch_ahead(rows, (row, np.uint64(end - 1)))


_LETTERS = 64
"""Letters that are compared at once: as many as a word has bits."""


def _marking(typing: Any, letters: Any, place: Any, letter: Any) -> Any:
    """Tell the compiler what ``marks_of`` is made of."""
    making: Any = cgutils
    ir = making.ir
    block = ir.VectorType(ir.IntType(8), _LETTERS)
    everywhere = ir.Constant(ir.VectorType(ir.IntType(32), _LETTERS), [0] * _LETTERS)

    def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        held = context.make_array(signature.args[0])(context, builder, given[0])
        there = builder.bitcast(builder.gep(held.data, [given[1]]), block.as_pointer())
        nothing = ir.Constant(block, ir.Undefined)
        alike = builder.insert_element(nothing, given[2], ir.Constant(ir.IntType(32), 0))
        alike = builder.shuffle_vector(alike, nothing, everywhere)
        same = builder.icmp_unsigned("==", builder.load(there, align=1), alike)
        return builder.bitcast(same, ir.IntType(_LETTERS))

    kinds = numba.types.uint64, numba.types.uint8
    return numba.types.uint64(letters, *kinds), generate


marks_of: Any = intrinsic(_marking)
"""Return a word that says which of the 64 letters from a place on are a letter: bit i of the i-th.

All 64 must be there. Only where bytes of a word are counted from the least one."""


def _reading_word(typing: Any, letters: Any, place: Any) -> Any:
    """Tell the compiler what ``word_at`` is made of."""
    making: Any = cgutils
    word = making.ir.IntType(64)

    def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        held = context.make_array(signature.args[0])(context, builder, given[0])
        there = builder.bitcast(builder.gep(held.data, [given[1]]), word.as_pointer())
        return builder.load(there, align=1)

    return numba.types.uint64(letters, numba.types.uint64), generate


word_at: Any = intrinsic(_reading_word)
"""Return the eight letters from a place on as one word, the first in its lowest bits."""


def _counting(ask: Callable[..., Any]) -> Callable[..., Any]:
    """Return what tells the compiler to ask something of a word's bits."""

    def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        return ask(builder, given[0])

    def typed(typing: Any, word: Any) -> Any:
        return numba.types.int64(numba.types.uint64), generate

    return typed


def _lowest(builder: Any, word: Any) -> Any:
    making: Any = cgutils
    return builder.cttz(word, making.ir.Constant(making.ir.IntType(1), 0))


lowest_mark: Any = intrinsic(_counting(_lowest))
"""Return the place of the lowest bit of a word that is set, 64 where none is."""

count_marks: Any = intrinsic(_counting(lambda builder, word: builder.ctpop(word)))
"""Return how many bits of a word are set."""


def _storing_word(typing: Any, letters: Any, place: Any, value: Any) -> Any:
    """Tell the compiler what ``put_word`` is made of."""
    making: Any = cgutils
    word = making.ir.IntType(64)

    def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        held = context.make_array(signature.args[0])(context, builder, given[0])
        there = builder.bitcast(builder.gep(held.data, [given[1]]), word.as_pointer())
        builder.store(given[2], there, align=1)
        return context.get_dummy_value()

    kinds = numba.types.uint64, numba.types.uint64
    return numba.types.void(letters, *kinds), generate


put_word: Any = intrinsic(_storing_word)
"""Write a word as eight letters from a place on."""
