"""Facts of stored rows, read back from whatever wrote them.

Used by the tool-trace summary and by the gates. Nothing is inferred: every text and number of a
`RowFact` occurs in its row. What cannot be read is skipped, never an error.
"""
