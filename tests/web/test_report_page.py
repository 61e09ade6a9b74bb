"""The page of a report in a real browser, by day and by night, wide, narrow and on paper."""

import datetime as dt
import shutil
import subprocess
from dataclasses import dataclass
from itertools import product

import pytest

from report_studies import charts_of, dated_account, report_pages
from seriatim.report.writing import write_page
from studios import opened

KINDS = ("series", "audited", "release", "release-audited", "audit", "comparison", "dated")
LIGHTS = {"light", "dark"}
EVERYWHERE = set(product((1440, 1024, 390), LIGHTS))
LOADED = ((1440, "light", [1024]), (390, "dark", []))
"""Width and light in which a page is loaded, and widths that its window has after that."""

MARKS = """
figure => {
  const shown = [...figure.querySelectorAll('.drawing')].find(one => one.checkVisibility());
  const marks = shown.querySelectorAll(
    '.role-mark path, .role-mark line, .role-mark rect, .role-mark text');
  return [...marks].filter(mark => {
    const box = mark.getBoundingClientRect();
    return box.width + box.height > 1;
  }).length;
}
"""

CUT = """
() => [...document.querySelectorAll('.drawing svg')].filter(svg => svg.checkVisibility())
  .flatMap(svg => {
    const frame = svg.getBoundingClientRect();
    return [...svg.querySelectorAll('text')].filter(text => {
      const box = text.getBoundingClientRect();
      if (!text.textContent.trim() || !box.width || text.closest('[opacity="0"]')) return false;
      if (text.getAttribute('opacity') === '0') return false;
      return box.left < frame.left - 1.5 || box.right > frame.right + 1.5
        || box.top < frame.top - 1.5 || box.bottom > frame.bottom + 1.5;
    }).map(text => text.textContent);
  })
"""

OVERLAP = """
() => [...document.querySelectorAll('.drawing svg')].filter(svg => svg.checkVisibility())
  .flatMap(svg => {
    const shown = [...svg.querySelectorAll('text')].filter(text =>
      text.textContent.trim() && !text.closest('[opacity="0"]')
      && text.getAttribute('opacity') !== '0');
    const boxes = shown.map(text => [text.textContent, text.getBoundingClientRect()]);
    return boxes.flatMap(([one, a], place) => boxes.slice(place + 1)
      // The same words may lie on their own rim.
      .filter(([other, b]) => one !== other
        && Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2
        && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 2)
      .map(([other]) => `${one} on ${other}`));
  })
"""

CONTRAST = """
() => {
  const channel = v => (v /= 255) <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4;
  const numbers = colour => colour.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => .2126 * channel(r) + .7152 * channel(g) + .0722 * channel(b);
  const behind = element => {
    for (let one = element; one; one = one.parentElement) {
      const colour = numbers(getComputedStyle(one).backgroundColor);
      if (colour.length < 4 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  const found = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const element = walk.currentNode.parentElement;
    if (!walk.currentNode.textContent.trim() || !element.checkVisibility()) continue;
    const style = getComputedStyle(element);
    const ink = element.closest('svg') ? style.fill : style.color;
    if (!ink.startsWith('rgb')) continue;
    const [a, b] = [light(numbers(ink)), light(behind(element))];
    const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    if (ratio < 4.5) found.push([walk.currentNode.textContent.trim().slice(0, 30), ratio]);
  }
  return found;
}
"""


LOOK = {
    "marks": f"""() => Object.fromEntries([...document.querySelectorAll('figure[data-chart]')]
        .map(figure => [figure.dataset.chart, ({MARKS})(figure)]))""",
    "outside": "() => document.documentElement.scrollWidth - innerWidth",
    "cut": CUT,
    "overlap": OVERLAP,
    "contrast": CONTRAST,
}
"""What is asked of a page at every width and in every light."""


@pytest.fixture(scope="module")
def pages(published_weeks, tmp_path_factory):
    study = shutil.copytree(published_weeks.parent, tmp_path_factory.mktemp("reports") / "study")
    found = report_pages(study / "study.toml")
    dated = tmp_path_factory.mktemp("dated") / "dated.html"
    return found | {"dated": write_page(dated_account(), dated, made_on=dt.date(2026, 7, 1))}


@dataclass
class Seen:
    """What was found of a page at every width and in every light."""

    asked: list
    """Addresses that it asked for."""

    complaints: list
    """What it complained of."""

    drawn: set
    """How many charts it said it had drawn."""

    found: dict
    """What came of each look, by width and light."""

    def each(self, look):
        """Return what came of a look wherever something did."""
        return {where: one[look] for where, one in self.found.items() if one[look]}


@pytest.fixture(scope="module")
def seen(browser, pages):
    """Look at each page once: a narrow window lays charts out anew, and so has a load of its own.

    A wide one and a wider one have the same charts; so has the other light, drawn when it comes.
    """
    kept = {}

    def look_at(kind):
        if kind not in kept:
            kept[kind] = looked_at(browser, pages[kind])
        return kept[kind]

    return look_at


