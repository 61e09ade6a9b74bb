"""Whoever changes a release and computes every digest anew is found out by what the files say."""

import json
import shutil
from dataclasses import replace

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

import seriatim as sr
from seriatim.engines import LocalEngine, Series, Sizes
from seriatim.publish.certificate import sha256, written_certificate
from seriatim.publish.head import head_bytes
from studies import week, write_study

FORMS = {
    "generalized": (),
    "kept": (
        (
            'respondent = "patient"\n',
            'respondent = "patient"\ninsensitive = ["note"]\nallow_unique = ["note"]\n',
        ),
    ),
    "buckets": (("[reader]\n", '[output]\nform = "buckets"\n\n[reader]\n'),),
}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folders = {}
    for form, changes in FORMS.items():
        study = sr.Study.read(write_study(tmp_path_factory.mktemp(form), changes=changes))
        with sr.Press(study) as press:
            for number in (1, 2, 3):
                press.publish(week(study.path, number), at=number)
        folders[form] = study.output_folder
    return folders


@pytest.fixture
def folder(made, tmp_path, request):
    return shutil.copytree(made[getattr(request, "param", "generalized")], tmp_path / "releases")


def certificates(folder):
    return sorted(folder.glob("*.certificate.json"))


def sealed(folder, change=lambda certificate: None):
    """Write all digests anew, as an attacker would: files, chain and head."""
    before = None
    for path in certificates(folder):
        certificate = json.loads(path.read_text())
        if certificate["number"] == 1:
            change(certificate)
        for name, stated in certificate["files"].items():
            content = (folder / name).read_bytes()
            stated |= {"sha256": sha256(content), "bytes": len(content)}
        certificate["previous"] = before
        path.write_bytes(written_certificate(certificate))
        before = sha256(path.read_bytes())
        head = head_bytes(certificate["study"], certificate["number"], before)
        (folder / "head.json").write_bytes(head)
    return sr.verify_chain(certificates(folder))


def read(folder, kind, name="release-0001"):
    path = folder / f"{name}.{kind}"
    return pyarrow.csv.read_csv(path) if kind == "csv" else pyarrow.parquet.read_table(path)


def write(folder, kind, table, name="release-0001"):
    module = pyarrow.csv.write_csv if kind == "csv" else pyarrow.parquet.write_table
    module(table, folder / f"{name}.{kind}")


def wrong(found):
    return [
        f"{check.what}: {check.found}" for one in found for check in one.checks if not check.holds
    ]


def with_column(table, name, cells):
    place = table.column_names.index(name)
    return table.set_column(place, name, pa.array(cells, table.column(name).type))


def ages_as_they_are(table):
    """Tell the age of each person of a group apart."""
    return with_column(table, "age", [str(20 + row % 40) for row in range(table.num_rows)])


@pytest.mark.parametrize("folder", list(FORMS), indirect=True)
def test_series__sealed_anew_without_a_change_is_verified(folder):
    found = sealed(folder)
    assert wrong(found) == []
    assert all(one.notes == () for one in found)


@pytest.mark.parametrize("kinds", [["csv"], ["parquet"], ["csv", "parquet"]])
def test_group__with_different_quasi_identifiers_is_found(folder, kinds):
    for kind in kinds:
        write(folder, kind, ages_as_they_are(read(folder, kind)))
    told = wrong(sealed(folder))
    assert all(f"quasi-identifiers of release-0001.{kind}" in " ".join(told) for kind in kinds)
    assert "different within a group: 'age'" in told[0]


def test_group__of_which_one_file_is_left_is_looked_at_too(folder):
    write(folder, "csv", ages_as_they_are(read(folder, "csv")))
    (folder / "release-0001.parquet").unlink()
    told = wrong(sealed(folder, lambda one: one["files"].pop("release-0001.parquet")))
    assert "different within a group: 'age'" in told[0]


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("name", ["name", "age_lower", ""])
def test_column__that_is_not_certified_is_found(folder, kind, name):
    table = read(folder, kind)
    people = pa.array([f"person {row}" for row in range(table.num_rows)])
    write(folder, kind, table.add_column(0 if name == "" else table.num_columns, name, people))
    told = wrong(sealed(folder))
    assert f"columns of release-0001.{kind}" in told[0]


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_column__that_is_missing_or_elsewhere_is_found(folder, kind):
    table = read(folder, kind)
    for names in (table.column_names[:-1], table.column_names[::-1]):
        write(folder, kind, table.select(names))
        assert "certified are 'group', 'age'" in wrong(sealed(folder))[0]


