"""Merging of links that fixed joints connect."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

import numpy as np

from kinetree.arguments import as_names, explain_type_errors
from kinetree.errors import Finding, fail, unknown_name
from kinetree.model.assemble import Parts, build, parts_of
from kinetree.model.edit.extensions import stale, unmoved
from kinetree.model.edit.frames import moved_link
from kinetree.model.robot import Frame, Inertial, Joint, Link, Robot
from kinetree.spatial import plucker, se3
from kinetree.spatial.se3 import Array, frozen

Place = tuple[str, Array]
"""(link into which a link is merged, or itself; T_into_link)"""


@explain_type_errors
def merge_fixed(robot: Robot, keep: Iterable[str] = ()) -> Robot:
    """Return the robot with links that fixed joints connect merged, named after the one nearest the root.

    A merged link becomes a frame of the same name in the same place; its mass and inertia are added by the parallel
    axis theorem, its shapes move. Its fixed joint is gone; one note lists all of these.

    keep: names of fixed joints, or of links below one, that stay as they are. A fixed joint that a sensor measures
    stays too. Raises UnknownNameError for an unknown name in `keep`.

    Examples:
        >>> import kinetree as kt
        >>> wrist = {"joint": "wrist", "type": "fixed", "xyz": [0.2, 0, 0], "link": "hand"}
        >>> arm = kt.chain([{"joint": "elbow", "axis": [0, 0, 1], "link": "fore"}, wrist])
        >>> merged = kt.edit.merge_fixed(arm)
        >>> list(arm.links), list(merged.links)
        (['base_link', 'fore', 'hand'], ['base_link', 'fore'])
        >>> kt.fk(merged, "hand")([0.0])[:3, 3]  # still a frame, in its place
        array([0.2, 0. , 0. ])
    """
    stay = _staying(robot, keep)
    gone = [name for name in robot.placed if robot.joints[name].type == "fixed" and name not in stay]
    if not gone:
        return robot
    place = _places(robot, set(gone))
    parts = parts_of(robot)
    _merge_links(robot, parts, place)
    _rehang(robot, parts, place, set(gone))
    merged = [name for name, (into, _) in place.items() if name != into]
    message = f"fixed joints have gone, the links below them are frames now: {', '.join(gone)}"
    parts.notes += (Finding("merged", "info", message, element=f"robot {robot.name!r}"),)
    parts.notes += tuple(stale(parts.extensions, {*gone, *merged}, "merged into another link"))
    parts.notes += tuple(note for name in merged for note in unmoved(robot.links[name]))
    return build(parts)


def _places(robot: Robot, gone: Collection[str]) -> dict[str, Place]:
    """Return the place of every link without these fixed joints, links that stay before links merged into them."""
    place: dict[str, Place] = {robot.root: (robot.root, se3.IDENTITY)}
    for name in robot.placed:
        joint = robot.joints[name]
        into, T = place[joint.parent]
        merged = into, frozen(T @ joint.origin @ joint.child_origin)
        place[joint.child] = merged if name in gone else (joint.child, se3.IDENTITY)
    return place


def _merge_links(robot: Robot, parts: Parts, place: Mapping[str, Place]) -> None:
    """Make one link of each that stays and all that are merged into it."""
    bodies: dict[str, list[Link]] = {}
    for name, (into, T) in place.items():
        bodies.setdefault(into, []).append(moved_link(robot.links[name], T) if name != into else robot.links[name])
    parts.links = [_merged(bodies[link.name]) for link in parts.links if link.name in bodies]


def _rehang(robot: Robot, parts: Parts, place: Mapping[str, Place], gone: Collection[str]) -> None:
    """Put joints and frames on the links that stay, frames where links were, and take removed joints out of groups."""

    def on(link: str, T_link: Array) -> tuple[str, Array]:
        into, T = place[link]
        return (link, T_link) if into == link else (into, frozen(T @ T_link))

    def joint_on(joint: Joint) -> Joint:
        parent, origin = on(joint.parent, joint.origin)
        return replace(joint, parent=parent, origin=origin)

    def frame_on(frame: Frame) -> Frame:
        link, origin = on(frame.link, frame.origin)
        return replace(frame, link=link, origin=origin)

    def loop_on(loop: Joint) -> Joint:
        parent, origin = on(loop.parent, loop.origin)
        child, T_child_loop = on(loop.child, se3.inverse(loop.child_origin))
        return replace(loop, parent=parent, origin=origin, child=child, child_origin=frozen(se3.inverse(T_child_loop)))

    stay = {into for into, _ in place.values()}
    parts.loops = [loop_on(loop) for loop in parts.loops]
    parts.joints = [joint_on(joint) for joint in parts.joints if joint.name not in gone]
    parts.frames = [frame_on(frame) for frame in robot.frames.values() if frame.name not in stay]
    parts.groups = {name: tuple(j for j in joints if j not in gone) for name, joints in robot.groups.items()}
    parts.semantic = robot.semantic and robot.semantic.without({("joint", name) for name in gone})


def _staying(robot: Robot, keep: Iterable[str]) -> set[str]:
    stay = {sensor.joint for sensor in robot.sensors.values() if sensor.joint}
    for name in as_names(keep):
        if name not in robot.joints and name not in robot.links:
            raise unknown_name("link or joint", name, [*robot.links, *robot.joints])
        joint = robot.parent_joint(name) if name in robot.links else None
        stay.update({name} & robot.joints.keys(), {joint.name} if joint else ())
    return stay


def _merged(links: list[Link]) -> Link:
    """Return one link made of several, all given in the frame of the first."""
    if len(links) == 1:
        return links[0]
    bodies = [link.inertial for link in links if link.inertial]
    return replace(
        links[0],
        inertial=combined(bodies, links[0].name) if bodies else None,
        visuals=tuple(shape for link in links for shape in link.visuals),
        collisions=tuple(shape for link in links for shape in link.collisions),
        extensions=tuple(extension for link in links for extension in link.extensions),
        unweighed=next((link.unweighed for link in links if link.unweighed), ""),
    )


def combined(bodies: list[Inertial], link: str) -> Inertial:
    """Return the inertia of several bodies in one frame: masses added, inertias about the common centre of mass."""
    massive = [body for body in bodies if body.mass or body.inertia.any()]
    if len(massive) <= 1:
        return (massive or bodies)[0]
    turned = [(b.origin[:3, 3], b.origin[:3, :3] @ b.inertia @ b.origin[:3, :3].T) for b in massive]
    mass, com, inertia = plucker.combined([(b.mass, *about) for b, about in zip(massive, turned, strict=True)])
    if mass == 0 and np.sum([b.mass * b.origin[:3, 3] for b in massive], axis=0).any():
        raise fail("no-mass", "its parts have masses that add up to zero at different places", element=f"link {link!r}")
    return Inertial(mass, frozen(inertia), frozen(se3.translation(com)))
