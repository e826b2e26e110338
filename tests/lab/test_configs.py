"""The lab's monitoring configuration, checked by Prometheus's own tool."""

import re
import subprocess
from pathlib import Path

import pytest

from lab import configs
from lab.faults import FAULTS, Setting, fault_of
from lab.names import names_of
from lab.timing import CASES, FAST, RECORD, Timing
from prometheus_server import need
from superbizagent.domain.finding import FaultKind


@pytest.mark.parametrize("timing", [FAST, RECORD, CASES])
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
    assert "13 rules found" in result.stdout


def test_every_rule_waits_as_long_as_the_timing_says() -> None:
    text = configs.rules(RECORD)
    # All but one, which looks back two minutes by itself.
    assert text.count("for: 60s") == text.count("- alert:") - 1
    assert "__" not in text


@pytest.mark.parametrize("seed", range(20))
def test_rules_and_topology_name_nothing_but_what_the_seed_drew(seed: int) -> None:
    names = names_of(seed)
    text = configs.rules(CASES, names) + names.topology()
    for usual in ("storefront", "order-service", "payment-service", "mysql", "example.com"):
        if usual not in {names.web, names.orders, names.payments, names.database, names.domain}:
            assert re.search(rf"(?<![\w.-]){re.escape(usual)}(?![\w.-])", text) is None, usual
    assert names.pool_alert in text


def test_a_seed_draws_the_same_names_and_strength_each_time() -> None:
    assert names_of(3) == names_of(3)
    assert len({names_of(seed) for seed in range(30)}) > 20
    causes = {
        seed: fault_of("memory-leak", Setting(names=names_of(seed), seed=seed)).truth.cause
        for seed in range(9)
    }
    assert len(set(causes.values())) == 9
    again = fault_of("memory-leak", Setting(names=names_of(4), seed=4)).truth.cause
    assert causes[4] == again


@pytest.mark.parametrize("name", FAULTS)
def test_every_fault_has_a_truth_that_the_product_could_say(name: str) -> None:
    for seed in (None, 1, 2, 3):
        names = names_of(seed)
        truth = fault_of(name, Setting(names=names, seed=seed)).truth
        assert truth.name == name
        assert all(FaultKind(kind) for kind in truth.fault_kinds)
        assert {cause.name for cause in truth.entities} <= set(names.monitored)
        known = re.findall(r"- alert: (\S+)", configs.rules(CASES, names))
        assert set(truth.main_alerts) <= set(known)
