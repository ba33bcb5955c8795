"""The iCub: its kinematics by version, its names, control boards and limits, as data with their sources."""

from __future__ import annotations

from collections.abc import Mapping


def groups(version: tuple[int, int]) -> Mapping[str, tuple[str, ...]]:
    """The groups of joints that a version has: its control boards."""
    from kinetree.robots.icub.boards import groups

    return groups("icub3" if version >= (3, 0) else "icub")


def with_default_limits(text: str, version: tuple[int, int]) -> str:
    """The text of a version's DH file with the limits of its tendons, where it has them."""
    from kinetree.robots.icub.tendons import with_default_limits

    return text if version >= (3, 0) else with_default_limits(text)
