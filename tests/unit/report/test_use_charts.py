"""What releases are good for, on a page: with originals, without, and where nothing is taught."""

import datetime as dt
from dataclasses import replace

import pytest

from seriatim.report.account import Account, SeriesAccount, TableFigures
from seriatim.report.page import key_figures, page
from seriatim.report.tables import over_tables
from seriatim.report.use_charts import learnability_figure, queries_figure
from seriatim.report.writing import key_figures_of

DAY = dt.date(2026, 1, 1)


def series(*figures):
    """A series of releases with these query errors and shares that can be learned."""
    tables = tuple(
        TableFigures(
            number,
            str(number),
            30,
            3,
            ((10, 3),),
            0.2,
            suppressed=0,
            query_error=error,
            learnability=share,
        )
        for number, (error, share) in enumerate(figures, start=1)
    )
    return over_tables(SeriesAccount("ours", tables))


def told(made):
    return page(Account("series", "study", (made,), 0.1), made_on=DAY)


def test_figures__are_told_release_by_release_and_on_the_mean():
    made = series((0.1, 0.9), (0.3, 0.7))
    assert (made.query_error, made.learnability) == pytest.approx((0.2, 0.8))
    shares, errors = learnability_figure(made), queries_figure(made)
    assert shares.rows == (("1", "90%"), ("2", "70%"))
    assert errors.rows == (("1", "10.0%"), ("2", "30.0%"))
    assert "70% to 90%" in shares.says
    text = told(made)
    assert "a model fitted to a release learns 80%" in text
    assert "counts off by 20.0%; 80% learnable" in text
    assert key_figures_of(Account("series", "s", (made,), 0.1))["series"][0]["learnability"] == 0.8


def test_release__of_which_nothing_is_known_is_left_out_of_the_mean():
    made = series((0.1, None), (0.3, 0.7), (0.2, 0.5))
    assert made.learnability == pytest.approx(0.6)
    assert [row[0] for row in learnability_figure(made).rows] == ["2", "3"]
    assert learnability_figure(series((0.1, 0.7), (0.2, None))) is None


def test_page__without_originals_says_that_it_does_not_know():
    made = series((None, None), (None, None))
    text = " ".join(told(made).split())
    assert text.count("Not known: it needs the original views.") == 2
    beside = key_figures(Account("series", "study", (made,), 0.1))[-1].beside
    assert "learnable" not in beside
    assert "counts" not in beside


def test_page__of_originals_that_teach_nothing_says_so():
    made = series((0.1, None), (0.2, None))
    text = told(made)
    assert "the original views do not teach a model" in text
    assert text.count("it needs the original views") == 0
    assert "learnable" not in key_figures(Account("series", "s", (replace(made),), 0.1))[-1].beside
