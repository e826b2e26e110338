"""From mentions to a judgement: which facts bear a statement out, and which speak against it."""
