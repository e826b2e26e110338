from pathlib import Path

import pytest

from superbizagent.errors import UsageError
from superbizagent.evaluation.cases import case_folder, incidents_below


def _case(folder: Path, name: str = "label.json") -> Path:
    folder.mkdir(parents=True)
    (folder / name).touch()
    return folder


def test_a_case_is_a_folder_or_stands_below_its_set(tmp_path: Path) -> None:
    here = _case(tmp_path / "set" / "cases" / "one")
    assert case_folder(str(here), None) == here
    assert case_folder("set/one", tmp_path) == here
    assert case_folder("set/one", None) is None
    assert case_folder("set/two", tmp_path) is None
    assert case_folder("set", tmp_path) is None


def test_incidents_are_found_one_by_one_and_by_the_folder(tmp_path: Path) -> None:
    for name in ("b", "a", "_normal"):
        _case(tmp_path / "some-set" / "cases" / name)
    one = _case(tmp_path / "bundles" / "one", "source.json")
    (tmp_path / "bundles" / "notes").mkdir()
    sets = [tmp_path / "some-set", tmp_path / "some-set" / "cases", tmp_path / "bundles", one]
    found = [incident.name for incident in incidents_below(sets)]
    each = ["some-set/a", "some-set/b"]
    assert found == [*each, *each, "bundles/one", "bundles/one"]


def test_a_folder_without_incidents_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no recorded incident"):
        list(incidents_below([tmp_path]))
