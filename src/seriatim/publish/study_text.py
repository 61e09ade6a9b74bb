"""A proposed study as the text of study.toml, each choice with its reason."""

from __future__ import annotations

from seriatim.errors import StudyError
from seriatim.publish.propose import ColumnProposal, Part, Proposal
from seriatim.publish.toml_text import toml_comment, toml_key, toml_value

_CHOICES = """
[input]
missing = "{missing}"
repeated = "error"

[plan]
# How many releases there will be: groups then stand on cells that stay for the series.
releases = 12
# At most this share of people is ever known: of whom a reader who has read all releases believes a
# true value above this. `rehearse` tells what it needs.
known = 0.9
share = 0.005
# What that reader may gain by a release, on the mean.
target_gain = 0.12

[policy]
# Least size of a group: it decides most of what a series leaks.
k = {k}
# A group's values may differ from the table's by this much (0 to 1).
t = 0.5
# What a reader believes of a group's members may diverge by this many bits.
j = 0.6
remainder = "merge"

[reader]
# What is learned from the views themselves: a reader who knows your data as a whole.
prior = "uniform"
sequence = "views"
steps = 1

[output]
form = "generalized"
files = ["csv", "parquet"]
"""
"""What does not depend on the columns, but for two values."""


_LASTING = {
    "low": "what may ever occur must lie inside: the range stays as it is at the first release",
    "values": "those of this table: add what may ever occur, as the series will have no others",
}
"""What must be right before the first release."""


def study_text(proposal: Proposal, *, name: str = "study") -> str:
    """Write a proposal as study.toml, each choice with its reason.

    >>> from seriatim.publish.propose import propose
    >>> week = {"patient": [1, 2, 3], "age": [51, 52, 60], "exam": ["neg", "pos", "neg"]}
    >>> print(study_text(propose(week), name="clinic"))
    #:schema study.schema.json
    name = "clinic"
    <BLANKLINE>
    [columns]
    # 3 different values in 3 rows: says who a row is about
    respondent = "patient"
    ...
    """
    respondent, sensitive = _only(proposal, "respondent"), _only(proposal, "sensitive")
    if not proposal.of("quasi-identifier"):
        message = "No column looks like a quasi-identifier. Name some with --quasi-identifier."
        raise StudyError(message)
    lines = [
        "#:schema study.schema.json",
        f"name = {toml_value(name)}",
        *_columns(proposal, respondent),
        *_quasi_identifiers(proposal),
        *_sensitive(sensitive),
        *_CHOICES.format(missing=proposal.missing, k=proposal.k).splitlines(),
    ]
    return "\n".join(lines) + "\n"


def _columns(proposal: Proposal, respondent: ColumnProposal) -> list[str]:
    lines = ["", "[columns]", f"# {respondent.because}"]
    lines.append(f"respondent = {toml_value(respondent.name)}")
    identifying = proposal.of("identifying")
    if identifying:
        lines += [f"# {toml_comment(one.name)}: {one.because}" for one in identifying]
        lines.append(f"identifying = {toml_value([one.name for one in identifying])}")
    kept = proposal.of("insensitive")
    if kept:
        lines.append("# published as they are")
        lines.append(f"insensitive = {toml_value([one.name for one in kept])}")
    unused = proposal.of("none")
    lines += [
        f"# without a part, never published: {toml_comment(one.name)} ({one.because})"
        for one in unused
    ]
    return lines


def _quasi_identifiers(proposal: Proposal) -> list[str]:
    lines = [
        "",
        f"# {proposal.alone} are alone with these values: a reader who knows them knows who it is.",
    ]
    for one in proposal.of("quasi-identifier"):
        lines += ["", f"[quasi_identifiers.{toml_key(one.name)}]", f"# {one.because}"]
        lines.append(f'kind = "{one.kind}"')
        lines += [f"# {_LASTING[key]}" for key in one.settings if key in _LASTING]
        lines += [f"{key} = {toml_value(value)}" for key, value in one.settings.items()]
    return lines


def _sensitive(sensitive: ColumnProposal) -> list[str]:
    because = sensitive.because
    if "values" not in sensitive.settings:
        # Published values are public: what only one person has should not be published exactly.
        because = f"{because}; many values: make bands of them if they are amounts"
    lines = ["", "[sensitive]", f"# {because}", f"column = {toml_value(sensitive.name)}"]
    if "values" in sensitive.settings:
        lines.append("# those of this table: add what may ever occur; a new one is refused, and")
        lines.append("# certificates, which are public, name them all")
    return lines + [f"{key} = {toml_value(value)}" for key, value in sensitive.settings.items()]


def _only(proposal: Proposal, part: Part) -> ColumnProposal:
    found = proposal.of(part)
    if not found:
        message = f"No column looks like the {part} one. Name it with --{part}."
        raise StudyError(message)
    return found[0]
