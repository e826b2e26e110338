"""Tells people what was found: when to speak, how often to try, and the channels themselves."""
