"""Upkeep of a store: its values grow, its backups are restored, its damage is found."""

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest

import seriatim as sr
from seriatim.inference.extension import carried_junctions, carried_states
from seriatim.publish import upkeep
from studies import week, write_study

SHORT = '"CX-neg", "CX-pos", "HB-high", "HB-low", "MAM-neg", "MAM-pos", "PNE-neg", "PNE-pos"'


def readers():
    return {
        "learned, joint": 'sequence = "views"\nsteps = 2',
        "learned, marginal": 'sequence = "views"\nfiltering = "marginal"',
        "from a file": 'sequence = "knowledge.csv"',
        "none": 'sequence = "none"',
    }


@pytest.mark.parametrize("reader", readers())
def test_extended_series__goes_on_as_one_that_had_the_values_from_the_start(
    tmp_path, reader, monkeypatch
):
    monkeypatch.setattr("secrets.token_bytes", lambda size: b"s" * size)
    section = 'prior = "prior.csv"\n' + readers()[reader]
    published, watched = [], []
    for name, grown_from in (("whole", 1), ("grown", 3)):
        folder = tmp_path / name
        path = write_study(folder, weeks=4, changes=[('sequence = "knowledge.csv"', section)])
        sr.write_knowledge(sr.clinic(weeks=1, size=20).prior, folder / "prior.csv")
        whole = path.read_text().replace(SHORT, SHORT + ', "ZZ-new"')
        for number in (1, 2, 3, 4):
            if number == grown_from:
                path.write_text(whole)
                if number > 1:
                    with pytest.raises(sr.OrderError, match="seriatim store extend"):
                        publish(path, number)
                    with sr.DuckDBStore(folder / "study.store") as store:
                        assert upkeep.extend(store, sr.Study.read(path)) == ("ZZ-new",)
                        assert upkeep.extend(store, sr.Study.read(path)) == ()
            found = publish(path, number)
        published.append(found.publication)
        watched.append(found.watched)
    assert watched[0].back == pytest.approx(watched[1].back, abs=1e-5)
    assert (watched[0].back is None) == (reader == "none")
    whole, grown = published
    assert whole.revised.domain == grown.revised.domain
    assert np.allclose(whole.revised.probabilities, grown.revised.probabilities, atol=1e-6)
    assert whole.release.to_arrow().equals(grown.release.to_arrow())
    with sr.DuckDBStore(tmp_path / "grown" / "study.store") as store:
        assert [len(one.schema.sensitive.domain) for one in store.history] == [8, 8, 9, 9]


def publish(path, number):
    with sr.Press(sr.Study.read(path)) as press:
        return press.publish(week(path, number), at=number)


def test_new_value__that_was_not_declared_says_how_to_extend(tmp_path):
    path = write_study(tmp_path)
    publish(path, 1)
    table = pyarrow.csv.read_csv(week(path, 2))
    exams = table["exam"].to_pylist()
    exams[0] = "ZZ-new"
    changed = table.set_column(table.column_names.index("exam"), "exam", pa.array(exams))
    extending = pytest.raises(sr.TableError, match="seriatim store extend")
    with sr.Press(sr.Study.read(path)) as press, extending:
        press.publish(changed, at=2)


def test_carried_states__are_where_the_same_past_leads():
    rng = np.random.default_rng(0)
    short = sr.IncrementalKnowledge(2).tree(("a", "b"))[0]
    long = sr.IncrementalKnowledge(2).tree(("a", "b", "c"))[0]
    states, junctions = carried_states(short, long), carried_junctions(short, long)
    for _ in range(50):
        here, there = short.start, long.start
        for value in rng.integers(0, 2, rng.integers(0, 6)):
            here, there = short.next_state[here, value], long.next_state[there, value]
        assert states[here] == there
        assert junctions[short.junction_of[here]] == long.junction_of[there]


def test_carried_states__needs_the_old_values_in_front():
    short = sr.IncrementalKnowledge(1).tree(("a", "b"))[0]
    long = sr.IncrementalKnowledge(1).tree(("b", "a", "c"))[0]
    with pytest.raises(sr.KnowledgeError, match="grows at its end"):
        carried_states(short, long)


def test_check__finds_a_changed_release(tmp_path):
    path = write_study(tmp_path)
    for number in (1, 2):
        publish(path, number)
    study = sr.Study.read(path)
    (study.output_folder / "release-0001.csv").write_text("changed")
    with sr.DuckDBStore(study.store_path) as store:
        found = upkeep.check_up(store, study)
    assert [one.what for one in found if not one.sound] == ["release 1: release-0001.csv"]


def test_restore__refuses_what_is_no_backup_and_keeps_what_it_replaces(tmp_path):
    path = write_study(tmp_path)
    publish(path, 1)
    study = sr.Study.read(path)
    with sr.DuckDBStore(study.store_path) as store:
        store.copy_to(tmp_path / "backup")
    publish(path, 2)
    (tmp_path / "bad").write_bytes(b"x" * 9000)
    with pytest.raises(sr.StoreError):
        upkeep.restore(tmp_path / "bad", study.store_path, None)
    with sr.DuckDBStore(study.store_path) as store:
        assert len(store.entries) == 2
    replaced = upkeep.restore(tmp_path / "backup", study.store_path, None)
    assert replaced.exists()
    with sr.DuckDBStore(study.store_path) as store:
        assert len(store.entries) == 1


def test_export__holds_no_id(tmp_path):
    path = write_study(tmp_path)
    publish(path, 1)
    study = sr.Study.read(path)
    with sr.DuckDBStore(study.store_path) as store:
        files = upkeep.export(store, tmp_path / "export")
    people = pyarrow.csv.read_csv(week(path, 1))["patient"].to_pylist()
    content = b"".join(file.read_bytes() for file in files)
    assert not any(person.encode() in content for person in people)
