"""The documents name files that exist, and things that these files define."""

import re

import pytest

from documents import DOCUMENTS, ROOT


@pytest.mark.parametrize(
    "document", DOCUMENTS, ids=lambda document: str(document.relative_to(ROOT))
)
def test_document__links_to_files_that_exist(document):
    links = re.findall(r"\]\((?!https?:)([^)#]+)", document.read_text(encoding="utf-8"))
    assert [link for link in links if not (document.parent / link).exists()] == []


@pytest.mark.parametrize("document", ["ARCHITECTURE.md", "docs/paper-map.md"])
def test_document__names_source_files_that_exist(document):
    text = (ROOT / document).read_text(encoding="utf-8")
    named = re.findall(r"\b((?:\w+/)+\w+\.py)\b", text)
    roots = (ROOT, ROOT / "src" / "seriatim")
    assert named
    assert [name for name in named if not any((root / name).exists() for root in roots)] == []


def test_paper_map__names_things_that_the_file_defines():
    text = (ROOT / "docs" / "paper-map.md").read_text(encoding="utf-8")
    for _, names, files in re.findall(r"^\|(.*?)\|(.*?)\|(.*?)\|$", text, re.MULTILINE):
        paths = re.findall(r"`(\S+\.py)`", files)
        source = "".join((ROOT / "src/seriatim" / path).read_text("utf-8") for path in paths)
        for name in re.findall(r"`(\w+)(?:\.\w+)?`", names):
            assert not paths or re.search(rf"\b{name}\b", source), name


def test_architecture__describes_every_package():
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    packages = {path.parent.name for path in (ROOT / "src/seriatim").glob("*/__init__.py")}
    assert {name for name in packages if f"| `{name}` |" not in text} == set()
