"""What a study says, to an engine over shards."""

from __future__ import annotations

from seriatim.engines.declaration import Series
from seriatim.errors import PolicyError
from seriatim.publish.study import Study


def series_of(study: Study) -> Series:
    """Return the series of a study; what shards cannot do is refused."""
    study.require_shards_can_list()
    declared = study.declared
    missing = declared.input.missing
    single = [one.missing for one in declared.quasi_identifiers.values()]
    cannot = [
        (missing not in ("error", "drop"), "a category of missing cells (missing under [input])"),
        (any((*single, declared.sensitive.missing)), "missing cells handled column by column"),
        (declared.input.repeated != "error", "a choice among rows of one respondent (repeated)"),
        (declared.store.sealed, "a sealed store; keep the folder of the series on sealed storage"),
        (declared.plan.enforce is not False, "enforce under [plan]"),
    ]
    for found, what in cannot:
        if found:
            message = (
                f"An engine over shards does not support {what}. Use the engine local, or change"
                " the study."
            )
            raise PolicyError(message)
    return Series(
        _place(study, declared.engine.folder),
        _place(study, declared.output.folder),
        study.schema,
        study.policy,
        study.adversary,
        declared.name,
        "drop" if missing == "drop" else "error",
        tuple(dict.fromkeys([study.schema.respondent, *study.text_columns])),
    )


def _place(study: Study, folder: str) -> str:
    """Return a folder as all machines find it: an address, or a path that is not relative."""
    return folder if "://" in folder else str((study.folder / folder).resolve())
