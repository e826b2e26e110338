"""The command line as a fixture: a data folder of its own, nothing of this machine."""

from pathlib import Path

import pytest

from commanding import Ended, Superbiz
from superbizagent.cli.app import run


@pytest.fixture
def superbiz(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Superbiz:
    monkeypatch.setenv("SUPERBIZ_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.setenv("LANG", "C")
    monkeypatch.chdir(tmp_path)

    def call(*args: object) -> Ended:
        capfd.readouterr()
        with pytest.raises(SystemExit) as ended:
            run([str(a) for a in args])
        out, err = capfd.readouterr()
        assert "Traceback" not in err
        code = ended.value.code
        assert isinstance(code, int)
        return Ended(code, out, err)

    return call
