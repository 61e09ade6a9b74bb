"""``seriatim audit --engine shards`` and ``--engine spark``: a study's own series, where it lies.

Who was in which group stands in the series' records, so no release is read back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from seriatim.cli.common import console, figure, print_json, progress_counting, table_of
from seriatim.cli.sharded import running_engine, source_of
from seriatim.engines.attack import ReleaseExposure
from seriatim.engines.of_study import series_of
from seriatim.errors import PolicyError
from seriatim.inference.adversary import Adversary
from seriatim.inference.readers import READERS, named_readers
from seriatim.measure.strongest import WORSE, is_worse_than_counting
from seriatim.publish.study import Study

_FORWARD = tuple(name for name in READERS if name != "retrospective")


def audit_in_shards(
    originals: Sequence[str],
    study: Study,
    *,
    engine: str,
    master: str | None,
    settings: list[str],
    readers: Sequence[str],
    as_json: bool,
) -> None:
    """Attack a series that was made in shards, and tell what each reader learned."""
    named = _forward(readers, study)
    series = series_of(study)
    steps = len(originals) * (1 + len(named))
    with (
        progress_counting(steps, quiet=as_json) as reached,
        running_engine(
            engine,
            study.declared.engine.master if master is None else master,
            settings,
            reached,
        ) as running,
    ):
        found = running.audit(series, [source_of(one) for one in originals], named)
    if as_json:
        print_json({"releases": [asdict(one) for one in found]})
    else:
        _print(found)


def _forward(names: Sequence[str], study: Study) -> dict[str, Adversary]:
    """Return readers by name; to look back, one machine must hold a whole history."""
    found = named_readers(names or _FORWARD, study.adversary)
    forward = {name: one for name, one in found.items() if isinstance(one, Adversary)}
    if len(forward) < len(found):
        message = (
            "An engine over shards has no reader who looks back. Name snapshot, paper or joint, or"
            " audit the released files on one machine: seriatim audit RELEASE … -o VIEW …"
        )
        raise PolicyError(message)
    return forward


def _print(found: Sequence[ReleaseExposure]) -> None:
    titles = ("reader", "at", "tuples", "gain", "log-loss", "counting", "sure above .9", "right")
    table = table_of(
        *titles,
        "",
        left=("reader", "at", ""),
        title="What each reader learned, release by release",
    )
    for one in found:
        table.add_row(
            one.reader,
            str(one.at),
            f"{one.tuples:,}",
            figure(one.gain),
            figure(one.log_loss, ".2f"),
            figure(one.log_loss_by_frequency, ".2f"),
            figure(one.sure_above_nine_tenths, ".1%"),
            figure(one.sure_and_right, ".0%"),
            WORSE if is_worse_than_counting(one) else "",
        )
    shown = console()
    shown.print(table)
    shown.print(
        "Gain is what is known beyond counting; log-loss in bits, lower knows more. Right: of what"
        " was said above .9.",
        style="dim",
    )
