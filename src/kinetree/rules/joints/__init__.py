"""Rules about joints: axes, places, limits, and joints that follow others."""
