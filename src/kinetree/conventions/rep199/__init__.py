"""REP-199, the frames of industrial manipulators, as rules."""

from kinetree.conventions.rep199 import base, flange, groups, links, tool0, tools
from kinetree.conventions.rule import Rule

RULES: tuple[type[Rule], ...] = (
    *groups.RULES,
    *base.RULES,
    *links.RULES,
    *flange.RULES,
    *tool0.RULES,
    *tools.RULES,
)
