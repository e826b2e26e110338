"""What is read out of stored outputs: the facts that claims may cite."""
