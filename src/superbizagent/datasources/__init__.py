"""Where evidence is read from: one module or package per backend, unaware of each other."""
