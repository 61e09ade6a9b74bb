"""A place for missing cells in a domain: one more category, one more branch of a tree."""

from __future__ import annotations

from dataclasses import replace

from seriatim.errors import PolicyError
from seriatim.microdata.attribute import QuasiIdentifier
from seriatim.microdata.categorical import Categorical
from seriatim.microdata.hierarchical import Hierarchical
from seriatim.microdata.sensitive import Sensitive


def with_label(attribute: QuasiIdentifier, label: str) -> QuasiIdentifier:
    """Return an attribute with a place for the label, where its domain is declared."""
    if isinstance(attribute, Categorical):
        return replace(attribute, values=with_value(attribute, label))
    assert isinstance(attribute, Hierarchical)
    if attribute.paths is not None:
        return replace(attribute, paths=_with_branch(attribute, label))
    values = with_value(attribute, label)
    if len(label) != 1 or any(_is_alike(value, label) for value in values or ()):
        message = (
            f"Values of {attribute.name!r} are masked from the right, so the label of its missing"
            " cells is a single character that no value begins with. Try label='?'."
        )
        raise PolicyError(message)
    return replace(attribute, values=values)


def _is_alike(value: str, label: str) -> bool:
    return value != label and value.startswith(label)


def with_value(
    attribute: Categorical | Hierarchical | Sensitive, label: str
) -> tuple[str, ...] | None:
    """Return a declared domain as texts, with the label at its end."""
    if attribute.values is None:
        return None
    values = tuple(attribute.values)
    if any(isinstance(value, bool) or not isinstance(value, str | int) for value in values):
        message = (
            f"Missing cells of {attribute.name!r} can be a category where its values are texts or"
            " whole numbers. Declare them as texts, or choose 'drop'."
        )
        raise PolicyError(message)
    texts = tuple(str(value) for value in values)
    return texts if label in texts else (*texts, label)


def _with_branch(attribute: Hierarchical, label: str) -> dict[str, tuple[str, ...]]:
    """Return the paths of a tree with the label as a branch of its own under the root."""
    paths = {
        str(leaf): tuple(str(node) for node in above)
        for leaf, above in (attribute.paths or {}).items()
    }
    if label in paths:
        return paths
    if any(label in above for above in paths.values()):
        message = f"{label!r} is a node of {attribute.name!r} with leaves. Choose another label."
        raise PolicyError(message)
    some = next(iter(paths.values()))
    roots = {above[-1] for above in paths.values() if above}
    under_root = (label,) * (len(some) - 1)
    return paths | {label: (*under_root, *roots) if len(roots) == 1 else (label,) * len(some)}
