"""Findings of readers that have a repair."""

from kinetree.repairs.fixes import rpy_of_quaternions
from kinetree.rules.rule import Rule


class QuaternionInOldFile(Rule):
    """The error of the reader about quat_xyzw in a file of version 1.0, with its repair."""

    code = "urdf-version"
    repair = staticmethod(rpy_of_quaternions)
