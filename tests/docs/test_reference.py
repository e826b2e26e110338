"""The reference is complete and says what the program says."""

import re
from pathlib import Path

import pytest

from superbizagent.cli.app import cli
from superbizagent.settings import Settings
from tools.write_reference import PAGES, commands, error_types, help_text, renew, setting_rows

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = ROOT / "docs" / "reference"


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_generated_blocks_are_current(path: Path) -> None:
    page = path.read_text(encoding="utf-8")
    assert "<!-- generated: " in page
    assert page == renew(page), "run make reference"


def test_a_stale_block_is_found() -> None:
    page = "<!-- generated: errors -->\nold\n<!-- end -->"
    assert renew(page) != page
    with pytest.raises(KeyError, match="nothing-generates-this"):
        renew(page.replace("errors", "nothing-generates-this"))


def test_every_command_and_option_is_explained() -> None:
    found = list(commands(cli))
    assert len(found) > 8
    for path, command in found:
        text = help_text(path, command)
        assert command.help, path
        for parameter in command.params:
            for option in parameter.opts:
                if option.startswith("-"):
                    assert option in text, f"{path} {option}"
                    assert getattr(parameter, "help", None), f"{path} {option} has no help"


def test_every_setting_has_a_meaning() -> None:
    rows = list(setting_rows(Settings))
    assert len(rows) > 10
    for variable, _, _, meaning in rows:
        assert meaning, variable


def test_every_variable_that_is_read_is_documented() -> None:
    source = (ROOT / "src" / "superbizagent" / "settings.py").read_text(encoding="utf-8")
    page = (REFERENCE / "settings.md").read_text(encoding="utf-8")
    names = set(re.findall(r'"([A-Z][A-Z_]+)"', source)) - {"SUPERBIZ_", "UTC"}
    assert "NO_COLOR" in names
    for name in names:
        assert f"`{name}`" in page, name


def test_every_error_code_and_exit_code_is_documented() -> None:
    page = (REFERENCE / "errors.md").read_text(encoding="utf-8")
    for error in error_types():
        assert f"| `{error.code}` | {error.exit_code} |" in page
        assert f"\n| {error.exit_code} |" in page
    codes = [error.code for error in error_types()]
    assert len(codes) == len(set(codes))
