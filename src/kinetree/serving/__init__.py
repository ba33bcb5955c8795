"""A live server of a robot's transforms, description, meshes and joint values, for Foxglove and its like."""
