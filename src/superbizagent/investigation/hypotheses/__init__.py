"""Tests of playbook hypotheses, and what they and the ranking come to."""
