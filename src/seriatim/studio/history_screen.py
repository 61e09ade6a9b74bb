"""History: what was published, what the reader gained by it, and whether the chain is whole."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from seriatim.publish.certificate_file import CERTIFICATE_ENDING
from seriatim.publish.study import Study
from seriatim.publish.verify import verify_chain
from seriatim.publish.watch import recorded_gains
from seriatim.studio.charts import gain_curve
from seriatim.studio.commands import command
from seriatim.studio.pages import open_study, page, waiting_page
from seriatim.studio.series import instant_of, records, shown_folder


def show(request: Request) -> Response:
    """Show the releases of a study in a line."""
    name, study = open_study(request)
    if waiting := waiting_page(request, name, "history", "History"):
        return waiting
    releases = [_told(one, study) for one in records(study)]
    target = study.plan.target
    planned = study.plan.releases
    known = [one[way] for one in releases for way in ("gain", "back") if one[way] is not None]
    return page(
        request,
        "history.html",
        title="History",
        study=name,
        screen="history",
        releases=releases,
        plan=study.plan,
        chart=gain_curve(releases, target, planned) if known else None,
        greatest=max(known, default=None),
        differs=any(one["differences"] for one in releases),
        lists=any(one["listing"] for one in releases),
        singles_out=any(one["singled_out"] for one in releases),
        command=command("history", study=name),
        verify_command=command("verify", shown_folder(study, name)),
    )


def chain(request: Request) -> Response:
    """Verify every release from its files, as anyone can who has them."""
    name, study = open_study(request)
    files = sorted(study.output_folder.glob(f"*{CERTIFICATE_ENDING}"))
    found = verify_chain(files) if files else ()
    return page(
        request,
        "parts/chain.html",
        found=found,
        good=sum(one.holds for one in found),
        study=name,
    )


def _told(record: dict[str, Any], study: Study) -> dict[str, Any]:
    certificate = record["certificate"]
    there = [name for name in certificate["files"] if (study.output_folder / name).is_file()]
    worst = {one["name"]: one["worst"] for one in certificate["measured"]}
    gains = recorded_gains(record)
    return {
        "number": certificate["number"],
        "at": instant_of(certificate),
        "tuples": certificate["tuples"],
        "groups": certificate["groups"],
        "suppressed": certificate["suppressed"],
        "counterfeits": certificate["counterfeits"],
        "worst": worst,
        "penalty": certificate["detail lost"].get("global certainty penalty"),
        "singled_out": max(certificate.get("singled out", {}).values(), default=None),
        "differences": certificate.get("differences"),
        "listing": certificate.get("listing"),
        "gain": gains[0],
        "back": gains[1],
        "over": any(gain is not None and gain > study.plan.target for gain in gains),
        "files": len(there),
        "all_files": len(certificate["files"]),
    }


ROUTES = (("GET", "/history", show), ("GET", "/history/chain", chain))
