import numpy as np
import pytest

import seriatim as sr

VALUES = ("neg", "pos")
NEXT = [[0.9, 0.1], [0.2, 0.8]]
STATES = [[0, 1], [0, 1]]


def test_automaton__has_states_and_one_class():
    automaton = sr.Automaton(VALUES, NEXT, STATES)
    assert (automaton.n_states, automaton.n_classes) == (2, 1)
    assert automaton.known.tolist() == [[True, True]]


def test_automaton__joins_states_that_every_value_leaves_alike():
    automaton = sr.Automaton(VALUES, NEXT, STATES)
    assert automaton.junction_next.tolist() == [[0, 1]]
    assert automaton.junction_of.tolist() == [0, 0]


@pytest.mark.parametrize(
    ("next_value", "next_state", "part"),
    [
        (NEXT, [[0, 1]], r"next_state of the same shape; given were \(2, 2\) and \(1, 2\)"),
        ([[1.0, 0.0, 0.0]], [[0, 0, 0]], "over 2 values needs next_value"),
        ([0.5, 0.5], [0, 0], "over 2 values needs next_value"),
        (NEXT, [[0, 2], [0, 1]], "whole numbers from 0 to 1"),
        (NEXT, [[0, -1], [0, 1]], "whole numbers from 0 to 1"),
        (NEXT, [[0.0, 1.0], [0.0, 1.0]], "whole numbers from 0 to 1"),
        ([[0.9, 0.2], [0.2, 0.8]], STATES, r"next_value must sum to 1.*row position 0.*1\.1"),
        ([[0.9, 0.1], [0.2, 0.7]], STATES, r"must sum to 1.*row position 1.*0\.9"),
        ([[0.9, 0.1], [np.nan, 1.0]], STATES, "next_value has NaN.*at row position 1"),
        ([[1.1, -0.1], [0.2, 0.8]], STATES, "next_value has .*negative ones at row position 0"),
        ([[0.5, 0.5], [1]], STATES, "next_value must be an array of numbers, rows of one length"),
        ([["a", "b"]] * 2, STATES, "next_value must be an array of numbers"),
        (NEXT, [[0, 1], [0]], "next_state must be an array of numbers, rows of one length"),
    ],
)
def test_automaton__refuses_what_is_none(next_value, next_state, part):
    with pytest.raises(sr.KnowledgeError, match=part):
        sr.Automaton(VALUES, next_value, next_state)


@pytest.mark.parametrize("start", [2, -1, "0", None])
def test_automaton__refuses_a_start_that_is_no_state(start):
    with pytest.raises(sr.KnowledgeError, match=f"start state {start!r} is none of the 2 states"):
        sr.Automaton(VALUES, NEXT, STATES, start=start)


def test_automaton__does_not_read_rows_that_are_not_known():
    automaton = sr.Automaton(VALUES, [[0.9, 0.1], [np.nan, 7.0]], STATES, known=[[True, False]])
    assert automaton.next_value[0].tolist() == [[0.9, 0.1], [0.0, 0.0]]


def test_automaton__refuses_known_of_another_shape():
    with pytest.raises(sr.KnowledgeError, match=r"1 classes and 2 states.*shape \(3,\) was given"):
        sr.Automaton(VALUES, NEXT, STATES, known=[True, False, True])


def test_automaton__refuses_a_value_twice():
    with pytest.raises(sr.KnowledgeError, match=r"names each value once.*'neg', 'neg'"):
        sr.Automaton(("neg", "neg"), NEXT, STATES)


def test_automaton__has_a_structure_of_values_start_and_states_alone():
    automaton = sr.Automaton(VALUES, NEXT, STATES)
    assert sr.Automaton(VALUES, [[0.5, 0.5]] * 2, STATES).structure == automaton.structure
    others = [
        sr.Automaton(("pos", "neg"), NEXT, STATES),
        sr.Automaton(VALUES, NEXT, STATES, start=1),
        sr.Automaton(VALUES, NEXT, [[1, 0], [0, 1]]),
    ]
    assert len({automaton.structure, *(other.structure for other in others)}) == 4


def test_automaton__follows_the_order_of_a_domain():
    automaton = sr.Automaton(VALUES, NEXT, STATES)
    expected = sr.revise(automaton, [[[1.0, 0.0]]])[0]
    turned = sr.revise(automaton.automaton(("pos", "neg")), [[[0.0, 1.0]]])[0]
    assert turned[::-1] == pytest.approx(expected)


def test_automaton__knows_nothing_after_a_value_it_never_expects():
    wider = sr.Automaton(VALUES, NEXT, STATES).automaton(("neg", "pos", "new"))
    assert sr.revise(wider, [[[0.0, 0.0, 1.0]]])[0] == pytest.approx([1 / 3] * 3)
    assert sr.revise(wider, [[[0.0, 1.0, 0.0]]])[0] == pytest.approx([0.2, 0.8, 0.0])


def test_automaton__knows_again_after_the_next_value_it_expects():
    wider = sr.Automaton(VALUES, NEXT, STATES).automaton(("neg", "pos", "new"))
    new_then_pos = [[[0.0, 0.0, 1.0]], [[0.0, 1.0, 0.0]]]
    assert sr.revise(wider, new_then_pos)[0] == pytest.approx([0.2, 0.8, 0.0])


def test_automaton__refuses_a_domain_without_its_values():
    with pytest.raises(sr.KnowledgeError, match=r"values outside the sensitive domain: 'pos'"):
        sr.Automaton(VALUES, NEXT, STATES).automaton(("neg", "other"))


def test_revise__refuses_posteriors_of_the_wrong_shape(sticky):
    with pytest.raises(sr.KnowledgeError, match=r"run \(instants, respondents, values\) with 2"):
        sr.revise(sticky, [[0.5, 0.5]])


def test_revise__refuses_posteriors_that_are_no_distributions(sticky):
    with pytest.raises(sr.KnowledgeError, match=r"the posteriors must sum to 1.*0\.9"):
        sr.revise(sticky, [[[0.5, 0.4]]])


@pytest.mark.parametrize(("steps", "horizon"), [(0, 24), (1, 0), (-1, 24), (1.5, 24), ("1", 24)])
def test_truncate__refuses_no_memory(sticky, steps, horizon):
    with pytest.raises(sr.KnowledgeError, match=f"numbers from 1, not {steps!r} and {horizon}"):
        sr.truncate(sticky, steps=steps, horizon=horizon)


def test_truncate__changes_nothing_where_the_memory_is_long_enough(sticky):
    posteriors = [[[0.3, 0.7]], [[0.6, 0.4]]]
    truncated = sr.truncate(sticky, steps=2)
    assert sr.revise(truncated, posteriors) == pytest.approx(sr.revise(sticky, posteriors))
