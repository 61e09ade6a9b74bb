"""The prior of a reader who looks at people like you: trees, and the view itself."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
import seriatim as sr
from strategies import codes

DOMAIN = (0, 1, 2)
bandwidths = st.one_of(
    st.floats(0.05, 1.5), st.sampled_from([0.25, 1 / 3, 0.5, 2 / 3, 0.75, 1.0, 1.25])
)
"""Also at the very heights of nodes, where people are just outside."""


@st.composite
def trees(draw, *, most=6):
    """Leaves with the paths to their ancestors, all of one length; branches may be shorter.

    A parent is drawn for every node of a level, so that some have one child only.
    """
    levels = draw(st.integers(0, 3))
    lines = {f"leaf{number}": [] for number in range(draw(st.integers(1, most)))}
    nodes = {leaf: [leaf] for leaf in lines}
    for level in range(levels):
        n_parents = draw(st.integers(1, len(nodes)))
        parents = {}
        for place, (node, leaves) in enumerate(nodes.items()):
            stays = draw(st.integers(0, 4)) == 0
            number = place if place < n_parents else draw(st.integers(0, n_parents - 1))
            parent = node if stays else f"node{level}-{number}"
            for leaf in leaves:
                lines[leaf].append(parent)
            parents.setdefault(parent, []).extend(leaves)
        nodes = parents
    return lines


def up_to_one_root(paths):
    """The paths with a root on top where they end in several nodes."""
    tops = {[leaf, *above][-1] for leaf, above in paths.items()}
    return {leaf: [*above, "*"] if len(tops) > 1 else above for leaf, above in paths.items()}


def schema(paths, values=DOMAIN):
    return sr.Schema(
        "who",
        [sr.Hierarchical("ward", paths), sr.Numeric("age", 20, 60)],
        sr.Sensitive("exam", values),
    )


def table_of(people):
    """People are their ward, their age and their value."""
    return {
        "who": list(range(len(people))),
        "ward": [ward for ward, _, _ in people],
        "age": [age for _, age, _ in people],
        "exam": [exam for _, _, exam in people],
    }


def crowds(leaves, *, least=1, most=10):
    person = st.tuples(st.sampled_from(leaves), st.integers(20, 60), st.sampled_from(DOMAIN))
    return st.lists(person, min_size=least, max_size=most)


def distances(paths):
    tree = up_to_one_root(paths)
    return (
        lambda one, other: oracles.tree_distance(one, other, tree),
        lambda one, other: abs(one - other) / 40,
    )


def kernel_shares(asked, people, ways, bandwidth):
    corpus = [((ward, age), exam) for ward, age, exam in people]
    return [
        oracles.kernel_share((ward, age), corpus, ways, bandwidth, len(DOMAIN))
        for ward, age, _ in asked
    ]


@given(trees(), st.data())
def test_hierarchy__puts_leaves_apart_by_the_height_of_their_lowest_common_node(paths, data):
    ward = sr.Hierarchical("ward", paths)
    tree = up_to_one_root(paths)
    one, other = (np.array(data.draw(codes(5, len(ward.leaves))), dtype=float) for _ in range(2))
    found = ward.distance(one, other)
    expected = [
        oracles.tree_distance(ward.leaves[int(here)], ward.leaves[int(there)], tree)
        for here, there in zip(one, other, strict=True)
    ]
    assert found == pytest.approx(expected, abs=1e-15)
    assert (ward.distance(other, one) == found).all()


@given(trees(), bandwidths, st.data())
def test_kernel_prior__counts_people_under_a_low_common_node_more(paths, bandwidth, data):
    people = data.draw(crowds(sorted(paths)))
    asked = data.draw(crowds(sorted(paths), most=4))
    prior = sr.KernelPrior.from_table(table_of(people), schema(paths), bandwidth=bandwidth)
    found = prior.belief(sr.Roster.from_table(table_of(asked), schema(paths)), DOMAIN)
    expected = kernel_shares(asked, people, distances(paths), bandwidth)
    assert found.probabilities == pytest.approx(np.array(expected), abs=1e-9)


@given(
    st.lists(st.text("012", min_size=1, max_size=4), min_size=1, max_size=6, unique=True),
    bandwidths,
    st.data(),
)
def test_kernel_prior__goes_by_the_characters_that_a_mask_leaves(zips, bandwidth, data):
    paths = oracles.prefix_paths(zips)
    masked = sr.Schema(
        "who",
        [sr.Hierarchical("ward", mask="prefix", values=zips), sr.Numeric("age", 20, 60)],
        sr.Sensitive("exam", DOMAIN),
    )
    people, asked = data.draw(crowds(zips)), data.draw(crowds(zips, most=4))
    prior = sr.KernelPrior.from_table(table_of(people), masked, bandwidth=bandwidth)
    found = prior.belief(sr.Roster.from_table(table_of(asked), masked), DOMAIN)
    ways = (
        lambda one, other: oracles.tree_distance(one, other, paths),
        lambda one, other: abs(one - other) / 40,
    )
    expected = kernel_shares(asked, people, ways, bandwidth)
    assert found.probabilities == pytest.approx(np.array(expected), abs=1e-9)


@given(trees(), bandwidths, st.data())
def test_kernel_prior__puts_leaves_that_the_corpus_has_not_at_distance_one(paths, bandwidth, data):
    strangers = {"elsewhere": [f"far{place}" for place in range(len(next(iter(paths.values()))))]}
    wider = {**strangers, **paths}
    people = data.draw(crowds(sorted(paths)))
    asked = data.draw(crowds(sorted(wider), most=4))
    prior = sr.KernelPrior.from_table(table_of(people), schema(paths), bandwidth=bandwidth)
    found = prior.belief(sr.Roster.from_table(table_of(asked), schema(wider)), DOMAIN)
    within, along = distances(paths)
    ways = (
        lambda one, other: 1.0 if "elsewhere" in (one, other) else within(one, other),
        along,
    )
    expected = kernel_shares(asked, people, ways, bandwidth)
    assert found.probabilities == pytest.approx(np.array(expected), abs=1e-9)


def publisher(paths, adversary, **options):
    policy = sr.Policy(sr.KAnonymity(k=2), remainder="suppress")
    return sr.Publisher(schema(paths), policy, adversary, seed=1, **options)


@given(trees(), bandwidths, st.data())
def test_kernel_prior__without_a_corpus_learns_from_each_view_anew(paths, bandwidth, data):
    views = data.draw(st.lists(crowds(sorted(paths), least=2), min_size=1, max_size=3))
    series = publisher(paths, sr.Adversary(sr.KernelPrior(bandwidth)))
    learned = []
    for at, people in enumerate(views):
        previewed = series.preview(table_of(people), at=at)
        series.publish(table_of(people), at=at)
        expected = np.array(kernel_shares(people, people, distances(paths), bandwidth))
        for one in (previewed, series.latest):
            assert one.revised.probabilities == pytest.approx(expected, abs=1e-9)
        learned.append(series.latest)
    reader = sr.Adversary(sr.KernelPrior(bandwidth))
    read = reader.read(
        [one.release for one in learned],
        [one.membership for one in learned],
        [one.view for one in learned],
    )
    for found, one in zip(read, learned, strict=True):
        assert found.probabilities == pytest.approx(one.posterior.probabilities, abs=1e-12)


@given(trees(), bandwidths, st.data())
def test_kernel_prior__judges_newcomers_and_leaves_the_others_to_sequences(paths, bandwidth, data):
    stays = sr.Automaton(DOMAIN, [[1 / 3] * 3, *np.eye(3)], [[1, 2, 3]] * 4)
    series = publisher(paths, sr.Adversary(sr.KernelPrior(bandwidth), stays))
    first = data.draw(crowds(sorted(paths), least=2, most=6))
    series.publish(table_of(first), at=1)
    believed = series.latest.posterior.probabilities
    published = series.latest.membership.published
    second = data.draw(crowds(sorted(paths), least=2, most=8))
    series.publish(table_of(second), at=2)
    by_kernel = kernel_shares(second, second, distances(paths), bandwidth)
    for who, row in enumerate(series.latest.revised.probabilities):
        known = who < len(first) and published[who]
        assert row == pytest.approx(believed[who] if known else by_kernel[who], abs=1e-9)


@given(trees(), bandwidths, st.data())
def test_kernel_prior__with_a_corpus_does_not_look_at_the_view(paths, bandwidth, data):
    corpus = data.draw(crowds(sorted(paths)))
    people = data.draw(crowds(sorted(paths), least=2))
    prior = sr.KernelPrior.from_table(table_of(corpus), schema(paths), bandwidth=bandwidth)
    series = publisher(paths, sr.Adversary(prior))
    series.publish(table_of(people), at=1)
    expected = np.array(kernel_shares(people, corpus, distances(paths), bandwidth))
    assert series.latest.revised.probabilities == pytest.approx(expected, abs=1e-9)


@given(trees(), bandwidths, st.data())
def test_kernel_prior__without_corpus_and_originals_has_nothing_to_go_by(paths, bandwidth, data):
    people = data.draw(crowds(sorted(paths), least=2))
    series = publisher(paths, sr.Adversary())
    series.publish(table_of(people), at=1)
    reader = sr.Adversary(sr.KernelPrior(bandwidth))
    with pytest.raises(sr.KnowledgeError, match="pass originals"):
        reader.read([series.latest.release], [series.latest.membership])
    with pytest.raises(sr.KnowledgeError, match="pass originals"):
        reader.expect(series.latest.view)


@given(trees(), bandwidths, st.data())
def test_kernel_prior__and_incremental_knowledge_learn_from_the_same_views(paths, bandwidth, data):
    knowledge = sr.IncrementalKnowledge(1)
    series = publisher(paths, sr.Adversary(sr.KernelPrior(bandwidth), knowledge))
    views = [data.draw(crowds(sorted(paths), least=2, most=5)) for _ in range(2)]
    so_far, pasts = [], {}
    for at, people in enumerate(views):
        series.publish(table_of(people), at=at)
        so_far.append({who: oracles.Tuple(exam) for who, (_, _, exam) in enumerate(people)})
        by_kernel = kernel_shares(people, people, distances(paths), bandwidth)

        def expectation(sequence, so_far=tuple(so_far)):
            return oracles.extracted_expectation(so_far, sequence, 1, DOMAIN)

        for who, row in enumerate(series.latest.revised.probabilities):
            expected = (
                oracles.over_all_sequences(expectation, pasts[who], by_kernel[who])
                if who in pasts
                else by_kernel[who]
            )
            assert row == pytest.approx(expected, abs=1e-9)
        for who, row in enumerate(series.latest.posterior.probabilities.tolist()):
            if series.latest.membership.published[who]:
                pasts.setdefault(who, []).append(row)


@pytest.mark.parametrize("bandwidth", [0, -1, float("inf"), float("nan"), "0.5", None])
def test_kernel_prior__explains_a_bandwidth_that_is_none(bandwidth):
    with pytest.raises(sr.KnowledgeError, match="a number above 0"):
        sr.KernelPrior(bandwidth)
