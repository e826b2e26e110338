"""Role tables: the user's names come first, mistakes are named."""

from pathlib import Path

import pytest

from superbizagent.domain.check import QueryTemplate
from superbizagent.errors import ConfigError, UsageError
from superbizagent.promql import parse_selector
from superbizagent.skills import RoleTable, load_roles, packaged_roles


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_a_users_names_are_tried_before_ours(tmp_path: Path) -> None:
    mine = write(
        tmp_path / "roles.yaml",
        "roles: {pool.used: {names: [{stack: ours, selector: 'acme_pool{s=\"busy\"}'}]},"
        " acme.queue: {names: [{stack: ours, selector: acme_queue}]}}",
    )
    table = load_roles([packaged_roles(), mine], parse_selector)
    used = table.selectors(QueryTemplate(role="pool.used"), parse_selector)
    assert str(used[0]) == 'acme_pool{s="busy"}'
    assert "hikaricp_connections_active" in {s.name for s in used}
    assert len(table.selectors(QueryTemplate(role="acme.queue"), parse_selector)) == 1


def test_a_query_is_its_own_only_alternative(roles: RoleTable) -> None:
    assert roles.selectors(QueryTemplate(query="up"), parse_selector) == (parse_selector("up"),)


def test_an_unknown_role_is_answered_with_near_ones(roles: RoleTable) -> None:
    with pytest.raises(UsageError, match=r"near: pool\.used"):
        roles.selectors(QueryTemplate(role="pool.use"), parse_selector)
    with pytest.raises(UsageError, match=r"none of the \d+ known is near"):
        roles.selectors(QueryTemplate(role="weather"), parse_selector)


@pytest.mark.parametrize(
    "text",
    [
        "roles: [",
        "roles: {a: {names: []}}",
        "roles: {a: {names: [{stack: s, selector: 'rate(x[5m])'}]}}",
        "nothing: 1",
        "",
    ],
)
def test_a_bad_table_is_a_config_error_that_names_the_file(tmp_path: Path, text: str) -> None:
    file = write(tmp_path / "bad.yaml", text)
    with pytest.raises(ConfigError, match=r"bad\.yaml"):
        load_roles([file], parse_selector)


def test_a_missing_table_is_a_config_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be used"):
        load_roles([tmp_path / "none.yaml"], parse_selector)


def test_every_complaint_beyond_three_is_counted(tmp_path: Path) -> None:
    roles = ", ".join(f"r{n}: {{names: []}}" for n in range(5))
    file = write(tmp_path / "bad.yaml", f"roles: {{{roles}}}")
    with pytest.raises(ConfigError, match=r"and 2 more"):
        load_roles([file], parse_selector)
