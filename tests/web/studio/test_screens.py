"""The screens in a real browser, and the whole path from a table to an audit."""

import contextlib
import http.server
import json
import re
import shutil
import threading
import time
import tomllib

import pyarrow.csv

from studios import appears, vanishes, watch

WEEKS = [f"views/week-{number}.csv" for number in (1, 2, 3)]
SCREENS = ("study", "study/edit", "rehearse", "publish", "history", "audit", "follow", "report")

DRAWN = """
() => [...document.querySelectorAll('[data-chart]')]
  .every(one => one.matches('.drawn') && one.drawnAt === one.clientWidth)
"""

OUTSIDE = """
() => {
  const whole = document.documentElement;
  const found = [...document.querySelectorAll('main :is(button, a, label, h1, h2)')]
    .filter(one => one.checkVisibility() && !one.closest('.scroll'))
    .filter(one => one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0
      && getComputedStyle(one).display !== 'inline')
    .map(one => one.textContent);
  return whole.scrollWidth > whole.clientWidth ? ['the page', ...found] : found;
}
"""


def ids_of(folder):
    """All ids that the views have."""
    tables = [pyarrow.csv.read_csv(file) for file in (folder / "views").iterdir()]
    return {one for table in tables for one in table["patient"].to_pylist()}


def go(page, studio, screen, **query):
    asked = "&".join(f"{name}={value}" for name, value in query.items())
    page.goto(f"{studio.base}/{screen}?{asked}")


def tab(page, name):
    page.get_by_role("link", name=name, exact=True).click()
    appears(page, 'nav a[aria-current="page"]', name)


def preview(page, view):
    page.select_option("#view", view)
    page.get_by_role("button", name="Preview").click()
    appears(page, "main", "would be published")


def publish(page, view):
    preview(page, view)
    page.get_by_role("button", name="Publish release").click()
    appears(page, "main", "is published")


def drawn(page):
    """Wait for a chart, and return how many marks it has."""
    appears(page, ".drawing.drawn svg")
    return page.locator(".drawing svg .mark-symbol path").count()


@contextlib.contextmanager
def held_back(page, address):
    """Answer late what a page asks for first, and wait until it has done what it does then."""
    held = []
    page.route(address, lambda route, _: held.append(route), times=1)
    yield held
    held[0].continue_()
    answer = held[0].request.response()
    if answer is not None:
        answer.finished()
    # Whatever the page asked for because of it was asked for before this, and is there before.
    page.evaluate(
        "async () => { for (const _ of [1, 2, 3]) await (await fetch(location.href)).text(); }"
    )


def until(page, true):
    """Wait for what no event tells of."""
    last = time.monotonic() + 30
    while not true():
        assert time.monotonic() < last
        page.wait_for_timeout(20)


def create(page, clinic):
    """Make a study of the first view, by the form."""
    page.get_by_role("link", name=f"Create a study from {WEEKS[0]}").click()
    appears(page, "main", "All in order")
    typed = {"policy/k": "5", "policy/t": "0.6", "policy/j": "1.0", "plan/releases": "3"}
    for name, value in (typed | {"reader/sequence": "knowledge.csv"}).items():
        page.fill(f'[name="set/{name}"]', value)
    appears(page, "#checks pre", "knowledge.csv", folded=True)
    page.get_by_role("button", name="Write the study").click()
    page.wait_for_url("**/study?**")
    said = tomllib.loads((clinic / "study.toml").read_text())
    assert said["policy"]["k"] == 5
    assert said["reader"]["sequence"] == "knowledge.csv"
    assert said["columns"] == {"respondent": "patient", "identifying": ["note"]}


def rehearse(page, clinic):
    """Play the series, and take a point of the frontier."""
    tab(page, "Rehearse")
    page.check(f'input[value="{WEEKS[0]}"]')
    page.fill("#sizes", "5, 10")
    page.get_by_role("button", name="Rehearse").click()
    appears(page, "table.pick")
    assert drawn(page) >= 3
    place = page.locator("table.pick tr", has=page.locator("td", has_text=re.compile("^10$"))).first
    place.locator("input").check()
    page.get_by_role("button", name="Write the chosen setting").click()
    appears(page, "main", "The setting is written")
    policy = tomllib.loads((clinic / "study.toml").read_text())["policy"]
    assert (policy["partitioner"], policy["cell_size"]) == ("standing-cells", 10)