def test_row_names__are_a_column_like_others(folder):
    file = folder / "release-0001.csv"
    head, *lines = file.read_text().splitlines()
    file.write_text("\n".join([head, *(f'"p{n}",{line}' for n, line in enumerate(lines))]) + "\n")
    assert not sealed(folder)[0].holds
    file.write_text("\n".join([f'"",{head}', *(f'"p",{line}' for line in lines)]) + "\n")
    assert "columns of release-0001.csv" in wrong(sealed(folder))[0]


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_files__of_a_release_that_disagree_are_found(folder, kind):
    table = read(folder, kind)
    regions = [
        "*" if group == 1 else word
        for group, word in zip(
            table.column("group").to_pylist(),
            table.column("zip").cast(pa.string()).to_pylist(),
            strict=True,
        )
    ]
    changed = table.set_column(table.column_names.index("zip"), "zip", pa.array(regions))
    write(folder, kind, changed)
    assert wrong(sealed(folder)) == [
        "release-0001.csv and release-0001.parquet: say different things"
    ]


def test_files__with_values_of_two_groups_exchanged_are_found(folder):
    table = read(folder, "csv")
    groups, exams = (table.column(name).to_pylist() for name in ("group", "exam"))
    first = groups.index(1)
    other = next(row for row, exam in enumerate(exams) if groups[row] != 1 and exam != exams[first])
    exams[first], exams[other] = exams[other], exams[first]
    write(folder, "csv", with_column(table, "exam", exams))
    told = wrong(sealed(folder))
    assert told
    assert all("release-0001" in one for one in told)


def test_rows__in_another_order_say_the_same(folder):
    for form in ("csv", "parquet"):
        table = read(folder, form)
        write(folder, form, table.take(pa.array(range(table.num_rows - 1, -1, -1))))
        assert wrong(sealed(folder)) == []


@pytest.mark.parametrize("folder", ["kept"], indirect=True)
def test_insensitive_columns__are_compared_row_by_row(folder):
    table = read(folder, "csv")
    notes = table.column("note").to_pylist()
    write(folder, "csv", with_column(table, "note", notes[1:] + notes[:1]))
    assert wrong(sealed(folder)) == [
        "release-0001.csv and release-0001.parquet: say different things"
    ]


@pytest.mark.parametrize("end", ["age_lower", "age_upper"])
def test_ends__that_are_not_those_of_the_words_are_found(folder, end):
    table = read(folder, "parquet")
    write(folder, "parquet", with_column(table, end, [33.0] * table.num_rows))
    assert "other ends than words: 'age'" in wrong(sealed(folder))[0]
    ages = [20.0 + row for row in range(table.num_rows)]
    write(folder, "parquet", with_column(table, end, ages))
    assert f"different within a group: '{end}'" in wrong(sealed(folder))[0]


@pytest.mark.parametrize("folder", ["buckets"], indirect=True)
def test_buckets__are_looked_at_table_by_table(folder):
    people, values = "release-0001.people", "release-0001.values"
    table = read(folder, "csv", people)
    write(folder, "csv", table.append_column("exam", pa.array(["neg"] * table.num_rows)), people)
    assert f"columns of {people}.csv" in wrong(sealed(folder))[0]
    write(folder, "csv", with_column(table, "age", [33] * table.num_rows), people)
    assert wrong(sealed(folder)) == [f"{people}.csv and {people}.parquet: say different things"]
    write(folder, "csv", table, people)
    counts = read(folder, "csv", values)
    for cells in ([-1], [2**62], [0]):
        more = [*cells, *counts.column("count").to_pylist()[1:]]
        write(folder, "csv", with_column(counts, "count", more), values)
        assert not sealed(folder)[0].holds
    write(folder, "csv", pa.concat_tables([counts, counts.slice(0, 1)]), values)
    assert "names a value of a group twice" in wrong(sealed(folder))[0]


def promise(name, **more):
    return {"name": name, **more}, {"name": name, "worst": 0.1, "group": 1}


def test_promise__that_is_invented_is_told_as_unknown(folder):
    def invent(certificate):
        for key, one in zip(("promised", "measured"), promise("differential privacy"), strict=True):
            certificate[key].append(one)

    found = sealed(folder, invent)
    assert found[0].unknown == ("differential privacy: worst 0.1",)
    assert not found[0].holds
    assert "no longer promised since release 1: differential privacy" in found[1].notes


