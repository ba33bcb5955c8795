"""Joint values over time."""
