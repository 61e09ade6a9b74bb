"""The rounds of SHA-256 for sixteen texts at once, said to the compiler itself.

A state is eight words and a block sixteen, each with a lane for every text: all of them stay in
registers from the first round to the last, which a compiler that sees loops over arrays does not
dare. The rounds are those of ``sha256.py``.
"""

from __future__ import annotations

from typing import Any

import numba
from numba.core import cgutils
from numba.extending import intrinsic

from seriatim.kernels.sha256 import ROUNDS

LANES = 16
"""Texts that are stirred side by side."""

# The compiler's own words have no types here.
_making: Any = cgutils
_ir: Any = _making.ir
_lanes = _ir.VectorType(_ir.IntType(32), LANES)


def _everywhere(number: int) -> Any:
    return _ir.Constant(_lanes, [number] * LANES)


class _Words:
    """Writes down what is done to words of all lanes."""

    def __init__(self, builder: Any) -> None:
        self._builder = builder

    def turned(self, word: Any, *bits: int) -> Any:
        """Return a word turned to the right by each of some bits, in exclusive disjunction."""
        high, low = self._builder.shl, self._builder.lshr
        turned = [
            self._builder.or_(low(word, _everywhere(one)), high(word, _everywhere(32 - one)))
            for one in bits
        ]
        return self.differing(*turned)

    def shifted(self, word: Any, bits: int) -> Any:
        return self._builder.lshr(word, _everywhere(bits))

    def differing(self, first: Any, *others: Any) -> Any:
        for one in others:
            first = self._builder.xor(first, one)
        return first

    def added(self, first: Any, *others: Any) -> Any:
        for one in others:
            first = self._builder.add(first, one)
        return first

    def choice(self, which: Any, one: Any, other: Any) -> Any:
        both = self._builder.and_
        return self.differing(both(which, one), both(self._builder.not_(which), other))

    def majority(self, *three: Any) -> Any:
        both, (one, two, last) = self._builder.and_, three
        return self.differing(both(one, two), both(one, last), both(two, last))

    def scheduled(self, words: list[Any], place: int) -> Any:
        """Return the word of a round behind the first sixteen."""
        late, early = words[place - 2], words[place - 15]
        late = self.differing(self.turned(late, 17, 19), self.shifted(late, 10))
        early = self.differing(self.turned(early, 7, 18), self.shifted(early, 3))
        return self.added(words[place - 16], early, words[place - 7], late)


def _stirring(typing: Any, states: Any, words: Any) -> Any:
    """Tell the compiler what ``stir_lanes`` is made of."""

    def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        def places(argument: int, count: int) -> list[Any]:
            kind = signature.args[argument]
            data = context.make_array(kind)(context, builder, given[argument]).data
            first = builder.bitcast(data, _lanes.as_pointer())
            numbers = [_ir.Constant(_ir.IntType(64), number) for number in range(count)]
            return [builder.gep(first, [number]) for number in numbers]

        do = _Words(builder)
        kept = places(0, 8)
        before = [builder.load(place, align=4) for place in kept]
        block = [builder.load(place, align=4) for place in places(1, 16)]
        a, b, c, d, e, f, g, h = before
        for place, constant in enumerate(ROUNDS.tolist()):
            if place >= 16:
                block.append(do.scheduled(block, place))
            first = do.added(h, do.turned(e, 6, 11, 25), do.choice(e, f, g), block[place])
            first = do.added(first, _everywhere(constant))
            second = do.added(do.turned(a, 2, 13, 22), do.majority(a, b, c))
            h, g, f, e = g, f, e, do.added(d, first)
            d, c, b, a = c, b, a, do.added(first, second)
        for place, old, new in zip(kept, before, (a, b, c, d, e, f, g, h), strict=True):
            builder.store(do.added(old, new), place, align=4)
        return context.get_dummy_value()

    return numba.types.void(states, words), generate


stir_lanes: Any = intrinsic(_stirring)
"""Stir a block into each lane's state; states run (8, lanes), words (16, lanes), of 32 bits."""
