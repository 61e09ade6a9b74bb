import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import oracles
import seriatim as sr
from strategies import distributions

VALUES = ("a", "b", "c")


def table_of(contexts, longest=3):
    """A long table: one entry for each value of each context; empty cells on the left."""
    entries = [
        (*(None,) * (longest - len(context)), *context, value, probability)
        for context, row in contexts.items()
        for value, probability in zip(VALUES, row, strict=True)
    ]
    names = [*(f"given{place}" for place in range(longest)), "next", "probability"]
    return dict(zip(names, map(list, zip(*entries, strict=True)), strict=True))


contexts = st.dictionaries(
    st.lists(st.sampled_from(VALUES), max_size=3).map(tuple),
    distributions(len(VALUES)),
    min_size=1,
    max_size=6,
)


@given(contexts, st.lists(st.sampled_from(VALUES), max_size=6))
def test_domain_knowledge__judges_a_history_by_the_longest_context_it_ends_with(table, history):
    knowledge = sr.DomainKnowledge.from_table(table_of(table), given=["given0", "given1", "given2"])
    automaton = knowledge.automaton(VALUES)
    state = automaton.start
    for value in history:
        state = automaton.next_state[state, VALUES.index(value)]
    context = oracles.longest_context(history, table)
    assert automaton.known[0, state] == (context is not None)
    if context is not None:
        np.testing.assert_allclose(automaton.next_value[0, state], table[context], atol=1e-12)


@given(contexts, st.permutations([*VALUES, "d"]), st.lists(st.sampled_from(VALUES), max_size=5))
def test_domain_knowledge__means_the_same_in_a_wider_domain(table, domain, history):
    knowledge = sr.DomainKnowledge.from_table(table_of(table), given=["given0", "given1", "given2"])
    wide = knowledge.automaton(tuple(domain))
    state = wide.start
    for value in ["d", *history]:
        state = wide.next_state[state, domain.index(value)]
    context = oracles.longest_context(history, table)
    assert wide.known[0, state] == (context is not None)
    if context is not None:
        row = [wide.next_value[0, state, domain.index(value)] for value in VALUES]
        np.testing.assert_allclose(row, table[context], atol=1e-12)
