"""Real services, a real database and real monitoring, with faults that can be switched on.

The lab starts everything as child processes on loopback ports, puts a seeded load on it, injects
one fault, waits for the alert and records what was seen as a bundle. Run it with `python -m lab`.
"""
