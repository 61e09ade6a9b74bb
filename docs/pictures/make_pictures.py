"""Draw the pictures of README and docs that come from ``seriatim demo`` and ``seriatim studio``.

    python docs/pictures/make_pictures.py

Runs the demo, draws its chart of gains (demo-gain.svg) with the report's own specification, and
where chromium is installed takes pictures of the report's first screen (report.png) and of three
screens of the studio (studio-….png) on the demo's tables. Secrets are new each time, so curves
differ a little from run to run.
"""

import collections
import contextlib
import csv
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import vl_convert

HERE = Path(__file__).parent
SCREEN = {"width": 1280, "height": 1080}
STUDIO = {"width": 1180, "height": 900}
WEEKS = 6


def main():
    """Make the demo, and draw."""
    with tempfile.TemporaryDirectory() as folder:
        demo = Path(folder) / "demo"
        command = [sys.executable, "-m", "seriatim", "demo", "--folder", str(demo)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        report = demo / "report.html"
        (HERE / "demo-gain.svg").write_text(gain_chart(report), encoding="utf-8")
        browser = shutil.which("chromium")
        if browser is None:
            return
        from playwright.sync_api import sync_playwright

        with sync_playwright() as playwright:
            chromium = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
            photograph(chromium, report)
            clinic = fresh_clinic(demo, Path(folder) / "clinic")
            with studio(clinic) as address:
                visit(chromium.new_page(viewport=STUDIO), address, someone(clinic))
            chromium.close()


def gain_chart(report):
    """Return the report's chart of gains as SVG, on white and at a fixed width."""
    text = report.read_text(encoding="utf-8")
    found = re.search(
        r'data-chart="gain".*?<script type="application/json">(.*?)</script>', text, re.DOTALL
    )
    spec = json.loads(found[1])["light"]
    spec |= {"background": "white", "padding": 12, "width": 680, "autosize": "pad"}
    return vl_convert.vegalite_to_svg(spec, vl_version="5.20")


def photograph(chromium, report):
    """Take the first screen of a report."""
    shown = chromium.new_page(viewport=SCREEN)
    shown.goto(report.as_uri())
    shown.wait_for_selector("html[data-drawn]")
    shown.screenshot(path=str(HERE / "report.png"))
    shown.close()


def fresh_clinic(demo, clinic):
    """Copy the demo's tables and study; nothing of it is published."""
    (clinic / "views").mkdir(parents=True)
    for week in range(1, WEEKS + 1):
        shutil.copy(demo / "views" / f"week-{week}.csv", clinic / "views")
    for name in ("knowledge.csv", "prior.csv"):
        shutil.copy(demo / name, clinic)
    text = (demo / "study.toml").read_text(encoding="utf-8")
    text = text.replace("releases = 12", f"releases = {WEEKS}")
    (clinic / "study.toml").write_text(text, encoding="utf-8")
    return clinic


def someone(clinic):
    """Return a respondent who had the same disease in many weeks: there is something to follow."""
    seen = collections.Counter()
    for file in (clinic / "views").iterdir():
        with file.open(encoding="utf-8", newline="") as rows:
            found = csv.DictReader(rows)
            seen.update((row["patient"], row["exam"]) for row in found if "-pos" in row["exam"])
    return min(seen, key=lambda one: (-seen[one], one))[0]


@contextlib.contextmanager
def studio(folder):
    """Run the studio, and hand out its address."""
    command = [sys.executable, "-u", "-m", "seriatim", "studio", str(folder), "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield next(filter(None, (re.search(r"http://\S+", one) for one in process.stdout)))[0]
        finally:
            process.terminate()


def visit(page, address, respondent):
    """Rehearse, publish and follow someone, and take a picture of each."""
    page.emulate_media(reduced_motion="reduce")
    page.set_default_timeout(300_000)
    page.goto(address)
    base = page.url.rstrip("/")
    page.goto(f"{base}/rehearse?study=study.toml")
    page.check('input[value="views/week-1.csv"]')
    page.get_by_role("button", name="Rehearse").click()
    page.wait_for_selector("table.pick")
    page.wait_for_selector(".drawing.drawn svg")
    take(page, "studio-rehearse", to=".chart")
    page.get_by_role("button", name="Write the chosen setting").click()
    page.wait_for_selector("text=The setting is written")
    page.goto(f"{base}/publish?study=study.toml")
    for week in range(1, WEEKS + 1):
        page.select_option("#view", f"views/week-{week}.csv")
        page.get_by_role("button", name="Preview").click()
        page.wait_for_selector("text=would be published")
        if week == WEEKS:
            take(page, "studio-publish", to=".group")
        page.get_by_role("button", name="Publish release").click()
        page.wait_for_selector("text=is published")
    page.goto(f"{base}/follow?study=study.toml")
    page.fill("#respondent", respondent)
    page.get_by_role("button", name="Follow").click()
    page.wait_for_selector("#course")
    for _ in range(2):
        page.click('[data-step="1"]')
    take(page, "studio-follow", to="#course .frame:not([hidden])")


def take(page, name, *, to):
    """Take a page down to the end of something; where it lies on this machine stays untold."""
    page.evaluate("document.querySelector('.where').textContent = '/srv/clinic'")
    page.mouse.move(0, 0)
    box = page.locator(to).first.bounding_box()
    above = page.evaluate("scrollY")
    height = box["y"] + above + box["height"] + 40
    clip = {"x": 0, "y": 0, "width": STUDIO["width"], "height": height}
    page.screenshot(path=str(HERE / f"{name}.png"), full_page=True, clip=clip)


if __name__ == "__main__":
    main()
