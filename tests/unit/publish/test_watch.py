"""The watch: what the simulated reader gains, told before it is too late."""

import json
import re
from dataclasses import asdict, replace

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from typer.testing import CliRunner

import seriatim as sr
from seriatim._figures import written_figure
from seriatim.cli.app import app
from seriatim.cli.history import _gain as history_gain
from seriatim.inference.retrospective import retrospect
from seriatim.publish.enforcement import Attempt, Looked, enforced
from seriatim.publish.series_plan import SeriesPlan
from seriatim.publish.store import Entry
from seriatim.publish.traces import panel_numbers
from seriatim.publish.watch import Watch, gains_of, recorded_gains, told_in_public, watch
from seriatim.report.of_study import series_of_study
from studies import SEALED, begun_study, week

PLANNED = ('"knowledge.csv"\n', '"knowledge.csv"\n\n[plan]\nreleases = 3\ntarget_gain = 0.5\n')


@pytest.fixture
def study(tmp_path):
    return begun_study(tmp_path, releases=0, changes=[PLANNED])


@pytest.fixture
def begun(tmp_path):
    """A study with two releases."""
    return begun_study(tmp_path, releases=2, changes=[PLANNED])


def test_watch__is_the_audits_gain_of_the_same_reader(study):
    declared = sr.Study.read(study)
    made, told = [], []
    with sr.Press(declared) as press:
        for number in (1, 2, 3):
            printed = press.publish(week(study, number), at=number)
            made.append(printed.publication)
            told.append(printed.watched)
        entries = press.store.entries
    found = sr.audit(
        [one.release for one in made],
        [one.view for one in made],
        {"own": declared.adversary},
        memberships=[one.membership for one in made],
    )
    gains = [row.gain for row in found.rows]
    assert [one.gain for one in told] == pytest.approx(gains, abs=1e-5)
    assert [one.greatest for one in told] == pytest.approx(
        [max(gains[: place + 1]) for place in range(3)], abs=1e-5
    )
    assert [entry.record["watch"]["gain"] for entry in entries] == [one.gain for one in told]
    shown = [entry.record["certificate"]["simulated reader"]["mean gain"] for entry in entries]
    assert shown == [round(one.gain, 4) for one in told]


@given(st.floats(-0.2, 1.0), st.floats(-0.2, 1.0))
@example(0.04552, 0.11949)
def test_gain__reads_the_same_wherever_it_is_shown(gain, back):
    watched = Watch(gain, 1.0, max(gain, 0.0), back, max(back, 0.0))
    record = {
        "watch": asdict(watched),
        "certificate": {"simulated reader": told_in_public(watched, 4)},
    }
    words = re.search(r"gains (\S+) on the mean.*looking back (\S+),", str(watched))
    assert history_gain(record, 0.12)[:2] == words.groups()
    assert tuple(map(written_figure, recorded_gains(record))) == words.groups()


def test_gain__reads_the_same_at_publish_and_in_the_history_and_the_report(study):
    with sr.Press(sr.Study.read(study)) as press:
        printed = press.publish(week(study, 1), at=1)
        told = series_of_study(sr.Study.read(study), press.store).tables[0]
    assert (told.watched, told.watched_back) == (printed.watched.gain, printed.watched.back)


def test_gain__of_which_only_a_certificate_tells_is_what_it_tells():
    stated = {"simulated reader": {"mean gain": 0.0455}}
    assert recorded_gains({"certificate": stated}) == (0.0455, None)


def test_certificate__says_nothing_of_the_worst_case(study):
    declared = sr.Study.read(study)
    with sr.Press(declared) as press:
        printed = press.publish(week(study, 1), at=1)
    assert "worst" not in printed.certificate["simulated reader"]


def test_enforced_target__refuses_before_anything_is_written(study):
    text = study.read_text("utf-8")
    study.write_text(
        text.replace("target_gain = 0.5", "target_gain = 0.0\nenforce = true"), "utf-8"
    )
    declared = sr.Study.read(study)
    with (
        sr.Press(declared) as press,
        pytest.raises(sr.UnsatisfiableError, match="the study enforces 0"),
    ):
        press.publish(week(study, 1), at=1)
    assert not list(declared.output_folder.glob("*"))
    with sr.Press(declared) as press:
        assert press.store.n_releases == 0


