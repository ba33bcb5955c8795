"""The iCub's naming conventions as rules; their tables are in `kinetree.robots.icub`."""

from kinetree.conventions.icub import axes, frames, limits, names
from kinetree.conventions.rule import Rule

RULES: tuple[type[Rule], ...] = (*names.RULES, *axes.RULES, *frames.RULES, *limits.RULES)
