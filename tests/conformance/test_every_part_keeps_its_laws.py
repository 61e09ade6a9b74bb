"""Runs ``seriatim.checks`` on every part of the package, found by introspection."""

import inspect

import numpy as np
import pytest

import seriatim as sr
from seriatim import checks, inference, knowledge, partition, privacy, publish
from seriatim.checks import _cases
from seriatim.privacy import Measured

REQUIREMENTS = [
    sr.KAnonymity(k=4),
    sr.DistinctLDiversity(l=2),
    sr.EntropyLDiversity(l=1.8),
    sr.RecursiveCLDiversity(c=2, l=2),
    sr.TCloseness(t=0.4),
    sr.TCloseness(t=0.4, distance="ordered"),
    sr.BetaLikeness(beta=1.0),
    sr.BetaLikeness(beta=1.0, enhanced=True),
    sr.DeltaDisclosure(delta=1.0),
    sr.JSBound(j=0.3),
    sr.MUniqueness(m=2),
    sr.BTPrivacy(bandwidth=0.5, t=0.6),
    sr.PosteriorBound(gain=0.2),
    sr.PosteriorBound(gain=0.2, rule="omega"),
]
PARTITIONERS = [sr.HilbertGreedy(), sr.HilbertOptimal(), sr.Mondrian()]
SERIAL_PARTITIONERS = [
    (sr.MInvariant(m=2), sr.MUniqueness(m=2)),
    (sr.MInvariant(m=3), sr.MUniqueness(m=3)),
    (sr.StandingCells(size=4), sr.KAnonymity(k=3) & sr.TCloseness(t=0.6) & sr.JSBound(j=0.4)),
    (sr.StandingCells(size=4, by="current"), sr.KAnonymity(k=4) & sr.DistinctLDiversity(l=2)),
    (sr.StandingCells(size=3), sr.KAnonymity(k=3) & sr.PosteriorBound(gain=0.5)),
    (sr.StandingCells(size=2), sr.KAnonymity(k=3) & sr.TCloseness(t=0.3) & sr.JSBound(j=0.05)),
    (sr.StandingCells(size=1, merges="anew"), sr.KAnonymity(k=4) & sr.JSBound(j=0.02)),
]
RULES = [sr.Additive(), sr.Omega(), sr.Sinkhorn(), sr.Bethe(), sr.Exact(), sr.Strongest()]
STORES = [sr.MemoryStore, sr.DuckDBStore]
VALUES = ("a", "b", "c")
AUTOMATON = sr.Automaton(VALUES, np.eye(3)[[0, 1, 2, 0]] * 0.7 + 0.1, np.array([[1, 2, 3]] * 4))
SEQUENCE_MODELS = [
    AUTOMATON,
    sr.truncate(AUTOMATON, steps=2),
    sr.DomainKnowledge.from_table(
        {"given": ["a", "b", "b"], "next": ["b", "c", "a"], "probability": [0.5, 0.5, 0.2]},
        unlisted="spread",
    ),
    sr.DomainKnowledge.from_table(
        {
            "sex": ["F", "M", "M"],
            "before": [None, "a", "c"],
            "given": ["a", "b", "c"],
            "next": ["b", "c", "a"],
            "probability": [1.0, 1.0, 1.0],
        },
        given=["before", "given"],
        classes=["sex"],
    ),
    sr.mine(
        [{"who": [1, 2], "exam": ["a", "b"]}, {"who": [1, 2], "exam": ["c", "b"]}],
        steps=2,
        respondent="who",
        value="exam",
    ),
    sr.mine(
        [{"who": [1, 2], "exam": ["a", "b"]}, {"who": [1, 2], "exam": ["c", "b"]}],
        steps=1,
        respondent="who",
        value="exam",
        unseen="impossible",
    ),
    sr.PerPeriod(AUTOMATON, 7),
    sr.TransitionRates.from_table({"given": ["a", "b"], "next": ["b", "c"], "rate": [0.5, 2.0]}),
]
PRIORS = [
    sr.UniformPrior(),
    sr.MarginalPrior({"a": 0.2, "b": 0.8}),
    sr.ClassPrior.from_table(
        {"sex": ["F", "M"], "value": ["a", "b"], "probability": [0.4, 0.3]},
        classes=["sex"],
        unlisted="spread",
    ),
    sr.KernelPrior.from_table(
        {"who": [1, 2], "age": [30, 60], "sex": ["F", "M"], "value": ["a", "b"]},
        _cases.schema_over(VALUES),
        bandwidth=0.5,
    ),
    sr.TabulatedPrior.from_table(
        {"respondent": [1], "value": ["a"], "probability": [1.0]}, otherwise=sr.UniformPrior()
    ),
]


