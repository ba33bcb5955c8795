"""Robots and kernels in other libraries, a module for each, which is imported explicitly."""
