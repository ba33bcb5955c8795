"""Reach maps: which poses a frame reaches, in voxels, directions and rolls."""
