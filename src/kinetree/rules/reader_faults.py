"""Findings of readers that have a repair."""

from kinetree.repairs.fixes import rpy_of_quaternions
from kinetree.rules.rule import Rule


class QuaternionInOldFile(Rule):
    """What the reader says of quat_xyzw in a file of version 1.0, so that it can be repaired."""

    code = "urdf-version"
    repair = staticmethod(rpy_of_quaternions)
