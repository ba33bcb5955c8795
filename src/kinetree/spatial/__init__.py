"""Mathematics of rigid bodies: poses and 6-D vectors. Knows no robot."""
