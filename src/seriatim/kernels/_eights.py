"""Numbers by eights: what a processor does to eight of them at once, said to the compiler itself.

A compiler that sees only loops over a few numbers each asks for every one of them whether arrays
overlap and where the loop ends, and has forgotten by the next. Results are those of the loops:
every sum is added in the order of its numbers.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numba
from numba.core import cgutils
from numba.extending import intrinsic

EIGHT = 8
"""Numbers that a processor works on at once."""

# The compiler's own words have no types here.
_making: Any = cgutils
_ir: Any = _making.ir
_lane_number, _number = _ir.IntType(32), _ir.IntType(64)
_doubles = _ir.VectorType(_ir.DoubleType(), EIGHT)
_words = _ir.VectorType(_number, EIGHT)
_lanes = _ir.Constant(_words, list(range(EIGHT)))
_NOTHING = {_doubles: _ir.Constant(_doubles, [0.0] * EIGHT), _words: _ir.Constant(_words, [0] * 8)}


def _whole(value: int) -> Any:
    return _ir.Constant(_number, value)


def _alike(builder: Any, number: Any, kind: Any) -> Any:
    """Return eight times the same."""
    undefined = _ir.Constant(kind, _ir.Undefined)
    first = builder.insert_element(undefined, number, _ir.Constant(_lane_number, 0))
    everywhere = _ir.Constant(_ir.VectorType(_lane_number, EIGHT), [0] * EIGHT)
    return builder.shuffle_vector(first, undefined, everywhere)


def _first(builder: Any, count: Any) -> Any:
    """Return which of eight are among the first so many."""
    return builder.icmp_signed("<", _lanes, _alike(builder, count, _words))


def _there(builder: Any, data: Any, kind: Any, *places: Any) -> Any:
    """Return where eight of a kind lie, from the sum of some places on."""
    place = builder.gep(data, [functools.reduce(builder.add, places)])
    return builder.bitcast(place, kind.as_pointer())


def _eighths(builder: Any, length: Any) -> Any:
    """Return how many times eight some numbers need."""
    return builder.udiv(builder.add(length, _whole(EIGHT - 1)), _whole(EIGHT))


def _data(context: Any, builder: Any, signature: Any, given: Any, *places: int) -> list[Any]:
    """Return where the numbers of some arguments lie."""
    return [
        context.make_array(signature.args[place])(context, builder, given[place]).data
        for place in places
    ]


def _reading(typing: Any, source: Any, first: Any, length: Any, target: Any, to: Any) -> Any:
    """Tell the compiler what ``read_eights`` is made of."""

    def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        there, here = _data(context, builder, signature, given, 0, 3)
        _, first, length, _, to = given
        kind, wanted = there.type.pointee, _ir.VectorType(here.type.pointee, EIGHT)
        with _making.for_range(builder, _eighths(builder, length)) as loop:
            at = builder.mul(loop.index, _whole(EIGHT))
            place = _there(builder, there, _ir.VectorType(kind, EIGHT), first, at)
            found = builder.load(place, align=1)
            if kind != here.type.pointee:
                widened = builder.fpext if wanted == _doubles else builder.zext
                found = widened(found, wanted)
            some = _first(builder, builder.sub(length, at))
            found = builder.select(some, found, _NOTHING[wanted])
            builder.store(found, _there(builder, here, wanted, to, at), align=8)
        return context.get_dummy_value()

    word, number = numba.types.uint64, numba.types.int64
    return numba.types.void(source, word, number, target, word), generate


read_eights: Any = intrinsic(_reading)
"""Copy so many numbers from a place in an array to a place in one of doubles or words.

Called with the array, the first number, how many, the target, and where they go. Zeros come behind
them, up to eight; the eight must be there in both arrays."""


def _summing(typing: Any, numbers: Any, first: Any, length: Any) -> Any:
    """Tell the compiler what ``sum_of_eights`` is made of."""

    def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        (there,) = _data(context, builder, signature, given, 0)
        total = _making.alloca_once_value(builder, _ir.Constant(_ir.DoubleType(), 0.0))
        with _making.for_range(builder, _eighths(builder, given[2])) as loop:
            at = builder.mul(loop.index, _whole(EIGHT))
            eight = builder.load(_there(builder, there, _doubles, given[1], at), align=8)
            for lane in range(EIGHT):
                one = builder.extract_element(eight, _ir.Constant(_lane_number, lane))
                builder.store(builder.fadd(builder.load(total), one), total)
        return builder.load(total)

    kinds = numba.types.uint64, numba.types.int64
    return numba.types.float64(numbers, *kinds), generate


sum_of_eights: Any = intrinsic(_summing)
"""Return the sum of so many numbers from a place on, added in their order; zeros come behind them.

Called with the numbers, the first of them, and how many."""


def _dividing(
    typing: Any, numbers: Any, first: Any, length: Any, whole: Any, target: Any, to: Any
) -> Any:
    """Tell the compiler what ``write_shares`` is made of."""

    def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        there, here = _data(context, builder, signature, given, 0, 4)
        _, first, length, whole, _, to = given
        kind = _ir.VectorType(here.type.pointee, EIGHT)
        by = _alike(builder, whole, _doubles)
        with _making.for_range(builder, _eighths(builder, length)) as loop:
            at = builder.mul(loop.index, _whole(EIGHT))
            eight = builder.load(_there(builder, there, _doubles, first, at), align=8)
            found = builder.fdiv(eight, by)
            if kind != _doubles:
                found = builder.fptrunc(found, kind)
            some = _first(builder, builder.sub(length, at))
            _store_some(builder, found, _there(builder, here, kind, to, at), some)
        return context.get_dummy_value()

    word, number, double = numba.types.uint64, numba.types.int64, numba.types.float64
    return numba.types.void(numbers, word, number, double, target, word), generate


def _store_some(builder: Any, eight: Any, place: Any, some: Any) -> None:
    """Write some of eight numbers, and leave what lies at the places of the others."""
    name = {"double": "f64", "float": "f32"}[str(eight.type.element)]
    made = _ir.FunctionType(_ir.VoidType(), [eight.type, place.type, _lane_number, some.type])
    store = _making.get_or_insert_function(
        builder.module, made, f"llvm.masked.store.v{EIGHT}{name}.p0"
    )
    builder.call(store, [eight, place, _ir.Constant(_lane_number, 4), some])


write_shares: Any = intrinsic(_dividing)
"""Write so many numbers, divided by one, to a place in an array of doubles or singles.

