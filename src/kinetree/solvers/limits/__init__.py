"""Report on limits over several joints, and widen them."""
