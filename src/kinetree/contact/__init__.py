"""Distances and collisions of a robot's shapes: covers, bounds that are proved, exact answers."""