LEARNERS = [sr.IncrementalKnowledge(2), sr.KernelPrior(0.5)]


def with_method(package, method):
    """Find the concrete classes of a package that carry a method of a protocol."""
    return {
        one
        for _, one in inspect.getmembers(package, inspect.isclass)
        if hasattr(one, method) and not getattr(one, "_is_protocol", False)
    }


@pytest.mark.parametrize("requirement", REQUIREMENTS, ids=str)
def test_requirement__keeps_the_laws(requirement):
    checks.check_requirement(requirement)


@pytest.mark.parametrize("requirement", REQUIREMENTS, ids=str)
@pytest.mark.parametrize("partitioner", PARTITIONERS, ids=str)
def test_partitioner__keeps_the_laws_with_every_requirement(partitioner, requirement):
    checks.check_partitioner(partitioner, requirement)


@pytest.mark.parametrize(("partitioner", "requirement"), SERIAL_PARTITIONERS, ids=str)
def test_serial_partitioner__keeps_the_laws(partitioner, requirement):
    checks.check_serial_partitioner(partitioner, requirement)


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_rule__keeps_the_laws(rule):
    checks.check_rule(rule)


@pytest.mark.parametrize("model", SEQUENCE_MODELS, ids=repr)
def test_sequence_model__keeps_the_laws(model):
    checks.check_sequence_model(model)


@pytest.mark.parametrize("prior", PRIORS, ids=lambda prior: type(prior).__name__)
def test_prior__keeps_the_laws(prior):
    view, _ = _cases.random_view(np.random.default_rng(0), 30, VALUES)
    checks.check_prior(prior, view, VALUES)


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_learner__keeps_the_laws(learner):
    checks.check_learner(learner)


@pytest.mark.parametrize("store", STORES)
def test_store__keeps_the_laws(store, tmp_path):
    paths = (tmp_path / f"{number}.store" for number in range(100))
    checks.check_store(store if store is sr.MemoryStore else lambda: store(next(paths)))


@pytest.mark.parametrize(
    ("package", "method", "examples"),
    [
        (privacy, "measure", REQUIREMENTS),
        (partition, "partition", PARTITIONERS),
        (partition, "partition_next", [one for one, _ in SERIAL_PARTITIONERS]),
        (inference, "posterior", RULES),
        (knowledge, "automaton", SEQUENCE_MODELS),
        (knowledge, "belief", PRIORS),
        (knowledge, "study", LEARNERS),
        (publish, "commit", STORES),
    ],
)
def test_every_part__has_an_example_here(package, method, examples):
    tested = {one if inspect.isclass(one) else type(one) for one in examples}
    found = {one for one in with_method(package, method) if not inspect.isabstract(one)}
    # Records with a field of that name are no parts.
    found -= {inference.Pasts, inference.Impression, publish.Publication, inference.Adversary}
    # A publisher commits to a store, and is none.
    found -= {publish.Publisher}
    # What is learned from the views has nothing to compute with before the first.
    found -= {knowledge.IncrementalKnowledge} if method == "automaton" else set()
    assert found == tested


class Lying(Measured):
    """A requirement whose compiled form measures something else."""

    bound = 2.0
    at_least = True

    def measure(self, tally):
        return tally.sizes.astype(float) + 1

    def criterion(self):
        return sr.KAnonymity(k=2).criterion()


class Careless:
    """A partitioner that publishes every tuple by itself, whatever is asked."""

    def partition(self, view, revised, requirement, *, ties):
        everyone = np.arange(len(view))
        return partition.Partition(everyone, np.arange(len(view) + 1), everyone[:0])


class Restless:
    """A partitioner that goes by the order of the input."""

    def partition(self, view, revised, requirement, *, ties):
        starts = np.array([0, len(view) // 2, len(view)])
        return partition.Partition(np.argsort(view.positions), starts, starts[:0])


class Certain:
    """A rule that always believes in the first value."""

    def posterior(self, prior, groups):
        return np.eye(prior.shape[1])[np.zeros(len(prior), dtype=int)]


@pytest.mark.parametrize(
    ("check", "part", "law"),
    [
        (checks.check_requirement, Lying(), "compiled form"),
        (checks.check_partitioner, Careless(), "meet the requirement"),
        (
            lambda part: checks.check_partitioner(part, sr.KAnonymity(k=1)),
            Restless(),
            "order in which tuples arrive",
        ),
        (checks.check_rule, Certain(), "Only published values"),
    ],
)
def test_checks__name_the_law_that_a_bad_part_breaks(check, part, law):
    with pytest.raises(checks.BrokenLawError, match=law):
        check(part)
