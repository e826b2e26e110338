"""Incidents of a stream of alerts: which alert belongs to which, and what is diagnosed when."""
