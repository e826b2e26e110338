"""Errors of hand-written files in the reader's words."""

from pydantic import ValidationError

__all__ = ["describe_invalid"]

_SHOWN = 3  # more than three complaints about one file hide the first


def describe_invalid(error: ValidationError) -> str:
    """Return where a file is wrong and how, at most three places."""
    places = [
        f"{'.'.join(str(part) for part in item['loc']) or 'the file'}: {item['msg']}"
        for item in error.errors(include_url=False)
    ]
    more = f" (and {len(places) - _SHOWN} more)" if len(places) > _SHOWN else ""
    return "; ".join(places[:_SHOWN]) + more
