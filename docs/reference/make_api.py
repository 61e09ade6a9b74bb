"""Write docs/reference/api/ from the list of public names; ``make reference`` runs it."""

import ast
import inspect
from pathlib import Path

import seriatim

HERE = Path(__file__).parent
STUB = HERE.parents[1] / "src" / "seriatim" / "__init__.pyi"
TITLES = {
    "microdata": "microdata: naming things",
    "knowledge": "knowledge: what a reader may know",
    "inference": "inference: thinking like the reader",
    "privacy": "privacy: what a group must satisfy",
    "partition": "partition: forming groups",
    "measure": "measure: what came of it",
    "publish": "publish: making a series",
    "engines": "engines: where the work runs",
    "audit": "audit: attacking a series",
    "experiments": "experiments: trying techniques",
    "simulate": "simulate: made data",
    "errors": "errors: whose move it is",
}


PARTS = (
    "privacy.Measured",
    "privacy.Tally",
    "privacy.Evidence",
    "partition.Partitioner",
    "partition.Partition",
    "partition.SerialPartitioner",
    "knowledge.prior.Prior",
    "knowledge.automaton.SequenceModel",
    "inference.rules.PosteriorRule",
    "publish.Store",
)
"""What one builds on who writes a part of their own; ``seriatim.checks`` has the laws."""


def public_names() -> dict[str, list[str]]:
    """Return the public names by the package they come from, in the order of their list."""
    names: dict[str, list[str]] = {}
    for statement in ast.parse(STUB.read_text(encoding="utf-8")).body:
        if isinstance(statement, ast.ImportFrom) and statement.module != "_version":
            package = statement.module.split(".")[0]
            names.setdefault(package, []).extend(one.name for one in statement.names)
    return names


def pages() -> dict[str, str]:
    """Return the pages, by file name."""
    names = public_names()
    written = {f"{package}.md": _page(package, below) for package, below in names.items()}
    order = [*(one for one in TITLES if one in names), *sorted(set(names) - set(TITLES))]
    return written | {"parts.md": _parts(), "index.md": _index(order, names)}


def _page(package: str, names: list[str]) -> str:
    module = __import__(f"seriatim.{package}", fromlist=["_"])
    lines = [
        f"# {TITLES.get(package, package)}",
        "",
        inspect.cleandoc(module.__doc__ or "").split("\n\n", 1)[0].replace("``", "`"),
        "",
    ]
    for name in sorted(names, key=str.lower):
        thing = getattr(seriatim, name)
        kind = "autoclass" if inspect.isclass(thing) else "autofunction"
        # Exceptions of Python have members of their own, which say nothing of ours.
        plain = inspect.isclass(thing) and issubclass(thing, BaseException)
        lines += [
            f"## {name}",
            "",
            "```{eval-rst}",
            f".. {kind}:: seriatim.{name}",
            *(["   :no-members:"] if plain else []),
            "```",
            "",
        ]
    return "\n".join(lines)


def _parts() -> str:
    lines = [
        "# Parts of your own",
        "",
        "What one builds on who writes a requirement, a partitioner, a prior, a sequence model, a"
        " rule or a store ([how](../../how-to/extend.md)), and the laws that it must keep.",
        "",
    ]
    for name in PARTS:
        lines += [f"## {name.rsplit('.', 1)[1]}", "", "```{eval-rst}"]
        lines += [f".. autoclass:: seriatim.{name}", "```", ""]
    lines += ["## Laws", "", "```{eval-rst}", ".. automodule:: seriatim.checks"]
    return "\n".join([*lines, "   :imported-members:", "```", ""])


def _index(order: list[str], names: dict[str, list[str]]) -> str:
    lines = [
        "# Python",
        "",
        "Made by `make reference` from the public names; do not edit. All of them are imported from"
        " the package itself: `import seriatim as sr`, then `sr.Publisher`.",
        "",
        "In signatures, `FloatArray`, `IntArray`, `BoolArray` and so on are numpy arrays. Axes"
        " run (instants, respondents, values); a `Table` is a pandas, polars or pyarrow table, or a"
        " mapping of columns; an `Instant` is a number or a date.",
        "",
        "| package | names |",
        "|---|---|",
    ]
    for package in order:
        listed = ", ".join(
            f"[`{name}`]({package}.md#{name.lower()})"
            for name in sorted(names[package], key=str.lower)
        )
        lines.append(f"| [{package}]({package}.md) | {listed} |")
    lines.append("| [parts](parts.md) | what parts of your own build on, and their laws |")
    return "\n".join([*lines, "", "```{toctree}", ":hidden:", "", *order, "parts", "```", ""])


def main() -> None:
    """Write the pages, and remove those of packages that are no more."""
    folder = HERE / "api"
    folder.mkdir(exist_ok=True)
    made = pages()
    for old in set(folder.glob("*.md")) - {folder / name for name in made}:
        old.unlink()
    for name, text in made.items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
