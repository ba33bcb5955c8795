"""A mutation run: small faults drawn by lot, and whether a test notices each; see docs/explanation/testing.md."""
