"""Links that fixed joints hold together, made one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from kinetree.errors import Finding, fail, unknown_name
from kinetree.model.assemble import build, parts_of
from kinetree.model.edit.frames import moved_link
from kinetree.model.edit.words import stale, unmoved
from kinetree.model.robot import Frame, Inertial, Link, Robot
from kinetree.spatial import plucker, se3
from kinetree.spatial.se3 import Array, frozen


def merge_fixed(robot: Robot, keep: Iterable[str] = ()) -> Robot:
    """The robot with links that fixed joints hold together made one link each, named after the one nearest the root.

    A merged link becomes a frame of the same name in the same place; its mass and inertia are added by the parallel
    axis theorem, its shapes move. Its fixed joint is gone, which one note says for all.

    keep: names of fixed joints, or of links below one, that stay as they are. A fixed joint that a sensor measures
        stays too. Raises UnknownNameError for an unknown name in `keep`.
    """
    stay = _staying(robot, keep)
    place: dict[str, tuple[str, Array]] = {robot.root: (robot.root, se3.IDENTITY)}  # link: merged into, T_into_link
    gone: list[str] = []
    for name in robot.placed:
        joint = robot.joints[name]
        if joint.type == "fixed" and name not in stay:
            into, T = place[joint.parent]
            place[joint.child] = into, frozen(T @ joint.origin @ joint.child_origin)
            gone.append(name)
        else:
            place[joint.child] = joint.child, se3.IDENTITY
    if not gone:
        return robot
    parts = parts_of(robot)
    bodies: dict[str, list[Link]] = {}
    for name, (into, T) in place.items():  # placed order: the link that stays comes first
        bodies.setdefault(into, []).append(moved_link(robot.links[name], T) if name != into else robot.links[name])
    parts.links = [_merged(bodies[link.name]) for link in parts.links if link.name in bodies]
    parts.joints = [
        replace(j, parent=place[j.parent][0], origin=frozen(place[j.parent][1] @ j.origin))
        if j.parent not in bodies
        else j
        for j in parts.joints
        if j.name not in set(gone)
    ]
    parts.frames = [
        Frame(f.name, place[f.link][0], frozen(place[f.link][1] @ f.origin), f.source) if f.link not in bodies else f
        for f in robot.frames.values()
        if f.name not in bodies
    ]
    parts.groups = {name: tuple(j for j in joints if j not in gone) for name, joints in robot.groups.items()}
    message = f"fixed joints have gone, the links below them are frames now: {', '.join(gone)}"
    parts.notes += (Finding("merged", "info", message, element=f"robot {robot.name!r}"),)
    merged = [name for name in place if name not in bodies]
    parts.notes += tuple(stale(parts.extensions, {*gone, *merged}, "merged into another link"))
    parts.notes += tuple(note for name in merged for note in unmoved(robot.links[name]))
    return build(parts)


def _staying(robot: Robot, keep: Iterable[str]) -> set[str]:
    """The fixed joints that stay."""
    above = {joint.child: joint.name for joint in robot.joints.values()}
    stay = {sensor.joint for sensor in robot.sensors.values() if sensor.joint}
    for name in keep:
        if name not in robot.joints and name not in robot.links:
            raise unknown_name("link or joint", name, [*robot.links, *robot.joints])
        stay.update({name} & robot.joints.keys(), {above[name]} if name in above else ())
    return stay


def _merged(links: list[Link]) -> Link:
    """One link of several, all given in the frame of the first."""
    if len(links) == 1:
        return links[0]
    bodies = [link.inertial for link in links if link.inertial]
    return replace(
        links[0],
        inertial=combined(bodies, links[0].name) if bodies else None,
        visuals=tuple(shape for link in links for shape in link.visuals),
        collisions=tuple(shape for link in links for shape in link.collisions),
        extensions=tuple(extension for link in links for extension in link.extensions),
    )


def combined(bodies: list[Inertial], link: str) -> Inertial:
    """The inertia of several bodies given in one frame: masses added, inertias about the common centre of mass."""
    massive = [body for body in bodies if body.mass or body.inertia.any()]
    if len(massive) <= 1:
        return (massive or bodies)[0]
    mass = sum(body.mass for body in massive)
    moment = sum((body.mass * body.origin[:3, 3] for body in massive), np.zeros(3))
    if mass == 0 and moment.any():
        raise fail("no-mass", "its parts have masses that add up to zero at different places", element=f"link {link!r}")
    com = moment / mass if mass else np.zeros(3)
    inertia = np.zeros((3, 3))
    for body in massive:
        R, C = body.origin[:3, :3], plucker.skew(body.origin[:3, 3] - com)
        inertia += R @ body.inertia @ R.T + body.mass * C @ C.T
    return Inertial(mass, frozen(inertia), frozen(se3.translation(com)))
