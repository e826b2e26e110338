"""HTML elements from values. The only place where text becomes markup: all else passes through.

Text of logs and labels is hostile. Characters that do something instead of showing (controls,
direction marks, what is invisible) are shown as their code, so that evidence stays whole and does
nothing.
"""

import html
import re
from collections.abc import Iterable

__all__ = ["Markup", "element", "link", "shown", "void"]

_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ud800-\udfff\ufff9-\uffff\U000e0000-\U000e007f]"
)
_URL = re.compile(r"https?://[^\s<>\"'`\\]+", re.IGNORECASE)


class Markup(str):
    """Text that is markup already; made by this module alone."""

    __slots__ = ()


def shown(text: str) -> str:
    """Return a text in which every character can be seen, none acts."""
    return _HIDDEN.sub(lambda m: f"\\u{ord(m.group()):04x}", text)


def _escaped(text: str) -> str:
    return text if isinstance(text, Markup) else html.escape(shown(text), quote=True)


def element(name: str, /, *children: str | Iterable[str], **attributes: str) -> Markup:
    """Return an element; children and attributes are escaped unless they are `Markup`.

    A trailing underscore of an attribute's name is dropped (``class_``), others become dashes.
    """
    flat = (part for c in children for part in ((c,) if isinstance(c, str) else c))
    inner = "".join(map(_escaped, flat))
    return Markup(f"<{name}{_attributes(attributes)}>{inner}</{name}>")


def void(name: str, /, **attributes: str) -> Markup:
    """Return an element without content; closed, since SVG knows no others."""
    return Markup(f"<{name}{_attributes(attributes)}/>")


def _attributes(attributes: dict[str, str]) -> str:
    named = ((key.rstrip("_").replace("_", "-"), value) for key, value in attributes.items())
    return "".join(f' {key}="{_escaped(value)}"' for key, value in named)


def link(text: str, url: str) -> Markup:
    """Return a link to a web page; anything else that calls itself a link is text."""
    if not _URL.fullmatch(url):
        return element("span", text)
    return element("a", text, href=url, rel="noopener noreferrer nofollow")
