"""Table II: what the adversary knows beforehand."""

import pytest

PRIOR = {"MAM-pos": 0.002, "CX-neg": 0.05, "CX-pos": 0.0003, "BS-neg": 0.2, "BCM-pos": 0.001}

FOLLOWING = {
    "MAM-pos": (0.6, 0.02),
    "CX-neg": (0.02, 0.08),
    "CX-pos": (0.02, 0.6),
    "BS-neg": (0.02, 0.02),
}


@pytest.mark.parametrize(("value", "probability"), PRIOR.items())
def test_prior__gives_every_woman_the_printed_probability(running_example, value, probability):
    view = running_example.views[0]
    belief = running_example.prior.belief(view, view.schema.sensitive.domain)
    assert belief.of(value) == pytest.approx([probability] * 4, abs=1e-12)


@pytest.mark.parametrize(("given", "printed"), FOLLOWING.items())
def test_sequence_knowledge__gives_the_printed_probabilities(running_example, given, printed):
    domain = running_example.schema.sensitive.domain
    automaton = running_example.sequence.automaton(domain)
    state = automaton.next_state[automaton.start, domain.index(given)]
    row = automaton.next_value[0, state]
    found = row[domain.index("BCM-pos")], row[domain.index("PNE-pos")]
    assert found == pytest.approx(printed, abs=1e-12)