def attack(page):
    """Let three readers attack."""
    tab(page, "Audit")
    page.uncheck("#reader-snapshot")
    page.get_by_role("button", name="Attack").click()
    appears(page, "h3", "Over the whole series")
    assert drawn(page) >= 9
    told = "--reader paper --reader joint --reader retrospective"
    assert told in page.inner_text("main")
    marked = page.locator("tr", has=page.locator("td", has_text=re.compile("^strongest$")))
    reader = marked.locator("th").inner_text()
    assert f"The strongest is the {reader} reader" in page.inner_text("main")


def report(page, visit):
    """Write the report, and open it: a page that is cut off from the studio, with its charts."""
    tab(page, "Report")
    assert "What the audit found goes into it" in page.inner_text("main")
    page.get_by_role("button", name="Write the report").click()
    appears(page, "main", "Open report.html")
    told = " ".join(f"--original {view}" for view in WEEKS)
    told = f"seriatim report {told} --reader paper --reader joint --reader retrospective"
    told += " --reader worlds"
    assert page.get_attribute("[data-copy]", "data-copy") == told
    assert page.locator(".command code").inner_text() == told
    with visit.context.expect_page() as opened:
        page.get_by_role("link", name="Open report.html").click()
    shown = opened.value
    watch(visit, shown)
    shown.wait_for_selector("figure svg")
    assert "privacy report" in shown.inner_text("body")
    assert shown.evaluate("window.origin") == "null"


def test_report__needs_a_release_and_a_file_of_ours(studio, page, clinic):
    page.goto(f"{studio.base}/report?study=study.toml")
    assert "Nothing was published yet" in page.inner_text("main")
    page.goto(f"{studio.base}/report/page?study=study.toml")
    assert "no report of this study yet" in page.inner_text("main")
    (clinic / "report.html").write_text("<script>document.title = 'mine'</script>")
    page.goto(f"{studio.base}/report/page?study=study.toml")
    assert "was not written by seriatim" in page.inner_text("main")


def test_whole_path__from_a_table_to_a_report(studio, visit, clinic):
    page = visit.page
    (clinic / "study.toml").unlink()
    page.goto(f"{studio.base}/")
    create(page, clinic)
    rehearse(page, clinic)

    tab(page, "Publish")
    for view in WEEKS:
        publish(page, view)
    names = sorted(file.name for file in (clinic / "releases").glob("*.csv"))
    assert names == ["release-0001.csv", "release-0002.csv", "release-0003.csv"]

    tab(page, "History")
    assert drawn(page) >= 3
    appears(page, "main", "3 of 3 verified")

    attack(page)

    tab(page, "Follow")
    page.check("#whom-risk")
    page.get_by_role("button", name="Follow").click()
    appears(page, "#course")
    assert page.locator(".frame:visible").count() == 1

    report(page, visit)

    ids = ids_of(clinic)
    for where, body in visit.bodies.items():
        assert not [one for one in ids if one in body], where


def test_create__says_at_once_what_is_wrong_and_where(studio, page, clinic):
    go(page, studio, "create", table=WEEKS[0])
    page.fill('[name="set/policy/k"]', "one")
    appears(page, "#checks .bad")
    assert "policy.k: input should be a valid integer" in page.inner_text("#checks")
    assert page.get_attribute('[name="set/policy/k"]', "aria-invalid") == "true"
    page.fill('[name="set/policy/k"]', "1")
    appears(page, "main", "greater than or equal to 2")
    page.fill('[name="set/policy/k"]', "4")
    appears(page, "#checks .good")
    page.fill('[name="set/reader/prior"]', "nowhere.csv")
    appears(page, "#checks .bad")
    page.fill('[name="set/reader/prior"]', "../../knowledge.csv")
    appears(page, "main", "outside the folder")


