"""What the history screen tells of a release."""

import pytest

import seriatim as sr
from studies import week, write_study

pytest.importorskip("starlette")

from seriatim.studio.history_screen import _told
from seriatim.studio.series import records


@pytest.mark.parametrize(
    ("forward", "back", "over"),
    [
        (0.1, 0.1, False),
        (0.1, None, False),
        (0.3, None, True),
        (0.1, 0.3, True),
        (None, None, False),
    ],
)
def test_release__is_over_the_target_by_whichever_way_of_reading(tmp_path, forward, back, over):
    plan = ("[policy]", "[plan]\nreleases = 6\ntarget_gain = 0.2\n\n[policy]")
    study = sr.Study.read(write_study(tmp_path, changes=[plan]))
    with sr.Press(study) as press:
        press.publish(week(study.path, 1), at=1)
    (record,) = records(study)
    record["watch"] = {"gain": forward, "back": back}
    assert _told(record, study)["over"] is over
