import numpy as np
import pytest

import oracles_utility as oracles
import seriatim as sr

EXAMS = ("neg", "pos")
SCHEMA = sr.Schema(
    "id",
    [
        sr.Numeric("age", 0, 99),
        sr.Categorical("sex", ["F", "M"]),
        sr.Hierarchical("zip", mask="prefix"),
        sr.Date("born", "1940-01-01", "2005-12-31"),
        sr.Ordinal("grade", ["low", "mid", "high"]),
    ],
    sr.Sensitive("exam", EXAMS),
)
CHANCES = np.array([[0.8, 0.2], [0.3, 0.7]])
"""P(exam | sex)."""


def made(size=800, k=4, seed=1):
    """People in buckets of k by chance, whose exam depends on their sex."""
    rng = np.random.default_rng(seed)
    sex = rng.integers(0, 2, size)
    exam = (rng.random(size) < CHANCES[sex, 1]).astype(int)
    group = rng.permutation(size) // k
    people = {
        "group": group,
        "age": rng.integers(0, 100, size),
        "sex": np.array(["F", "M"])[sex],
        "zip": rng.choice(["12030", "12031", "20100"], size),
        "born": rng.integers(-10_000, 12_000, size).astype("datetime64[D]").astype(str),
        "grade": rng.choice(["low", "mid", "high"], size),
    }
    cells, count = np.unique(group * 2 + exam, return_counts=True)
    values = {"group": cells // 2, "exam": np.array(EXAMS)[cells % 2], "count": count}
    return sr.read_buckets(people, values, SCHEMA, at=1), group, sex, exam


@pytest.fixture(scope="module")
def buckets():
    return made()


def test_estimate__comes_near_what_the_values_were_drawn_with(buckets):
    release, _, sex, exam = buckets
    found = sr.estimate_from_buckets(release, "sex")
    assert found.classes == (("F",), ("M",))
    assert found.converged
    assert (np.abs(found.shares - CHANCES) < 3 * found.errors).all()
    assert (np.abs(found.shares - CHANCES) < 0.12).all()
    # The buckets' frequencies alone put both near a half.
    truth = np.array([np.bincount(exam[sex == one], minlength=2) for one in (0, 1)])
    truth = truth / truth.sum(axis=1, keepdims=True)
    assert (found.least <= truth).all()
    assert (truth <= found.most).all()


def test_errors__are_those_of_series_drawn_anew():
    found = [
        sr.estimate_from_buckets(made(400, 4, seed)[0], "sex", blocks=20) for seed in range(40)
    ]
    spread = np.std([one.shares[0, 0] for one in found])
    told = np.mean([one.errors[0, 0] for one in found])
    assert told == pytest.approx(spread, rel=0.35)
    z = np.array([(one.shares[:, 0] - CHANCES[:, 0]) / one.errors[:, 0] for one in found])
    assert 0.85 <= (np.abs(z) < 1.96).mean() <= 1.0


def test_errors__are_jackknifed_over_blocks_of_buckets():
    release, group, sex, exam = made(24, 3, seed=3)
    found = sr.estimate_from_buckets(release, "sex", blocks=4)
    order = list(dict.fromkeys(group.tolist()))  # buckets are numbered as they are met
    dealt = [(sex[group == one].tolist(), exam[group == one].tolist()) for one in order]
    without = np.array(
        [
            oracles.likeliest_shares(
                [one for number, one in enumerate(dealt) if number % 4 != block], 2, 2, 4000
            )
            for block in range(4)
        ]
    )
    spread = ((without - without.mean(axis=0)) ** 2).sum(axis=0)
    assert found.errors == pytest.approx(np.sqrt(spread * 3 / 4), abs=2e-3)


def test_errors__are_missing_without_blocks_and_of_classes_in_one_block(buckets):
    assert np.isnan(sr.estimate_from_buckets(buckets[0], "sex", blocks=0).errors).all()
    people = {"group": [1, 1, 2, 2], "sex": ["F", "F", "F", "M"]}
    values = {"group": [1, 2], "exam": ["neg", "pos"], "count": [2, 2]}
    schema = sr.Schema("id", [SCHEMA.quasi_identifiers[1]], SCHEMA.sensitive)
    found = sr.estimate_from_buckets(sr.read_buckets(people, values, schema, at=1), "sex")
    assert np.isnan(found.errors[1]).all()
    assert not np.isnan(found.errors[0]).any()


def test_buckets__of_one_class_are_counted():
    people = {"group": [1, 1, 1, 2, 2], "sex": ["F", "F", "F", "M", "M"]}
    values = {"group": [1, 1, 2], "exam": ["neg", "pos", "neg"], "count": [1, 2, 2]}
    schema = sr.Schema("id", [SCHEMA.quasi_identifiers[1]], SCHEMA.sensitive)
    found = sr.estimate_from_buckets(sr.read_buckets(people, values, schema, at=1), "sex", blocks=2)
    assert found.shares == pytest.approx(np.array([[1 / 3, 2 / 3], [1, 0]]))
    assert (found.least == found.most).all()


def test_classes__are_cut_pooled_and_crossed(buckets):
    release, *_ = buckets
    found = sr.estimate_from_buckets(
        release,
        ["age", "zip", "born"],
        cuts={"age": [40, 65], "born": ["1980-01-01"]},
        pool={"zip": {"12030": "12…", "12031": "12…"}},
        blocks=0,
    )
    assert len(found.classes) == 3 * 2 * 2
    assert found.classes[0] == ("below 40", "12…", "below 1980-01-01")
    assert found.classes[-1] == ("65 or more", "20100", "1980-01-01 or more")
    ages = np.array([int(age) for age in release.people[0].to_pylist()])
    for row, low, high in (
        ("below 40", 0, 40),
        ("40 to below 65", 40, 65),
        ("65 or more", 65, 100),
    ):
        listed = sum(
            number
            for number, one in zip(found.people.tolist(), found.classes, strict=True)
            if one[0] == row
        )
        assert listed == ((ages >= low) & (ages < high)).sum()


def test_classes__without_cuts_are_in_the_order_of_the_domain(buckets):
    found = sr.estimate_from_buckets(buckets[0], "grade", blocks=0)
    assert [one for (one,) in found.classes] == ["low", "mid", "high"]
    ages = [int(one) for (one,) in sr.estimate_from_buckets(buckets[0], "age", blocks=0).classes]
    assert ages == sorted(ages)


def test_table__has_a_row_for_each_class_and_value(buckets):
    found = sr.estimate_from_buckets(buckets[0], ["sex", "grade"], blocks=2)
    table = found.to_frame()
    names = ["sex", "grade", "value", "people", "share", "error", "least", "most"]
    assert table.column_names == names
    assert table.num_rows == 2 * 3 * 2
    assert table["share"].to_pylist() == found.shares.ravel().tolist()
    assert table["people"].to_pylist()[:2] == [found.people[0]] * 2
    assert repr(found) == "BucketEstimates(2 values in 6 classes of sex × grade)"
    assert len(found.to_frame("pandas")) == 12


def test_estimate__of_a_published_release_needs_its_files_alone(tmp_path):
    release, *_ = made(200)
    files = [tmp_path / f"release-0001{ending}.csv" for ending in release.tables()]
    for file, table in zip(files, release.tables().values(), strict=True):
        rows = zip(*table.to_pydict().values(), strict=True)
        lines = [",".join(map(str, row)) for row in (table.column_names, *rows)]
        file.write_text("\n".join(lines), encoding="utf-8")
    again = sr.read_buckets(*files, SCHEMA, at=1)
    assert sr.read_history(files[:1], SCHEMA)[0].form == "buckets"
    one, two = (sr.estimate_from_buckets(each, "sex", blocks=0) for each in (release, again))
    assert one.shares == pytest.approx(two.shares, abs=1e-6)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"by": []}, "at least one column; the release has 'age'"),
        ({"by": "sexx"}, "no quasi-identifier 'sexx'; .* Did you mean 'sex'"),
        ({"by": "sex", "cuts": {"age": [3]}}, "'age' has cuts or a pool"),
        ({"by": "age", "cuts": {"age": [3, 3]}}, "Cuts of 'age' must rise"),
        ({"by": "age", "cuts": {"age": []}}, "Cuts of 'age' must rise"),
        ({"by": "sex", "cuts": {"sex": ["F"]}}, "neither a number nor a date"),
        ({"by": "sex", "pool": {"sex": {"W": "women"}}}, "names 'W', and nobody listed"),
    ],
)
def test_classes__that_cannot_be_made_are_refused(buckets, asked, message):
    with pytest.raises(sr.SchemaError, match=message):
        sr.estimate_from_buckets(buckets[0], **asked)


def test_blocks__must_be_a_number(buckets):
    with pytest.raises(sr.PolicyError, match="blocks must be a whole number"):
        sr.estimate_from_buckets(buckets[0], "sex", blocks=-1)


def test_generalized_tables__are_refused():
    schema = sr.Schema("id", [sr.Numeric("age", 0, 99)], sr.Sensitive("exam", EXAMS))
    release = sr.read_release({"age": ["1-9"] * 2, "exam": EXAMS}, schema, at=1)
    with pytest.raises(sr.SchemaError, match="need a release in buckets; this one is generalized"):
        sr.estimate_from_buckets(release, "age")