def test_create__says_what_is_wrong_at_the_field_at_every_width(studio, page):
    go(page, studio, "create", table=WEEKS[0])
    field = page.locator('.field:has([name="set/policy/t"])')
    field.locator("input").fill("2")
    wrong = field.locator(".wrong")
    appears(page, ".field .wrong")
    for width in (1280, 1024, 390):
        page.set_viewport_size({"width": width, "height": 700})
        assert "less than or equal to 1" in wrong.inner_text(), width
        typed, told = field.locator("input").bounding_box(), wrong.bounding_box()
        assert 0 <= told["y"] - typed["y"] - typed["height"] < 12, width
    field.locator("input").fill("0.5")
    vanishes(page, ".field .wrong")


def test_create__tells_at_once_of_values_that_the_table_has_beside_what_is_said(
    studio, page, clinic
):
    zips = sorted(set(pyarrow.csv.read_csv(clinic / WEEKS[0])["zip"].to_pylist()))
    lines = [f"{one},{str(one)[:4]}*" for one in zips]
    (clinic / "whole.csv").write_text("\n".join(lines))
    (clinic / "short.csv").write_text("\n".join(lines[1:]))
    go(page, studio, "create", table=WEEKS[0])
    page.fill('[name="set/quasi_identifiers/zip/mask"]', "")
    page.fill('[name="set/quasi_identifiers/zip/hierarchy"]', "short.csv")
    wrong = '.field:has([name="set/quasi_identifiers/zip/hierarchy"]) .wrong'
    appears(page, wrong, "does not name")
    page.fill('[name="set/quasi_identifiers/zip/hierarchy"]', "whole.csv")
    appears(page, "#checks .good")
    page.fill('[name="set/quasi_identifiers/age/high"]', "40")
    appears(page, ".wrong", "outside this range")
    page.fill('[name="set/quasi_identifiers/age/high"]', "120")
    appears(page, "#checks .good")
    page.fill('[name="set/quasi_identifiers/gender/values"]', '"F"')
    appears(page, ".wrong", "not among these")
    page.fill('[name="set/policy/j"]', "nan")
    appears(page, ".wrong", "given: 'nan'")


def test_create__keeps_mistakes_in_sight_on_a_narrow_screen(studio, page):
    page.set_viewport_size({"width": 1000, "height": 700})
    go(page, studio, "create", table=WEEKS[0])
    low, high = (f'[name="set/quasi_identifiers/age/{end}"]' for end in ("low", "high"))
    page.fill(low, "90")
    page.fill(high, "20")
    appears(page, "main", "has no range from")
    box = page.locator("#checks .notice.bad").bounding_box()
    assert 0 <= box["y"] <= 700 - box["height"]
    button = page.get_by_role("button", name="Write the study")
    button.scroll_into_view_if_needed()
    button.click(trial=True)


def test_create__does_not_replace_a_study_unasked(studio, page, clinic):
    before = (clinic / "study.toml").read_text()
    go(page, studio, "create", table=WEEKS[0])
    page.get_by_role("button", name="Write the study").click()
    appears(page, "main", "study.toml exists")
    assert (clinic / "study.toml").read_text() == before
    page.fill("#file", "second.toml")
    page.get_by_role("button", name="Write the study").click()
    page.wait_for_url("**/study?study=second.toml**")
    assert (clinic / "study.toml").read_text() == before


def test_create__lets_parts_and_kinds_be_chosen(studio, page, clinic):
    go(page, studio, "create", table=WEEKS[0])
    page.select_option('[name="part/gender"]', "insensitive")
    vanishes(page, '[name="kind/gender"]')
    page.select_option('[name="kind/zip"]', "categorical")
    appears(page, '[name="set/quasi_identifiers/zip/values"]')
    page.select_option('[name="part/exam"]', "none")
    appears(page, "main", "Exactly one column says what is sensitive")
    page.select_option('[name="part/exam"]', "sensitive")
    appears(page, "#checks .good")
    page.fill("#file", "chosen.toml")
    page.get_by_role("button", name="Write the study").click()
    page.wait_for_url("**/study?study=chosen.toml**")
    said = tomllib.loads((clinic / "chosen.toml").read_text())
    assert said["columns"]["insensitive"] == ["gender"]
    assert said["quasi_identifiers"]["zip"]["kind"] == "categorical"
    assert "gender" not in said["quasi_identifiers"]


