"""Scores the root-cause core on labelled incidents; the labels are read for scoring alone."""
