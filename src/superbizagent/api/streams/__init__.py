"""Sessions as streams of events: one reader of the journal feeds all who watch."""
