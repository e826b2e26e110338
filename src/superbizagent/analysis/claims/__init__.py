"""Whether a statement stands in the evidence, decided by code.

``scan`` reads a sentence into mentions (names, numbers, times, quotes, words of relation);
``compare`` holds them against facts and says what stands, what is contradicted and what nothing
shows. Pure: no model, no I/O.
"""