def test_commands__show_the_gain_and_warn(study):
    run = CliRunner()
    text = study.read_text("utf-8")
    first = run.invoke(app, ["publish", str(week(study, 1)), "--study", str(study)])
    assert "Watched: the simulated reader gains" in first.stdout
    assert "WARNING" not in first.stdout
    study.write_text(text.replace("target_gain = 0.5", "target_gain = 0.01"), "utf-8")
    second = run.invoke(app, ["publish", str(week(study, 2)), "--study", str(study), "--json"])
    assert json.loads(second.stdout)["watched"]["gain"] > 0.01
    third = run.invoke(app, ["publish", str(week(study, 3)), "--study", str(study)])
    assert "WARNING: the target is near or passed" in third.stdout
    listed = run.invoke(app, ["history", "--study", str(study)])
    assert "0 to target 0.01" in listed.stdout
    assert "█ !" in listed.stdout


def test_watch__of_an_old_series_begins_with_what_there_is(study):
    declared = sr.Study.read(study)
    with sr.Press(declared) as press:
        publication = press.preview(week(study, 1), at=1).publication
    old = sr.publish.Entry(0, b"", {"certificate": {}})
    assert watch(publication, [old]) == watch(publication, [])


def changed(study, **settings):
    """Write settings under [plan], which is the last section."""
    lines = [f"{name} = {value}\n" for name, value in settings.items()]
    study.write_text(study.read_text("utf-8") + "".join(lines), "utf-8")
    return sr.Study.read(study)


def published(declared, numbers=(1, 2, 3)):
    found = []
    for number in numbers:
        with sr.Press(declared) as press:  # everything that matters must be in the store
            found.append(press.publish(week(declared.path, number), at=number))
    return found


def whole_series(declared, printed):
    """The greatest mean gain of a release that the whole series so far tells."""
    made = [one.publication for one in printed]
    beliefs = retrospect(
        declared.adversary,
        [one.release for one in made],
        [one.membership for one in made],
        passes=0,
    )
    return max(gains_of(one, belief).mean() for one, belief in zip(made, beliefs, strict=True))


def test_watch__looking_back_over_a_short_series_is_the_retrospective_reader(study):
    declared = sr.Study.read(study)
    printed = published(declared)
    for so_far in (1, 2, 3):
        expected = whole_series(declared, printed[:so_far])
        assert printed[so_far - 1].watched.back == pytest.approx(expected, abs=1e-5)
    told = [one.watched.back for one in printed]
    assert [one.watched.greatest_back for one in printed] == pytest.approx(
        [max(told[: place + 1]) for place in range(3)]
    )
    assert told[2] > printed[2].watched.gain
    with sr.DuckDBStore(declared.store_path) as store:
        entries = store.entries
    assert [entry.record["watch"]["back"] for entry in entries] == told
    shown = [entry.record["certificate"]["simulated reader"] for entry in entries]
    assert [one["mean gain looking back"] for one in shown] == [round(one, 4) for one in told]
    assert {one["releases looked back"] for one in shown} == {4}


def test_watch__keeps_the_greatest_gain_looking_back_of_earlier_releases(study):
    (printed,) = published(sr.Study.read(study), (1,))
    made = printed.publication
    earlier = Entry(0, b"", {"watch": {"gain": 0.1, "back": 0.9}})
    assert watch(made, [earlier], [made.trace]).greatest_back == 0.9


def test_watch__tells_the_same_of_a_preview_and_leaves_no_trace(begun):
    declared = sr.Study.read(begun)
    with sr.Press(declared) as press:
        before = [trace.release for trace in press.store.traces]
        looked = press.preview(week(begun, 3), at=3)
        assert [trace.release for trace in press.store.traces] == before == [1, 2]
        assert press.publish(week(begun, 3), at=3).watched == looked.watched


def test_lag_0__looks_back_nowhere_and_follows_nobody(study):
    declared = changed(study, lag=0)
    printed = published(declared, (1, 2))
    assert printed[1].watched.back is None
    assert set(printed[1].certificate["simulated reader"]) == {
        "mean gain",
        "greatest mean gain so far",
    }
    with sr.DuckDBStore(declared.store_path) as store:
        assert store.traces == ()
    shown = CliRunner().invoke(app, ["history", "--study", str(study)]).stdout
    row = next(line for line in shown.splitlines() if line.split()[:2] == ["1", "1"])
    assert row.split()[-2:] == ["0.000", "-"]


def test_traces__of_releases_before_the_window_are_removed(study):
    declared = changed(study, lag=1)
    published(declared)
    with sr.DuckDBStore(declared.store_path) as store:
        assert [trace.release for trace in store.traces] == [2, 3]
        rows = store.table("SELECT DISTINCT release FROM traces ORDER BY release")
        assert rows["release"].to_pylist() == [2, 3]
        tables = store.table("SELECT table_name AS name FROM duckdb_tables()")["name"].to_pylist()
        assert sorted(name for name in tables if name.startswith("trace_")) == [
            "trace_2",
            "trace_3",
        ]


