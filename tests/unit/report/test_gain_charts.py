"""Charts of what readers learned: what coincides is drawn once, and everyone is told of."""

import datetime as dt
from dataclasses import replace

from seriatim.audit.distribution import Distribution
from seriatim.report.account import Account, ReaderPoint, ReaderSummary, SeriesAccount
from seriatim.report.charts import LIGHT
from seriatim.report.gain_charts import confidence_figure, frontier_figure, gain_figure
from seriatim.report.page import page
from seriatim.report.spread_charts import distribution_figure, spread_figure


def scored(name, gain, largest, loss=1.0, counting=2.0):
    return ReaderSummary(name, gain, largest, log_loss=loss, log_loss_by_frequency=counting)


def series(name, gains, penalty, failure=None):
    points = tuple(ReaderPoint("joint", str(at), gain) for at, gain in enumerate(gains, start=1))
    readers = (scored("joint", sum(gains) / len(gains), max(gains)),)
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
    readers = [scored(one, 0.1, 0.1) for one in ("joint", "retrospective")]
    made = SeriesAccount("ours", (), tuple(readers), tuple(points))
    account = Account("audit", "clinic", (made,), 0.12)
    assert drawn(gain_figure(account)) == ["joint", "retrospective"]
    assert made.strongest.reader == "retrospective"


def attacked():
    """A series whose strongest reader is neither the last nor the one with the highest gain."""
    readers = (
        scored("paper", 0.3, 0.3, 2.1),
        scored("joint", 0.1, 0.1, 1.0),
        scored("late", 0.2, 0.2, 1.5),
    )
    points = tuple(
        ReaderPoint(one.reader, str(at), one.gain, 0.1, 0.0, 0.1, 0.2, 0.6, 0.3)
        for one in readers
        for at in (1, 2)
    )
    spreads = tuple(Distribution(one.reader, (0.0, 0.5, 1.0), (1, 1)) for one in readers)
    return SeriesAccount("ours", (), readers, points, distributions=spreads, penalty=0.2)


def test_curves__of_a_misled_reader_say_so_and_ours_is_that_of_the_strongest():
    made = attacked()
    figure = gain_figure(Account("audit", "clinic", (made,), 0.12))
    encoding = figure.light["layer"][0]["encoding"]
    names = encoding["color"]["scale"]["domain"]
    assert names == ["paper (worse than counting)", "joint", "late"]
    shades = dict(zip(names, encoding["color"]["scale"]["range"], strict=True))
    assert shades["joint"] == LIGHT.accent
    whole = dict(zip(names, encoding["strokeDash"]["scale"]["range"], strict=True))
    assert [name for name, dash in whole.items() if dash == [1, 0]] == ["joint"]
    assert "The joint reader reaches at most" in confidence_figure(made).says


def test_spread_and_distribution__are_of_the_strongest_reader():
    made = attacked()
    assert spread_figure(made).title.startswith("How the joint reader's gain")
    one = distribution_figure(Account("audit", "clinic", (made,), 0.12))
    assert one.title == "Gain of the joint reader over all tuples"
    other = replace(made, name="other", readers=made.readers[2:])
    both = distribution_figure(Account("audit", "clinic", (made, other), 0.12))
    assert both.title == "Gain of the strongest reader over all tuples"
    assert frontier_figure(Account("comparison", "c", (made, other), 0.12)).rows[1][1] == "0.200"


def test_charts__draw_nobody_as_the_strongest_where_all_are_worse_than_counting():
    made = replace(attacked(), readers=(scored("paper", 0.3, 0.3, 2.1),))
    account = Account("audit", "clinic", (made,), 0.12)
    assert (spread_figure(made), distribution_figure(account)) == (None, None)
    assert "reader reaches" not in confidence_figure(made).says
    assert drawn(gain_figure(account)) == ["paper (worse than counting)"]


def test_side_by_side__has_no_empty_column_and_says_why_a_series_ended():
    text = page(compared(), made_on=dt.date(2026, 1, 1))
    assert "people ever above .9" not in text
    assert "<strong>t-closeness</strong> ended early, at 3: no group.</p>" in text