def test_create__shows_no_value_of_a_column_that_names_people(studio, visit, clinic):
    page = visit.page
    go(page, studio, "create", table=WEEKS[0])
    page.select_option('[name="part/note"]', "none")
    appears(page, ".part-none h3", "note")
    appears(page, "#checks pre", "never published: note", folded=True)
    text = page.content()
    assert "CX-neg" in text
    assert "note of row" not in text
    assert not [one for one in ids_of(clinic) if one in text]


def test_create__previews_a_large_table_without_sending_it(studio, visit, clinic):
    table = pyarrow.csv.read_csv(clinic / WEEKS[0])
    large = pyarrow.concat_tables([table] * 1000)
    rows = pyarrow.array([f"Q{row:06}" for row in range(large.num_rows)])
    pyarrow.csv.write_csv(large.set_column(0, "patient", rows), clinic / "large.csv")
    go(visit.page, studio, "create", table="large.csv")
    appears(visit.page, "main", "80,000 rows")
    body = next(text for where, text in visit.bodies.items() if "large.csv" in where)
    assert len(body) < 60_000
    assert "Q000000" not in body


def test_study__is_changed_by_the_form_and_keeps_its_comments(studio, page, clinic):
    file = clinic / "study.toml"
    file.write_text("# why we do this\n" + file.read_text())
    go(page, studio, "study", study="study.toml")
    assert "k-anonymity, k = 5" in page.inner_text("main")
    page.get_by_role("link", name="Change").click()
    page.fill('[name="set/policy/k"]', "7")
    appears(page, "#checks pre", "k = 7", folded=True)
    page.get_by_role("button", name="Save the study").click()
    page.wait_for_url("**/study?study=study.toml")
    assert "k-anonymity, k = 7" in page.inner_text("main")
    assert file.read_text().startswith("# why we do this\n")
    assert tomllib.loads(file.read_text())["policy"]["k"] == 7


def test_study__as_text_is_checked_with_line_and_nearest_match(studio, page, clinic):
    before = (clinic / "study.toml").read_text()
    go(page, studio, "study/edit", study="study.toml", **{"as": "text"})
    page.fill("#text", before.replace("remainder", "remaindr"))
    appears(page, "main", "Did you mean 'remainder'?")
    with page.expect_navigation():  # the page before says the same
        page.get_by_role("button", name="Save the study").click()
    appears(page, "#checks .bad")
    assert (clinic / "study.toml").read_text() == before
    page.fill("#text", "this is no TOML [")
    appears(page, "main", "is not TOML")


def test_study__changed_in_two_tabs_keeps_the_first_change(studio, visit, clinic):
    first, second = visit.page, visit.context.new_page()
    watch(visit, second)
    for page in (first, second):
        go(page, studio, "study/edit", study="study.toml")
    first.bring_to_front()
    first.fill('[name="set/policy/k"]', "6")
    first.get_by_role("button", name="Save the study").click()
    first.wait_for_url("**/study?study=study.toml")
    second.bring_to_front()
    second.fill('[name="set/policy/k"]', "9")
    second.get_by_role("button", name="Save the study").click()
    appears(second, "main", "was changed meanwhile")
    assert tomllib.loads((clinic / "study.toml").read_text())["policy"]["k"] == 6


def test_publish__shows_originals_only_when_they_are_switched_on(studio, visit, clinic):
    page = visit.page
    go(page, studio, "publish", study="study.toml")
    preview(page, WEEKS[0])
    assert "Nothing was written" in page.inner_text("main")
    assert not (clinic / "releases").exists()
    assert not (clinic / "study.store").exists()
    assert page.locator(".before").count() == 0
    page.get_by_role("switch", name="Show originals").click()
    appears(page, ".before")
    rows = page.locator(".before tbody tr")
    assert rows.count() > 5
    ages = set(map(str, pyarrow.csv.read_csv(clinic / WEEKS[0])["age"].to_pylist()))
    assert rows.first.locator("td").first.inner_text() in ages
    page.get_by_role("switch", name="Show originals").click()
    vanishes(page, ".before")
    for where, body in visit.bodies.items():
        assert not [one for one in ids_of(clinic) if one in body], where