def test_traces__of_a_panel_that_shrinks_are_read_as_they_were_kept(study, monkeypatch):
    declared = sr.Study.read(study)
    before, first = (), None
    for number, panel in ((1, 50), (2, 30), (3, 20)):
        monkeypatch.setattr("seriatim.publish.press.PANEL", panel)
        with sr.Press(declared) as press:
            publication = press.publish(week(study, number), at=number).publication
            kept = press.store.traces
            rows = press.store.table("SELECT content FROM trace_1 WHERE name = 'codes'")
        expected = publication.window(before, declared.declared.plan.lag)
        assert [trace.release for trace in kept] == [trace.release for trace in expected]
        # Whoever was in no panel before is in no smaller one.
        numbers = panel_numbers(publication.view.respondents, press.store.secret)
        limit = min((trace.sight.limit for trace in before), default=2**64 - 1)
        assert len(kept[-1]) == min(panel, (numbers <= np.uint64(limit)).sum())
        for one, other in zip(kept, expected, strict=True):
            assert one.sight.limit == other.sight.limit
            assert one.sight.numbers.tolist() == other.sight.numbers.tolist()
            assert one.sight.codes.tolist() == other.sight.codes.tolist()
            assert one.truth.tolist() == other.truth.tolist()
            assert np.allclose(one.sight.weights, other.sight.weights)
            assert np.allclose(one.gain, other.gain)
        # What a release told first stays as it was written.
        first = first or rows["content"].to_pylist()
        assert rows["content"].to_pylist() == first
        before = kept


def test_forgotten_person__is_in_no_trace(study):
    declared = sr.Study.read(study)
    printed = published(declared, (1, 2))
    view = printed[1].publication.view
    someone = view.respondents.slice(3, 1)
    with sr.DuckDBStore(declared.store_path) as store:
        number = panel_numbers(someone, store.secret)[0]
        before = store.traces
        assert any(number in trace.sight.numbers for trace in before)
        store.forget(someone)
        after = store.traces
    for one, other in zip(before, after, strict=True):
        kept = one.sight.numbers != number
        assert other.sight.numbers.tolist() == one.sight.numbers[kept].tolist()
        assert np.allclose(other.gain, one.gain[kept])
        assert len(other.sight.codes) == int(np.diff(one.sight.bounds)[kept].sum())
    files = (file for file in declared.store_path.rglob("*") if file.is_file())
    assert not any(number.tobytes() in file.read_bytes() for file in files)
    assert published(declared, (3,))[0].watched.back is not None


def test_sealed_store__keeps_traces_too(tmp_path):
    found = []
    for name, changes in (("plain", ()), ("sealed", (SEALED,))):
        declared = sr.Study.read(begun_study(tmp_path / name, releases=2, changes=changes))
        found.append(published(declared, (3,))[0].watched.back)
    # Each store draws its own secret, which orders equals; with these views there are none.
    assert found[0] == pytest.approx(found[1], abs=1e-5)


@pytest.mark.parametrize("word", ['"refuse"', '"enlarge"'])
def test_enforced_target__is_held_against_the_reader_who_looks_back(tmp_path, begun, word):
    like = begun_study(tmp_path / "like", releases=3, changes=[PLANNED])
    with sr.DuckDBStore(sr.Study.read(like).store_path) as store:
        reference = Watch(**store.entries[2].record["watch"])
    assert reference.back > reference.gain
    between = (reference.back + reference.gain) / 2
    text = begun.read_text("utf-8").replace("target_gain = 0.5", f"target_gain = {between}")
    begun.write_text(f"{text}enforce = {word}\n", "utf-8")
    declared = sr.Study.read(begun)
    if word != '"enlarge"':
        with pytest.raises(sr.UnsatisfiableError, match="on the mean looking back by this release"):
            published(declared, (3,))
    else:
        (printed,) = published(declared, (3,))
        assert printed.watched.decisive <= between
        assert printed.instead.decisive == pytest.approx(reference.back, abs=1e-5)
        assert printed.certificate["groups formed with k"] > 5
        sizes = [len(group) for group in printed.publication.release.groups]
        assert min(sizes) >= printed.certificate["groups formed with k"]
        assert printed.certificate["promised"][0] == {"name": "k-anonymity", "k": 5}
        assert sr.verify(printed.files[-1]).holds


