"""True sentences about an incident, made false in one place with values of the same session."""
