"""A small compiler for functions of numbers: traced once, then run by NumPy, as machine code or C. Knows no robot."""
