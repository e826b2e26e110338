"""The nouns and protocols of the product; pure and frozen.

Import from the modules: ``from superbizagent.domain.report import Report``.
"""
