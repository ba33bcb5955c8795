"""Compare a model with the poses that a controller shows."""
