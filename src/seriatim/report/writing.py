"""Reports as files: the page, whole or not at all, and its charts as pictures."""

from __future__ import annotations

import contextlib
import datetime as dt
import os
import tempfile
from pathlib import Path
from typing import Any

from seriatim._temporary import forget, register
from seriatim.errors import StudyError
from seriatim.report.account import Account, SeriesAccount
from seriatim.report.charts import require_drawing, write_chart
from seriatim.report.judgement import judge
from seriatim.report.page import figures, page


def write_page(account: Account, path: str | Path, *, made_on: dt.date) -> Path:
    """Write the page of a report; a file that was there is replaced whole, or stays."""
    file = Path(path)
    content = page(account, made_on=made_on).encode()
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
        register(Path(name))
        try:
            with os.fdopen(handle, "wb") as new:
                new.write(content)
            Path(name).replace(file)
        except BaseException:
            with contextlib.suppress(OSError):
                Path(name).unlink()
            raise
        finally:
            forget(Path(name))
    except OSError as error:
        message = f"The report could not be written to {file}: {error.strerror}."
        raise StudyError(message) from None
    return file


def write_pictures(account: Account, folder: str | Path) -> list[Path]:
    """Write each chart of a report as SVG and as PNG."""
    require_drawing()
    written = []
    for one in figures(account):
        for ending in (".svg", ".png"):
            file = Path(folder) / f"{one.name}{ending}"
            write_chart(one.picture, file)
            written.append(file)
    return written


def key_figures_of(account: Account) -> dict[str, Any]:
    """Return verdict and key figures in plain values."""
    verdict, series = judge(account), account.judged
    strongest = series.strongest
    return {
        "verdict": verdict.label,
        "sentence": verdict.sentence,
        "not known": list(verdict.unknown),
        "target gain": account.target,
        "share known": account.share,
        "series": [
            {
                "name": one.name,
                "releases": len(one.tables) or None,
                **_of_strongest(one),
                "simulated reader's largest mean gain": _public(one.watched),
                "mean size of groups": one.mean_size,
                "global certainty penalty": one.penalty,
                "query error": one.query_error,
                "learnability": one.learnability,
                "suppressed": one.suppressed,
                "counterfeits": one.counterfeits,
            }
            for one in account.series
        ],
        "strongest reader": None if strongest is None else strongest.reader,
    }


def _of_strongest(series: SeriesAccount) -> dict[str, Any]:
    """Return what the strongest reader learned of a series, and who is worse than counting."""
    one = series.strongest
    return {
        "strongest reader": one and one.reader,
        "largest mean gain": one and one.gain_largest,
        "log-loss": one and one.log_loss,
        "log-loss of counting": one and one.log_loss_by_frequency,
        "right of what was said above 0.9": one and one.sure_and_right,
        "worse than counting": [reader.reader for reader in series.misled],
    }


def _public(gain: float | None) -> float | None:
    """Return a gain with the digits that certificates tell."""
    return None if gain is None else round(gain, 4)
