"""From findings to sentences: slots, phrases per language, sections, Markdown."""
