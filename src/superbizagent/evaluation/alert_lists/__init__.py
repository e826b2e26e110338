"""Scores how well a list of alerts alone points at the faulty instance."""
