"""The repository speaks of the product alone, and of no machine or index in particular."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# Split, so that this file does not hold what it forbids.
INDEXES = ("pypi" + ".org", "pythonhosted" + ".org", "npmjs" + ".org", "debian" + ".org")
MACHINE_PATHS = (
    "/wor" + "k/",
    "/roo" + "t/",
    "/home/" + "ubuntu",
    "/Use" + "rs/",
    "/opt/" + "pypi",
)
WRITERS = (
    "chat" + "gpt",
    "cla" + "ude",
    "anth" + "ropic",
    "copi" + "lot",
    "co-authored" + "-by",
    "generated " + "by ai",
    "language " + "model wrote",
)
FORBIDDEN = re.compile(
    "|".join(re.escape(word) for word in (*INDEXES, *MACHINE_PATHS, *WRITERS)), re.IGNORECASE
)
BINARY = {".gz", ".parquet", ".png", ".zst", ".db"}


def forbidden(path: Path) -> list[str]:
    text = path.read_text(encoding="utf-8", errors="replace")
    return sorted({match.group(0) for match in FORBIDDEN.finditer(text)})


def test_no_text_names_a_machine_an_index_or_a_writer(repository: list[Path]) -> None:
    found = {
        str(path.relative_to(ROOT)): words
        for path in repository
        if path.suffix not in BINARY and (words := forbidden(path))
    }
    assert found == {}


def test_a_forbidden_word_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"pip install --index-url https://{INDEXES[0]}/simple\ncd {MACHINE_PATHS[0]}x")
    assert forbidden(page) == sorted([INDEXES[0], MACHINE_PATHS[0]])
