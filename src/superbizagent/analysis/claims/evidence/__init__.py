"""What a session knows, indexed: stored facts, further readings of stored outputs, names, texts."""
