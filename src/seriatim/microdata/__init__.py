"""Names things: the schema, the private view, the public release, the history."""

from seriatim.microdata.attribute import QuasiIdentifier
from seriatim.microdata.buckets import read_buckets
from seriatim.microdata.categorical import Categorical
from seriatim.microdata.cover import Cover
from seriatim.microdata.dates import Date
from seriatim.microdata.foreign import read_release
from seriatim.microdata.group import Group
from seriatim.microdata.hierarchical import Hierarchical
from seriatim.microdata.history import History
from seriatim.microdata.intake import Intake, Taken
from seriatim.microdata.membership import Membership
from seriatim.microdata.numeric import Numeric
from seriatim.microdata.ordinal import Ordinal
from seriatim.microdata.part import CodeSet, Interval, Part
from seriatim.microdata.placement import Placement, place
from seriatim.microdata.published import read_history
from seriatim.microdata.region import Region
from seriatim.microdata.release import Release
from seriatim.microdata.roster import Roster
from seriatim.microdata.schema import Schema
from seriatim.microdata.sensitive import Sensitive
from seriatim.microdata.sources import open_table
from seriatim.microdata.view import View

__all__ = [
    "Categorical",
    "CodeSet",
    "Cover",
    "Date",
    "Group",
    "Hierarchical",
    "History",
    "Intake",
    "Interval",
    "Membership",
    "Numeric",
    "Ordinal",
    "Part",
    "Placement",
    "QuasiIdentifier",
    "Region",
    "Release",
    "Roster",
    "Schema",
    "Sensitive",
    "Taken",
    "View",
    "open_table",
    "place",
    "read_buckets",
    "read_history",
    "read_release",
]
