"""Rules about masses and inertias."""
