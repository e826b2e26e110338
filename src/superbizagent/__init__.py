"""superbizagent: an on-call engineer whose every statement cites stored evidence."""

__all__ = ["__version__"]

__version__ = "0.1.0"
