"""The key of an installation is made once."""

import multiprocessing
import stat
from pathlib import Path

import pytest

from superbizagent.errors import StorageError
from superbizagent.storage.installation import KEY_NAME, installation_key


def test_the_key_is_made_once_and_only_its_owner_reads_it(tmp_path: Path) -> None:
    folder = tmp_path / "data" / "deep"
    key = installation_key(folder)
    assert len(key) == 32
    assert installation_key(folder) == key
    assert stat.S_IMODE((folder / KEY_NAME).stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert list(folder.iterdir()) == [folder / KEY_NAME]  # no draft is left behind
    assert installation_key(tmp_path / "other") != key


def test_all_that_start_at_once_get_the_same_key(tmp_path: Path) -> None:
    with multiprocessing.get_context("forkserver").Pool(4) as pool:
        keys = pool.map(installation_key, [tmp_path] * 32)
    assert len(set(keys)) == 1


def test_for_reading_any_key_will_do_where_none_can_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert len(installation_key(tmp_path / "file" / "data", reading=True)) == 32
    key = installation_key(tmp_path / "data")
    assert installation_key(tmp_path / "data", reading=True) == key


def test_a_key_that_is_damaged_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / KEY_NAME).write_bytes(b"short")
    with pytest.raises(StorageError, match="is damaged: restore it"):
        installation_key(tmp_path)
    assert (tmp_path / KEY_NAME).read_bytes() == b"short"


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match="cannot be used") as raised:
        installation_key(tmp_path / "file" / "data")
    assert "\n" not in str(raised.value)
