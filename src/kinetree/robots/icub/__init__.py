"""The iCub: its kinematics by version, its names, control boards and limits, as data with their sources."""

from __future__ import annotations

from collections.abc import Mapping


def groups(version: tuple[int, int]) -> Mapping[str, tuple[str, ...]]:
    """The groups of joints that a version has: its control boards."""
    from kinetree.robots.icub.boards import groups

    return groups("icub3" if version >= (3, 0) else "icub")
