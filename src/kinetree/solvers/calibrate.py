"""Do a model and a controller agree? What base, tool0 and the signs of joints must be, from poses that it showed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kinetree.controllers.controller import Controller
from kinetree.errors import fail
from kinetree.model.robot import Robot
from kinetree.queries.ask import tolerance_of
from kinetree.queries.controllers import fixed, of
from kinetree.queries.motion import fk
from kinetree.solvers import calibrate_fit as fitting
from kinetree.solvers import calibrate_readings as readings
from kinetree.solvers.calibrate_arm import Arm, pose_text, suspected
from kinetree.solvers.calibrate_arm import arm as _arm
from kinetree.solvers.calibrate_readings import Fault as Fault
from kinetree.solvers.calibrate_search import Data, Fit, nearest, simplest
from kinetree.spatial import se3
from kinetree.spatial.numbers import numbers
from kinetree.spatial.se3 import Array

ONE_AXIS = 1e-2
"""How much poses must turn about a second axis, as a part of what they turn about the first."""
STILL = 10.0
"""A joint that moves less than this, in tolerances, has not moved."""


@dataclass(frozen=True, eq=False)
class Calibration:
    """What `calibrate` finds.

    agrees: no fault, and the controller's frames are the robot's. faults: of the simplest explanation, whose codes are
    "pose-unit", "pose-angle-unit", "rotation-order", "joint-unit", "joint-sign", "coupling", "base-frame" and
    "tool0-frame"; "no-fit" where there is none. alternatives: other explanations that are as simple and fit as well.
    T_base_link_base, T_flange_tool0 (4, 4): where the controller's frames are, in the robot's frames `base_link` and
    `flange`, m. residual (k, 2): what is left of each pose, m and rad. still: joints that did not move, of which the
    poses say nothing. controller: its name.
    """

    agrees: bool
    faults: tuple[Fault, ...]
    alternatives: tuple[Calibration, ...]
    T_base_link_base: Array
    T_flange_tool0: Array
    residual: Array
    still: tuple[str, ...]
    controller: str
    base_link: str
    flange: str

    def __str__(self) -> str:
        lines = [f"the model and the controller of {self.controller} {'agree' if self.agrees else 'do not agree'}"]
        if self.alternatives:
            lines = [f"the poses of {self.controller} have {1 + len(self.alternatives)} explanations, all as simple:"]
            for i, one in enumerate((self, *self.alternatives), 1):
                lines += [f"explanation {i}", *(f"  {line}" for line in one._found())]
            lines.append("poses that move every joint tell them apart")
        else:
            lines += [f"  {line}" for line in self._found()]
        lines += [f"  remark: joint {name!r} did not move, so that its sign does not show" for name in self.still]
        return "\n".join(lines)

    def _found(self) -> list[str]:
        metres, radians = self.residual.max(axis=0)
        off = f"{len(self.residual)} poses, up to {metres * 1e3:.3f} mm and {np.rad2deg(radians):.4f} deg off"
        lines = [str(fault) for fault in self.faults]
        if not any(fault.code == "no-fit" for fault in self.faults):
            lines.append(f"base in {self.base_link!r}: {pose_text(self.T_base_link_base)}")
            lines.append(f"tool0 in {self.flange!r}: {pose_text(self.T_flange_tool0)}")
        return [*lines, off]


def calibrate(
    robot: Robot,
    controller: str | Controller,
    joints: Any,
    poses: Any,
    model: str = "",
    *,
    tolerance: tuple[float, float] = (5e-4, 1e-3),
    base: str = "base",
    tool0: str = "tool0",
    base_link: str = "base_link",
    flange: str = "flange",
) -> Calibration:
    """Whether a model and a controller agree about some poses, and if not, the simplest reason.

    joints (k, n): what the pendant shows, deg, mm where they slide, from base to tool0. poses (k, 6 or 7): what it
    shows for a tool of zeros in its default frame, in its units and order. model: whose coupling of joints holds, by
    default that of the robot's name. tolerance: by how much a pose may be off, m and rad. base, tool0, base_link,
    flange: what the robot calls the frames of REP-199; those that it does not have are not considered.

    Up to three faults of the numbers are looked for, with frames that are the robot's or have to be found. An
    explanation with fewer faults is simpler, and of two with as many that with fewer frames to be found.

    Raises KinetreeError for arrays of other shapes, numbers that the controller would not show, and poses that are too
    few or turn about one axis alone.
    """
    who, bounds = of(controller), np.array(tolerance_of(tolerance))
    arm = _arm(robot, (base, tool0), (base_link, flange))
    shown, posed = _checked(who, joints, poses, len(arm.joints))
    ways = readings.joints(arm.joints, arm.turning, who.coupling(model or robot.name, len(arm.joints)))
    q = arm.configurations(shown, np.array([way.value for way in ways]))  # (ways, k, nq)
    data = Data(
        ways,
        np.asarray(fk(robot, arm.tip, arm.foot)(q)),
        readings.positions(who, posed[:, :3]),
        readings.rotations(who, posed[:, 3:]),
        {name: fixed(robot, arm.foot, name) for name in (base, base_link) if name in robot.frames},
        {name: fixed(robot, name, arm.tip) for name in (tool0, flange) if name in robot.frames},
        bounds,
    )
    _check_turns(data.T[0])
    fits = simplest(data, arm.own)
    if fits:
        first, *others = [_calibration(who, arm, data, q, fit) for fit in fits]
        return replace(first, alternatives=tuple(others))
    fit = nearest(data)
    found = _calibration(who, arm, data, q, fit)
    suspect = suspected(arm, data, q[fit.explanation.joint], fit)
    return replace(found, faults=(Fault("no-fit", f"{_unexplained(found)}; {suspect}"),))


def _calibration(who: Controller, arm: Arm, data: Data, q: Array, fit: Fit) -> Calibration:
    joint, names = fit.explanation.joint, who.frames
    T_base, T_tool = se3.inverse(fit.X), fit.Y
    faults = list(fit.explanation.faults)
    if fit.explanation.base != arm.own[0]:
        said = _elsewhere(arm.robot, arm.own[0], fit.explanation.base, names.get("base", "base frame"))
        faults.append(Fault("base-frame", f"{said}: {pose_text(T_base)} in {arm.foot!r}"))
    if fit.explanation.tool != arm.own[1]:
        said = _elsewhere(arm.robot, arm.own[1], fit.explanation.tool, names.get("tool0", "tool of zeros"))
        faults.append(Fault("tool0-frame", f"{said}: {pose_text(T_tool)} in {arm.tip!r}"))
    moved = np.ptp(q[joint][:, arm.columns], axis=0)
    still = moved <= STILL * np.where(arm.turning, data.tolerance[1], data.tolerance[0])
    names_still = tuple(name for name, is_still in zip(arm.joints, still, strict=True) if is_still)
    return Calibration(
        agrees=not faults,
        faults=tuple(faults),
        alternatives=(),
        T_base_link_base=se3.frozen(T_base),
        T_flange_tool0=se3.frozen(T_tool),
        residual=se3.frozen(fit.residual),
        still=names_still,
        controller=who.name,
        base_link=arm.foot,
        flange=arm.tip,
    )


def _elsewhere(robot: Robot, wanted: str, found: str | None, called: str) -> str:
    """Why a frame is not the controller's."""
    if found:
        return f"{found} for {wanted}: the controller's {called!r} is the robot's {found!r}, where {wanted!r} must be"
    if wanted in robot.frames:
        return f"the robot's {wanted!r} is not the controller's {called!r}, which is elsewhere"
    return f"the robot has no {wanted!r}, which must be where the controller's {called!r} is"