@pytest.mark.parametrize("more", [{"against": "everybody"}, {"unit": "persons"}])
def test_promise__of_a_known_name_that_says_more_is_refused(folder, more):
    found = sealed(folder, lambda one: one["promised"][0].update(more))
    assert "what it promises, or says was measured, of 'k-anonymity'" in wrong(found)[0]


@pytest.mark.parametrize(
    "name", ["release-0001.extra.csv", "release-0001-people.csv", "release-0001"]
)
def test_file__beside_a_certificate_that_does_not_name_it_is_found(folder, name):
    (folder / name).write_text("patient,exam\np1,pos\n")
    assert wrong(sealed(folder)) == [f"files beside the certificate: not certified: '{name}'"]


def test_file__that_a_certificate_no_longer_names_is_found(folder):
    told = wrong(sealed(folder, lambda one: one["files"].pop("release-0001.csv")))
    assert told == ["files beside the certificate: not certified: 'release-0001.csv'"]


def test_files__of_other_releases_and_hidden_ones_are_no_strangers(folder):
    for name in ("release-00010.csv", ".release-0001.csv.swp", "README.md"):
        (folder / name).write_text("")
    assert wrong(sealed(folder)) == []


def test_part__that_is_not_certified_is_found(parts, tmp_path):
    folder = shutil.copytree(parts, tmp_path / "out")
    for marker in ("_SUCCESS", ".part-00000.parquet.crc"):
        (folder / "release-0001" / marker).write_text("")
    assert wrong(sealed(folder)) == []
    shutil.copy(part_files(folder)[0], folder / "release-0001" / "part-00099.parquet")
    assert "not certified: 'part-00099.parquet'" in wrong(sealed(folder))[0]


def with_metadata(table):
    return table.replace_schema_metadata({"patients": "p1,pos"})


def with_metadata_of_a_column(table):
    fields = [pa.field(one.name, one.type, metadata={"patients": "p1"}) for one in table.schema]
    return table.cast(pa.schema(fields))


def with_a_word_that_no_row_has(table):
    exams = table.column("exam").combine_chunks().dictionary_encode()
    words = pa.concat_arrays([exams.dictionary, pa.array(["p1 has it"])])
    more = pa.DictionaryArray.from_arrays(exams.indices, words)
    return table.set_column(table.column_names.index("exam"), "exam", more)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (with_metadata, "it carries metadata of its own"),
        (with_metadata_of_a_column, "it carries metadata"),
        (with_a_word_that_no_row_has, "carries words that none of its rows has"),
    ],
)
def test_parquet__that_carries_more_than_its_columns_is_found(folder, change, told):
    write(folder, "parquet", change(read(folder, "parquet")))
    assert told in wrong(sealed(folder))[0]


@pytest.mark.parametrize(
    ("name", "kind"), [("exam", pa.large_binary()), ("group", pa.string()), ("group", pa.int32())]
)
def test_parquet__with_columns_of_other_kinds_is_found(folder, name, kind):
    table = read(folder, "parquet")
    place = table.column_names.index(name)
    write(folder, "parquet", table.set_column(place, name, table.column(name).cast(kind)))
    assert f"other kinds of columns than releases have: '{name}'" in wrong(sealed(folder))[0]


@pytest.mark.parametrize("versions", [{}, {"versions": {"pyarrow": "1.0"}}])
def test_parquet__with_bytes_between_its_columns_and_its_footer_is_found(folder, versions):
    file = folder / "release-0001.parquet"
    content = file.read_bytes()
    footer = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    file.write_bytes(content[:footer] + b"p1 has it" + content[footer:])
    assert (
        "it carries bytes besides its columns"
        in wrong(sealed(folder, lambda one: one.update(versions)))[0]
    )


def test_parquet__that_is_not_what_its_columns_give_is_told(folder):
    table = read(folder, "parquet")
    pyarrow.parquet.write_table(table, folder / "release-0001.parquet", use_dictionary=False)
    assert "other bytes than they give here" in str(sealed(folder)[0])
    other = {"versions": {"pyarrow": "1.0"}}
    found = sealed(folder, lambda one: one.update(other))
    assert wrong(found) == []
    assert "not compared byte by byte" in str(found[0])


