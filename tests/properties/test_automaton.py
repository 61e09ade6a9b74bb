import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import oracles
import seriatim as sr
from strategies import automaton, distributions, knowledge


@given(
    knowledge(2),
    st.permutations([0, 1, "new", "newer"]),
    st.lists(st.sampled_from([0, 1, "new", "newer"]), min_size=1, max_size=6),
    distributions(4),
)
def test_automaton__in_a_wider_domain_begins_anew_after_a_value_it_does_not_know(
    known, domain, history, prior
):
    wide = automaton(known).automaton(tuple(domain))
    certain = np.eye(4)[[domain.index(value) for value in history]]
    found = sr.revise(wide, certain[:, None], [prior])[0]
    since = history[::-1]
    while any(isinstance(value, str) for value in since):
        since.pop()
    since.reverse()
    state = known.after(since)
    if since and known.knows(state):
        row = dict(zip((0, 1), known.next_value[state], strict=True))
        expected = [row.get(value, 0.0) for value in domain]
    else:
        expected = prior
    np.testing.assert_allclose(found, expected, atol=1e-12)


@given(knowledge(3), st.permutations(range(3)), st.data())
def test_automaton__means_the_same_with_its_columns_in_another_order(known, domain, data):
    posteriors = data.draw(st.lists(distributions(3), min_size=1, max_size=3))
    prior = data.draw(distributions(3))
    turned = automaton(known).automaton(tuple(domain))
    history = np.array(posteriors)[:, None][..., domain]
    found = sr.revise(turned, history, np.array([prior])[:, domain])[0]
    expected = np.array(oracles.revise(known, posteriors, prior))[domain]
    np.testing.assert_allclose(found, expected, atol=1e-12)
