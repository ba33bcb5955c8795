"""Guards: commands for joints that keep all limits."""