def test_press__refuses_to_go_on_with_a_series_under_another_name(tmp_path):
    path = write_study(tmp_path)
    with sr.Press(sr.Study.read(path)) as press:
        press.publish(week(path, 1), at=1)
    path.write_text(path.read_text().replace('name = "test clinic"', 'name = "other"'))
    with sr.Press(sr.Study.read(path)) as press, pytest.raises(sr.OrderError, match="'other'"):
        press.publish(week(path, 2), at=2)


def test_engine__refuses_to_go_on_with_a_series_under_another_name(tmp_path):
    made, policy = sr.clinic(weeks=2, size=100, seed=1), sr.Policy(sr.KAnonymity(k=5))
    places = str(tmp_path / "series"), str(tmp_path / "out")
    series = Series(*places, made.schema, policy, sr.Adversary())
    LocalEngine().publish(series, made.weeks[0], at=1)
    with pytest.raises(sr.OrderError, match="'other'"):
        LocalEngine().publish(replace(series, name="other"), made.weeks[1], at=2)


def of_the_second(folder, change):
    path = certificates(folder)[1]
    certificate = json.loads(path.read_text())
    change(certificate)
    path.write_bytes(written_certificate(certificate))
    return sealed(folder)


def test_chain__of_several_series_is_found(folder):
    found = of_the_second(folder, lambda one: one.update(study="another"))
    assert [one.holds for one in found] == [True, False, False]
    assert "place in the chain: it is of another series" in wrong(found)[0]


@pytest.mark.parametrize("at", [{"number": 1}, {"number": 0.5}, {"date": "2026-01-01"}])
def test_chain__whose_instants_do_not_rise_is_found(folder, at):
    found = of_the_second(folder, lambda one: one.update(at=at))
    assert not found[1].holds
    assert "place in the chain: its instant is not behind" in wrong(found)[0]


def test_chain__says_where_singled_out_is_no_longer_told(folder):
    found = of_the_second(folder, lambda one: one.pop("singled out"))
    before = json.loads(certificates(folder)[0].read_text())["singled out"]
    assert any("no longer told whom sets single out" in one for one in found[1].notes) == bool(
        before
    )


def test_promise__that_is_removed_is_told(folder):
    def remove(certificate):
        for key in ("promised", "measured"):
            certificate[key] = [one for one in certificate[key] if one["name"] != "t-closeness"]

    found = sealed(folder, remove)
    assert found[1].notes == (
        "newly promised since release 1: t-closeness (t = 0.6, distance = equal)",
    )


def test_certificate__that_promises_nothing_is_refused(folder):
    found = sealed(folder, lambda one: one.update(promised=[], measured=[]))
    assert "promises something else than was measured, or nothing" in str(found[0])


@pytest.mark.parametrize(
    "change",
    [
        lambda one: one["measured"].pop(),
        lambda one: one["measured"].reverse(),
        lambda one: one["measured"][0].update(group=10**6),
        lambda one: one["measured"][0].update(worst=one["measured"][0]["worst"] + 1),
        lambda one: one["promised"][0].update(k=10**6),
        lambda one: one["promised"][0].pop("k"),
    ],
)
def test_measures__must_be_those_of_the_promises(folder, change):
    assert not all(one.holds for one in sealed(folder, change))


def test_measure__of_another_group_than_the_worst_is_found(folder):
    sizes = read(folder, "csv").column("group").value_counts().to_pylist()
    large = max(sizes, key=lambda one: one["counts"])["values"]
    found = sealed(folder, lambda one: one["measured"][0].update(group=large))
    assert f"group {large} is not the worst" in wrong(found)[0]


def test_series__without_its_first_release_is_not_verified(folder):
    found = sr.verify_chain(certificates(folder)[1:])
    assert [one.holds for one in found] == [False, True]
    assert "begins with release 2: those before it are missing" in wrong(found)[0]
    some = sr.verify_chain(certificates(folder)[1:], whole=False)
    assert [one.holds for one in some] == [True, True]


def test_series__that_ends_before_its_head_is_not_verified(folder):
    certificates(folder)[-1].unlink()
    found = sr.verify_chain(certificates(folder))
    assert [one.holds for one in found] == [True, False]
    assert "names release 3, and the last 1 are missing" in wrong(found)[0]


def test_head__kept_elsewhere_finds_what_was_cut_off(folder, tmp_path):
    kept = shutil.copy(folder / "head.json", tmp_path / "kept.json")
    certificates(folder)[-1].unlink()
    sealed(folder)
    assert all(one.holds for one in sr.verify_chain(certificates(folder)))
    found = sr.verify_chain(certificates(folder), head=kept)
    assert "kept.json names release 3" in wrong(found)[0]


