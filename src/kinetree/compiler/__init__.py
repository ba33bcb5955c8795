"""A small compiler for numeric functions, independent of robots: traced once, run by NumPy, as machine code or C."""
