"""Scores the detection of anomalies in single series with labelled windows."""
