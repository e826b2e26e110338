"""One spelling for every character: what a reader sees is what is compared."""

import re
import unicodedata

__all__ = ["normalise"]

# Control, format (zero width, bidirectional marks, soft hyphen), surrogate and private characters
# and variation selectors: nothing that a reader sees. Written out, because a walk over all of
# Unicode would cost a tenth of a second at import.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u115f\u1160"
    "\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ud800-\udfff"
    "\ue000-\uf8ff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffc\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff\U000f0000-\U0010ffff]+"
)
# Ordering a run of combining marks takes the square of its length, and no script needs more than a
# few: a longer run of anything that is no letter, digit, blank or common punctuation is cut.
_OTHER = (
    r"[^\w\s\x00-\u02ff\u2000-\u20cf\u2100-\u3029\u3030-\u3098\u309b-\u33ff\ufe30-\ufe6f"
    r"\uff00-\uffef]"
)
_HEAP = re.compile(f"({_OTHER}{{8}}){_OTHER}+")
_HALVES = {"½": ".5", "¼": ".25", "¾": ".75"}
_MIXED = re.compile("(?<=[0-9])[½¼¾]")
_SUPERSCRIPT = re.compile("(?<=[0-9])[⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3}")
# A comma between two clauses must not become the separator of thousands: 于 12:41，716 个请求.
_PAUSE = re.compile("(?<![０-９])，|，(?![０-９]{3}(?![０-９]))")
_COLON = re.compile("(?<![0-9０-９])：|：(?![0-9０-９])")
_STOPS = str.maketrans(
    {
        "；": "; ",
        "！": "! ",
        "？": "? ",
        "\u2010": "-",
        "\u2011": "-",
        "\u2012": "-",
        "\u2212": "-",
        "\ufe58": "-",
        "\ufe63": "-",
        "⁄": "/",
        "∕": "/",
        "∶": ":",
    }
)
_APOSTROPHE = re.compile("(?<=[A-Za-z])[’ʼ](?=[A-Za-z])")
_BLANKS = re.compile(r"\s+")


def normalise(text: str) -> str:
    """Return the text in one spelling: NFKC, nothing invisible, one blank for each run of blanks.

    Full-width digits become ASCII; hyphens and minus signs of every kind become ``-``; a
    full-width comma, semicolon, exclamation or question mark is followed by a blank, so that it
    stays apart from a decimal point or a separator. ``µ`` becomes the Greek ``μ`` and ``…``
    three full stops (both are NFKC's choice). Takes time in proportion to the length.
    """
    if text.isascii() and text.isprintable():
        return _BLANKS.sub(" ", text).strip() if "  " in text else text.strip()
    text = _INVISIBLE.sub("", text)
    if not text.isascii():
        text = _HEAP.sub(r"\1", text)
        text = _MIXED.sub(lambda m: _HALVES[m[0]], text)
        text = _SUPERSCRIPT.sub(lambda m: "^" + m[0], text)
        text = _COLON.sub(": ", _PAUSE.sub(", ", text)).translate(_STOPS)
        text = unicodedata.normalize("NFKC", text).translate(_STOPS)
        # What NFKC makes of one character may hold another that nobody sees.
        text = _APOSTROPHE.sub("'", _INVISIBLE.sub("", text))
    return _BLANKS.sub(" ", text).strip()
