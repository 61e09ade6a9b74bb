"""Disease models: files that people read, and weekly chances from them."""

import math
import re

import numpy as np
import pytest

import oracles_simulate as oracle
import seriatim as sr
from seriatim.simulate.literature import published_diseases
from seriatim.simulate.patients import CLASSES

GOOD = """\
name = "cold"
title = "The common cold"
per = "1 day"
sources = []
assumptions = ["all of it"]
discharge = { per = "1 week", chance = 0.1 }
[[stages]]
value = "cold-1"
means = "sneezing"
admitted = 0.75
next = { cold-2 = 0.2 }
[[stages]]
value = "cold-2"
means = "in bed"
admitted = 0.25
mean_stay = 3.0
next = { cold-1 = 0.9, deceased = 0.1 }
"""


@pytest.fixture(params=published_diseases(), ids=lambda one: one.name)
def disease(request):
    return request.param


def test_disease__names_sources_and_assumptions(disease):
    assert all({"cite", "url", "gives"} <= set(one) for one in disease.sources)
    assert disease.sources
    assert disease.assumptions
    assert all(one.because for one in disease.worsening)


@pytest.mark.parametrize("weeks", [1, 3])
def test_weekly_chances__are_those_of_walking_every_step(disease, weeks):
    names = (*disease.values, "deceased", "discharged")
    tables = np.linalg.matrix_power(disease.weekly(), weeks)
    for kind, cells in enumerate(CLASSES.cells):
        here = dict(zip(CLASSES.names, cells, strict=True))
        factor = math.prod(
            one.factor
            for one in disease.worsening
            if all(here[name] == cell for name, cell in one.who.items())
        )
        for row, value in enumerate(disease.values):
            expected = oracle.weeks_later(disease, factor, value, weeks)
            found = dict(zip(names, tables[kind, row], strict=True))
            assert found == pytest.approx({name: expected.get(name, 0.0) for name in names})


def test_figures__are_the_published_ones_again():
    """What a file gives per day, month, year or five years is what the weeks add up to."""
    of = {disease.name: disease for disease in published_diseases()}
    leaving = {
        (name, stage.value): 1 - math.exp(-days * _rate(stage))
        for name, days in (("sepsis", 1), ("Alzheimer", 365.25), ("liver", 5 * 365.25))
        for stage in of[name].stages
    }
    assert leaving["sepsis", "sepsis-3"] == pytest.approx(0.35)
    assert leaving["sepsis", "sepsis-4"] == pytest.approx(0.32)
    assert leaving["sepsis", "sepsis-5"] == pytest.approx(0.39)
    assert leaving["Alzheimer", "Alzheimer-1"] == pytest.approx(1 - 0.774)
    assert leaving["Alzheimer", "Alzheimer-2"] == pytest.approx(1 - 0.501)
    assert leaving["liver", "liver-1"] == pytest.approx(0.345)
    assert leaving["liver", "liver-4"] == pytest.approx(0.78)
    months = [1 / _rate(stage) / (365.25 / 12) for stage in of["HIV"].stages]
    assert months == pytest.approx([2.2, 52.6, 62.9, 23.6])


def _rate(stage):
    """Return the rate of leaving by itself, without the discharge that is assumed besides."""
    return sum(
        rate
        for value, rate in stage.hazards.items()
        if value != "discharged" or stage.value.startswith("sepsis")
    )


def test_disease__of_ones_own_makes_a_hospital(tmp_path):
    file = tmp_path / "cold.toml"
    file.write_text(GOOD, "utf-8")
    cold = sr.Disease.read(file)
    assert cold.values == ("cold-1", "cold-2")
    assert cold.stages[1].hazards["deceased"] == pytest.approx(0.1 / 3)
    made = sr.hospital(views=2, size=30, preset=sr.Literature(diseases=(cold,)))
    assert made.schema.sensitive.domain == ("cold-1", "cold-2", "deceased", "discharged")
    assert len(made.views) == 2


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('per = "1 day"', "", "lacks 'per'"),
        ('per = "1 day"', 'per = "1 fortnight"', "'1 fortnight' is no time"),
        ('per = "1 day"', 'per = "2 days"', "divides it"),
        ("cold-2 = 0.2", "cold-3 = 0.2", "Did you mean 'cold-"),
        ("cold-2 = 0.2", "cold-2 = 1.2", "below 1, and 1.2 is not"),
        ("cold-2 = 0.2", "cold-2 = -0.2", "numbers from 0"),
        ("cold-1 = 0.9", "cold-1 = 0.8", "sums to 1"),
        ("admitted = 0.75", "admitted = 0.5", "sum to 1"),
        ('value = "cold-2"', 'value = "cold-1"', "values of their own"),
        ("title", "title title", "could not be read"),
        ("next = { cold-2 = 0.2 }", "next = 3", "no disease model"),
        ("[[stages]]", "[[worsening]]\nwho = {age = '1-2'}\n[[stages]]", "is no class"),
        ("[[stages]]", "[[worsening]]\nwho = {zip = '1'}\n[[stages]]", "not by 'zip'"),
    ],
)
def test_file__with_a_mistake_is_told_what_it_is(old, new, message, tmp_path):
    file = tmp_path / "cold.toml"
    file.write_text(GOOD.replace(old, new, 1), "utf-8")
    with pytest.raises(sr.KnowledgeError, match=re.escape(message)):
        sr.Disease.read(file)


def test_file__that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(sr.KnowledgeError, match="could not be read"):
        sr.Disease.read(tmp_path / "none.toml")


def test_literature__refuses_diseases_that_share_a_value():
    twice = (published_diseases()[0],) * 2
    with pytest.raises(sr.PolicyError, match="share a value"):
        sr.Literature(diseases=twice)
