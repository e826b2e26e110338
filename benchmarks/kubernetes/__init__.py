"""Saved Kubernetes output with known faults, and the scripts that build and check it."""
