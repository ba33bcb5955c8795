"""The iCub: its kinematics by version, its names, control boards and limits, as data with their sources."""

from collections.abc import Mapping


def groups(version: tuple[int, int]) -> Mapping[str, tuple[str, ...]]:
    """Return the groups of joints of a version: its control boards."""
    from kinetree.robots.icub.boards import groups

    return groups("icub3" if version >= (3, 0) else "icub")
