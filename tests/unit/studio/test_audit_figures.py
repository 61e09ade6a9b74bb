"""What the audit screen tells of readers: who is strongest, and who is worse than counting."""

import pytest

import seriatim as sr
from bold_reader import Bold

pytest.importorskip("starlette")

from seriatim.studio.audit_screen import _told
from seriatim.studio.charts import reader_gains


@pytest.fixture(scope="module")
def attacked():
    made = sr.clinic(weeks=3, size=60)
    publisher = sr.Publisher(made.schema, sr.k_anonymity(k=4), sr.Adversary(), seed=1)
    published = []
    for week, table in enumerate(made.weeks, start=1):
        publisher.publish(table, at=week)
        published.append(publisher.latest)
    honest = sr.Adversary(made.prior, made.sequence)

    def audited(**readers):
        return sr.audit(
            [one.release for one in published],
            [one.view for one in published],
            {
                name: honest if power == 1 else Bold(honest, power)
                for name, power in readers.items()
            },
            memberships=[one.membership for one in published],
        )

    return audited


def shown(findings):
    return _told({"findings": findings, "stories": []}, 0.12)


def test_audit__is_headed_by_the_strongest_reader_and_not_by_the_highest_gain(attacked):
    findings = attacked(honest=1, bold=40)
    told = shown(findings)
    honest, bold = findings.series
    assert bold.gain_largest > honest.gain_largest
    assert (told["strongest"], told["worst"], told["misled"]) == (
        honest,
        honest.gain_largest,
        False,
    )
    assert [remark for _, remark in told["series"]] == ["strongest", "worse than counting"]


def test_audit__by_misled_readers_alone_says_so_and_shows_no_gain_as_the_worst(attacked):
    told = shown(attacked(bold=40))
    assert (told["strongest"], told["worst"], told["misled"]) == (None, None, True)


def test_chart__has_our_colour_for_the_strongest_reader(attacked):
    spec = reader_gains(attacked(honest=1, bold=40, bolder=60), 0.12)
    colour = spec["layer"][0]["encoding"]["color"]["scale"]
    shades = dict(zip(colour["domain"], colour["range"], strict=True))
    assert [name for name, shade in shades.items() if shade == "accent"] == ["honest"]
