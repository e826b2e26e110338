"""Configuration files of the monitoring processes.

Targets get stable `instance` labels, and the servers get example host names as external addresses,
so that no port or folder of a run shows in metrics or alerts.
"""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from lab.names import USUAL, Names
from lab.timing import Timing

__all__ = [
    "ALERTMANAGER_URL",
    "PROMETHEUS_URL",
    "Target",
    "alertmanager_config",
    "exporter_config",
    "prometheus_config",
    "rules",
]

PROMETHEUS_URL = "http://prometheus.example.com:9090"
ALERTMANAGER_URL = "http://alertmanager.example.com:9093"

Target = tuple[str, int]
"""Instance label and port."""


def rules(timing: Timing, names: Names = USUAL) -> str:
    """Return the alert rules with the timing's durations and the run's names."""
    text = (Path(__file__).parent / "rules.yml").read_text()
    for mark, value in {
        "__FOR__": f"{timing.pending_seconds}s",
        "__WINDOW__": f"{timing.window_seconds}s",
        "__POOL_ALERT__": names.pool_alert,
        "__SERVICES__": "|".join(names.services),
        "__ORDERS__": names.orders,
        "__DATABASE__": names.database,
        "__TEAM__": names.schema,
        "__DOMAIN__": names.domain,
    }.items():
        text = text.replace(mark, value)
    return text


def prometheus_config(
    timing: Timing,
    targets: Mapping[str, Target],
    *,
    alertmanager_port: int,
    disk: Path | None = None,
) -> str:
    """Return `prometheus.yml`, as JSON, which is YAML.

    Args:
        timing: Scrape and evaluation intervals.
        targets: Job name to instance label and port.
        alertmanager_port: Where alerts are sent.
        disk: Where the run's own small disk is mounted; the label calls it `/var/spool/app`.
    """
    # The time-out must not exceed the interval, and mysqld_exporter takes 0.25 s off it.
    timeout = "900ms" if timing.scrape_seconds == 1 else "4s"
    return json.dumps(
        {
            "global": {
                "scrape_interval": f"{timing.scrape_seconds}s",
                "scrape_timeout": timeout,
                "evaluation_interval": f"{timing.evaluation_seconds}s",
            },
            "rule_files": ["rules.yml"],
            "alerting": {
                "alertmanagers": [
                    {"static_configs": [{"targets": [f"127.0.0.1:{alertmanager_port}"]}]}
                ]
            },
            "scrape_configs": [
                {
                    "job_name": job,
                    "static_configs": [
                        {"targets": [f"127.0.0.1:{port}"], "labels": {"instance": instance}}
                    ],
                    "metric_relabel_configs": _mounts(disk) if job == USUAL.node else [],
                }
                for job, (instance, port) in targets.items()
            ],
        },
        indent=1,
    )


def _mounts(disk: Path | None) -> list[dict[str, object]]:
    """Keep the root file system and the run's disk: other mounts are no part of the story."""
    mount = ["__name__", "mountpoint"]
    rules: list[dict[str, object]] = [
        {"target_label": "__tmp_keep", "replacement": "yes"},
        {
            "source_labels": mount, "regex": "node_filesystem_.+;/.+",
            "target_label": "__tmp_keep", "replacement": "no",
        },
    ]  # fmt: skip
    if disk is not None:
        own: dict[str, object] = {"source_labels": ["mountpoint"], "regex": re.escape(str(disk))}
        rules += [
            {**own, "target_label": "__tmp_keep", "replacement": "yes"},
            {**own, "target_label": "mountpoint", "replacement": "/var/spool/app"},
        ]
    return [
        *rules,
        {"source_labels": ["__tmp_keep"], "regex": "no", "action": "drop"},
        {"regex": "__tmp_keep", "action": "labeldrop"},
    ]


def alertmanager_config(*, webhook_port: int, more: Sequence[str] = ()) -> str:
    """Return `alertmanager.yml`, as JSON, which is YAML.

    Args:
        webhook_port: Where the run listens to its alerts.
        more: Further addresses that get them.
    """
    urls = [f"http://127.0.0.1:{webhook_port}/alerts", *more]
    return json.dumps(
        {
            "route": {
                "receiver": "on-call",
                "group_by": ["alertname", "service"],
                "group_wait": "0s",
                "group_interval": "1s",
                "repeat_interval": "1h",
            },
            "receivers": [
                {
                    "name": "on-call",
                    "webhook_configs": [{"url": url, "send_resolved": True} for url in urls],
                }
            ],
        },
        indent=1,
    )


def exporter_config(*, port: int, user: str, password: str) -> str:
    """Return the `my.cnf` of mysqld_exporter."""
    return f"[client]\nuser={user}\npassword={password}\nhost=127.0.0.1\nport={port}\n"
