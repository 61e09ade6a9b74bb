import numpy as np

import oracles
import seriatim as sr
import strategies
from seriatim.inference import Joint
from seriatim.inference.filtering import Observed

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


def test_smoothing__is_the_golden_one(case):
    automaton = strategies.automaton(knowledge_of(case))
    found = sr.smooth(automaton, [[likelihood] for likelihood in case["likelihoods"]])
    np.testing.assert_allclose(found[:, 0], case["smoothed"], atol=1e-9, rtol=0)


def test_joint_filter__expects_the_golden_next(case):
    automaton = strategies.automaton(knowledge_of(case))
    joint, nobody = Joint(), np.zeros(1, dtype=np.int64)
    first = automaton.next_value[0, automaton.start][None]
    revised, pasts = first, None
    for likelihood in case["likelihoods"]:
        posterior = revised * likelihood / (revised * likelihood).sum()
        if pasts is None:
            pasts = joint.begin(automaton, posterior)
        else:
            pasts = joint.moved(automaton, pasts, Observed(nobody, first, revised, posterior))
        revised = joint.expected(automaton, pasts, nobody, first)
    np.testing.assert_allclose(revised[0], case["filtered_next"], atol=1e-9, rtol=0)


def test_twins_of_filter_and_smoother__are_the_golden_ones(case):
    knowledge, likelihoods = knowledge_of(case), case["likelihoods"]
    first = case["next_value"][case["start"]]
    expected = oracles.filtered_next(knowledge, first, likelihoods)
    np.testing.assert_allclose(expected, case["filtered_next"], atol=1e-9, rtol=0)
    believed = oracles.smoothed(knowledge, first, likelihoods)
    np.testing.assert_allclose(believed, case["smoothed"], atol=1e-9, rtol=0)
