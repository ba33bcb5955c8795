"""Mathematics of rigid bodies: poses, 6-D vectors and polytopes, independent of any robot."""
