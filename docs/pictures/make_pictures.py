"""Draw the pictures of README and docs that come from ``seriatim demo``.

    python docs/pictures/make_pictures.py

Runs the demo, draws its chart of gains (demo-gain.svg) with the report's own specification, and
takes a picture of the report's first screen (report.png) where chromium is installed. The study's
secret is new each time, so its curve differs a little from run to run.
"""

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


def main():
    """Make the demo, and draw."""
    with tempfile.TemporaryDirectory() as folder:
        demo = Path(folder) / "demo"
        command = [sys.executable, "-m", "seriatim", "demo", "--folder", str(demo)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        report = demo / "report.html"
        (HERE / "demo-gain.svg").write_text(gain_chart(report), encoding="utf-8")
        browser = shutil.which("chromium")
        if browser is not None:
            photograph(report, browser, HERE / "report.png")


def gain_chart(report):
    """Return the report's chart of gains as SVG, on white and at a fixed width."""
    text = report.read_text(encoding="utf-8")
    found = re.search(
        r'data-chart="gain".*?<script type="application/json">(.*?)</script>', text, re.DOTALL
    )
    spec = json.loads(found[1])["light"]
    spec |= {"background": "white", "padding": 12, "width": 680, "autosize": "pad"}
    return vl_convert.vegalite_to_svg(spec, vl_version="5.20")


def photograph(page, browser, target):
    """Write the first screen of a page."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        shown = chromium.new_page(viewport=SCREEN)
        shown.goto(page.as_uri(), wait_until="networkidle")
        shown.wait_for_timeout(1500)
        shown.screenshot(path=str(target))
        chromium.close()


if __name__ == "__main__":
    main()
