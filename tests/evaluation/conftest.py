"""One recorded incident, diagnosed once for all tests of the scorers."""

from pathlib import Path

import pytest

from diagnosing import diagnose
from scoring import BUNDLES
from superbizagent.evaluation.cases import Examined


@pytest.fixture(scope="session")
def late_deploy(tmp_path_factory: pytest.TempPathFactory) -> Examined:
    return _examined(tmp_path_factory.mktemp("en"), "en")


@pytest.fixture(scope="session")
def late_deploy_zh(tmp_path_factory: pytest.TempPathFactory) -> Examined:
    return _examined(tmp_path_factory.mktemp("zh"), "zh")


def _examined(data_dir: Path, language: str) -> Examined:
    return Examined(diagnose(BUNDLES / "late-deploy", data_dir, lang=language).diagnosis)
