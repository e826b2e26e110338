"""Write the session that CI replays: ``python tools/make_golden.py``.

Run it when a report changes on purpose, and read the difference before committing it.
"""

import os
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

import variants  # noqa: E402 - likewise
from diagnosing import diagnose  # noqa: E402 - after the path is set
from superbizagent.cli.app import run  # noqa: E402 - likewise

GOLDEN = ROOT / "tests" / "replay" / "golden.session"
SESSION = "golden-pool"


def main() -> None:
    """Diagnose a thinned copy of the recorded incident and export the session."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = variants.copy(variants.POOL, Path(scratch) / "incident")
        variants.thinned(folder, 30)
        data = Path(scratch) / "data"
        diagnose(folder, data, session_id=SESSION)
        os.environ["SUPERBIZ_DATA_DIR"] = str(data)
        run(["trace", "export", SESSION, "--out", str(GOLDEN)])


if __name__ == "__main__":
    main()