def test_publish__in_a_second_tab_does_not_publish_what_was_not_seen(studio, visit, clinic):
    first, second = visit.page, visit.context.new_page()
    watch(visit, second)
    go(first, studio, "publish", study="study.toml")
    preview(first, WEEKS[0])
    go(second, studio, "publish", study="study.toml")
    appears(second, "main", "Release 1 would be published")
    first.bring_to_front()
    publish(first, WEEKS[1])
    second.bring_to_front()
    second.get_by_role("button", name="Publish release 1").click()
    appears(second, "main", "Release 1 was published meanwhile")
    assert len(list((clinic / "releases").glob("*.certificate.json"))) == 1


def test_publish__shows_whole_rows_before_and_after_on_a_narrow_screen(studio, page):
    page.set_viewport_size({"width": 390, "height": 844})
    go(page, studio, "publish", study="study.toml")
    preview(page, WEEKS[0])
    page.get_by_role("switch", name="Show originals").click()
    appears(page, ".before")
    hidden = page.evaluate(
        "[...document.querySelectorAll('.before .scroll')]"
        ".filter(one => one.scrollWidth > one.clientWidth).length"
    )
    assert hidden == 0


def test_audit__pairs_releases_with_views_and_not_with_other_tables(studio, page, published):
    (published / "aside.csv").write_text("state,meaning\n1,one\n")
    go(page, studio, "audit", study="study.toml")
    chosen = [page.input_value(f"#original-{number}") for number in (1, 2, 3)]
    assert chosen == WEEKS


def test_audit__of_readers_who_know_the_releases_alone(studio, page, published):
    go(page, studio, "audit", study="study.toml")
    for reader in ("snapshot", "paper", "joint", "worlds"):
        page.uncheck(f"#reader-{reader}")
    page.check("#alone")
    page.get_by_role("button", name="Attack").click()
    appears(page, "h3", "Over the whole series")
    told = page.inner_text("main")
    assert "--reader retrospective" in told
    assert "--sequence releases" in told
    assert "people are separated from the others by fewer than 5 people" in told
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 844})
        assert page.evaluate(OUTSIDE) == []
    go(page, studio, "audit", study="study.toml")
    assert page.is_checked("#alone")
    tab(page, "Report")
    page.get_by_role("button", name="Write the report").click()
    appears(page, "main", "Open report.html")
    assert page.get_attribute("[data-copy]", "data-copy").endswith("--sequence releases")
    page_file = (published / "report.html").read_text(encoding="utf-8")
    assert "as much as can be learned from the releases alone" in page_file


def test_history__tells_whom_subtraction_separates(studio, page, published):
    go(page, studio, "history", study="study.toml")
    heads = page.locator("table.timeline thead th").all_inner_texts()
    rows = page.locator("table.timeline tbody tr").all()
    place = [one.lower() for one in heads].index("separated")
    records = [
        json.loads(file.read_text()).get("differences")
        for file in sorted((published / "releases").glob("release-*.certificate.json"))
    ]
    shown = [row.locator("th, td").nth(place).inner_text() for row in rows]
    assert any(shown)
    assert shown == ["" if one is None else f"{one['people separated']:,}" for one in records]


