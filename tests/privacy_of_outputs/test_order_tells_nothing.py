"""The order of rows and the numbers of groups say nothing about the input."""

import numpy as np
import pytest

import seriatim as sr


def permuted(view, order):
    return {name: [column[row] for row in order] for name, column in view.items()}


def as_groups(release):
    """The multiset of groups, however numbered and ordered."""
    return sorted((str(group.region), sorted(group.counts.items())) for group in release.groups)


@pytest.mark.parametrize("shuffle", range(5))
def test_release__is_the_same_when_rows_arrive_in_another_order(make_publisher, views, shuffle):
    one, two = make_publisher(), make_publisher()
    rng = np.random.default_rng(shuffle)
    for at, view in enumerate(views, start=1):
        other = permuted(view, rng.permutation(len(view["name"])))
        assert one.publish(view, at=at).to_frame() == two.publish(other, at=at).to_frame()


def test_seeds__give_other_orders_of_the_same_groups(make_publisher, views):
    releases = [make_publisher(seed=seed).publish(views[0], at=1) for seed in range(8)]
    assert len({str(as_groups(release)) for release in releases}) == 1
    assert len({str(release.to_frame()) for release in releases}) == 8


@pytest.fixture
def traceable(views):
    """A view in which the sensitive value says where the row stood in the input."""
    view = dict(views[0])
    view["exam"] = [f"{row:02d}" for row in range(len(view["name"]))]
    return view


def placed(traceable, seed, k=4):
    """Publish, and return group and input row of each published row."""
    # Every row has a value of its own, by which it is found again.
    schema = sr.Schema("name", [sr.Numeric("age")], sr.Sensitive("exam"), allow_unique=["exam"])
    policy = sr.Policy(sr.KAnonymity(k=k))
    frame = sr.Publisher(schema, policy, sr.Adversary(), seed=seed).publish(traceable, at=1)
    rows = [int(value) for value in frame.to_frame()["exam"]]
    return np.array(frame.to_frame()["group"]), np.array(rows)


def test_rows__lie_in_a_group_in_every_order(traceable):
    orders = set()
    for seed in range(200):
        group, rows = placed(traceable, seed)
        orders.add(tuple(np.argsort(rows[group == 1])))
    assert len(orders) == 24


def test_rows__do_not_follow_the_input(traceable):
    """The mean correlation over seeds is 0 but for chance (standard error about 0.015)."""
    correlations = []
    for seed in range(200):
        _, rows = placed(traceable, seed)
        correlations.append(np.corrcoef(np.arange(len(rows)), rows)[0, 1])
    assert abs(np.mean(correlations)) < 0.06


def test_groups__are_numbered_in_every_order(traceable):
    """Group 1 is each of the six groups about as often: 33 of 200 times, at least 10."""
    first = [placed(traceable, seed)[1][:4].min() for seed in range(200)]
    _, times = np.unique(first, return_counts=True)
    assert len(times) == 6
    assert times.min() >= 10


def test_numbers__of_groups_mean_nothing_across_releases(make_publisher, views, schema):
    publisher = make_publisher()
    regions = []
    for at in range(6):
        view = {**views[0], "diary": views[at % 3]["diary"], "exam": views[at % 3]["exam"]}
        regions.append(str(publisher.publish(view, at=at).group(0).region))
    assert len(set(regions)) > 1
