"""The joints of an arm as its controller shows them: their names, order, units and coupling."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np

from kinetree.algorithms.kinematics import path_between
from kinetree.controllers import controllers
from kinetree.controllers.controller import Controller
from kinetree.errors import Finding, UnverifiedWarning, fail, nearest_names, warn
from kinetree.model.robot import Robot
from kinetree.queries.query import tree
from kinetree.spatial.se3 import Array


@dataclass(frozen=True, eq=False)
class Pendant:
    """The joints of an arm as its controller shows them.

    joints, names (n): the joints from base to tool0, as the robot and as the pendant name them. columns (n): in q.
    turning (n): which of them turn. C (n, n): the joints of the model are C times those of the
    pendant, in the pendant's units. findings: a doubt about C.
    """

    who: Controller
    joints: tuple[str, ...]
    names: tuple[str, ...]
    columns: list[int]
    turning: list[bool]
    C: Array
    findings: tuple[Finding, ...]

    @property
    def unit(self) -> Array:
        """Units (n,) of the pendant's numbers, deg and mm, in rad and m."""
        return np.where(self.turning, np.pi / 180, 1e-3)

    @property
    def coupled(self) -> bool:
        """Whether a number of the pendant moves several joints."""
        return bool((np.eye(len(self.joints)) != self.C).any())

    def shown(self, q: Array) -> Array:
        """Return the pendant's numbers (…, n) of q (…, nq)."""
        return np.asarray(np.linalg.solve(self.C, (q[..., self.columns] / self.unit)[..., None])[..., 0])

    def placed(self, q: Array, given: Mapping[int, Array | float], kept: Collection[int]) -> tuple[Array, list[int]]:
        """Return q (…, nq) with some of the pendant's numbers {index: (…)}, and the indices of joints that they move.

        kept: indices of joints whose value in q stays. Of the other joints the pendant's number stays if one of
        `given` is coupled to it, so that the joint of the model moves.
        """
        shown = self.shown(q)
        for i, values in given.items():
            shown[..., i] = values
        moved = [i for i, row in enumerate(self.C) if i in given or (i not in kept and row[list(given)].any())]
        stays = ~np.isin(np.arange(len(self.joints)), moved)
        A = np.where(stays[:, None], self.C, np.eye(len(self.joints)))
        b = np.where(stays, q[..., self.columns] / self.unit, shown)
        result = np.array(q)
        result[..., self.columns] = np.linalg.solve(A, b[..., None])[..., 0] @ self.C.T * self.unit
        return result, moved


def pendant(robot: Robot, who: Controller, model: str, base: str, tool0: str, *, warns: bool = True) -> Pendant:
    """Return the joints from base to tool0 as a controller shows them.

    model: whose coupling applies, by default that of the robot's name. warns: whether a doubt about it is a warning,
    too. Raises KinetreeError for frames that do not exist, joints without one coordinate of their own, and unknown
    models.
    """
    check_frames(robot, who, base=base, tool0=tool0)
    up, down = joints_between(robot, base, tool0)
    joints = (*up, *down)
    turning = [robot.joints[name].kind.angular[0] for name in joints]
    C, findings = coupling(robot, who, model, turning, warns=warns)
    return Pendant(
        who=who,
        joints=joints,
        names=who.names_of_joints(len(joints)),
        columns=[robot.q_slices[name].start for name in joints],
        turning=turning,
        C=C,
        findings=findings,
    )


def coupling(
    robot: Robot, who: Controller, model: str, turning: list[bool], *, warns: bool = True
) -> tuple[Array, tuple[Finding, ...]]:
    """Return C (n, n), see `Controller.coupling`, of a model, or of the robot's name if no model is given; and a
    finding if it is not known. turning (n): whether each joint turns. Raises KinetreeError for an unknown model."""
    if model:
        who.check_model(model)
    n, name = len(turning), model or robot.name
    C, doubt = who.coupling(name, n), who.coupling_doubt(name, n)
    if not doubt or (n == 4 and not all(turning)):  # a SCARA
        return C, ()
    fix = "compare the joints with the pendant's, or name the robot's model with model= (--robot-model)"
    if warns:
        warn(f"{doubt}; {fix}", UnverifiedWarning)
    return C, (Finding("coupling-unknown", "warning", doubt, fix=fix),)


def of(controller: str | Controller) -> Controller:
    """Return a controller by its key, or the controller itself."""
    return controller if isinstance(controller, Controller) else controllers[controller]


def check_frames(
    robot: Robot,
    who: Controller | None,
    *,
    base: str | None = None,
    tool0: str | None = None,
    options: tuple[str, str] = ("base=", "tool0="),
) -> None:
    """Raise KinetreeError if the robot lacks one of these frames. who: their controller, None for any. options: what
    names the frames."""
    for role, name, option in (("base", base, options[0]), ("tool0", tool0, options[1])):
        if name is not None and name not in robot.frames:
            whose = f"{who.name}'s {who.frames[role]}" if who else "a controller's"
            message = f"the robot has no frame {name!r}, to be {whose} (REP-199, {role})"
            other = f"add it, or name another with {option}"
            near = f"{option} takes a frame of the robot; {nearest_names(name, list(robot.frames))}"
            raise fail("controller-frame", message, fix=other if name == role else near)


def joints_between(robot: Robot, base: str, tip: str) -> tuple[list[str], list[str]]:
    """Return the joints from base to tip, up and then down the tree; each must have one coordinate of its own."""
    bodies = tree(robot)
    up, down = path_between(bodies, bodies.frame(base)[0], bodies.frame(tip)[0])
    ways = [bodies.joints[i] for i in up], [bodies.joints[i] for i in down]
    for name in (*ways[0], *ways[1]):
        if robot.joints[name].kind.nq != 1 or robot.joints[name].mimic:
            raise fail("controller-joints", "has not one coordinate of its own", element=f"joint {name!r}")
    return ways