def test_publish_and_history__tell_who_is_listed_and_take_pooled_tables(studio, page, clinic):
    study = clinic / "study.toml"
    cells = 'partitioner = "standing-cells"\ncell_size = 15\nbatch = 3\nkeep = 1\npool = 2\n'
    study.write_text(study.read_text("utf-8").replace("[policy]\n", f"[policy]\n{cells}"), "utf-8")
    for pair in ((WEEKS[0], WEEKS[1]), (WEEKS[2], "views/week-4.csv")):
        go(page, studio, "publish", study="study.toml")
        page.select_option("#view", pair[0])
        page.select_option("#view-2", pair[1])
        page.get_by_role("button", name="Preview").click()
        appears(page, "main", "Nothing was written")
        page.get_by_role("switch", name="Show originals").click()
        appears(page, ".before")
        page.get_by_role("button", name="Publish release").click()
        appears(page, "main", "verified from the written files")
    assert "listed as last seen, not in the table" in page.inner_text("main")
    go(page, studio, "history", study="study.toml")
    heads = [one.lower() for one in page.locator("table.timeline thead th").all_inner_texts()]
    cells = page.locator("table.timeline tbody tr").last.locator("th, td").all_inner_texts()
    told = json.loads((clinic / "releases" / "release-0002.certificate.json").read_text())
    for name in ("waiting", "carried over", "held back"):
        assert cells[heads.index(name)] == f"{told['listing'][name]:,}"


def test_publish__tells_what_went_wrong_and_publishes_nothing(studio, page, clinic):
    shutil.copy(clinic / WEEKS[0], clinic / "views" / "broken.csv")
    text = (clinic / "views" / "broken.csv").read_text().replace("F", "unheard-of")
    (clinic / "views" / "broken.csv").write_text(text)
    go(page, studio, "publish", study="study.toml")
    page.select_option("#view", "views/broken.csv")
    page.get_by_role("button", name="Preview").click()
    appears(page, "main", "It could not be done")
    assert "outside its domain" in page.inner_text("main")
    page.fill("#at", "soon")
    page.select_option("#view", WEEKS[0])
    page.get_by_role("button", name="Preview").click()
    appears(page, "main", "'soon' is no instant")
    assert not (clinic / "releases").exists()


def test_create_and_publish__tell_what_is_odd_about_a_table(studio, page, clinic):
    text = (clinic / WEEKS[0]).read_text().replace("note of row 7", "note\nof row 7")
    (clinic / WEEKS[0]).write_text(text.replace("CX-neg", "=neg"))
    for file in (clinic / "study.toml", clinic / "knowledge.csv"):
        file.write_text(file.read_text().replace("CX-neg", "=neg"))
    go(page, studio, "create", table=WEEKS[0])
    told = page.inner_text("#checks")
    assert "1 cell(s) of week-1.csv span lines" in told
    assert "would run as a formula: '=neg'" in told
    go(page, studio, "publish", study="study.toml")
    page.select_option("#view", WEEKS[0])
    page.get_by_role("button", name="Preview").click()
    appears(page, "main", "would be published")
    told = page.inner_text("main")
    assert "1 cell(s) of week-1.csv span lines" in told
    assert "would run as a formula: '=neg'" in told


def test_rehearsal__survives_a_reload_is_seen_in_a_second_tab_and_is_called_off(studio, visit):
    page = visit.page
    go(page, studio, "rehearse", study="study.toml")
    page.check(f'input[value="{WEEKS[0]}"]')
    page.fill("#releases", "10")
    page.fill("#sizes", ", ".join(str(size) for size in range(5, 27)))
    page.get_by_role("button", name="Rehearse").click()
    appears(page, "progress")
    page.reload()
    appears(page, "progress")
    other = visit.context.new_page()
    watch(visit, other)
    go(other, studio, "rehearse", study="study.toml")
    appears(other, ".step", "Cells of")
    before = float(other.get_attribute("progress", "value"))
    other.wait_for_function(
        "before => document.querySelector('progress').value > before", arg=before
    )
    other.get_by_role("button", name="Cancel").click()
    appears(other, "main", "Called off")
    page.bring_to_front()
    appears(page, "main", "Called off")
    assert "at work" not in page.inner_text("header")


def test_work__that_ends_does_not_call_back_someone_who_went_on(studio, page, store_in_use):
    go(page, studio, "publish", study="study.toml")
    page.select_option("#view", WEEKS[0])
    with held_back(page, "**/jobs/*") as late:
        with store_in_use():
            page.get_by_role("button", name="Preview").click()
            until(page, lambda: late)
        job = late[0].request.url
        until(page, lambda: "data-poll" not in page.context.request.get(job).text())
        tab(page, "Study")
    assert page.locator('nav a[aria-current="page"]').inner_text() == "Study"
    assert "/study?" in page.url


