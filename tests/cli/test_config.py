"""Settings with their origins, and what is wrong with the files."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commanding import Superbiz
from superbizagent.cli.config_check import distance

HUSHED = "hushed-word-of-ours"


def project(folder: Path, text: str) -> None:
    (folder / "superbiz.toml").write_text(text, encoding="utf-8")


def user(folder: Path, text: str) -> Path:
    path = folder / "config" / "superbizagent" / "superbiz.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def shown(superbiz: Superbiz, *flags: str) -> dict[str, tuple[object, str]]:
    ended = superbiz("config", "show", "--json", *flags)
    assert ended.code == 0
    rows = json.loads(ended.out)
    return {key: (row["value"], row["origin"]) for key, row in rows.items()}


# Show --------------------------------------------------------------------------------------------


def test_every_value_has_its_origin(
    superbiz: Superbiz, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = user(tmp_path, 'timezone = "Asia/Shanghai"\nlang = "zh"\n[caps]\nmax_points = 5\n')
    project(tmp_path, 'lang = "en"\n[caps]\nmax_queries = 7\n')
    monkeypatch.setenv("SUPERBIZ_CAPS__MAX_SERIES", "9")
    rows = shown(superbiz, "--deadline", "30s", "--log-tz", "+08:00")
    assert rows["timezone"] == ("Asia/Shanghai", f"user file {path}")
    assert rows["lang"] == ("en", "project file superbiz.toml")
    assert rows["caps.max_points"] == (5, f"user file {path}")
    assert rows["caps.max_queries"] == (7, "project file superbiz.toml")
    assert rows["caps.max_series"] == (9, "environment SUPERBIZ_CAPS__MAX_SERIES")
    assert rows["deadline_seconds"] == (30.0, "flag --deadline")
    assert rows["log_tz"] == ("+08:00", "flag --log-tz")
    assert rows["max_rounds"] == (2, "default")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            '[sources.promethus]\nurl = "x"\n',
            "superbiz.toml:1: unknown key 'sources.promethus'; did",
        ),
        ('\ntimezone = "Mars"\n', "superbiz.toml:2: 'timezone': 'Mars' is no time zone such as"),
        ("lang = [\n", "superbiz.toml: no TOML: Invalid value; correct the line"),
    ],
)
def test_every_command_says_what_config_check_says_of_a_file(
    superbiz: Superbiz, tmp_path: Path, text: str, said: str
) -> None:
    project(tmp_path, text)
    for args in (("demo",), ("skills", "list"), ("diagnose", "x"), ("trace", "list")):
        ended = superbiz(*args)
        assert (ended.code, said in ended.error) == (2, True), ended.error


def test_an_offset_is_a_zone_everywhere(superbiz: Superbiz, tmp_path: Path) -> None:
    project(tmp_path, 'timezone = "+08:00"\nlang = "en"\n')
    assert superbiz("demo", "-q").code == 0
    assert "+0800" in superbiz("trace", "list").out
    assert superbiz("explain", "last", "E6.52").code == 0


def test_secrets_are_masked(
    superbiz: Superbiz, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project(
        tmp_path,
        f'[sources.prometheus]\nurl = "http://ops:{HUSHED}@metrics"\n'
        f'headers = {{ "X-Api-Key" = "{HUSHED}" }}\nproxy = "http://a:{HUSHED}@proxy:3128"\n'
        f'[[sources.loki]]\nurl = "http://logs"\nbearer_token = "{HUSHED}"\n',
    )
    monkeypatch.setenv("SUPERBIZ_SOURCES__ALERTMANAGER__PASSWORD", HUSHED)
    ended = superbiz("config", "show")
    assert ended.code == 0
    assert HUSHED not in ended.out + ended.err
    rows = shown(superbiz)
    assert rows["sources.prometheus.url"][0] == "http://ops:***@metrics"
    assert rows["sources.prometheus.headers"][0] == {"X-Api-Key": "***"}
    assert rows["sources.loki.0.bearer_token"] == ("***", "project file superbiz.toml")
    assert rows["sources.loki.0.ca_file"] == (None, "default")
    assert rows["sources.alertmanager.password"] == (
        "***",
        "environment SUPERBIZ_SOURCES__ALERTMANAGER__PASSWORD",
    )


def test_the_projects_servers_stand_beside_the_users(superbiz: Superbiz, tmp_path: Path) -> None:
    path = user(tmp_path, '[sources.prometheus]\nurl = "http://metrics"\n')
    project(tmp_path, '[sources.loki]\nurl = "http://logs"\n')
    rows = shown(superbiz)
    assert rows["sources.prometheus.url"] == ("http://metrics", f"user file {path}")
    assert rows["sources.loki.url"] == ("http://logs", "project file superbiz.toml")


def test_an_array_of_servers_replaces_that_of_the_user(superbiz: Superbiz, tmp_path: Path) -> None:
    user(tmp_path, '[[sources.loki]]\nname = "a"\nurl = "http://a"\nusername = "x"\n')
    project(tmp_path, '[[sources.loki]]\nname = "b"\nurl = "http://b"\n')
    rows = shown(superbiz)
    assert rows["sources.loki.0.url"] == ("http://b", "project file superbiz.toml")
    assert rows["sources.loki.0.username"] == ("", "default")


def test_plain_text_names_every_setting(superbiz: Superbiz) -> None:
    ended = superbiz("config", "show")
    assert ended.code == 0
    assert "max_rounds " in ended.out
    assert "(default)" in ended.out


# Check -------------------------------------------------------------------------------------------

WRONG = """\
langue = "en"
max_series = 4
deadline_seconds = "soon"

