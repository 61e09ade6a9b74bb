import oracles
from seriatim.knowledge import Corpus, count_sequences

GOLDEN_FILE = "mining.json"


def test_counted_sequences__are_the_golden_ones(case):
    weeks = [{"who": list(view), "exam": list(view.values())} for view in case["views"] if view]
    corpus = Corpus.from_tables(weeks, respondent="who", value="exam")
    assert count_sequences(corpus) == {tuple(row): times for row, times in case["counts"]}


def test_twin_of_counting__is_the_golden_one(case):
    found = oracles.count_sequences(case["views"])
    assert found == {tuple(row): times for row, times in case["counts"]}
