"""A recorded incident of a few services: new errors begin at one of them, after some changes."""

import json
import random
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

START = datetime(2026, 5, 6, 8, 0, tzinfo=UTC)
FAULT = timedelta(minutes=50)
END = timedelta(minutes=60)
STEP = timedelta(seconds=15)

Change = Mapping[str, Any]


def at(minutes: float) -> str:
    """The instant so many minutes after the start of the recording."""
    return (START + timedelta(minutes=minutes)).isoformat().replace("+00:00", "Z")


@dataclass
class Deployed:
    """A recording under construction. ``orders`` calls ``stock``, ``shop`` calls ``orders``."""

    failing: tuple[str, ...] = ("orders", "shop")
    """Services that answer with errors from `FAULT` on, those who call each other from afar."""
    new_error: str = "ERROR [orders] unknown column 'discount' in 'field list' for order {}"
    """What the first of them logs from then on."""
    passed_on: str = "ERROR [{service}] upstream answered 500 to request {{}}"
    """What the others log."""
    extra: dict[str, list[tuple[timedelta, float]]] = field(
        default_factory=dict[str, list[tuple[timedelta, float]]]
    )
    """Further series by printed name."""

    def write(self, folder: Path, changes: Iterable[Change] | None = None) -> Path:
        """Write the recording; without ``changes`` there is no list of them."""
        folder.mkdir(parents=True)
        draw = random.Random(3)  # noqa: S311 - no secret, a fixed choice
        self._metrics(folder, draw)
        self._logs(folder, draw)
        alert = {
            "status": "firing",
            "alerts": [
                {
                    "status": "firing",
                    "labels": {"alertname": "HighErrorRate", "job": "orders"},
                    "annotations": {"summary": "requests of orders fail"},
                    "startsAt": at(52),
                }
            ],
        }
        (folder / "alert.json").write_text(json.dumps(alert), encoding="utf-8")
        topology = "services:\n  shop: {calls: [orders]}\n  orders: {calls: [stock]}\n"
        (folder / "topology.yaml").write_text(topology, encoding="utf-8")
        if changes is not None:
            text = "".join(f"{json.dumps(change)}\n" for change in changes)
            (folder / "changes.jsonl").write_text(text, encoding="utf-8")
        return folder

    def _metrics(self, folder: Path, draw: random.Random) -> None:
        rows = ["time,name,labels,value"]
        for service in ("shop", "orders", "stock"):
            for code in ("200", "500"):
                total = 0.0
                for moment in _moments():
                    broken = service in self.failing and moment >= FAULT
                    rate = (
                        (0.3 if code == "200" else 0.7) if broken else (1.0 if code == "200" else 0)
                    )
                    total += STEP.total_seconds() * 8 * rate * draw.uniform(0.9, 1.1)
                    if code == "200" or broken:
                        labels = {"job": service, "http_response_status_code": code}
                        rows.append(_row("http_server_requests_total", labels, moment, total))
        for printed, samples in self.extra.items():
            name, _, inner = printed.partition("{")
            labels = dict(p.split("=", 1) for p in inner.rstrip("}").split(",") if p)
            rows += [_row(name, labels, moment, value) for moment, value in samples]
        (folder / "metrics.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")

    def _logs(self, folder: Path, draw: random.Random) -> None:
        (folder / "logs").mkdir()
        for service in ("shop", "orders", "stock"):
            lines: list[str] = []
            second = 0.0
            while second < END.total_seconds():
                second += draw.uniform(0.5, 3)
                stamp = (START + timedelta(seconds=second)).isoformat(timespec="milliseconds")
                text = f"INFO [{service}] request {draw.randrange(99999)} done in 12 ms"
                broken = service in self.failing and second >= FAULT.total_seconds()
                if broken and draw.random() < 0.7:
                    passed_on = self.passed_on.format(service=service)
                    said = self.new_error if service == self.failing[0] else passed_on
                    text = said.format(draw.randrange(99999))
                lines.append(f"{stamp} {text}")
            path = folder / "logs" / f"{service}.log"
            path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _moments() -> Iterable[timedelta]:
    return (STEP * k for k in range(int(END / STEP) + 1))


def series(
    value_at: Callable[[float], float], first: float = 0.0, last: float = 60.0
) -> list[tuple[timedelta, float]]:
    """Samples of a function of the minute, from ``first`` to ``last``."""
    minutes = ((m, m.total_seconds() / 60) for m in _moments())
    return [(m, float(value_at(minute))) for m, minute in minutes if first <= minute <= last]


def _row(name: str, labels: Mapping[str, str], moment: timedelta, value: float) -> str:
    quoted = json.dumps(dict(labels)).replace('"', '""')
    return f'{(START + moment).isoformat()},{name},"{quoted}",{value!r}'