def test_head__that_is_older_or_another_is_told(folder, tmp_path):
    last = sha256(certificates(folder)[1].read_bytes())
    for content, told in (
        (head_bytes("test clinic", 2, last), "does not know of later ones"),
        (head_bytes("test clinic", 3, "0" * 64), "names another release 3"),
        (head_bytes("other", 9, "0" * 64), "the head of 'other'"),
        (b"{}", "is no head of seriatim"),
        (b"[" * 10**5, "is no head of seriatim"),
        (head_bytes("x", 2**70, last), "is no head of seriatim"),
        (head_bytes("x", 2, "\x1b[2J"), "is no head of seriatim"),
        (b'{"seriatim head": 9}', "newer seriatim"),
    ):
        (folder / "head.json").write_bytes(content)
        found = sr.verify_chain(certificates(folder))
        assert [one.holds for one in found] == [True, True, False]
        assert told in wrong(found)[0]


def test_head__that_was_named_and_is_not_there_is_an_error(folder, tmp_path):
    with pytest.raises(sr.TableError, match="there is no such file"):
        sr.verify_chain(certificates(folder), head=tmp_path / "none.json")


def test_head__among_the_certificates_is_taken_for_what_it_is(folder):
    found = sr.verify_chain(sorted(folder.glob("*.json")))
    assert [one.holds for one in found] == [True] * 3


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    folder, made = tmp_path_factory.mktemp("parts"), sr.clinic(weeks=1, size=300, seed=1)
    policy = sr.Policy(sr.KAnonymity(k=5) & sr.TCloseness(t=0.9))
    series = Series(
        str(folder / "series"), str(folder / "out"), made.schema, policy, sr.Adversary()
    )
    LocalEngine(sizes=Sizes(shard=100, part=100)).publish(series, made.weeks[0], at=1)
    return folder / "out"


def part_files(folder):
    return sorted((folder / "release-0001").glob("*.parquet"))


def test_parts__are_verified_and_have_a_head(parts):
    (found,) = sr.verify_chain(certificates(parts))
    assert found.holds, str(found)
    assert found.notes == ()
    assert len(part_files(parts)) > 1


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (ages_as_they_are, "different within a group: 'age'"),
        (lambda table: table.append_column("x", pa.array(range(len(table)))), "columns of part-"),
        (lambda table: table.slice(1), "size of"),
    ],
)
def test_parts__that_were_changed_are_found(parts, tmp_path, change, told):
    folder = shutil.copytree(parts, tmp_path / "out")
    file = part_files(folder)[0]
    pyarrow.parquet.write_table(change(pyarrow.parquet.read_table(file)), file)
    assert told in wrong(sealed(folder))[0]


def test_group__in_several_parts_is_found(parts, tmp_path):
    folder = shutil.copytree(parts, tmp_path / "out")
    first, second, *_ = part_files(folder)
    tables = [pyarrow.parquet.read_table(file) for file in (first, second)]
    moved = tables[0].slice(0, 1)
    pyarrow.parquet.write_table(tables[0].slice(1), first)
    pyarrow.parquet.write_table(pa.concat_tables([tables[1], moved]), second)
    assert "in several parts" in wrong(sealed(folder))[0]


def in_parts(folder, table, sizes, change=lambda certificate: None):
    """Write the first release anew in parts, as an attacker would, and forget the others."""
    for path in folder.glob("release-000[23]*"):
        path.unlink()
    part = folder / "release-0001"
    part.mkdir()
    path = certificates(folder)[0]
    certificate = json.loads(path.read_text())
    change(certificate)
    certificate |= {"in parts": True, "files": {}}
    for number, size in enumerate(sizes):
        name = f"part-{number:05}.parquet"
        pyarrow.parquet.write_table(table.slice(sum(sizes[:number]), size), part / name)
        certificate["files"][f"release-0001/{name}"] = {}
    path.write_bytes(written_certificate(certificate))
    for kind in ("csv", "parquet"):
        (folder / f"release-0001.{kind}").unlink()
    return sealed(folder)


def test_parts__with_group_numbers_beyond_their_rows_are_measured(folder):
    table = read(folder, "parquet")
    numbers = table.column("group").to_pylist()
    cuts = [numbers.index(one) for one in sorted(set(numbers))]
    sizes = [after - one for one, after in zip(cuts, [*cuts[1:], len(numbers)], strict=True)]
    (found,) = in_parts(folder, table, sizes)
    assert wrong([found]) == []
    assert any("k-anonymity" in check.what for check in found.checks)


