"""Which tables may be views of a study: those whose heads name its columns come first."""

import pyarrow.csv
import pyarrow.parquet

from seriatim.studio.folder import Folder
from seriatim.studio.series import likely_views
from studies import write_study


def test_views__come_before_tables_that_lack_the_columns(tmp_path):
    write_study(tmp_path, weeks=2)
    (tmp_path / "aside.csv").write_text("state,meaning\n1,one\n")
    (tmp_path / "broken.parquet").write_bytes(b"no table")
    week = pyarrow.csv.read_csv(tmp_path / "views" / "week-1.csv")
    pyarrow.parquet.write_table(week, tmp_path / "also.parquet")
    folder = Folder(tmp_path.resolve())
    found = [one.name for one in likely_views(folder, folder.study("study.toml"))]
    views = ["also.parquet", "views/week-1.csv", "views/week-2.csv"]
    assert found == [*views, "aside.csv", "broken.parquet"]
