"""Compare two robots."""
