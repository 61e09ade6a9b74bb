"""The page of a reproduction: the paper's claims beside what was measured."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from seriatim.experiments.claims import Claim
from seriatim.experiments.plans import Scale
from seriatim.experiments.recommendation import Recommendation
from seriatim.experiments.reproduction import Reproduction
from seriatim.report.figure import number
from seriatim.simulate.made import REGISTER

_STYLE = """
:root { color-scheme: light dark; --ink: #1c1c1c; --paper: #ffffff; --line: #d8d8d8; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #ececec; --paper: #161616; --line: #444444; }
  figure { background: #ffffff; border-radius: 6px; padding: .5rem; }
}
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; }
th, td { text-align: left; vertical-align: top; padding: .45rem .6rem;
  border-bottom: 1px solid var(--line); }
figure { margin: 1.5rem 0; overflow-x: auto; }
figure svg { max-width: 100%; height: auto; }
.verdict { font-weight: 600; white-space: nowrap; }
.reproduced::before { content: "✓ "; } .partly::before { content: "≈ "; }
.not-reproduced::before { content: "✗ "; }
small { color: inherit; opacity: .8; }
@media print { body { max-width: none; } figure { break-inside: avoid; } }
"""


def reproduction_page(found: Reproduction, pictures: Mapping[str, str], scale: Scale) -> str:
    """Return one HTML file with everything in it; pictures are SVG by the drawing's name."""
    sections = [
        "<h1>The paper's experiments, reproduced</h1>",
        f"<p>{_setup(scale)}</p>",
        "<h2>Claims</h2>",
        *_claims(found.claims),
        *_rehearsals(found.results.rehearsals),
        "<h2>Figures</h2>",
        "<p>Lines are means over seeds, bands their standard deviation, dashed lines the level"
        " that a claim names.</p>",
        *(
            f'<figure role="img" aria-label="{escape(drawing.title)}">'
            f"{pictures.get(drawing.name, '')}</figure>"
            for drawing in found.drawings
        ),
    ]
    for preset, claims in found.sensitivity:
        sections += [
            f"<h2>The same claims on the generator <i>{escape(preset)}</i></h2>",
            "<p>Shown for comparison: nothing was judged by it, one seed.</p>",
            *_claims(claims),
        ]
    body = "\n".join(sections)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>seriatim: the paper's experiments</title>\n<style>{_STYLE}</style>\n</head>\n"
        f"<body>\n{body}\n</body>\n</html>\n"
    )


def _setup(scale: Scale) -> str:
    # A register has no course of illness: only its people are drawn.
    drawn = "" if scale.presets[0] == REGISTER else "another course of illness and "
    return escape(
        f"{scale.views} releases of {scale.size:,} tuples; seeds: {scale.seeds} (each draws"
        f" {drawn}other people); generator {scale.presets[0]}, chosen before the"
        " first run; one set of parameters for all claims, those that Table IV prints in bold."
        " The reader is the paper's (Ω-estimate, marginal revision) unless a figure says otherwise."
        " Logarithms are base 2; the paper names neither its base nor a k for JS-reduce (10 here)."
    )


def _claims(claims: tuple[Claim, ...]) -> list[str]:
    """Return the paper's claims, and ours in a table of their own."""
    paper = tuple(one for one in claims if not one.ours)
    ours = tuple(one for one in claims if one.ours)
    parts = [_table(paper, "the paper says")] if paper else []
    if ours:
        parts += [
            "<p>Not the paper's: what we say of its readers and techniques, and of standing cells"
            " as a rehearsal recommends them.</p>",
            _table(ours, "we say"),
        ]
    return parts


def _rehearsals(found: tuple[Recommendation, ...]) -> list[str]:
    """Return what was recommended, for every setting and kind of knowledge."""
    if not found:
        return []
    rows = "\n".join(
        f"<tr><td>{escape(one.setting)}, seed {one.seed}</td><td>{escape(one.defender)}</td>"
        + (
            f'<td colspan="7">nothing recommended: {escape(one.reason)}</td></tr>'
            if one.cells is None
            else f"<td>{one.size}</td><td>{one.by}</td><td>{one.merges}</td><td>{one.k}</td>"
            f"<td>{number(one.gain)}</td><td>{number(one.penalty)}</td>"
            f"<td>{number(one.suppressed, '.2%')}</td></tr>"
        )
        for one in found
    )
    first = found[0]
    heads = (
        "where",
        "knowledge",
        "cell size",
        "placed",
        "merges",
        "k",
        "greatest gain",
        "GCP",
        "left out",
    )
    return [
        "<h2>What was rehearsed</h2>",
        f"<p>Standing cells are not set by hand. Before a series, a rehearsal of {first.releases}"
        " releases is drawn from the first view's roster and the defender's knowledge, and the"
        " finest cells are taken that keep the reader who looks back below"
        f" {first.target:g}, with a fifth of it in reserve. Figures are the rehearsal's own.</p>",
        "<table>\n<thead><tr>"
        + "".join(f"<th>{head}</th>" for head in heads)
        + f"</tr></thead>\n<tbody>\n{rows}\n</tbody>\n</table>",
    ]


def _table(claims: tuple[Claim, ...], says: str) -> str:
    rows = "\n".join(
        f"<tr><td>{escape(one.figure)}</td><td>{escape(one.says)}</td>"
        f"<td>{escape(one.measured)}{_reason(one)}</td>"
        f'<td class="verdict {one.verdict.replace(" ", "-")}">{escape(one.word)}</td></tr>'
        for one in claims
    )
    return (
        f"<table>\n<thead><tr><th>where</th><th>{says}</th><th>measured</th>"
        f"<th>verdict</th></tr></thead>\n<tbody>\n{rows}\n</tbody>\n</table>"
    )


def _reason(claim: Claim) -> str:
    return f"<br><small>{escape(claim.reason)}</small>" if claim.reason else ""
