"""Rules about the semantic description (SRDF) of a robot."""
