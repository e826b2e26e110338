"""The alert's own rule: which it is, where its expression was true, and since when."""
