"""The root-cause core: deviations, onsets, log templates, facts, ranking. Pure, in columns."""
