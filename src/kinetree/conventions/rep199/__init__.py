"""REP-199, the frames of industrial manipulators, as rules."""

from kinetree.conventions.rep199 import flange
from kinetree.conventions.rule import Rule

RULES: tuple[type[Rule], ...] = (*flange.RULES,)
