import numpy as np

import oracles
import seriatim as sr
import strategies

GOLDEN_FILE = "revision.json"


def knowledge_of(case):
    return oracles.Knowledge(case["next_value"], case["next_state"], case["start"])


def test_revision__is_the_golden_one(case):
    automaton = strategies.automaton(knowledge_of(case))
    history = [[posterior] for posterior in case["posteriors"]]
    found = sr.revise(automaton, history)
    np.testing.assert_allclose(found, [case["revised"]], atol=1e-9, rtol=0)


def test_twin_of_revision__is_the_golden_one(case):
    nobody_needs_it = [0.0] * len(case["revised"])
    found = oracles.revise(knowledge_of(case), case["posteriors"], nobody_needs_it)
    np.testing.assert_allclose(found, case["revised"], atol=1e-9, rtol=0)
