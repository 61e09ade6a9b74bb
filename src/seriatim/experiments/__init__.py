"""Experiments: techniques side by side on a series, with the same readers and measures."""

from seriatim.experiments.comparison import Comparison, ComparisonRow, compare
from seriatim.experiments.series import Material, PublishedSeries, publish_series
from seriatim.experiments.techniques import TECHNIQUES, Technique, matched_technique, technique

__all__ = [
    "TECHNIQUES",
    "Comparison",
    "ComparisonRow",
    "Material",
    "PublishedSeries",
    "Technique",
    "compare",
    "matched_technique",
    "publish_series",
    "technique",
]
