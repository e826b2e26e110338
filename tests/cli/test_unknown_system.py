"""A first look at a system that nobody has prepared: names, labels and interval are drawn by lot.

What an on-call engineer does first: nothing but the address, a question, an alert pasted from a
chat, one log file whose times say no zone. Each ends within half a minute in a report about the
right service, or in one line that says what to add.
"""

import random
import string
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import prometheus_server
from commanding import Ended, Superbiz
from prometheus_server import PrometheusServer, Samples

pytestmark = [pytest.mark.real_server, pytest.mark.slow]

MOST_SECONDS = 30
HURTS_FOR = timedelta(minutes=9)
SEEDS = (1, 2, 3)


@dataclass(frozen=True)
class Unknown:
    """A system with names of no meaning, in which one service has begun to fail."""

    url: str
    services: tuple[str, ...]
    broken: str
    metric: str
    began: datetime
    interval: int


def word(rng: random.Random, length: int = 7) -> str:
    return "".join(rng.choices(string.ascii_lowercase, k=length))


def _load(server: PrometheusServer, rng: random.Random) -> Unknown:
    services = tuple(f"{word(rng)}-{word(rng, 4)}" for _ in range(4))
    metrics = [f"{word(rng)}_{word(rng)}" for _ in range(6)]
    labels = {word(rng, 5): word(rng) for _ in range(2)}
    counter = f"{word(rng)}_errors_total"
    interval = rng.choice((7, 10, 15, 30))
    now = datetime.now(UTC)
    began, start = now - HURTS_FOR, now - timedelta(minutes=75)
    broken = services[0]
    series: dict[tuple[tuple[str, str], ...], Samples] = {}

    def add(name: str, service: str, value: "dict[int, float]", **more: str) -> None:
        about = {"__name__": name, "job": service, "instance": f"{service}:80", **labels, **more}
        series[tuple(about.items())] = list(value.items())

    stamps = [
        round((start + timedelta(seconds=k * interval)).timestamp() * 1000)
        for k in range(75 * 60 // interval)
    ]
    bad = began.timestamp() * 1000
    for service in services:
        hurt = service == broken
        add("up", service, dict.fromkeys(stamps, 1.0))
        for metric in metrics:
            level = rng.uniform(5, 50)
            jump = 12.0 if hurt and metric == metrics[0] else 1.0
            add(
                metric,
                service,
                {t: level * (jump if t >= bad else 1) * rng.uniform(0.97, 1.03) for t in stamps},
            )
        total, counted = 0.0, dict[int, float]()
        for t in stamps:
            total += interval * rng.uniform(0.8, 1.2) if hurt and t >= bad else 0
            counted[t] = total
        add(counter, service, counted)
    server.write(series)
    return Unknown(server.url, services, broken, metrics[0], began, interval)


@pytest.fixture(scope="module", params=SEEDS)
def unknown(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Unknown]:
    prometheus_server.need("prometheus")
    seed: int = request.param
    server = PrometheusServer(tmp_path_factory.mktemp("unknown"), "groups: []\n")
    yield _load(server, random.Random(seed))  # noqa: S311 - a seeded draw of names
    server.stop()


def timed(superbiz: Superbiz, *words: str) -> Ended:
    before = time.monotonic()
    ended = superbiz("diagnose", *words, "--lang", "en", "--full")
    assert time.monotonic() - before < MOST_SECONDS
    return ended


def flat(ended: Ended) -> str:
    assert ended.code == 0, ended.err
    assert "Statements taken out" not in ended.out
    return " ".join(ended.out.split())


def test_nothing_but_the_address(superbiz: Superbiz, unknown: Unknown) -> None:
    text = flat(timed(superbiz, "--prometheus", unknown.url))
    assert "No alert is firing in prometheus." in text
    deviations = text.count("A deviation, not a cause: ")
    assert 1 <= deviations <= 3
    assert f"A deviation, not a cause: {unknown.broken}: " in text
    assert "root cause found" not in text


def test_a_question_that_names_the_service(superbiz: Superbiz, unknown: Unknown) -> None:
    question = f"why is {unknown.broken} failing?"
    text = flat(timed(superbiz, "--prometheus", unknown.url, "--question", question))
    assert text.startswith(f"{unknown.broken}: ")
    assert unknown.metric in text
    began = unknown.began - timedelta(seconds=2 * unknown.interval)
    shown = {f"{began + timedelta(seconds=s):%H:%M:%S}" for s in range(5 * unknown.interval)}
    assert any(at in text for at in shown), "since when"


def test_an_alert_pasted_from_a_chat(superbiz: Superbiz, unknown: Unknown) -> None:
    pasted = f"[FIRING:1] TooManyErrors {unknown.broken} (critical)"
    text = flat(timed(superbiz, "--prometheus", unknown.url, "--alert", pasted))
    assert text.startswith(f"{unknown.broken}: ")
    assert "TooManyErrors does not fire now and came without a time" in text
    assert "the alert's own rule is not known" in text
    assert f"Errors at {unknown.broken}" in text


def test_a_pasted_rule_is_evaluated(superbiz: Superbiz, unknown: Unknown) -> None:
    level = f'{unknown.metric}{{job="{unknown.broken}"}}'
    rule = f"- alert: TooMuch\n  expr: {level} > 3 * avg_over_time({level}[30m] offset 40m)\n"
    rule += f"  labels:\n    job: {unknown.broken}\n"
    text = flat(timed(superbiz, "--prometheus", unknown.url, "--alert", rule))
    assert "The rule of TooMuch came true at " in text
    assert "still true at " in text


def test_one_log_file_whose_times_say_no_zone(
    superbiz: Superbiz, unknown: Unknown, tmp_path: Path
) -> None:
    log = tmp_path / "x.log"
    ahead = timedelta(hours=8)
    at, lines = datetime.now(UTC) - timedelta(minutes=70), list[str]()
    while at < datetime.now(UTC):
        lines.append(f"{at + ahead:%Y-%m-%d %H:%M:%S} INFO done in 12 ms\n")
        if at >= unknown.began:
            lines.append(f"{at + ahead:%Y-%m-%d %H:%M:%S} ERROR {unknown.metric} gave up\n")
        at += timedelta(seconds=5)
    log.write_text("".join(lines), encoding="utf-8")
    flags = ("--prometheus", unknown.url, "--logs", f"{unknown.broken}={log}")
    text = flat(timed(superbiz, *flags))
    assert "log times without a zone were read as +08:00" in text
    assert f"ERROR {unknown.metric} gave up" in text


def test_a_system_whose_label_nobody_knows_is_one_line(superbiz: Superbiz, tmp_path: Path) -> None:
    prometheus_server.need("prometheus")
    (tmp_path / "server").mkdir()
    server = PrometheusServer(tmp_path / "server", "groups: []\n")
    now = round(time.time() * 1000)
    about = (("__name__", "load"), ("flumph", "a"))
    server.write({about: [(now - k * 10_000, float(k)) for k in range(300, 0, -1)]})
    try:
        ended = timed(superbiz, "--prometheus", server.url)
    finally:
        server.stop()
    assert ended.code == 3
    assert "entity_labels" in ended.error
