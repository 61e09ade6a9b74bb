"""Table III: what the adversary concludes after each release, to the printed digit."""

import pytest

import seriatim as sr


class Story:
    """A reader who reads both releases of the running example, step by step."""

    def __init__(self, example, rule):
        adversary = sr.Adversary(example.prior, example.sequence, rule)
        first, second = example.memberships
        self.after_week_1 = adversary.observe(example.releases[0], first)
        self.before_week_2 = adversary.expect(example.views[1])
        self.after_week_2 = adversary.observe(example.releases[1], second)
        self._rows = [roster.respondents.to_pylist() for roster in example.views]

    def believed(self, belief, name, value):
        week = 0 if belief is self.after_week_1 else 1
        return belief.of(value)[self._rows[week].index(name)]


@pytest.fixture(scope="module", params=["additive", "omega"])
def story(request, running_example):
    return Story(running_example, request.param)


@pytest.fixture(scope="module")
def additive(running_example):
    return Story(running_example, "additive")


@pytest.fixture(scope="module")
def omega(running_example):
    return Story(running_example, "omega")


@pytest.mark.parametrize("name", ["Alice", "Betty"])
@pytest.mark.parametrize("value", ["MAM-pos", "CX-neg"])
def test_posterior__of_the_first_group_is_0_5(story, name, value):
    assert story.believed(story.after_week_1, name, value) == pytest.approx(0.5, abs=1e-12)


@pytest.mark.parametrize("name", ["Carol", "Doris"])
@pytest.mark.parametrize("value", ["CX-pos", "BS-neg"])
def test_posterior__of_the_second_group_is_0_5(story, name, value):
    assert story.believed(story.after_week_1, name, value) == pytest.approx(0.5, abs=1e-12)


def test_revision__alice_expects_bcm_pos_with_probability_0_31(story):
    assert story.believed(story.before_week_2, "Alice", "BCM-pos") == pytest.approx(0.31, abs=1e-12)


def test_revision__alice_expects_pne_pos_with_probability_0_05(story):
    assert story.believed(story.before_week_2, "Alice", "PNE-pos") == pytest.approx(0.05, abs=1e-12)


def test_revision__carol_expects_bcm_pos_with_probability_0_02(story):
    assert story.believed(story.before_week_2, "Carol", "BCM-pos") == pytest.approx(0.02, abs=1e-12)


def test_revision__carol_expects_pne_pos_with_probability_0_31(story):
    assert story.believed(story.before_week_2, "Carol", "PNE-pos") == pytest.approx(0.31, abs=1e-12)


def test_revision__newcomers_are_judged_by_the_prior(story):
    for name in ("Elisa", "Fran", "Grace"):
        assert story.believed(story.before_week_2, name, "CX-neg") == pytest.approx(0.05, abs=1e-12)


@pytest.mark.parametrize(
    ("name", "value", "exact", "printed"),
    [
        ("Alice", "BCM-pos", 0.62 / 0.69, 0.9),
        ("Alice", "PNE-pos", 0.07 / 0.69, 0.1),
        ("Carol", "BCM-pos", 0.07 / 0.69, 0.1),
        ("Carol", "PNE-pos", 0.62 / 0.69, 0.9),
    ],
)
def test_additive_posterior__is_what_table_3_prints(additive, name, value, exact, printed):
    found = additive.believed(additive.after_week_2, name, value)
    assert found == pytest.approx(exact, abs=1e-12)
    assert round(found, 1) == printed


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("Alice", "BCM-pos", 0.871),
        ("Alice", "PNE-pos", 0.129),
        ("Carol", "BCM-pos", 0.066),
        ("Carol", "PNE-pos", 0.934),
    ],
)
def test_omega_posterior__tells_alice_and_carol_apart(omega, name, value, expected):
    assert round(omega.believed(omega.after_week_2, name, value), 3) == expected
