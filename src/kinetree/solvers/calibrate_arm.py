"""The joints between a robot's foot and its flange, and which of them does not fit the poses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinetree.errors import fail
from kinetree.model.robot import Robot
from kinetree.queries.controllers import joints_between
from kinetree.queries.motion import fk
from kinetree.solvers import calibrate_fit as fitting
from kinetree.solvers.calibrate_search import Data, Fit
from kinetree.spatial import se3
from kinetree.spatial.se3 import Array


@dataclass(frozen=True, eq=False)
class Arm:
    """own: the names of the frames that REP-199 wants, base and tool0. foot, tip: existing frames near them, base_link
    and flange if the robot has them. joints: from foot to tip; links: of each that which follows it on the way;
    columns: of q; turning: whether they turn."""

    robot: Robot
    own: tuple[str, str]
    foot: str
    tip: str
    joints: tuple[str, ...]
    links: tuple[str, ...]
    columns: list[int]
    turning: list[bool]

    def configurations(self, shown: Array, M: Array) -> Array:
        """q (ways, k, nq) of joints (k, n) as shown, by M (ways, n, n); the other joints are neutral."""
        q = np.broadcast_to(self.robot.q(), (len(M), len(shown), self.robot.nq)).copy()
        q[..., self.columns] = shown @ np.swapaxes(M, -1, -2)
        return q


def arm(robot: Robot, own: tuple[str, str], near: tuple[str, str]) -> Arm:
    """The robot between `base` and `tool0`, own, or `base_link` and `flange`, near."""
    base, tool0 = own
    foot = next((name for name in (near[0], base) if name in robot.frames), robot.root)
    tips = [name for name in (near[1], tool0) if name in robot.frames]
    if not tips:
        message = f"the robot has neither frame {tool0!r} nor {near[1]!r} (REP-199)"
        raise fail("controller-frame", message, fix="say which frame it is: tool0= or flange=")
    up, down = joints_between(robot, foot, tips[0])
    names = (*up, *down)
    if not names:
        raise fail("controller-joints", f"no joint is between {foot!r} and {tips[0]!r}")
    passed = [robot.joints[name] for name in names]
    links = [joint.parent if i < len(up) else joint.child for i, joint in enumerate(passed)]
    columns = [robot.q_slices[name].start for name in names]
    turning = [bool(joint.kind.angular[0]) for joint in passed]
    return Arm(robot, own, foot, tips[0], names, tuple(links), columns, turning)


def suspected(arm: Arm, data: Data, q: Array, fit: Fit) -> str:
    """Between which joints a correction would help most, for an explanation that does not fit."""
    P, k = fit.explanation.P, len(q)
    if len(arm.joints) < 2 or k < 4:  # 18 numbers would be found from as many
        return "too few poses to say which joint is wrong"
    found = []
    for i in range(len(arm.joints) - 1):
        A = np.asarray(fk(arm.robot, arm.links[i], arm.foot).interpret(q))  # not worth compiling
        B = np.asarray(fk(arm.robot, arm.tip, arm.links[i]).interpret(q))
        constants = [fit.X, se3.IDENTITY, fit.Y]
        X, D, Y = fitting.refined(P, [A, B], constants, [True] * 3, data.tolerance)
        off = fitting.residuals(P, X @ A @ D @ B @ Y)
        found.append((float((off / data.tolerance).max()), i, D))
    best, i, D = min(found, key=lambda one: one[0])
    fitting_ones = [one for one in found if one[0] <= 1]
    where = " or ".join(f"{arm.joints[i]!r} and {arm.joints[i + 1]!r}" for _, i, _ in fitting_ones or [(best, i, D)])
    does = "would mend it" if fitting_ones else "would help most, and not enough"
    return f"another transform between the joints {where} {does}, by {pose_text(D)} in {arm.links[i]!r}"


def pose_text(T: Array) -> str:
    """A pose for people."""
    xyz, rpy = T[:3, 3] * 1e3, np.rad2deg(se3.rpy_from_rotation(T[:3, :3]))
    return f"xyz {_three(xyz, 2)} mm, rpy {_three(rpy, 3)} deg"


def _three(values: Array, digits: int) -> str:
    return " ".join(f"{round(float(x), digits) + 0.0:g}" for x in values)
