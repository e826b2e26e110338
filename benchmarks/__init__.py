"""Measurements that are run by hand and by tests."""
