"""Scorers behind ``superbiz eval``; the labelled data they read stays outside the package."""
