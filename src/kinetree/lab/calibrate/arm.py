"""The joints between a robot's foot and its flange."""

from dataclasses import dataclass

import numpy as np

from kinetree.errors import fail
from kinetree.model.robot import Robot
from kinetree.queries.motion import fk, jacobian
from kinetree.queries.pendant import joints_between
from kinetree.spatial.se3 import Array


@dataclass(frozen=True, eq=False)
class ArmChain:
    """An arm to calibrate.

    own: names of the frames base and tool0 of REP-199. foot, tip: existing frames near them, base_link and flange if
    the robot has them. joints: from foot to tip. links: for each joint, the link that follows it. columns: in q.
    turning: which joints turn.
    """

    robot: Robot
    own: tuple[str, str]
    foot: str
    tip: str
    joints: tuple[str, ...]
    links: tuple[str, ...]
    columns: list[int]
    turning: list[bool]

    def configurations(self, shown: Array, M: Array) -> Array:
        """Return q (ways, k, nq) for joints (k, n) as shown, by M (ways, n, n); the other joints are neutral."""
        q = np.broadcast_to(self.robot.q(), (len(M), len(shown), self.robot.nq)).copy()
        q[..., self.columns] = shown @ M.mT
        return q

    def poses(self, q: Array, offsets: Array) -> Array:
        """Return T_foot_tip (…, 4, 4) at q (…, nq), with offsets (…, n) added to the joints."""
        return np.asarray(fk(self.robot, self.tip, self.foot)(self._moved(q, offsets)))

    def jacobians(self, q: Array, offsets: Array) -> Array:
        """Return the Jacobian of the tip in its own axes: (…, 6, n), linear first."""
        J = jacobian(self.robot, self.tip, self.foot, expressed_in="frame")(self._moved(q, offsets))
        return np.asarray(J[..., [self.robot.velocity_names.index(name) for name in self.joints]])

    def _moved(self, q: Array, offsets: Array) -> Array:
        moved = np.broadcast_to(q, (*np.broadcast_shapes(q.shape[:-1], offsets.shape[:-1]), q.shape[-1])).copy()
        moved[..., self.columns] += offsets
        return moved


def arm(robot: Robot, own: tuple[str, str], near: tuple[str, str]) -> ArmChain:
    """Return the arm between `base` and `tool0` (`own`), or `base_link` and `flange` (`near`)."""
    base, tool0 = own
    foot = next((name for name in (near[0], base) if name in robot.frames), robot.root)
    tips = [name for name in (near[1], tool0) if name in robot.frames]
    if not tips:
        message = f"the robot has neither frame {tool0!r} nor {near[1]!r} (REP-199)"
        raise fail("controller-frame", message, fix="name one of them with tool0= or flange= (--tool0 or --flange)")
    up, down = joints_between(robot, foot, tips[0])
    names = (*up, *down)
    if not names:
        raise fail("controller-joints", f"no joint is between {foot!r} and {tips[0]!r}")
    passed = [robot.joints[name] for name in names]
    links = [joint.parent if i < len(up) else joint.child for i, joint in enumerate(passed)]
    columns = [robot.q_slices[name].start for name in names]
    turning = [bool(joint.kind.angular[0]) for joint in passed]
    return ArmChain(robot, own, foot, tips[0], names, tuple(links), columns, turning)
