"""Draw a flame picture of a release: which function called which, and how long each took.

    py-spy record --function --idle --format raw --rate 200 --output stacks.txt -- \\
        python benchmarks/profile_release.py --tuples 1000000 --once
    python benchmarks/draw_flame.py stacks.txt [PICTURE]

py-spy is no part of ours; `pip install py-spy` brings it. Only what a press does is drawn, without
imports and libraries' own frames. A function that waits for kernels in other threads has the
time for which it waits, so widths are shares of the clock.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import altair as alt

HERE = Path(__file__).parent
FRAME = re.compile(r"(?P<function>.+) \((?P<file>[^:)]+)")
FEW = 0.004
"""Frames below this share of all samples are not drawn."""
LETTER = 0.0062
"""Share of the width that a letter takes."""


def frames(stack: str) -> list[str]:
    """Return the package's own functions in a stack, outermost first, from the press on."""
    if "importlib" in stack or "threading" in stack:
        return []
    found = [FRAME.match(one) for one in stack.split(";")]
    own = [one for one in found if one is not None and "seriatim/" in one["file"]]
    named = [f"{one['function']} ({Path(one['file']).stem})" for one in own]
    starts = [place for place, name in enumerate(named) if name.endswith("publish (press)")]
    return named[starts[0] :] if starts else []


def boxes(stacks: Path) -> list[dict]:
    """Return a box for each function in each place where it was called."""
    weights: dict[tuple[str, ...], int] = {}
    for line in stacks.read_text().splitlines():
        stack, _, samples = line.rpartition(" ")
        called = frames(stack)
        for depth in range(len(called)):
            place = tuple(called[: depth + 1])
            weights[place] = weights.get(place, 0) + int(samples)
    whole = sum(weight for place, weight in weights.items() if len(place) == 1)
    begins: dict[tuple[str, ...], float] = {}
    drawn = []
    for place in sorted(weights, key=lambda one: (len(one), one[:-1], -weights[one])):
        share = weights[place] / whole
        begin = begins.setdefault(place[:-1], 0.0)
        begins[place[:-1]] += share
        begins[place] = begin
        if share < FEW:
            continue
        room = int(share / LETTER)
        label = place[-1] if len(place[-1]) <= room else place[-1].split(" (")[0]
        label = label if len(label) <= room else label[: max(room - 1, 0)] + "…" * (room > 3)
        drawn.append(
            {
                "begin": begin,
                "end": begin + share,
                "depth": len(place),
                "function": label if room > 3 else "",
                "module": place[-1].rpartition("(")[2].rstrip(")"),
            }
        )
    return drawn


def main() -> None:
    stacks = Path(sys.argv[1])
    picture = Path(sys.argv[2]) if len(sys.argv) > 2 else HERE / "pictures" / "flame.svg"
    base = alt.Chart(alt.Data(values=boxes(stacks))).encode(
        x=alt.X(
            "begin:Q",
            title="share of the release's time",
            axis=alt.Axis(format="%"),
            scale={"nice": False},
        ),
        y=alt.Y("depth:O", title=None, axis=None, sort="descending"),
    )
    bars = base.mark_bar(stroke="white", strokeWidth=0.5, height=alt.RelativeBandSize(1)).encode(
        x2="end:Q",
        color=alt.Color("module:N", legend=None, scale={"scheme": "tableau20"}),
    )
    words = base.mark_text(align="left", dx=3, fontSize=10).encode(text="function:N")
    (bars + words).properties(width=1000, height=alt.Step(18)).save(str(picture))


if __name__ == "__main__":
    main()
