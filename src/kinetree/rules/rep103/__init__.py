"""REP-103, units and the axes of frames, as rules.

R103-006, a quaternion in a file whose version has none, is the reader's `urdf-version`.
"""
