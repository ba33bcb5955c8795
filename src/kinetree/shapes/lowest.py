"""Lowest points of shapes, and the height at which a floating robot stands on the ground."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import sqrt
from typing import Any

import numpy as np

from kinetree.algorithms.kinematics import forward_kinematics
from kinetree.errors import KinetreeError
from kinetree.files.opener import Files, read_file
from kinetree.formats.mjcf.keyframes import TAG, postures
from kinetree.model.edit.extensions import kept_elements
from kinetree.model.robot import Geometry, Robot
from kinetree.model.semantic import GroupState, JointValue, Semantic
from kinetree.model.tree import build_tree
from kinetree.shapes.read import read_mesh
from kinetree.shapes.resolve import companions, files_of, path_of
from kinetree.spatial.se3 import Array


def with_heights(robot: Robot) -> Robot:
    """Return a robot whose base is so high that its lowest shape touches z = 0, in each posture that is a key in MJCF.

    Collision shapes count, or else visible ones. The height stays as it is in a posture that says where the base is,
    and of a robot that does not float, whose joint places the base, or with a shape that is not known.
    """
    bases = [joint for joint in robot.joints.values() if joint.parent == robot.root]
    if [joint.type for joint in bases] != ["floating"] or not np.array_equal(bases[0].origin, np.eye(4)):
        return robot
    base, semantic = bases[0].name, robot.semantic or Semantic(robot.name)
    keys = [key for _, section in kept_elements(robot.extensions, "mjcf", TAG) for key in section.children]
    known = {key.get("name") for key in keys}
    known |= {state.name for state in semantic.group_states if any(one.name == base for one in state.joints)}
    states, new = [], {name: q for name, q in postures(robot, not keys).items() if name not in known}
    shapes = _shapes(robot) if new else []
    for name, q in new.items():
        if (low := _lowest(robot, shapes, q)) is not None:
            raised = q - low * (np.arange(robot.nq) == robot.q_slices[base].start + 2)
            values = (JointValue(joint, tuple(raised[at].tolist())) for joint, at in robot.q_slices.items())
            states.append(GroupState(name, joints=tuple(values)))
    whole = replace(semantic, group_states=(*semantic.group_states, *states))
    return replace(robot, semantic=whole) if states else robot


def _shapes(robot: Robot) -> list[tuple[str, Geometry, Array | None]]:
    """Return the collision shapes of a robot with their links, else the visible ones, and the points of meshes."""
    links, files = [link for link in robot.links.values() if link.name != robot.root], files_of(robot)
    shapes = [(link.name, shape) for link in links for shape in link.collisions]
    shapes = shapes or [(link.name, shape) for link in links for shape in link.visuals]
    return [(name, shape, _points(robot, shape, files)) for name, shape in shapes]


def _points(robot: Robot, geometry: Geometry, files: Files) -> Array | None:
    """Return the points (n, 3) of a mesh, in the frame of the shape; None for other shapes, or if it is not known."""
    sizes = geometry.shape.parameters
    if geometry.shape.kind != "mesh" or "submesh" in sizes:
        return None
    try:
        path = path_of(robot, str(sizes["filename"]), geometry.source, files)
        points = read_mesh(read_file(path), str(path), companions(path, files)).merged.vertices
    except KinetreeError:
        return None
    return np.asarray(points * np.asarray(sizes.get("scale", 1.0))) if len(points) else None


def _lowest(robot: Robot, shapes: Sequence[tuple[str, Geometry, Array | None]], q: Array) -> float | None:
    """Return the least z of shapes, m in the root, at q (nq,); None without shapes, and if one is not known."""
    poses = forward_kinematics(build_tree(robot), q, [name for name, *_ in shapes])
    found = [lowest_point(T @ shape.origin, shape, own) for T, (_, shape, own) in zip(poses, shapes, strict=True)]
    known = [z for z in found if z is not None]
    return min(known) if known and len(known) == len(found) else None


DEPTHS: Mapping[str, Callable[[Any, Any], Any]] = {
    "box": lambda tilt, sizes: tilt @ sizes["size"] / 2,
    "sphere": lambda tilt, sizes: sizes["radius"],
    "capsule": lambda tilt, sizes: tilt[2] * sizes["length"] / 2 + sizes["radius"],
    "cylinder": lambda tilt, s: tilt[2] * s["length"] / 2 + s["radius"] * sqrt(max(0.0, 1 - tilt[2] ** 2)),
    "ellipsoid": lambda tilt, sizes: np.linalg.norm(tilt * sizes["radii"]),
}
"""How far below its middle a shape of each kind reaches, m. tilt (3,): sizes of the z of its axes."""


def lowest_point(T: Array, geometry: Geometry, points: Array | None = None) -> float | None:
    """Return the least z of a shape at T (4, 4), m, or None for an unknown shape. points (n, 3): of a mesh."""
    if points is not None:
        return float(T[2, 3] + (points @ T[2, :3]).min())
    depth = DEPTHS.get(geometry.shape.kind)
    return float(T[2, 3] - depth(abs(T[2, :3]), geometry.shape.parameters)) if depth else None
