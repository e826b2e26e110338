"""The alerts of a payload as a data source."""

from .source import PayloadSource

__all__ = ["PayloadSource"]
