"""Draw where the time of a release goes, before and after, as shares of the floor.

    python benchmarks/draw_phases.py [RECORDED] [PICTURE]

From ``recorded/releases.json``, whose entries are what ``profile_release.py --json`` prints.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import altair as alt

HERE = Path(__file__).parent
FEW = 0.02
"""Phases below this share of a release are drawn together."""


def main() -> None:
    given = [Path(one) for one in sys.argv[1:]]
    recorded = given[0] if given else HERE / "recorded" / "releases.json"
    picture = given[1] if len(given) > 1 else HERE / "pictures" / "phases.svg"
    found = json.loads(recorded.read_text())
    bars = []
    for when in ("before", "after"):
        for one in found[when].values():
            if one["partitioner"] != "hilbert-greedy" or one["tuples"] < 100_000:
                continue
            shares: dict[str, float] = {}
            for phase, seconds in one["phases"].items():
                name = phase if seconds >= FEW * one["release seconds"] else "the rest"
                shares[name] = shares.get(name, 0.0) + seconds / one["floor seconds"]
            bars += [
                {"release": f"{one['tuples']:,} tuples, {when}", "phase": name, "floors": share}
                for name, share in shares.items()
            ]
    chart = (
        alt.Chart(alt.Data(values=bars))
        .mark_bar()
        .encode(
            x=alt.X("floors:Q", title="times reading, sorting and writing the same table"),
            y=alt.Y("release:N", title=None, sort=None),
            color=alt.Color("phase:N", sort=None, title=None, scale={"scheme": "tableau20"}),
            order=alt.Order("floors:Q", sort="descending"),
        )
        .properties(width=620, height=alt.Step(34))
    )
    chart.save(str(picture))


if __name__ == "__main__":
    main()
