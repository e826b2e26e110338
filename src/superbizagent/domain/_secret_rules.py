"""What a secret looks like. Private to `redaction`.

A rule is a regular expression for one line, the group that holds the secret, and the literals
without which it cannot match. A new form is one rule more, and one line in its test.
"""

import re
from dataclasses import dataclass

__all__ = [
    "EXACT_HINTS",
    "HINTS",
    "PRIVATE_KEY",
    "RULES",
    "Rule",
    "is_harmless",
    "names_secret",
]

PRIVATE_KEY = re.compile(
    r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----"
    # a block that was cut off ends where its base64 ends
    r"(?:(?:[^-]|-(?!----)){0,20000}-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----"
    r"|(?:[\\rnt\s]*[A-Za-z0-9+/=]{16,})*)"
)

_PSEUDONYM = re.compile(r"<redacted:[0-9a-f]{6}>")

_NAMES = (
    r"passw(?:or)?d|passphrase|passwd|pwd|secret|token|credentials?|signature|(?<![a-z0-9])sig"
    r"|(?:api|access|private|account|secret|auth|signing|encryption|session|master|shared|client)"
    r"[_-]?key(?:[_-]?id)?"
)
"""How the name of a secret ends: ``db_password`` is one, ``password_attempts`` is not."""

_NAME_HINTS = "passw|passph|pwd|secret|token|key|credential|sig"

_STRONG = re.compile(r"pass|pwd|key", re.IGNORECASE)
"""Names that stand for nothing but a secret; a token or a signature is also talked about."""

_NAME_END = re.compile(rf"(?:{_NAMES}|authorization|cookie)\d{{0,3}}$", re.IGNORECASE)

_HARMLESS = re.compile(
    r"<[a-z_* -]*>|\$\{?[A-Z_][A-Z0-9_]*\}?|\$\(.*|\{\{.*|\*+|x{3,}|%s"
    r"|yes|no|true|false|null|none|nil|undefined|empty|unset|missing|required|invalid|incorrect"
    r"|wrong|expired|rejected|revoked|denied|failed|failure|enabled|disabled|unknown|hidden",
    re.IGNORECASE,
)
"""Stands where a secret would, and is none: a pseudonym, a variable, a word about it."""

_SMALL_NUMBER = re.compile(r"\d{1,8}")
_WORD = re.compile(r"[a-z]+")
_PATH = re.compile(r"[/~.]|[A-Za-z]:\\")


@dataclass(frozen=True, slots=True)
class Rule:
    """One form of secret; ``hints`` are lower case.

    A rule that is not ``exact`` is matched against the lower-cased line, which is ten times
    faster than to ignore case.
    """

    hints: tuple[str, ...]
    pattern: re.Pattern[str]
    groups: tuple[str | int, ...] = (1,)
    """The first of these that took part is the secret."""
    exact: bool = False

    def spares(self, found: re.Match[str], secret: str) -> bool:
        """Tell whether what was found is harmless after all."""
        name = found.groupdict().get("name")
        if name is None:
            return _is_no_secret(secret)
        return is_harmless(name, secret, loose=found.groupdict().get("loose") is not None)


def names_secret(key: str) -> bool:
    """Tell whether a key's value is a secret by the key alone."""
    return _NAME_END.search(key) is not None


def is_harmless(name: str, value: str, *, loose: bool = False) -> bool:
    """Tell whether a value under a secret's name is none.

    Args:
        name: The name or its end.
        value: What stands there.
        loose: It stands after a colon and a space, without quotes, as words in prose do.
    """
    if not value or _is_no_secret(value):
        return True
    low = name.lower()
    if low.endswith("pwd"):
        return _PATH.match(value) is not None  # a shell's working directory
    if _STRONG.search(low):
        return False
    return bool(_SMALL_NUMBER.fullmatch(value) or (loose and _WORD.fullmatch(value)))


def _is_no_secret(value: str) -> bool:
    return _HARMLESS.fullmatch(value) is not None or _PSEUDONYM.search(value) is not None


def _rule(hints: str, pattern: str, *groups: str | int, exact: bool = False) -> Rule:
    return Rule(tuple(hints.split("|")), re.compile(pattern), groups or (1,), exact)


_VALUE = r"[^\s,;&\"'()\[\]{}\\][^\s,;&\"')\]}\\]*|\$\{[^}\s]*\}|\{\{[^}\n]*\}\}"

