"""Measures: what a reader learns, and what a release is worth."""

from seriatim.measure.differences import Differences, NamedValue, differences
from seriatim.measure.disclosure import Disclosure, adversary_confidence, adversary_gain
from seriatim.measure.exposure import Exposure, exposure
from seriatim.measure.from_buckets import BucketEstimates, estimate_from_buckets
from seriatim.measure.invariance import Invariance, invariance
from seriatim.measure.known import KnownPeople, known_people
from seriatim.measure.learnability import Learnability, learnability
from seriatim.measure.queries import (
    QueryErrors,
    estimated_counts,
    median_query_error,
    query_errors,
)
from seriatim.measure.random_queries import Queries, draw_queries
from seriatim.measure.singling_out import singled_out
from seriatim.measure.utility import global_certainty_penalty, semiperimeter, suppression

__all__ = [
    "BucketEstimates",
    "Differences",
    "Disclosure",
    "Exposure",
    "Invariance",
    "KnownPeople",
    "Learnability",
    "NamedValue",
    "Queries",
    "QueryErrors",
    "adversary_confidence",
    "adversary_gain",
    "differences",
    "draw_queries",
    "estimate_from_buckets",
    "estimated_counts",
    "exposure",
    "global_certainty_penalty",
    "invariance",
    "known_people",
    "learnability",
    "median_query_error",
    "query_errors",
    "semiperimeter",
    "singled_out",
    "suppression",
]
