"""Poses of all links and frames in their parents, as ROS's tree of transforms has them."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from kinetree.algorithms.gauge import gauged
from kinetree.algorithms.kinematics import forward_kinematics
from kinetree.arguments import explain_type_errors
from kinetree.compiler.kernel import Kernel
from kinetree.compiler.port import Port, checked
from kinetree.display import Brief, some
from kinetree.errors import Finding
from kinetree.model.robot import Robot
from kinetree.model.tree import Tree
from kinetree.queries.joint_choice import Joints
from kinetree.queries.options import wants_closed
from kinetree.queries.query import coordinates, one_of, query, tree
from kinetree.spatial.se3 import Array, quaternion_from_rotation, quaternions_from_rotations

WHICH = ("all", "moving", "static")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Transforms(Brief):
    """Poses of frames in their parents.

    names, parents (n): each frame, and the frame in which its pose is. static (n,): whether no joint moves the one in
    the other. T (…, n, 4, 4): T_parent_frame, in m. quat_xyzw (…, n, 4): its unit quaternions, with w >= 0.
    """

    names: tuple[str, ...]
    parents: tuple[str, ...]
    static: Array
    T: Array
    quat_xyzw: Array

    @property
    def positions(self) -> Array:
        """Positions (…, n, 3) of the frames in their parents, in m."""
        return self.T[..., :3, 3]


@explain_type_errors
def transforms(
    robot: Robot,
    q: Any = None,
    *,
    which: Literal["all", "moving", "static"] = "all",
    driven: Joints = None,
    loops: str = "ignore",
    q0: Any = None,
) -> Transforms:
    """Return the poses of all links and frames in their parents, from which the transforms of ROS are made.

    q (…, nq): configurations; neutral by default. which: "all", or those that joints move, "moving", or the others,
    "static", whose poses have no axes of q. A link is in the link that carries it, another frame in its link; links
    come in the order of `robot.placed`, then frames. Left out are the root and frames of unknown place. driven, loops:
    as in `kinetree.kinematics`; q is then x of the driven joints, by default where q0 has them.

    Raises KinetreeError for a q of another shape.

    Examples:
        >>> import kinetree as kt
        >>> arm = kt.chain("Rz(q1) tx(0.4) Rz(q2) tx(0.3)")
        >>> found = kt.transforms(arm, [0.0, 0.5])
        >>> list(zip(found.names, found.parents, strict=True))
        [('q1_link', 'base_link'), ('q2_link', 'q1_link'), ('tip', 'q2_link')]
        >>> found.T[1, :3, 3], found.quat_xyzw[1].round(3) + 0.0  # of q2_link in q1_link
        (array([0.4, 0. , 0. ]), array([0.   , 0.   , 0.247, 0.969]))
    """
    one_of("which", which, WHICH)
    if wants_closed(driven, loops):
        from kinetree.queries.closed import closed_q  # seldom wanted

        q = closed_q(robot, driven, q, q0)
    joints = [robot.joints[name] for name in robot.placed]
    frames = [f for f in robot.frames.values() if f.name not in robot.links and not f.unplaced]
    places = {j.child: (j.parent, not j.kind.nq, j.origin @ j.child_origin) for j in joints}
    places |= {frame.name: (frame.link, True, frame.origin) for frame in frames}
    if which != "all":
        places = {name: place for name, place in places.items() if place[1] == (which == "static")}
    parents, still, poses = zip(*places.values(), strict=True) if places else ((), (), ())
    static, T = np.array(still, dtype=bool), np.array(poses, dtype=float).reshape(-1, 4, 4)
    quats = quaternions_from_rotations(T)
    if static.all():
        _, batch = checked("transforms", [coordinates(robot)], [robot.q() if q is None else q], {})
        if which != "static":
            T, quats = np.tile(T, (*batch, 1, 1, 1)), np.tile(quats, (*batch, 1, 1))
    else:
        moved = _moving(robot)(robot.q() if q is None else q)
        T, quats = _with(T, ~static, moved.T), _with(quats, ~static, moved.quat_xyzw)
    return Transforms(tuple(places), tuple(parents), static, T, quats)


def left_out(robot: Robot) -> list[Finding]:
    """Return a remark that names the frames of unknown place, which are not among the transforms."""
    names = [frame.name for frame in robot.frames.values() if frame.unplaced]
    message = f"left out are frames without a known place: {some(names)}"
    return [Finding("unplaced", "info", message, element="the transforms")] if names else []


def _with(values: Array, places: Array, moving: Array) -> Array:
    """Return values (…, n, …) of which those at `places` (n,) are `moving` (…, k, …), the others values (n, …)."""
    if places.all():
        return moving
    whole = np.empty((*moving.shape[: moving.ndim - values.ndim], *values.shape), moving.dtype)
    whole[...] = values
    for at, own in zip(np.flatnonzero(places), np.moveaxis(moving, -values.ndim, 0), strict=True):
        np.moveaxis(whole, -values.ndim, 0)[at] = own
    return whole


def _moving(robot: Robot) -> Kernel:
    """Return the kernel from q to poses (…, k, 4, 4) and quaternions (…, k, 4) of the links that joints move."""
    pairs = [(j.parent, j.child) for name in robot.placed if (j := robot.joints[name]).kind.nq]
    model, about = tree(robot), "links in the links that carry them"
    ports = Port("T", (len(pairs), 4, 4), about=f"{about}; m"), Port("quat_xyzw", (len(pairs), 4), about=about)

    def poses(_: Tree, q: Any) -> Any:  # with the body frames of each `fk`, so that rounding is the same
        T = [forward_kinematics(gauged(model, pair), q, pair[1:], pair[0])[0] for pair in pairs]
        return np.array(T), np.array([quaternion_from_rotation(pose) for pose in T])

    return query(robot, ("transforms",), (), ports, poses)