[caps]
# max_points = "no"
max_querys = 3
concurrency = 2.5

[sources.prometheus]
url = "http://a"
bearer = "x"
timeout_seconds = 0

[[sources.loki]]
url = "http://b"

[[sources.loki]]
name = "c"
headers = 3
quite_else = 1
"""

SAID = """\
superbiz.toml:1: unknown key 'langue'; did you mean 'lang'?
superbiz.toml:2: unknown key 'max_series'; did you mean 'caps.max_series'?
superbiz.toml:3: 'deadline_seconds': Input should be a valid number, unable to parse string as a \
number; write deadline_seconds = 60.0
superbiz.toml:7: unknown key 'caps.max_querys'; did you mean 'max_queries'?
superbiz.toml:8: 'caps.concurrency': Input should be a valid integer, got a number with a \
fractional part; write concurrency = 4
superbiz.toml:12: unknown key 'sources.prometheus.bearer'; did you mean 'bearer_token'?
superbiz.toml:13: 'sources.prometheus.timeout_seconds': Input should be greater than 0; write \
timeout_seconds = 25.0
superbiz.toml:20: 'sources.loki.1.headers': Input should be a valid dictionary; write \
headers = { "X-Scope-OrgID" = "shop" }
superbiz.toml:21: unknown key 'sources.loki.1.quite_else'; remove it
"""


def test_every_mistake_has_its_line_and_a_way_out(superbiz: Superbiz, tmp_path: Path) -> None:
    project(tmp_path, WRONG)
    ended = superbiz("config", "check")
    assert ended.code == 2
    assert ended.out == SAID
    assert ended.err == "9 problems; see the settings reference\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a = = 3\n", "superbiz.toml:1: no TOML: "),
        ('lang = "fr"\n', "superbiz.toml:1: 'lang': Input should be 'auto', 'en' or 'zh'"),
        ("[cap]\nmax_queries = 3\n", "superbiz.toml:1: unknown key 'cap'; did you mean 'caps'?"),
        ("[sources.lokki]\nurl = 'http://a'\n", "superbiz.toml:1: unknown key 'sources.lokki'"),
        ("sources.loki.urll = 'http://a'\n", "superbiz.toml:1: unknown key 'sources.loki.urll'"),
        (
            "[sources.loki]\nurl = 'http://a'\nusername = 'a'\nbearer_token = 'b'\n",
            "superbiz.toml:1: 'sources.loki': give one of username",
        ),
        ("[sources]\nloki = 3\n", "superbiz.toml:2: 'sources.loki': "),
        ("skills_dirs = 'a'\n", 'write skills_dirs = ["/etc/superbiz/skills"]'),
    ],
)
def test_a_mistake_is_named(superbiz: Superbiz, tmp_path: Path, text: str, words: str) -> None:
    project(tmp_path, text)
    ended = superbiz("config", "check")
    assert ended.code == 2
    assert words in ended.out


def test_bytes_that_are_no_text_are_told(superbiz: Superbiz, tmp_path: Path) -> None:
    (tmp_path / "superbiz.toml").write_bytes(b'lang = "\xff"\n')
    ended = superbiz("config", "check")
    assert ended.code == 2
    assert "superbiz.toml: no TOML" in ended.out


def test_the_users_file_is_checked_too(superbiz: Superbiz, tmp_path: Path) -> None:
    path = user(tmp_path, "\nlangg = 'en'\n")
    ended = superbiz("config", "check")
    assert ended.code == 2
    assert ended.out == f"{path}:2: unknown key 'langg'; did you mean 'lang'?\n"


def test_variables_are_checked(superbiz: Superbiz, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUPERBIZ_LNG", "en")
    monkeypatch.setenv("SUPERBIZ_CAPS__MAX_SERIE", "3")
    monkeypatch.setenv("SUPERBIZ_CAPS", "{}")
    ended = superbiz("config", "check")
    assert ended.code == 2
    assert ended.out == (
        "environment: unknown variable SUPERBIZ_LNG; did you mean 'SUPERBIZ_LANG'?\n"
        "environment: unknown variable SUPERBIZ_CAPS__MAX_SERIE; did you mean"
        " 'SUPERBIZ_CAPS__MAX_SERIES'?\n"
    )


def test_values_of_variables_are_checked(
    superbiz: Superbiz, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUPERBIZ_MAX_ROUNDS", "many")
    ended = superbiz("config", "check")
    assert ended.code == 2
    assert "settings: setting 'max_rounds': " in ended.out


def test_what_is_right_is_said_to_be(superbiz: Superbiz, tmp_path: Path) -> None:
    assert superbiz("config", "check").out == "no file: nothing is wrong\n"
    project(tmp_path, 'lang = "en"\n')
    ended = superbiz("config", "check")
    assert (ended.code, ended.out) == (0, "superbiz.toml: nothing is wrong\n")


words = st.text("abc_", max_size=6)


@given(words, words, words)
def test_distances_are_those_of_a_metric(one: str, other: str, third: str) -> None:
    assert (distance(one, other) == 0) is (one == other)
    assert distance(one, other) == distance(other, one)
    assert distance(one, third) <= distance(one, other) + distance(other, third)
    assert abs(len(one) - len(other)) <= distance(one, other) <= max(len(one), len(other))


@pytest.mark.parametrize(
    ("one", "other", "letters"), [("kitten", "sitting", 3), ("", "abc", 3), ("urll", "url", 1)]
)
def test_distances_count_letters(one: str, other: str, letters: int) -> None:
    assert distance(one, other) == letters