def looked_at(browser, file):
    seen = Seen([], [], set(), {})
    for loaded, light, narrower in LOADED:
        with opened(browser, file, width=loaded, light=light) as page:
            unfold(page)
            for width in (loaded, *narrower):
                page.set_viewport_size({"width": width, "height": 900})
                for shown in (light, *LIGHTS - {light}):
                    drawn_by(page, shown)
                    seen.found[width, shown] = {name: page.evaluate(LOOK[name]) for name in LOOK}
                    seen.drawn.add(page.evaluate("document.documentElement.dataset.drawn"))
                drawn_by(page, light)
            seen.asked += page.asked
            seen.complaints += page.complaints
    return seen


def drawn_by(page, light):
    """Let it be day or night, and wait for the charts."""
    if page.evaluate(f"!matchMedia('(prefers-color-scheme: {light})').matches"):
        page.evaluate("delete document.documentElement.dataset.drawn")
        page.emulate_media(color_scheme=light)
        page.wait_for_selector("html[data-drawn]")


def unfold(page):
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")


@pytest.mark.parametrize("kind", KINDS)
def test_page__asks_for_no_file_but_itself_and_complains_of_nothing(seen, pages, kind):
    assert seen(kind).asked == [pages[kind].resolve().as_uri()] * len(LOADED)
    assert seen(kind).complaints == []


@pytest.mark.parametrize("kind", KINDS)
def test_charts__are_all_drawn_by_day_and_by_night(seen, pages, kind):
    names = set(charts_of(pages[kind]))
    assert seen(kind).drawn == {str(len(names))}
    marks = seen(kind).each("marks")
    assert set(marks) == EVERYWHERE
    for where, found in marks.items():
        assert {name for name, many in found.items() if many} == names, where


@pytest.mark.parametrize("kind", KINDS)
def test_page__fits_every_screen_and_cuts_no_word(seen, kind):
    assert max(one["outside"] for one in seen(kind).found.values()) <= 0
    assert seen(kind).each("cut") == {}


@pytest.mark.parametrize("kind", KINDS)
def test_charts__have_no_word_on_another(seen, kind):
    assert seen(kind).each("overlap") == {}


@pytest.mark.parametrize("kind", KINDS)
def test_words__stand_out_from_what_is_behind_them(seen, kind):
    assert seen(kind).each("contrast") == {}


def test_legends__show_whose_dashes_are_whose(visit, pages):
    """A swatch shorter than its pattern shows a dashed line and a dotted one alike."""
    page = visit(pages["audited"])
    swatches = page.evaluate(
        """() => [...document.querySelectorAll('#figure-gain .light .role-legend-symbol path')]
        .map(one => [one.getBoundingClientRect().width,
            (one.getAttribute('stroke-dasharray') || '0').split(',').map(Number)
                .reduce((a, b) => a + b, 0)])"""
    )
    assert len(swatches) >= 3
    for width, pattern in swatches:
        assert width > 1.5 * pattern


def test_charts__follow_the_window(visit, pages):
    page = visit(pages["audited"], width=1024)
    page.set_viewport_size({"width": 500, "height": 900})
    page.wait_for_function(
        """() => Math.abs(document.querySelector('#figure-gain .light svg').clientWidth
        - document.querySelector('main').clientWidth) <= 2"""
    )
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def test_keyboard__skips_to_the_verdict_and_unfolds_a_part(visit, pages):
    page = visit(pages["audited"])
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "verdict"
    page.locator("#promise > summary").focus()
    page.keyboard.press("Enter")
    assert page.evaluate("document.getElementById('promise').open")


def test_link__to_a_folded_part_unfolds_it(visit, pages):
    page = visit(pages["audited"])
    assert not page.evaluate("document.getElementById('cases').open")
    page.get_by_role("link", name="The most exposed cases").click()
    page.wait_for_function("() => document.getElementById('cases').open")


def test_chart__is_saved_as_svg_and_png_on_white(visit, pages, tmp_path):
    page = visit(pages["audited"], light="dark")
    for kind, begin in (("SVG", b"<svg"), ("PNG", b"\x89PNG")):
        with page.expect_download() as waiting:
            page.get_by_role("button", name=f"Save as {kind}: Gain of each reader").click()
        assert waiting.value.suggested_filename == f"gain.{kind.lower()}"
        waiting.value.save_as(tmp_path / kind)
        assert (tmp_path / kind).read_bytes().startswith(begin)
    assert b'fill="white"' in (tmp_path / "SVG").read_bytes()
    assert page.complaints == []


def test_paper__shows_every_part_by_day(visit, pages, tmp_path):
    page = visit(pages["audited"], light="dark")
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.locator("#figure-gain .light").is_visible()
    assert not page.locator("#figure-gain .dark").is_visible()
    page.pdf(path=tmp_path / "page.pdf", format="A4")
    if shutil.which("pdftotext"):
        done = subprocess.run(
            ["pdftotext", tmp_path / "page.pdf", "-"], capture_output=True, text=True, check=True
        )
        for part in ("The most exposed cases", "What is not promised", "It raised the belief"):
            assert part in done.stdout
    assert not page.evaluate("document.getElementById('cases').open")


def test_page__without_scripts_still_tells_everything(browser, pages):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(pages["audited"].resolve().as_uri())
    assert page.locator(".sentence").is_visible()
    assert page.locator("#figure-gain .says").is_visible()
    assert page.locator("#figure-gain .numbers summary").is_visible()
    context.close()
