from seriatim.engines.local.files import LocalFiles
from sharded_series import require_files_as_promised


def test_files__are_written_whole_listed_renamed_and_removed(tmp_path):
    require_files_as_promised(LocalFiles(), str(tmp_path))
