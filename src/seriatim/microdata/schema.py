"""Which column plays which part."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from seriatim._typing import Table
from seriatim.errors import SchemaError, TableError, did_you_mean, listed
from seriatim.microdata.attribute import QuasiIdentifier
from seriatim.microdata.bad_cells import naming_no_id
from seriatim.microdata.sensitive import Sensitive
from seriatim.microdata.tables import Columns, read_table


@dataclass(frozen=True)
class Schema:
    """The roles of a table's columns; columns without a role are never published.

    >>> from seriatim import Categorical, Numeric
    >>> Schema("name", [Numeric("age"), Categorical("gender")], Sensitive("exam")).columns
    ('name', 'age', 'gender', 'exam')
    """

    respondent: str
    """Who a tuple is about: an opaque id that leaves no trace in a release."""

    quasi_identifiers: Sequence[QuasiIdentifier]
    """What a reader may know of a respondent from elsewhere."""

    sensitive: Sensitive
    """What a reader must not learn."""

    insensitive: Sequence[str] = ()
    """Columns that are published as they are: nobody could be found, or learn anything, by them."""

    allow_unique: Sequence[str] = field(default=(), kw_only=True, compare=False)
    """Columns that are published though hardly two people share a value (``is_nearly_unique``).

    Not what a series is: it may change from release to release."""

    def __post_init__(self) -> None:
        """Refuse a schema without quasi-identifiers, or with a column in two roles."""
        given: object = self.quasi_identifiers
        if not isinstance(given, Sequence) or not all(hasattr(one, "resolve") for one in given):
            message = (
                "quasi_identifiers is a list of attributes, such as [Numeric('age')],"
                f" not {given!r}."
            )
            raise SchemaError(message)
        role: object = self.sensitive
        if not isinstance(role, Sensitive):
            message = (
                f"sensitive is an attribute, such as Sensitive('exam'), not {self.sensitive!r}."
            )
            raise SchemaError(message)
        object.__setattr__(self, "quasi_identifiers", tuple(self.quasi_identifiers))
        if isinstance(self.insensitive, str):
            message = f"insensitive is a list of columns, not the text {self.insensitive!r}."
            raise SchemaError(message)
        object.__setattr__(self, "insensitive", tuple(self.insensitive))
        if isinstance(self.allow_unique, str):
            message = f"allow_unique is a list of columns, not the text {self.allow_unique!r}."
            raise SchemaError(message)
        object.__setattr__(self, "allow_unique", tuple(self.allow_unique))
        if not self.quasi_identifiers:
            message = (
                "The schema has no quasi-identifiers. Name at least one column that a reader"
                " may know of a respondent, such as Numeric('age')."
            )
            raise SchemaError(message)
        twice = [name for name, times in Counter(self.columns).items() if times > 1]
        if twice:
            message = f"Each column has one role, and the schema gives several to {listed(twice)}."
            raise SchemaError(message)
        strangers = [name for name in self.allow_unique if name not in self.public_columns]
        if strangers:
            message = (
                f"allow_unique names {listed(strangers)}, and published are"
                f" {listed(self.public_columns)}.{did_you_mean(strangers[0], self.public_columns)}"
            )
            raise SchemaError(message)

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns with a role."""
        names = self.quasi_identifier_names
        return (self.respondent, *names, self.sensitive.name, *self.insensitive)

    @property
    def quasi_identifier_names(self) -> tuple[str, ...]:
        """The columns of the quasi-identifiers."""
        return tuple(attribute.name for attribute in self.quasi_identifiers)

    @property
    def roster_columns(self) -> tuple[str, ...]:
        """The columns that a roster is read from: the respondent's and the quasi-identifiers."""
        return (self.respondent, *self.quasi_identifier_names)

    @property
    def public_columns(self) -> tuple[str, ...]:
        """The columns that a release has: all but the respondent's."""
        return self.columns[1:]

    def public(self) -> Schema:
        """Return the schema without what was read off data about quasi-identifiers."""
        attributes = tuple(attribute.public() for attribute in self.quasi_identifiers)
        return replace(self, quasi_identifiers=attributes)

    def resolve(self, table: Table) -> Schema:
        """Return the schema with every undeclared domain read off, or widened by, a table."""
        columns = read_table(table)
        return self.resolve_roster(columns).resolve_sensitive(columns)

    def resolve_roster(self, table: Table) -> Schema:
        """Return the schema with the quasi-identifiers' domains read off a table."""
        columns = read_table(table)
        if len(columns) == 0:
            message = "The table has no rows, and no domain can be read off it. Give one with rows."
            raise TableError(message)
        with self.naming_no_id(columns):
            resolved = tuple(
                attribute.resolve(columns[attribute.name]) for attribute in self.quasi_identifiers
            )
        return replace(self, quasi_identifiers=resolved)

    def naming_no_id(self, columns: Columns) -> contextlib.AbstractContextManager[None]:
        """Keep ids out of messages about other columns; a table may come without ids."""
        if self.respondent not in columns.names:
            return contextlib.nullcontext()
        return naming_no_id(lambda: columns[self.respondent])

    def resolve_sensitive(self, table: Table) -> Schema:
        """Return the schema with the sensitive domain read off a table."""
        columns = read_table(table)
        return replace(self, sensitive=self.sensitive.resolve(columns[self.sensitive.name]))
