"""The model against a log of the real robot: which of its numbers are wrong, by how much, how certain that is."""