Called with the numbers, the first, how many, the divisor, the target, and where they go."""


def _listing(
    typing: Any,
    n_weights: Any,
    first_weight: Any,
    across: Any,
    n_beliefs: Any,
    first_belief: Any,
    weights: Any,
    bases: Any,
    beliefs: Any,
    columns: Any,
    listed: Any,
    steps: Any,
    sums: Any,
) -> Any:
    """Tell the compiler what ``list_products`` is made of."""

    def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        n_weights, first_weight, across, n_beliefs, first_belief = given[:5]
        weights, bases, beliefs, columns, listed, steps, sums = _data(
            context, builder, signature, given, *range(5, 12)
        )
        total = _making.alloca_once(builder, _doubles)
        count = _eighths(builder, n_beliefs)
        # The last eight first: what they write behind their end, the first eight write over.
        with _making.for_range(builder, count) as block:
            behind = builder.sub(builder.sub(count, block.index), _whole(1))
            at = builder.mul(behind, _whole(EIGHT))
            belief = builder.load(_there(builder, beliefs, _doubles, first_belief, at), align=8)
            column = builder.load(_there(builder, columns, _words, first_belief, at), align=8)
            kept = _there(builder, sums, _doubles, first_belief, at)
            builder.store(builder.load(kept, align=8), total)
            with _making.for_range(builder, n_weights) as loop:
                place = builder.add(first_weight, loop.index)
                weight = builder.load(builder.gep(weights, [place]))
                base = builder.mul(builder.load(builder.gep(bases, [place])), across)
                product = builder.fmul(_alike(builder, weight, _doubles), belief)
                step = builder.add(_alike(builder, base, _words), column)
                to = builder.mul(loop.index, n_beliefs)
                builder.store(product, _there(builder, listed, _doubles, to, at), align=8)
                builder.store(step, _there(builder, steps, _words, to, at), align=8)
                builder.store(builder.fadd(builder.load(total), product), total)
            builder.store(builder.load(total), kept, align=8)
        return context.get_dummy_value()

    number, word = numba.types.int64, numba.types.uint64
    arrays = weights, bases, beliefs, columns, listed, steps, sums
    return numba.types.void(number, word, word, number, word, *arrays), generate


list_products: Any = intrinsic(_listing)
"""List the products of all weights and beliefs, weight by weight, and the step of each.

Called with how many weights, which is the first, how many columns a base has, how many beliefs,
which is the first; weights, bases, beliefs, columns; the products, the steps, and the products'
sums by belief: listed[i * n + j] = weights[i] * beliefs[j], steps[i * n + j] = bases[i] * across +
columns[j], sums[j] += listed[i * n + j]. Beliefs end with zeros, up to eight; the last products may
write eight numbers behind their end."""


def _adding(vectors: int) -> Callable[..., Any]:
    """Return what tells the compiler how to add rows, so many times eight numbers of each."""
    jumps = [_whole(EIGHT * number) for number in range(vectors)]

    def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        length, shift, begin, to = given[0], given[4], given[7], given[8]
        weights, steps, moves, table, totals = _data(
            context, builder, signature, given, 1, 2, 3, 5, 6
        )
        # The compiler keeps these in registers while rows are added.
        held = [_making.alloca_once(builder, _doubles) for _ in jumps]
        for one, jump in zip(held, jumps, strict=True):
            builder.store(builder.load(_there(builder, totals, _doubles, to, jump), align=8), one)
        with _making.for_range(builder, length) as loop:
            weight = builder.load(builder.gep(weights, [loop.index]))
            step = builder.load(builder.gep(steps, [loop.index]))
            place = builder.add(builder.load(builder.gep(moves, [step])), shift)
            many = _alike(builder, weight, _doubles)
            for one, jump in zip(held, jumps, strict=True):
                row = builder.load(_there(builder, table, _doubles, place, begin, jump), align=8)
                builder.store(builder.fadd(builder.load(one), builder.fmul(many, row)), one)
        for one, jump in zip(held, jumps, strict=True):
            builder.store(builder.load(one), _there(builder, totals, _doubles, to, jump), align=8)
        return context.get_dummy_value()

    def typed(
        typing: Any,
        length: Any,
        weights: Any,
        steps: Any,
        moves: Any,
        shift: Any,
        table: Any,
        totals: Any,
        begin: Any,
        to: Any,
    ) -> Any:
        number, word = numba.types.int64, numba.types.uint64
        arguments = number, weights, steps, moves, word, table, totals, word, word
        return numba.types.void(*arguments), generate

    return typed


add_rows_of_8: Any = intrinsic(_adding(1))
add_rows_of_24: Any = intrinsic(_adding(3))
"""Add rows of a table in a kernel, each times its weight, in their order, to eight or 24 totals.

Called with how many rows, their weights, the step of each, where a step leads, a shift, the table,
the totals, the first column, and which total is the first: totals[to + v] += weights[i] *
table[moves[steps[i]] + shift + begin + v]. A compiler that sees only the loop stores each total
after each row, and waits for it."""