def _unexplained(found: Calibration) -> str:
    """What is left of the poses at best."""
    worst = int(np.argmax(np.linalg.norm(found.residual / found.residual.max(axis=0), axis=-1)))
    metres, radians = found.residual[worst]
    return (
        f"nothing that is looked for explains the poses; at best pose {worst + 1} is the worst, "
        f"{metres * 1e3:.3g} mm and {np.rad2deg(radians):.3g} deg off"
    )


def _checked(who: Controller, joints: Any, poses: Any, n: int) -> tuple[Array, Array]:
    """joints (k, n) and poses (k, 6 or 7) as arrays."""
    shown = _rows("joints", joints, n)
    posed = _rows("poses", poses, len(who.components))
    if len(shown) != len(posed):
        raise fail("poses", f"{len(shown)} rows of joints and {len(posed)} poses; legal are as many")
    form = who.rotation
    fault = (replace(form, unit="deg") if form.unit else form).fault(posed[:, 3:])  # rad may be deg by mistake
    if fault:
        raise who.wrong("poses", fault)
    for what, rows in (("joints", shown), ("poses", posed)):
        different = len(np.unique(np.round(rows, 6), axis=0))
        if different < 3:
            raise fail("poses", f"there are {different} different rows of {what}; legal are 3 or more, better 10")
    return shown, posed


def _rows(what: str, given: Any, columns: int) -> Array:
    rows = numbers(given, what, f"{what} are")
    if rows.ndim != 2 or rows.shape[1] != columns:
        raise fail(what, f"{what} has shape {rows.shape}; legal is (k, {columns})")
    if not np.isfinite(rows).all():
        raise fail(what, f"row {int(np.argwhere(~np.isfinite(rows))[0][0]) + 1} of {what} is not finite")
    return rows


def _check_turns(T: Array) -> None:
    most, second = fitting.spread(T[:, :3, :3])
    if second <= ONE_AXIS * most:
        message = "the joints turn the tool about one axis alone, which leaves the frames open"
        raise fail("poses", f"{message}; legal are poses that turn it about several")
