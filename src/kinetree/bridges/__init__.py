"""Kernels as functions of other libraries, which differentiate them; each module is imported explicitly."""
