"""REP-103, units and the axes of frames, as rules.

R103-006, a quaternion in a file whose version has none, is the reader's `urdf-version`.
"""

from kinetree.conventions.rep103 import angles, axes, units
from kinetree.conventions.rule import Rule

RULES: tuple[type[Rule], ...] = (*axes.RULES, *units.RULES, *angles.RULES)
