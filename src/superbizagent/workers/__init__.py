"""Takes queued sessions and carries them to their end."""
