"""The services under observation. Each runs as a process of its own."""
