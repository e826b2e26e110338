"""Log files on this machine, without anything recorded around them."""

from .source import LogFileSource
from .specs import expand_logs

__all__ = ["LogFileSource", "expand_logs"]
