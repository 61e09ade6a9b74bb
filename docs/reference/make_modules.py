"""Write modules.md, every file of the package with its place; ``make reference`` runs it."""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "seriatim"
PAGE = Path(__file__).parent / "modules.md"
HEAD = """# Modules

Every file of the package, in the first words of its own docstring; packages from the top layer
to the bottom, and imports point downward only. Written by `make reference`. The ideas that hold
them together stand in `ARCHITECTURE.md`, in the repository.
"""


def place(file: Path) -> str:
    """Return the first sentence of a module, on one line."""
    told = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    return told.partition("\n\n")[0].replace("\n", " ").replace("|", "\\|")


def layers() -> list[str]:
    """Return the packages as the contract of imports lists them, the top first."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    for contract in settings["tool"]["importlinter"]["contracts"]:
        if contract["type"] == "layers":
            named = [name for layer in contract["layers"] for name in re.findall(r"\w+", layer)]
            return [name for name in named if (PACKAGE / name).is_dir()]
    return []


def lines() -> Iterator[str]:
    """Go through the page."""
    yield HEAD
    for name in layers():
        folder = PACKAGE / name
        yield f"## {name}\n\n{place(folder / '__init__.py')}\n\n| file | its place |\n|---|---|"
        for file in sorted(folder.rglob("*.py")):
            inner = file.name == "__init__.py"
            if file.parent == folder and inner:
                continue
            path = file.parent if inner else file
            yield f"| `{path.relative_to(folder).as_posix()}` | {place(file)} |"
        yield ""
    yield "## Beside the packages\n\n| file | its place |\n|---|---|"
    for file in sorted(PACKAGE.glob("*.py")):
        yield f"| `{file.name}` | {place(file)} |"


def reference() -> str:
    """Return the page."""
    return "\n".join(lines()) + "\n"


if __name__ == "__main__":
    PAGE.write_text(reference(), encoding="utf-8")
