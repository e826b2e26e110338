"""The whole OpenAPI description against a real service: nothing breaks, nothing is undocumented."""

import subprocess
import sys
from pathlib import Path

import pytest

from serving import serving

pytestmark = [pytest.mark.real_server, pytest.mark.slow, pytest.mark.timeout(240)]

SECONDS = 45

NOT_ASKED = (
    "positive_data_acceptance",  # ids that fit the schema name nothing that is there: 404
    "use_after_free",
    "ensure_resource_availability",
)


def test_what_the_description_says_holds(tmp_path: Path) -> None:
    data = tmp_path / "data"
    unbounded = {
        "SUPERBIZ_SERVICE__REQUESTS_PER_MINUTE": "1000000",
        "SUPERBIZ_SERVICE__LOGINS_PER_MINUTE": "1000000",
    }
    with serving(data, **unbounded) as service:
        secret = _token(data)
        command = [str(Path(sys.executable).with_name("schemathesis")), "run"]
        command += [f"{service.url}/openapi.json", "-H", f"Authorization: Bearer {secret}"]
        command += ["--checks", "all", "--exclude-checks", ",".join(NOT_ASKED)]
        command += ["--phases", "examples,coverage,fuzzing", "--max-time", str(SECONDS)]
        command += ["--request-timeout", "30", "--seed", "1", "--warnings", "off", "--no-color"]
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
        assert service.process.poll() is None
        log = service.log.read_text()
    assert done.returncode == 0, done.stdout[-20_000:] + done.stderr[-2000:]
    assert "internal error" not in log
    assert "Traceback" not in log


def _token(data: Path) -> str:
    command = [sys.executable, "-m", "superbizagent", "token", "create", "all", "--scope", "admin"]
    env = {"SUPERBIZ_DATA_DIR": str(data), "XDG_CONFIG_HOME": str(data), "PATH": ""}
    return subprocess.run(
        command, env=env, capture_output=True, text=True, check=True
    ).stdout.strip()