def test_enlarging__refuses_when_nothing_helps_and_writes_nothing(study):
    text = study.read_text("utf-8").replace("target_gain = 0.5", "target_gain = 0.001")
    study.write_text(text + 'enforce = "enlarge"\n', "utf-8")
    declared = sr.Study.read(study)
    published(declared, (1,))  # nobody gains by the first
    run = CliRunner()
    asked = ["publish", str(week(study, 2)), "--study", str(study)]
    refused = run.invoke(app, asked)
    assert refused.exit_code == 1
    assert "Groups of up to 18 did not help" in str(refused.exception)
    with sr.DuckDBStore(declared.store_path) as store:
        assert store.n_releases == 1
        assert [trace.release for trace in store.traces] == [1]
    assert not list(declared.output_folder.glob("release-0002*"))


def looking(gain):
    return lambda: Looked(Watch(gain, 0.0, 0.0), ())


def attempts(gains, tuples=60):
    """A first attempt, and a way to try again that gains less and less."""
    schema = sr.Schema("id", [sr.Numeric("age", 0, 99)], sr.Sensitive("exam"))
    table = {"id": list(range(tuples)), "age": [1] * tuples, "exam": ["a", "b"] * (tuples // 2)}
    policy = sr.Policy(sr.KAnonymity(4))
    publication, step = sr.Publisher(schema, policy, sr.Adversary(), seed=1).prepare(table, at=1)
    first = Attempt(publication, step, looking(gains[0]), 4)
    left, tried = list(gains[1:]), []

    def again(larger, k):
        tried.append((str(larger.requirement), k))
        return replace(first, look=looking(left.pop(0)), k=k)

    return first, policy, again, tried


def test_enlarging__tries_half_as_large_again_until_the_target_holds():
    first, policy, again, tried = attempts([0.5, 0.4, 0.3, 0.1])
    found = enforced(first, policy, SeriesPlan(target=0.1), "enlarge", again)
    assert tried == [("KAnonymity(k=6)", 6), ("KAnonymity(k=9)", 9), ("KAnonymity(k=14)", 14)]
    assert (found.k, found.instead) == (14, first.watched)


def test_enlarging__stops_at_a_third_of_the_view():
    first, policy, again, tried = attempts([0.5] * 9)
    with pytest.raises(sr.UnsatisfiableError, match="Groups of up to 14 did not help"):
        enforced(first, policy, SeriesPlan(target=0.1), "enlarge", again)
    assert [k for _, k in tried] == [6, 9, 14]


def test_enlarging__leaves_a_release_alone_that_keeps_the_target():
    first, policy, again, tried = attempts([0.1])
    for enforce in (False, True, "refuse", "enlarge"):
        assert enforced(first, policy, SeriesPlan(target=0.1), enforce, again) is first
    assert not tried


def test_commands__say_that_groups_were_enlarged_and_why(study):
    text = study.read_text("utf-8").replace("target_gain = 0.5", "target_gain = 0.019")
    study.write_text(text + 'enforce = "enlarge"\n', "utf-8")
    run = CliRunner()
    told = []
    for number in (1, 2, 3):
        asked = ["publish", str(week(study, number)), "--study", str(study)]
        looked = run.invoke(app, [*asked, "--dry-run"])
        done = run.invoke(app, asked)
        assert done.exit_code == looked.exit_code
        told.append((looked.stdout, done.stdout, done.exit_code))
    grown = [one for one in told if one[2] == 0 and "Groups were enlarged to k = " in one[1]]
    assert grown
    for looked, _, _ in grown:
        assert "Groups were enlarged to k = " in looked
        assert "with those asked for, the reader would have gained 0.0" in looked


def test_enlarging__is_refused_for_groups_whose_size_is_not_asked_for(study):
    text = study.read_text("utf-8").replace("j = 1.0\n", 'partitioner = "m-invariant"\nm = 5\n')
    study.write_text(text + 'enforce = "enlarge"\n', "utf-8")
    with pytest.raises(sr.StudyError, match='use enforce = "refuse"'):
        sr.Study.read(study)


def test_study__says_what_enforce_may_be(study):
    study.write_text(study.read_text("utf-8") + 'enforce = "enlarg"\n', "utf-8")
    with pytest.raises(sr.StudyError, match="Did you mean 'enlarge'"):
        sr.Study.read(study)


def test_certificate__of_a_watched_release_has_no_number_of_anyone(study):
    declared = sr.Study.read(study)
    printed = published(declared, (1,))[0]
    with sr.DuckDBStore(declared.store_path) as store:
        numbers = panel_numbers(printed.publication.view.respondents, store.secret)
    text = b"".join(file.read_bytes() for file in printed.files)
    assert not any(str(number).encode() in text for number in numbers)
    assert not any(number.tobytes() in text for number in numbers)
