"""The lab's monitoring configuration, checked by Prometheus's own tool."""

import subprocess
from pathlib import Path

import pytest

from lab import configs
from lab.timing import FAST, RECORD, Timing
from prometheus_server import need


@pytest.mark.parametrize("timing", [FAST, RECORD])
def test_prometheus_accepts_rules_and_configuration(timing: Timing, tmp_path: Path) -> None:
    need("promtool")
    targets = {"order-service": ("order-1", 1), "mysql": ("mysql-1", 2)}
    (tmp_path / "rules.yml").write_text(configs.rules(timing))
    config = tmp_path / "prometheus.yml"
    config.write_text(configs.prometheus_config(timing, targets, alertmanager_port=3))
    result = subprocess.run(
        ["promtool", "check", "config", config], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    assert "8 rules found" in result.stdout


def test_every_rule_waits_as_long_as_the_timing_says() -> None:
    text = configs.rules(RECORD)
    assert text.count("for: 60s") == text.count("- alert:")
    assert "__" not in text
