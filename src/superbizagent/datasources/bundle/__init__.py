"""Recorded incidents in folders: the source that reads them, the writer that makes them."""

from .source import BundleSource

__all__ = ["BundleSource"]
