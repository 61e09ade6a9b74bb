import datetime as dt
import json
from pathlib import Path

import pytest

import seriatim as sr
from seriatim.knowledge import Classes

FORMATS = pytest.mark.parametrize("suffix", [".csv", ".json"])
DOMAIN = ("neg", "pos")
STICKY = sr.Automaton(DOMAIN, [[0.5, 0.5], [0.75, 0.25], [0.25, 0.75]], [[1, 2]] * 3)
PRIOR = sr.MarginalPrior({"neg": 0.75, "pos": 0.25})


@pytest.fixture
def read(tmp_path):
    """Return what a file of some text is read as."""

    def read(text, name="known.csv"):
        (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        return sr.read_knowledge(tmp_path / name)

    return read


def front(**settings):
    return f"# seriatim: {json.dumps(settings)}\n"


def sheet(*rows, **settings):
    return json.dumps({"seriatim": settings, "rows": rows})


def after(model, *past, kind=0):
    """What the model expects after some values."""
    automaton = model.automaton(DOMAIN)
    state = automaton.start
    for value in past:
        state = automaton.next_state[state, DOMAIN.index(value)]
    return automaton.next_value[kind, state].tolist()


def test_hand_made_table__of_given_next_probability_is_domain_knowledge(read):
    found = read("given,next,probability\nneg,neg,0.75\nneg,pos,0.25\npos,pos,1\n")
    assert isinstance(found, sr.DomainKnowledge)
    assert after(found, "neg") == [0.75, 0.25]
    assert after(found, "pos") == [0.0, 1.0]


def test_hand_made_table__may_look_further_back(read):
    found = read(
        "given_2,given,next,probability\n,pos,neg,1\nneg,pos,pos,1\n,neg,neg,0.5\n,neg,pos,0.5\n"
    )
    assert found.steps == 2
    assert after(found, "pos") == [1.0, 0.0]
    assert after(found, "neg", "pos") == [0.0, 1.0]


def test_hand_made_table__takes_other_columns_for_classes(read):
    found = read("sex,given,next,probability\nF,neg,pos,1\nM,neg,neg,1\n")
    assert found.classes == Classes(("sex",), (("F",), ("M",)))
    assert after(found, "neg", kind=0) == [0.0, 1.0]
    assert after(found, "neg", kind=1) == [1.0, 0.0]


def test_hand_made_table__with_counts_is_mined_knowledge(read):
    found = read("given,next,count\nneg,pos,3\nneg,neg,1\n")
    assert isinstance(found, sr.MinedKnowledge)
    assert after(found, "neg") == [0.25, 0.75]


def test_hand_made_table__with_rates_is_transition_rates(read):
    found = read("given,next,rate\nneg,pos,0\npos,neg,0.5\n")
    assert isinstance(found, sr.TransitionRates)
    assert found.generator.tolist() == [[[0.0, 0.0], [0.5, -0.5]]]


def test_hand_made_table__of_states_is_an_automaton(read):
    found = read("state,next,probability,to\n0,neg,0.5,0\n0,pos,0.5,1\n1,neg,,0\n1,pos,,1\n")
    assert isinstance(found, sr.Automaton)
    assert found.next_value.tolist() == [[[0.5, 0.5], [0.0, 0.0]]]
    assert found.next_state.tolist() == [[0, 1], [0, 1]]
    assert found.known.tolist() == [[True, False]]


def test_hand_made_table__of_values_is_a_prior(read):
    assert read("value,probability\nneg,0.75\npos,0.25\n").distribution == PRIOR.distribution
    by_sex = read("sex,value,probability\nF,neg,1\nM,pos,1\n")
    assert isinstance(by_sex, sr.ClassPrior)
    by_name = read("respondent,value,probability\nAlice,neg,1\n007,pos,1\n")
    assert by_name.respondents.to_pylist() == ["Alice", "007"]


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["1", "2"], (1, 2)),
        (["1", "2.5"], (1.0, 2.5)),
        (["1", "two"], ("1", "two")),
        (["True", "False"], ("True", "False")),
    ],
)
def test_hand_made_table__has_numbers_where_all_cells_are(read, cells, values):
    found = read(f"value,probability\n{cells[0]},0.5\n{cells[1]},0.5\n").values
    assert found == values
    assert list(map(type, found)) == list(map(type, values))


@pytest.mark.parametrize("cells", [["1_0", "2_0"], ["١", "٢"]])
def test_hand_made_table__takes_no_codes_for_numbers(read, cells):
    assert read(f"value,probability\n{cells[0]},0.5\n{cells[1]},0.5\n").values == tuple(cells)


