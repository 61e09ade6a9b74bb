"""How far does looking back a few releases fall short of looking back over all of them?

    python validation/looking_back.py [--views 12] [--size 1500] [--lags 1,2,4,8] [--states 16,0]

Made hospitals are published on standing cells. For each lag: the greatest mean gain of a
release that the watch would have told, beside that of the reader who goes back over the whole
series, at what each release said when it came (one way) and passing messages both ways (whole
series). ``--states`` says how many states are remembered from before the window; with 0 the past
is carried by what it made expect alone.
"""

import argparse
from dataclasses import replace

import numpy as np

import seriatim as sr
from seriatim.inference.readers import named_readers
from seriatim.inference.retrospective import retrospect
from seriatim.inference.sights import Panel, sight_of
from seriatim.inference.smoothing import read_through
from seriatim.publish.traces import PANEL, followed, panel_numbers
from seriatim.publish.watch import gains_of


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--views", type=int, default=12)
    parser.add_argument("--size", type=int, default=1500)
    parser.add_argument("--lags", default="1,2,4,8")
    parser.add_argument("--states", default="16,0")
    parser.add_argument("--seeds", default="3,4,5")
    asked = parser.parse_args()
    lags, states, seeds = (
        [int(word) for word in words.split(",")]
        for words in (asked.lags, asked.states, asked.seeds)
    )
    for preset in ("mild", "paper-like"):
        found = np.mean([gains(preset, seed, asked, lags, states) for seed in seeds], axis=0)
        forward, one_way, whole, *told = found
        print(f"{preset}: forward {forward:.4f}, one way {one_way:.4f}, whole series {whole:.4f}")
        for row, count in enumerate(states):
            shares = [
                f"lag {lag}: {gain:.4f} ({gain / whole:.0%})"
                for lag, gain in zip(lags, told[row * len(lags) :], strict=False)
            ]
            print(f"  {count:2} states: " + ", ".join(shares), flush=True)


def gains(preset, seed, asked, lags, states) -> list[float]:
    """The greatest mean gains: forward, over the whole series (two ways), and for each lag."""
    made = sr.hospital(views=asked.views, size=asked.size, preset=preset, seed=seed)
    reader = sr.Adversary(made.prior, made.sequence, rule="strongest", filtering="joint")
    policy = replace(sr.js_reduce(k=10, t=0.5, j=0.6), partitioner=sr.StandingCells(20))
    publisher = sr.Publisher(made.schema, policy, reader, seed=1, panel=PANEL)
    series = []
    for at, table in enumerate(made.tables, start=1):
        publisher.publish(table, at=at)
        series.append(publisher.latest)
    releases, memberships = [one.release for one in series], [one.membership for one in series]
    one_way = retrospect(reader, releases, memberships, passes=0)
    whole = named_readers(["retrospective"], reader)["retrospective"].read(releases, memberships)
    read = read_through(reader, releases, memberships, keep_pasts=True)
    found = [
        greatest(series, [one.posterior for one in series]),
        greatest(series, one_way),
        greatest(series, whole),
    ]
    panels = [panel_of(one.trace.sight.numbers, one) for one in series]
    for count in states:
        traces = [
            replace(
                one.trace,
                sight=sight_of(
                    reader,
                    before,
                    impression.posterior.some(panel.rows),
                    panel,
                    states=count,
                ),
            )
            for one, panel, (before, impression) in zip(series, panels, read.steps, strict=True)
        ]
        for lag in lags:
            window, told = (), []
            for trace, one in zip(traces, series, strict=True):
                window = followed(trace, window, one.knowledge, lag)
                told.append(max(each.mean for each in window))
            found.append(max(told))
    return found


def panel_of(numbers, publication) -> Panel:
    """The panel of a publication: everyone, in the order of the numbers."""
    again = panel_numbers(publication.view.respondents, b"1")
    panel = Panel.of(again, publication.membership.published, PANEL)
    assert (panel.numbers == numbers).all()
    return panel


def greatest(series, beliefs) -> float:
    pairs = zip(series, beliefs, strict=True)
    return max(float(gains_of(one, belief).mean()) for one, belief in pairs)


if __name__ == "__main__":
    main()
