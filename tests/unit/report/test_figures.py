"""Charts of experiments: the same colour for the same thing, and panels that compare."""

import itertools

from seriatim.experiments.claims import Curve, Drawing, Level, Panel
from seriatim.experiments.results import Point
from seriatim.report.charts import PALETTE, chart_bytes, svg_and_png
from seriatim.report.figures import COLOURS, coloured, drawn


def drawing(panels, **more):
    curve = Curve("DK", (Point(1.0, 0.1, 0.01), Point(2.0, 0.2, 0.01)))
    return Drawing("name", "title", "release", "gain", (Panel("one", (curve,)),) * panels, **more)


def test_colours__a_technique_keeps_its_own_in_every_company():
    techniques = ("l-diversity", "t-closeness", "(B,t)-privacy", "JS-reduce", "standing cells")
    for some in itertools.combinations(techniques, 3):
        assert coloured(some) == [COLOURS[name] for name in some]
    assert coloured(["JS-reduce, SPM", "standing cells, SPM"]) == [
        COLOURS["JS-reduce"],
        COLOURS["standing cells"],
    ]


def test_colours__green_is_ours_alone():
    variants = [f"JS-reduce, k={k}" for k in range(5)]
    found = coloured([*variants, "standing cells"])
    assert found[-1] == PALETTE[0]
    assert len(set(found)) == len(found)
    assert PALETTE[0] not in coloured(["something", "else"])


def test_panels__fill_rows_evenly():
    assert [drawn(drawing(panels))["columns"] for panels in (1, 2, 3, 4, 5, 6, 8)] == [
        1,
        2,
        3,
        4,
        3,
        3,
        4,
    ]


def test_level__is_drawn_across_every_panel_and_named():
    spec = drawn(drawing(2, levels=(Level("standing cells", 0.3),)))
    for panel in spec["concat"]:
        rule = panel["layer"][-1]
        assert rule["mark"]["type"] == "rule"
        assert rule["data"]["values"] == [{"curve": "standing cells", "y": 0.3}]
        assert rule["encoding"]["color"]["scale"]["domain"] == ["DK", "standing cells"]


def test_svg_and_png__are_what_each_would_be_alone():
    spec = drawn(drawing(1))
    assert svg_and_png(spec) == (chart_bytes(spec, ".svg"), chart_bytes(spec, ".png"))
