"""Charts of what readers learned: what coincides is drawn once, and everyone is told of."""

import datetime as dt

from seriatim.report.account import Account, ReaderPoint, ReaderSummary, SeriesAccount
from seriatim.report.gain_charts import frontier_figure, gain_figure
from seriatim.report.page import page


def series(name, gains, penalty, failure=None):
    points = tuple(ReaderPoint("joint", str(at), gain) for at, gain in enumerate(gains, start=1))
    readers = (ReaderSummary("joint", sum(gains) / len(gains), max(gains)),)
    return SeriesAccount(name, (), readers, points, penalty=penalty, failure=failure)


def compared():
    made = (
        series("ours", (0.05, 0.06), 0.2),
        series("k-anonymity", (0.2, 0.3), 0.1),
        series("l-diversity", (0.2, 0.3), 0.1),
        series("t-closeness", (0.2, 0.31), 0.1, failure="at 3: no group.\nMore."),
    )
    return Account("comparison", "clinic", made, 0.12)


def drawn(figure):
    layers = figure.light["layer"][0]
    return layers["encoding"]["color"]["scale"]["domain"]


def test_gains__that_coincide_are_drawn_once_and_all_are_told():
    figure = gain_figure(compared())
    assert drawn(figure) == ["ours", "k-anonymity and 1 like it", "t-closeness"]
    assert "The same as k-anonymity: l-diversity." in figure.says
    assert figure.columns == ("release", "ours", "k-anonymity", "l-diversity", "t-closeness")
    assert figure.rows[1] == ("2", "0.060", "0.300", "0.300", "0.310")


def test_dots__that_coincide_are_drawn_once_and_all_are_told():
    figure = frontier_figure(compared())
    assert drawn(figure) == ["ours", "k-anonymity and 1 like it", "t-closeness"]
    assert [row[0] for row in figure.rows] == ["ours", "k-anonymity", "l-diversity", "t-closeness"]
    assert "l-diversity 0.300 at 10.0%" in figure.says


def test_readers__that_coincide_keep_their_own_lines():
    points = [ReaderPoint(one, str(at), 0.1) for one in ("joint", "retrospective") for at in (1, 2)]
    readers = [ReaderSummary(one, 0.1, 0.1) for one in ("joint", "retrospective")]
    made = SeriesAccount("ours", (), tuple(readers), tuple(points))
    account = Account("audit", "clinic", (made,), 0.12)
    assert drawn(gain_figure(account)) == ["joint", "retrospective"]
    assert made.strongest.reader == "retrospective"


def test_side_by_side__has_no_empty_column_and_says_why_a_series_ended():
    text = page(compared(), made_on=dt.date(2026, 1, 1))
    assert "people ever above .9" not in text
    assert "<strong>t-closeness</strong> ended early, at 3: no group.</p>" in text
