import oracles
import seriatim as sr

GOLDEN_FILE = "hilbert.json"


def test_hilbert_index__is_the_golden_one(case):
    assert sr.hilbert_index(case["points"], case["bits"]).tolist() == case["index"]


def test_twins_of_the_hilbert_index__are_the_golden_one(case):
    dimensions = len(case["points"][0])
    for point, index in zip(case["points"], case["index"], strict=True):
        assert oracles.hilbert_index(point, case["bits"]) == index
        assert list(oracles.hilbert_point(index, case["bits"], dimensions)) == point