def test_going_on__leaves_behind_what_was_asked_for_before(studio, page):
    go(page, studio, "study", study="study.toml")
    with held_back(page, "**/history?**") as late:
        page.get_by_role("link", name="History", exact=True).click()
        until(page, lambda: late)
        tab(page, "Publish")
    assert page.locator('nav a[aria-current="page"]').inner_text() == "Publish"


def test_rehearsal__of_a_reader_who_learns_from_views_learns_from_past_ones(studio, page, clinic):
    file = clinic / "study.toml"
    text = file.read_text().replace('sequence = "knowledge.csv"', 'sequence = "views"\nsteps = 1')
    file.write_text(text)
    go(page, studio, "rehearse", study="study.toml")
    assert page.is_checked("#on-made")
    for view in WEEKS[:2]:
        page.check(f'input[value="{view}"]')
    page.fill("#releases", "3")
    page.fill("#sizes", "5, 10")
    page.get_by_role("button", name="Rehearse").click()
    appears(page, "table.pick")
    told = " ".join(page.inner_text("main").split())
    assert "Learned from 2 views, whose sensitive values were read" in told
    assert f"seriatim rehearse {WEEKS[0]} {WEEKS[1]} --size 5 --size 10 --releases 3" in told


def test_rehearsal__plays_past_views_as_they_were(studio, page):
    go(page, studio, "rehearse", study="study.toml")
    page.check("#on-views")
    page.check(f'input[value="{WEEKS[0]}"]')
    page.get_by_role("button", name="Rehearse").click()
    appears(page, "main", "at least two past views")
    go(page, studio, "rehearse", study="study.toml")
    page.check("#on-views")
    for view in WEEKS[:2]:
        page.check(f'input[value="{view}"]')
    page.fill("#sizes", "5, 10")
    page.get_by_role("button", name="Rehearse").click()
    appears(page, "table.pick")
    assert f"seriatim tune {WEEKS[0]} {WEEKS[1]} --size 5 --size 10" in page.inner_text("main")


def test_rehearsal__with_bad_input_says_so(studio, page):
    go(page, studio, "rehearse", study="study.toml")
    page.check(f'input[value="{WEEKS[0]}"]')
    page.fill("#sizes", "five")
    page.get_by_role("button", name="Rehearse").click()
    appears(page, "main", "Cell sizes are whole numbers")


def test_follow__finds_the_one_who_was_asked_for_and_shows_no_id(studio, visit, published):
    page = visit.page
    views = [pyarrow.csv.read_csv(published / view) for view in WEEKS]
    values = [
        dict(zip(view["patient"].to_pylist(), view["exam"].to_pylist(), strict=True))
        for view in views
    ]
    someone = min(set.intersection(*map(set, values)))
    go(page, studio, "follow", study="study.toml")
    page.fill("#respondent", someone)
    page.get_by_role("button", name="Follow").click()
    appears(page, "#course")
    assert someone not in page.url
    for where, body in visit.bodies.items():
        assert someone not in body, where
    frames = page.locator(".frame")
    assert frames.count() == 3
    for place, value in enumerate(values):
        frame = frames.nth(place)
        assert f"The true value, {value[someone]}," in re.sub(r"\s+", " ", frame.text_content())
    wide = page.locator('.frame[data-frame="1"] .true .fill')
    believed = float(page.locator('.frame[data-frame="1"] .true .many').text_content())
    page.click('[data-step="1"]')
    width = """share => {
        const bar = document.querySelector('.frame[data-frame="1"] .true .fill');
        return Math.abs(parseFloat(bar.getAttribute("width")) - 100 * share) < 1;
    }"""
    page.wait_for_function(width, arg=believed)
    assert wide.is_visible()
    page.get_by_role("button", name="Put away").click()
    page.fill("#respondent", "nobody at all")
    page.get_by_role("button", name="Follow").click()
    appears(page, "main", "No respondent of these originals has this id")


