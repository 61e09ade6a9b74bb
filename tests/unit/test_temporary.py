"""What a signal removes before it ends the process."""

import threading

from seriatim import _temporary


def test_registered__files_and_folders_are_removed_and_others_stay(tmp_path):
    folder, file, kept = tmp_path / "folder", tmp_path / "file", tmp_path / "kept"
    folder.mkdir()
    for one in (folder / "inside", file, kept):
        one.touch()
    for one in (folder, file, kept, tmp_path / "never made"):
        _temporary.register(one)
    _temporary.forget(kept)
    _temporary.remove_registered()
    assert [one.name for one in tmp_path.iterdir()] == ["kept"]


def test_registered__folder_is_removed_while_a_thread_still_writes_to_it(tmp_path):
    folder, stop = tmp_path / "folder", threading.Event()
    folder.mkdir()

    def write():
        for number in range(10_000):
            try:
                (folder / str(number)).touch()
            except OSError:  # it is gone
                return
            if stop.is_set():
                return

    _temporary.register(folder)
    writing = threading.Thread(target=write)
    writing.start()
    _temporary.remove_registered()
    assert not folder.exists()
    stop.set()
    writing.join()


def test_registered__link_to_a_folder_is_removed_and_the_folder_stays(tmp_path):
    folder, link = tmp_path / "folder", tmp_path / "link"
    folder.mkdir()
    link.symlink_to(folder)
    _temporary.register(link)
    _temporary.remove_registered()
    assert (folder.exists(), link.exists()) == (True, False)