RULES = (
    # -- whole values first, so that nothing inside them is taken for another form
    _rule("cookie", r"\bcookie2?\\*[\"']?[ \t]*[:=][ \t]*\\*[\"']?([^\s\"'\\][^\r\n\"'\\]*)"),
    _rule(
        "authoriz",
        r"authorization\\*[\"']?\]?[ \t]*(?:=>|[:=])[ \t]*\\*[\"']?"
        r"(?:(?:digest|aws4-hmac-sha256|oauth|hawk)[ \t]+([^\r\n'\\]+)"
        r"|(?:[a-z][a-z0-9-]{2,15}[ \t]+(?=\S))?([^\s\"',;\\]+))",
        1,
        2,
    ),
    _rule(
        _NAME_HINTS,
        rf"--[a-z0-9-]*(?P<name>{_NAMES})[ \t]+(?:\"([^\"\r\n]*)\"|'([^'\r\n]*)'|(?!-)(\S+))",
        2,
        3,
        4,
    ),
    _rule(
        _NAME_HINTS,
        rf"(?P<name>{_NAMES})\d{{0,3}}(?![a-z0-9_.-])"
        r"(?:\\*[\"'])?\]?[ \t]*(?:=>|:=|:(?P<loose>[ \t])|[:=])[ \t]*"
        r"(?:(?P<open>\\*[\"'])(?P<quoted>(?:(?!(?P=open))(?:\\.|[^\r\n]))*)(?:(?P=open)|$)"
        rf"|(?P<bare>{_VALUE}))",
        "quoted",
        "bare",
    ),
    _rule(
        "passw|identified",
        r"(?:identified[ \t]+(?:with[ \t]+\S+[ \t]+)?(?:by|as)(?:[ \t]+password)?|\bpassword)"
        r"[ \t]*\(?[ \t]*'([^'\r\n]+)'",
    ),
    # user:password@host in any URL; the password may hold an @, the host may not
    _rule("://", r"://[^\s/:@?#\"'<>]*:([^\s/?#\"']+)@(?=[^\s@])"),
    _rule("://", r"://([a-z0-9_-]{20,})@(?=[^\s@])"),
    _rule("@tcp(|@unix(", r"[\w.-]+:([^\s/\"'()]+)@(?:tcp|unix)\("),
    _rule(
        "bearer|basic",
        # a word after it is prose, ``bearer authentication``; a digit or a sign makes it a token
        r"\b(?i:bearer|basic)[ \t]+((?=[\w.~+/=-]*(?:[0-9=+/._~-]|[a-z][A-Z])|\w{24})"
        r"[\w.~+/=-]{8,})",
        exact=True,
    ),
    # -- then what tells itself by its own form
    _rule("hooks.slack.com", r"hooks\.slack\.com/services/([a-z0-9/_-]+)"),
    _rule("eyj", r"\b(eyJ[\w-]{8,}\.[\w-]{4,}(?:\.[\w-]*){0,3})", exact=True),
    _rule("akia|asia", r"\b((?:AKIA|ASIA)[A-Z0-9]{16})\b", exact=True),
    _rule("aiza", r"\b(AIza[\w-]{35})", exact=True),
    _rule("ya29.", r"\b(ya29\.[\w-]{20,})", exact=True),
    _rule("ltai", r"\b(LTAI[A-Za-z0-9]{12,30})\b", exact=True),
    _rule("akid", r"\b(AKID[A-Za-z0-9]{13,40})\b", exact=True),
    _rule("sbz_", r"\b(sbz_[A-Za-z0-9_-]{20,})", exact=True),  # our own
    _rule("ghp_|gho_|ghs_|ghu_|ghr_", r"\b(gh[opsur]_[A-Za-z0-9]{20,})", exact=True),
    _rule("github_pat_", r"\b(github_pat_\w{20,})", exact=True),
    _rule("glpat-", r"\b(glpat-[\w-]{20,})", exact=True),
    _rule("xox", r"\b(xox[abeoprs]-[\w-]{10,})", exact=True),
    _rule("k_live_|k_test_", r"\b([prs]k_(?:live|test)_[A-Za-z0-9]{10,})", exact=True),
    _rule("sk-", r"(?<![\w-])(sk-[\w-]{20,})", exact=True),
    _rule("sg.", r"\b(SG\.[\w-]{16,}\.[\w-]{16,})", exact=True),
    _rule("hvs.", r"\b(hvs\.[\w-]{20,})", exact=True),
    _rule("npm_|hf_", r"\b((?:npm|hf)_[A-Za-z0-9]{30,})", exact=True),
)
"""In this order, each on what the one before left."""

HINTS = (
    *("passw", "passph", "pwd", "secret", "token", "credential", "cookie", "authoriz"),
    *("_key", "-key", "apikey", "accesskey", "accountkey", "privatekey"),
    *("signature", "sig=", "bearer", "basic ", "@", "identified", "hooks.slack"),
    *("ya29.", "ghp_", "gho_", "ghs_", "ghu_", "github_pat_", "glpat-", "xox", "sbz_"),
    *("k_live_", "k_test_", "hvs.", "npm_"),
)
"""Literals of which a line with a secret holds one, in lower case; the fewer, the faster.

``@`` stands for every URL with credentials: URLs themselves are in half of all lines.
"""

EXACT_HINTS = ("eyJ", "AKIA", "ASIA", "AIza", "LTAI", "AKID", "SG.", "PRIVATE KEY", "sk-", "hf_")
"""The same where the case tells it from ordinary words: ``msg.``, ``Asia/Shanghai``."""
