"""Pictures of robots. Written by us as plain SVG text, with NumPy alone."""