def test_history__tells_where_nothing_was_published_yet(studio, page):
    go(page, studio, "history", study="study.toml")
    appears(page, "main", "Nothing was published yet")


def test_history__tells_of_a_release_that_was_changed(studio, page, published):
    release = published / "releases" / "release-0001.csv"
    release.write_text(release.read_text().replace("neg", "pos", 1))
    go(page, studio, "history", study="study.toml")
    appears(page, "main", "2 of 3 verified")
    assert page.locator(".chain > li.broken").count() == 1


def test_screens__work_without_scripts(studio, chromium):
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(studio.address)
    page.get_by_role("link", name="Publish").first.click()
    page.select_option("#view", WEEKS[0])
    page.get_by_role("button", name="Preview").click()
    page.wait_for_selector("text=would be published", timeout=60_000)
    assert page.locator(".group").count() >= 2
    context.close()


def test_screens__can_be_used_with_the_keyboard(studio, page):
    go(page, studio, "study", study="study.toml")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "brand"
    for _ in range(4):
        page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "History"
    page.keyboard.press("Enter")
    page.wait_for_url("**/history?**")


def test_screens__fit_every_width_by_day_and_by_night(studio, chromium):
    context = chromium.new_context(
        viewport={"width": 390, "height": 844}, color_scheme="light", reduced_motion="reduce"
    )
    page = context.new_page()
    page.goto(studio.address)
    go(page, studio, "publish", study="study.toml")
    publish(page, WEEKS[0])
    amiss = []
    for path in (
        "/",
        f"/create?table={WEEKS[0]}",
        *(f"/{one}?study=study.toml" for one in SCREENS),
    ):
        page.set_viewport_size({"width": 390, "height": 844})
        page.goto(studio.base + path)
        vanishes(page, "#chain noscript")
        for width, scheme in ((390, "light"), (390, "dark"), (1024, "dark"), (1440, "light")):
            page.emulate_media(color_scheme=scheme)
            page.set_viewport_size({"width": width, "height": 844})
            page.wait_for_function(DRAWN)
            found = page.evaluate(OUTSIDE)
            if found:
                amiss.append((path, width, scheme, found))
    assert amiss == []
    context.close()


def test_first_screen__is_there_within_a_second(studio, page):
    go(page, studio, "study", study="study.toml")  # a browser that runs already
    page.goto(f"{studio.base}/")
    taken = page.evaluate(
        "(() => { const one = performance.getEntriesByType('navigation')[0];"
        " return one.domContentLoadedEventEnd - one.startTime; })()"
    )
    assert taken < 1000


def test_another_page__cannot_change_or_read_anything(studio, visit, chromium, clinic):
    """A page of another port of this machine: the nearest that a stranger's page can come."""
    evil = f"""<!doctype html>
    <form id=f method=post action="{studio.base}/publish?study=study.toml">
    <input name=view value="{WEEKS[0]}"><input name=action value=publish></form>
    <iframe src="{studio.base}/history?study=study.toml"></iframe>"""

    class Page(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(evil.encode())

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    stranger = visit.context.new_page()
    stranger.goto(f"http://127.0.0.1:{server.server_port}/")
    assert "Publish" not in (stranger.frames[1].content() if len(stranger.frames) > 1 else "")
    read = stranger.evaluate(
        "url => fetch(url, {credentials: 'include'}).then(a => a.text()).catch(() => 'refused')",
        f"{studio.base}/study?study=study.toml",
    )
    assert read == "refused"
    with stranger.expect_navigation():
        stranger.evaluate("document.getElementById('f').submit()")
    assert "Not let in" in stranger.content()
    assert not (clinic / "releases").exists()
    server.shutdown()
    server.server_close()


def test_wrong_token__is_refused_in_the_browser(studio, chromium):
    context = chromium.new_context()
    page = context.new_page()
    page.goto(f"{studio.base}/open?token=guessed")
    assert "wrong, or was used already" in page.inner_text("body")
    page.goto(f"{studio.base}/")
    assert "has not been let in" in page.inner_text("body")
    context.close()
