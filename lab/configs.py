"""Configuration files of the monitoring processes.

Targets get stable `instance` labels, and the servers get example host names as external addresses,
so that no port or folder of a run shows in metrics or alerts.
"""

import json
from collections.abc import Mapping
from pathlib import Path

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


def rules(timing: Timing) -> str:
    """Return the alert rules with the timing's durations."""
    template = (Path(__file__).parent / "rules.yml").read_text()
    return template.replace("__FOR__", f"{timing.pending_seconds}s").replace(
        "__WINDOW__", f"{timing.window_seconds}s"
    )


def prometheus_config(
    timing: Timing, targets: Mapping[str, Target], *, alertmanager_port: int
) -> str:
    """Return `prometheus.yml`, as JSON, which is YAML.

    Args:
        timing: Scrape and evaluation intervals.
        targets: Job name to instance label and port.
        alertmanager_port: Where alerts are sent.
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
                }
                for job, (instance, port) in targets.items()
            ],
        },
        indent=1,
    )


def alertmanager_config(*, webhook_port: int) -> str:
    """Return `alertmanager.yml`, as JSON, which is YAML."""
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
                    "webhook_configs": [
                        {"url": f"http://127.0.0.1:{webhook_port}/alerts", "send_resolved": True}
                    ],
                }
            ],
        },
        indent=1,
    )


def exporter_config(*, port: int, user: str, password: str) -> str:
    """Return the `my.cnf` of mysqld_exporter."""
    return f"[client]\nuser={user}\npassword={password}\nhost=127.0.0.1\nport={port}\n"