def test_hand_made_table__may_have_spaces_empty_lines_and_the_mark_of_a_spreadsheet(read):
    text = "\ufeff given , next ,probability\r\n\r\nneg,pos,1\r\n,,\r\n"
    assert after(read(text), "neg") == [0.0, 1.0]


@pytest.mark.parametrize(
    "first",
    [
        '# seriatim: {"kind": "domain knowledge", "unlisted": "spread"}',
        '# seriatim: {"kind": "domain knowledge", "unlisted": "spread"},,',
        '"# seriatim: {""kind"": ""domain knowledge"", ""unlisted"": ""spread""}"',
        '"# seriatim: {""kind"": ""domain knowledge"", ""unlisted"": ""spread""}",,',
        '"# seriatim: {""kind"": ""domain knowledge"""," ""unlisted"": ""spread""}",',
        '# seriatim:{"kind":"domain knowledge","unlisted":"spread"}',
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_first_line__is_read_as_spreadsheets_leave_it(read, first, end):
    found = read(end.join([first, "given,next,probability", "neg,pos,0.25", ""]))
    assert after(found, "neg") == [0.75, 0.25]


def test_table__may_be_padded_to_the_width_of_the_first_line(read):
    first = front(kind="domain knowledge", values=[*DOMAIN]).strip()
    text = f"{first},,\ngiven,next,probability,,\nneg,pos,1,,\npos,pos,1,,\n"
    assert after(read(text), "neg") == [0.0, 1.0]


DAMAGED = {
    "nothing.csv": "",
    "nothing.json": "",
    "no_table.csv": "The patient was well.",
    "no_object.json": "[]",
    "cut.json": '{"seriatim": {"kind": "uniform prior"}, "ro',
    "semicolons.csv": "value;probability\nneg;1\n",
    "latin.csv": "value,probability\nmüde,1\n".encode("latin-1"),
    "kind_unknown.csv": front(kind="domain knowlege") + "given,next,probability\nneg,pos,1\n",
    "kind_missing.json": '{"seriatim": {}, "rows": []}',
    "kind_list.csv": front(kind=["uniform prior"]),
    "kind_list.json": sheet(kind=["uniform prior"]),
    "front_broken.csv": "# seriatim: {kind}\nvalue,probability\nneg,1\n",
    "front_deep.csv": f"# seriatim: {'[' * 100_000}\n",
    "deep.json": '{"seriatim": ' + "[" * 100_000,
    "values_number.csv": front(kind="marginal prior", values=5) + "value,probability\nneg,1\n",
    "column_missing.csv": front(kind="domain knowledge") + "given,next\nneg,pos\n",
    "column_missing.json": sheet({"given": "neg", "next": "pos"}, kind="domain knowledge"),
    "columns_twice.csv": "value,value,probability\nneg,pos,1\n",
    "class_missing.csv": front(kind="class prior", classes=["sex"]) + "value,probability\nneg,1\n",
    "rate_missing.csv": "given,next,rate\nneg,pos,\n",
    "rate_nan.csv": "given,next,rate\nneg,pos,nan\n",
    "rate_negative.csv": "given,next,rate\nneg,pos,-1\n",
    "rate_text.csv": "given,next,rate\nneg,pos,often\n",
    "probability_missing.csv": "given,next,probability\nneg,pos,\n",
    "probability_large.csv": "given,next,probability\nneg,pos,2\n",
    "value_missing.csv": "value,probability\nneg,0.5\n,0.5\n",
    "value_missing.json": sheet({"probability": 1.0}, kind="marginal prior"),
    "next_missing.csv": "given,next,probability\nneg,,1\n",
    "next_mixed.json": sheet(
        {"given": "neg", "next": 1, "probability": 1.0},
        {"given": "pos", "next": "neg", "probability": 1.0},
        kind="domain knowledge",
    ),
    "class_mixed.json": sheet(
        {"age": 51, "value": "neg", "probability": 1.0},
        {"age": "52-99", "value": "neg", "probability": 1.0},
        kind="class prior",
    ),
    "sum.csv": "value,probability\nneg,0.5\n",
    "lengths.csv": "value,probability\nneg\n",
    "field_long.csv": f"value,probability\n{'a' * 200_000},1\n",
    "quote_open.csv": 'value,probability\n"neg,1\n' + "pos,0\n" * 50_000,
    "count_large.csv": f"given,next,count\nneg,pos,{10**30}\n",
    "count_endless.json": sheet(
        {"given": "neg", "next": "pos", "count": float("inf")}, kind="mined knowledge"
    ),
    "count_half.json": sheet({"given": "neg", "next": "pos", "count": 1.5}, kind="mined knowledge"),
    "context_hole.csv": "given_3,given_2,given,next,count\nneg,,pos,neg,2\n",
    "counts_none.csv": "given,next,count\n",
    "state_far.csv": f"state,next,probability,to\n{10**15},neg,1,0\n",
    "state_negative.csv": "state,next,probability,to\n-1,neg,1,0\n",
    "to_nowhere.csv": "state,next,probability,to\n0,neg,1,7\n",
    "to_far.csv": f"state,next,probability,to\n0,neg,1,{10**30}\n",
    "to_half.json": sheet(
        {"state": 0, "next": "neg", "probability": 1.0, "to": 0.5}, kind="automaton"
    ),
    "state_half_known.csv": "state,next,probability,to\n0,neg,0.5,0\n0,pos,,0\n",
    "start_endless.csv": "# seriatim: "
    '{"kind": "automaton", "start": Infinity}\nstate,next,probability,to\n0,neg,1,0\n',
    "steps_endless.csv": '# seriatim: {"kind": "incremental knowledge", "steps": Infinity}\n',
    "steps_negative.csv": front(kind="incremental knowledge", steps=-1),
    "steps_missing.csv": front(kind="incremental knowledge"),
    "bandwidth_missing.json": sheet(kind="kernel prior"),
    "period_text.csv": front(kind="mined knowledge", period="week")
    + "given,next,count\nneg,pos,1\n",
    "unlisted_unknown.csv": front(kind="marginal prior", unlisted="x")
    + "value,probability\nneg,1\n",
    "unseen_unknown.csv": front(kind="mined knowledge", unseen="x")
    + "given,next,count\nneg,pos,1\n",
    "respondent_text.csv": front(kind="tabulated prior", respondents="numbers")
    + "respondent,value,probability\nAlice,neg,1\n",
}


@pytest.mark.parametrize("name", DAMAGED)
def test_damaged_file__is_explained_by_its_name(read, name):
    with pytest.raises(sr.KnowledgeError, match=rf"{name}\b"):
        read(DAMAGED[name], name)


def test_damaged_file__names_the_column_whose_cells_are_no_numbers(read):
    with pytest.raises(sr.KnowledgeError, match="Column 'respondent' holds numbers, and some"):
        read(DAMAGED["respondent_text.csv"], "people.csv")


def test_mined_knowledge__of_no_counts_is_refused_or_leaves_everything_to_the_prior(read):
    try:
        found = read("given,next,count\nneg,pos,0\n")
    except sr.KnowledgeError:
        return
    assert not found.automaton(DOMAIN).known.any()


def test_read_knowledge__explains_a_file_that_is_not_there(tmp_path):
    with pytest.raises(sr.KnowledgeError, match=r"none\.csv could not be read: No such file"):
        sr.read_knowledge(tmp_path / "none.csv")
    (tmp_path / "folder.json").mkdir()
    with pytest.raises(sr.KnowledgeError, match=r"folder\.json could not be read"):
        sr.read_knowledge(tmp_path / "folder.json")


@pytest.mark.parametrize("name", ["known", "known.txt", "known.csv.gz", ".csv"])
def test_knowledge_file__is_csv_or_json(tmp_path, name):
    with pytest.raises(sr.KnowledgeError, match=r"kept in .csv and .json files"):
        sr.write_knowledge(PRIOR, tmp_path / name)
    with pytest.raises(sr.KnowledgeError, match=r"kept in .csv and .json files"):
        sr.read_knowledge(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_knowledge_file__may_be_named_by_a_text_and_in_capitals(tmp_path):
    sr.write_knowledge(PRIOR, f"{tmp_path}/KNOWN.CSV")
    assert sr.read_knowledge(f"{tmp_path}/KNOWN.CSV").distribution == PRIOR.distribution


class OwnModel:
    """A sequence model of a user's own."""

    values = DOMAIN

    def automaton(self, domain):
        return STICKY.automaton(domain)


RATES = sr.TransitionRates.from_table({"given": ["neg"], "next": ["pos"], "rate": [0.5]})
PEOPLE = {"who": [1, 2], "age": [30, 60], "exam": ["neg", "pos"]}
CORPUS = sr.Schema("who", [sr.Numeric("age", 0, 99)], sr.Sensitive("exam", DOMAIN))
ROW = {"value": ["neg"], "probability": [1.0]}
BIRTHDAY = dt.date(2026, 2, 25)

UNWRITABLE = {
    "a kernel prior with a corpus": sr.KernelPrior.from_table(PEOPLE, CORPUS, bandwidth=0.5),
    "a model of one's own": OwnModel(),
    "one's own, per period": sr.PerPeriod(OwnModel(), 7),
    "rates as an automaton": RATES.automaton(DOMAIN),
    "no knowledge": object(),
    "an empty value": sr.MarginalPrior({"": 1.0}),
    "a date for a value": sr.MarginalPrior({BIRTHDAY: 1.0}),
    "another prior for the others": sr.TabulatedPrior.from_table(
        {"respondent": [1], **ROW}, otherwise=PRIOR
    ),
    "respondents that are dates": sr.TabulatedPrior.from_table({"respondent": [BIRTHDAY], **ROW}),
    "a class of a name that the file needs": sr.ClassPrior.from_table(
        {"next": ["F"], **ROW}, classes="next"
    ),
    "several tables without classes": sr.Automaton(DOMAIN, [[[1, 0]], [[0, 1]]], [[0, 0]]),
    "half a letter": sr.MarginalPrior({"\ud800": 1.0}),
}


@FORMATS
@pytest.mark.parametrize("what", UNWRITABLE)
def test_unwritable_knowledge__is_refused_and_leaves_the_old_file_as_it_was(tmp_path, suffix, what):
    path = tmp_path / f"known{suffix}"
    sr.write_knowledge(PRIOR, path)
    before = path.read_bytes()
    with pytest.raises(sr.KnowledgeError):
        sr.write_knowledge(UNWRITABLE[what], path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("step", ["write_bytes", "replace"])
@FORMATS
def test_failing_write__leaves_the_old_file_as_it_was(tmp_path, suffix, step, monkeypatch):
    def fail(*_, **__):
        raise OSError(28, "No space left on device")

    path = tmp_path / f"known{suffix}"
    sr.write_knowledge(PRIOR, path)
    before = path.read_bytes()
    with monkeypatch.context() as patched:
        patched.setattr(Path, step, fail)
        with pytest.raises(sr.KnowledgeError, match=rf"known\{suffix} could not be written: No sp"):
            sr.write_knowledge(STICKY, path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_failing_write__says_where_there_is_no_room(tmp_path):
    with pytest.raises(sr.KnowledgeError, match="could not be written: No such file or directory"):
        sr.write_knowledge(PRIOR, tmp_path / "nowhere" / "known.csv")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(sr.KnowledgeError, match=r"folder\.csv could not be written"):
        sr.write_knowledge(PRIOR, tmp_path / "folder.csv")
    assert list(tmp_path.iterdir()) == [tmp_path / "folder.csv"]


@FORMATS
def test_writing_again__takes_the_place_of_the_old_file(tmp_path, suffix):
    path = tmp_path / f"known{suffix}"
    sr.write_knowledge(STICKY, path)
    sr.write_knowledge(PRIOR, path)
    assert sr.read_knowledge(path).distribution == PRIOR.distribution
    assert list(tmp_path.iterdir()) == [path]


@FORMATS
def test_automaton__of_thirds_is_read_to_the_last_bit(tmp_path, suffix):
    thirds = sr.Automaton(("a", "b", "c"), [[1 / 6, 4 / 6, 1 / 6]], [[0, 0, 0]])
    sr.write_knowledge(thirds, tmp_path / f"known{suffix}")
    found = sr.read_knowledge(tmp_path / f"known{suffix}")
    assert found.next_value.tolist() == thirds.next_value.tolist()


@FORMATS
@pytest.mark.parametrize(
    "prior",
    [
        sr.MarginalPrior({1: 0.5, "1": 0.5}),
        sr.ClassPrior.from_table({" sex": ["F"], **ROW}, classes=" sex"),
        sr.TabulatedPrior.from_table({"respondent": [1.5], **ROW}),
        sr.MarginalPrior({"a" * 200_000: 1.0}),
        sr.IncrementalKnowledge(1, Classes(("sex",), (("",), ("F",)))),
        sr.PerPeriod(RATES, 7),
    ],
    ids=["1 and '1'", "a name with a space", "ids", "long", "no cell", "period"],
)
def test_unusual_knowledge__is_refused_when_written_or_read_as_it_was(tmp_path, suffix, prior):
    path = tmp_path / f"known{suffix}"
    try:
        sr.write_knowledge(prior, path)
    except sr.KnowledgeError:
        assert list(tmp_path.iterdir()) == []
        return
    found = sr.read_knowledge(path)
    assert type(found) is type(prior)
    assert found.values == prior.values
    assert getattr(found, "classes", None) == getattr(prior, "classes", None)


def test_message__about_a_damaged_file_names_no_respondent(read):
    text = "respondent,value,probability\nSECRET-0001,neg,1\nSECRET-0001,pos,1\n"
    with pytest.raises(sr.KnowledgeError) as caught:
        read(text)
    assert "SECRET" not in str(caught.value)