def test_parts__of_groups_of_one_are_found(folder):
    table = read(folder, "parquet")
    rows = table.num_rows
    alone = table.set_column(0, "group", pa.array(range(1, rows + 1)))
    (found,) = in_parts(folder, alone, [rows - 1, 1], lambda one: one.update(groups=rows))
    assert "k-anonymity of 2 parts" in wrong([found])[0]


def test_parts__without_one_of_their_groups_are_found(folder):
    table = read(folder, "parquet")
    rows, last = table.num_rows, max(table.column("group").to_pylist()) + 1
    numbers = pa.array([last if one == 2 else one for one in table.column("group").to_pylist()])
    moved = table.set_column(0, "group", numbers)
    (found,) = in_parts(folder, moved, [rows], lambda one: one.update(groups=last))
    assert "could not be measured" in wrong([found])[0]


@pytest.mark.parametrize("folder", ["buckets"], indirect=True)
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_people__of_a_group_beyond_all_others_are_found(folder, kind):
    name = "release-0001.people"
    for one in ("csv", "parquet"):
        table = read(folder, one, name)
        more = with_column(table.slice(0, 1), "group", [10**6])
        write(folder, one, pa.concat_tables([table, more]), name)
    assert f"people of {name}.{kind}" in " ".join(wrong(sealed(folder)))


@pytest.mark.parametrize("spelling", ["0{}", "+{}", " {}", "{}.0"])
def test_group__whose_number_is_not_in_plain_digits_is_found(folder, spelling):
    file = folder / "release-0001.csv"
    head, *lines = file.read_text().splitlines()
    cells = [line.split(",", 1) for line in lines]
    lines = [f"{spelling.format(group)},{others}" for group, others in cells]
    file.write_text("\n".join([head, *lines]) + "\n")
    assert not sealed(folder)[0].holds


@pytest.mark.parametrize("folder", list(FORMS), indirect=True)
@pytest.mark.parametrize(
    "spelled",
    [
        lambda text: text.replace("\n1,", '\n"1",', 1),
        lambda text: text.replace('"', "", 2),
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("\n", "\r"),
        lambda text: "\ufeff" + text,
        lambda text: text.removesuffix("\n"),
    ],
)
def test_csv__in_another_spelling_is_found(folder, spelled):
    for file in folder.glob("release-0001*.csv"):
        file.write_bytes(spelled(file.read_text()).encode())
    assert not sealed(folder)[0].holds


def test_words__of_a_certificate_write_no_lines_of_their_own(folder):
    def invent(certificate):
        evil = "x: 0\n  ok  size of release-0001.csv\x1b[2J"
        for key, one in zip(("promised", "measured"), promise(evil), strict=True):
            certificate[key].append(one)

    told = str(sealed(folder, invent)[0])
    assert "\x1b" not in told
    assert len([line for line in told.splitlines() if line.startswith("  ok  size")]) == 2


def test_ends__of_every_kind_of_order_are_verified(tmp_path):
    text = """
name = "kinds"
[columns]
respondent = "id"
[quasi_identifiers.born]
kind = "date"
[quasi_identifiers.weight]
kind = "numeric"
[quasi_identifiers.stage]
kind = "ordinal"
values = ["none", "mild, early", "late"]
[quasi_identifiers.grade]
kind = "ordinal"
values = [1, 2, 3]
[sensitive]
column = "exam"
[policy]
k = 3
remainder = "merge"
[reader]
prior = "uniform"
sequence = "none"
"""
    (tmp_path / "study.toml").write_text(text)
    rows = range(60)
    view = {
        "id": [f"p{row}" for row in rows],
        "born": [f"19{50 + row % 40}-0{1 + row % 9}-1{row % 9}" for row in rows],
        "weight": [50 + (row * 7 % 30) / 8 for row in rows],
        "stage": [["none", "mild, early", "late"][row % 3] for row in rows],
        "grade": [1 + row % 3 for row in rows],
        "exam": [["neg", "pos"][row % 2] for row in rows],
    }
    with sr.Press(sr.Study.read(tmp_path / "study.toml")) as press:
        printed = press.publish(view, at=1)
    found = sr.verify(printed.files[-1])
    assert found.holds, str(found)
    assert "grade_lower" in pyarrow.parquet.read_table(printed.files[1]).column_names
