"""Lists of words, written as running text so that they can be read."""

__all__ = ["words"]


def words(text: str) -> frozenset[str]:
    """Return the words of a text, each once."""
    return frozenset(text.split())
