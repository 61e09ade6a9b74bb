"""Following one respondent at the command line."""

import pyarrow.csv
from typer.testing import CliRunner

from seriatim.cli.app import app
from studies import week, write_study


def test_audit__follows_whom_it_is_asked_for_and_prints_no_id(tmp_path):
    study = write_study(tmp_path, weeks=2)
    run = CliRunner().invoke
    for number in (1, 2):
        assert run(app, ["publish", str(week(study, number)), "--study", str(study)]).exit_code == 0
    files = [str(tmp_path / "releases" / f"release-000{number}.csv") for number in (1, 2)]
    views = [word for number in (1, 2) for word in ("-o", str(week(study, number)))]
    ids = [set(pyarrow.csv.read_csv(week(study, n))["patient"].to_pylist()) for n in (1, 2)]
    someone = sorted(ids[0] & ids[1])[0]
    asked = ["audit", *files, *views, "--study", str(study), "--reader", "joint", "--follow"]
    done = run(app, asked, input=f"{someone}\n")
    assert done.exit_code == 0, done.output
    told = done.output.split("the respondent you asked for.")[1]
    assert told.count("is believed with") >= 2
    assert someone not in done.output
