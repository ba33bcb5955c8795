"""Calibration of a model against a controller: base, tool0, zeros and signs of joints, from poses that it showed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kinetree.arguments import explain_type_errors
from kinetree.controllers.controller import Active, Controller
from kinetree.display import Displayable, counted, some, visible
from kinetree.errors import fail, unknown_name
from kinetree.lab import hand_eye as fitting
from kinetree.lab.calibrate import arm as arms, readings
from kinetree.lab.calibrate.data import Data, Fit, fit_of
from kinetree.lab.calibrate.diagnose import odd_fault, odd_poses, unexplained
from kinetree.lab.calibrate.readings import Fault as Fault
from kinetree.lab.calibrate.search import nearest, simplest
from kinetree.lab.calibrate.text import amount, change_text, joint_text, pose_text
from kinetree.labels import check_rows
from kinetree.model.robot import Robot
from kinetree.progress import Progress, reporting
from kinetree.queries.controllers import active, fixed
from kinetree.queries.pendant import coupling, of
from kinetree.queries.query import tolerance_of
from kinetree.spatial import Array, se3
from kinetree.spatial.numbers import numbers

ONE_AXIS = 1e-2
"""Least rotation of the poses about a second axis, relative to the first."""
STILL = 10.0
"""Tolerances up to which a joint counts as not moved."""
DEFAULTS = {"base": "base", "tool0": "tool0", "base_link": "base_link", "flange": "flange"}
"""Default names of frames (REP-199), which a robot need not have."""
TOLERANCE = (5e-4, 1e-3)
"""Default of the largest error of a pose, m and rad."""
LARGEST = 1e9  # number of a row, in any unit; products of larger ones overflow
WIDEST = (0.1, 0.2)
"""Largest tolerances, m and rad; with larger ones anything would agree."""
APART = (
    "poses that move every joint tell most such apart; the zero of the first joint and base, or of the last and tool0, "
    "only the marks of the zeros on the robot"
)


@dataclass(frozen=True, eq=False, repr=False)
class Calibration(Displayable):
    """Result of `calibrate`.

    agrees: there is no fault, and the controller's frames are the robot's, to the tolerance.
    faults: of the simplest explanation, with codes "pose-unit", "pose-angle-unit", "pose-columns", "rotation-order",
    "joint-unit", "joint-sign", "coupling", "joint-zero", "base-frame", "tool0-frame" and "pose-wrong"; or "no-fit" if
    there is none, with the faults of the numbers that are certain.
    alternatives: other explanations with as many faults that also fit.
    T_base_link_base, T_flange_tool0 (4, 4): the controller's frames, m, in the robot's frames `base_link` and `flange`,
    or in the frames that replace them (fields `base_link` and `flange`).
    residual (k, 2): error of each pose, m and rad; residual_before (k, 2): with the faults not corrected. still: joints
    that did not move. remarks: what cannot be determined for them. controller: its name.
    """

    agrees: bool
    faults: tuple[Fault, ...]
    alternatives: "tuple[Calibration, ...]"
    T_base_link_base: Array
    T_flange_tool0: Array
    residual: Array
    residual_before: Array
    still: tuple[str, ...]
    remarks: tuple[str, ...]
    controller: str
    base_link: str
    flange: str

    def __repr__(self) -> str:
        codes = some(fault.code for fault in self.faults) or "no fault"
        more = f", or {counted(len(self.alternatives), 'other explanation')}" if self.alternatives else ""
        return f"Calibration: {self.verdict}; {codes}{more}; {self._off}"

    @property
    def verdict(self) -> str:
        """Say in words whether model and controller agree."""
        return f"the model and the controller of {self.controller} {'agree' if self.agrees else 'do not agree'}"

    def __str__(self) -> str:
        lines = [self.verdict]
        if self.alternatives:
            lines = [f"the poses of {self.controller} have {1 + len(self.alternatives)} explanations, all as simple:"]
            for i, one in enumerate((self, *self.alternatives), 1):
                lines += [f"explanation {i}", *(f"  {line}" for line in one._found())]
            lines.append(APART)
        else:
            lines += [f"  {line}" for line in self._found()]
        lines += [f"  remark: {remark}" for remark in self.remarks]
        return "\n".join(map(visible, lines))

    def _found(self) -> list[str]:
        return [*map(str, self.faults), self._off]

    @property
    def _off(self) -> str:
        metres, radians = self.residual.max(axis=0)
        return f"{len(self.residual)} poses, up to {metres * 1e3:.3f} mm and {np.rad2deg(radians):.4f} deg off"


@explain_type_errors
def calibrate(
    robot: Robot,
    controller: str | Controller,
    joints: Any,
    poses: Any,
    model: str = "",
    *,
    tool: Any = None,
    user_frame: Any = None,
    tolerance: tuple[float, float] = TOLERANCE,
    base: str = "base",
    tool0: str = "tool0",
    base_link: str = "base_link",
    flange: str = "flange",
    progress: Progress = False,
) -> Calibration:
    """Compare a model with poses that its controller shows, and return the simplest explanation of their difference.

    joints (k, n): as the pendant shows them from base to tool0, deg, or mm if they slide.
    poses (k, 6 or 7): as it shows them, in its units and order, for the active tool in the active user frame.
    tool, user_frame: the active ones, as `kinetree.controllers.pose` takes them; zeros by default.
    model: whose joint coupling applies, by default that of the robot's name. tolerance: largest error of a pose, m and
    rad.
    base, tool0, base_link, flange: the robot's names of the frames of REP-199; those that it lacks are ignored.
    progress: True for a bar, or a function of the number of steps done and their total, of each part of the search.

    The search covers up to three faults of the numbers, or zeros of joints with one of them, with frames of the robot
    or unknown ones; and one pose that does not fit the others. The simplest explanation has the fewest faults. A frame
    or a zero found within tolerance of the robot's own counts as the robot's own.

    Raises KinetreeError for arrays of other shapes, numbers that the controller would not show, too few poses or poses
    that turn about one axis only, tolerances above 0.1 m and 0.2 rad, and frames that the robot lacks, if their name is
    not that of REP-199. Warns with UnverifiedWarning if the controller's `confidence` is not high.

    Examples:
        >>> import numpy as np
        >>> import kinetree as kt
        >>> rows = [{"d": 0.4, "a": 0.1, "alpha": "-pi/2"}, {"a": 0.5}, {"a": 0.1, "alpha": "-pi/2"}]
        >>> rows += [{"d": 0.5, "alpha": "pi/2"}, {"alpha": "-pi/2"}, {"d": 0.1}]
        >>> arm = kt.chain(rows, convention="dh", name="kr10")
        >>> joints = 60 * np.sin(np.arange(48).reshape(8, 6))  # what the pendant shows, deg; here made up
        >>> poses = kt.controllers.pose(arm, "kuka", np.deg2rad(joints), base="base_link", tool0="tip")
        >>> poses[:, :3] /= 1000  # a mistake: metres for millimetres
        >>> print(kt.calibrate(arm, "kuka", joints, poses, base="base_link", tool0="tip"))
        the model and the controller of KUKA do not agree
          the positions are in m, not in mm [pose-unit]
          8 poses, up to 0.000 mm and 0.0000 deg off
    """
    who, bounds = of(controller), np.array(_tolerance(tolerance))
    _check_names(robot, base=base, tool0=tool0, base_link=base_link, flange=flange)
    arm = arms.arm(robot, (base, tool0), (base_link, flange))
    shown, posed = _checked(who, joints, poses, arm.joints)
    who.from_pose(se3.IDENTITY)  # warns of unverified data
    used = active(robot, who, tool, user_frame, arm.own)
    if used.tool.ndim != 2 or used.user_frame.ndim != 2:
        raise fail("pose", "all poses are of one tool in one user frame; expected single ones")
    data = _data(who, arm, model, shown, posed, (base, base_link), (tool0, flange), bounds, used)
    _check_turns(data.T[0])
    with reporting(progress):
        first, *others = _explained(who, data, posed)
    return replace(first, alternatives=tuple(others))


def _data(
    who: Controller,
    arm: arms.ArmChain,
    model: str,
    shown: Array,
    posed: Array,
    bases: tuple[str, str],
    tools: tuple[str, str],
    tolerance: Array,
    used: Active,
) -> Data:
    """Return all readings of the numbers, and those of these frames that the robot has."""
    robot = arm.robot
    C, _ = coupling(robot, who, model, arm.turning)
    ways = readings.joints(arm.joints, arm.turning, C)
    q = arm.configurations(shown, np.array([way.value for way in ways]))  # (ways, k, nq)
    return Data(
        arm=arm,
        joints=ways,
        shown=shown,
        q=q,
        T=arm.poses(q, np.zeros(len(arm.joints))),
        positions=readings.positions(who, posed[:, :3]),
        rotations=readings.rotations(who, posed[:, 3:]),
        bases={name: fixed(robot, arm.foot, name) for name in bases if name in robot.frames},
        tools={name: fixed(robot, name, arm.tip) for name in tools if name in robot.frames},
        tolerance=tolerance,
        active=used,
    )


def _explained(who: Controller, data: Data, posed: Array) -> list[Calibration]:
    """Return the simplest explanations; if there is none, those of all poses but one; else the nearest to one."""
    fits = simplest(data)
    if fits:
        return [_calibration(who, data, fit) for fit in fits]
    odd = odd_poses(data)
    if odd:
        return [_calibration(who, data, fit, (odd_fault(who, data, fit, row, posed[row]),)) for row, fit in odd]
    fit, guess = nearest(data)
    return [_calibration(who, data, fit, (unexplained(who, data, fit, posed, guess),))]


def _calibration(who: Controller, data: Data, fit: Fit, more: tuple[Fault, ...] = ()) -> Calibration:
    """Return the result for a fit. more: further faults; with "no-fit" among them, frames are not reported."""
    arm, e = data.arm, fit.explanation
    fits = not any(fault.code == "no-fit" for fault in more)
    faults = (*e.faults, *_zeros(data, fit), *(_frames(who, data, fit) if fits else ()), *more)
    moved = np.ptp(data.q[e.joint][:, arm.columns], axis=0)
    still = moved <= STILL * np.where(arm.turning, data.tolerance[1], data.tolerance[0])
    return Calibration(
        agrees=not faults,
        faults=faults,
        alternatives=(),
        T_base_link_base=se3.frozen(se3.inverse(fit.X) + 0.0),
        T_flange_tool0=se3.frozen(fit.Y + 0.0),
        residual=se3.frozen(fit.residual),
        residual_before=se3.frozen(_as_given(data).residual),
        still=tuple(arm.joints[i] for i in np.flatnonzero(still)),
        remarks=tuple(_hidden(data, fit, still)),
        controller=who.name,
        base_link=arm.foot,
        flange=arm.tip,
    )


def _as_given(data: Data) -> Fit:
    """Return the fit of the numbers as the format says with the robot's own frames; a missing one is its link's."""
    base, tool = data.arm.own
    X, Y = data.bases.get(base, se3.IDENTITY), data.tools.get(tool, se3.IDENTITY)
    return fit_of(data, data.explained(0, 0, 0, base, tool), X, Y, np.zeros(len(data.arm.joints)))


def _hidden(data: Data, fit: Fit, still: Array) -> Iterator[str]:
    """Yield what the poses do not show of joints that did not move.

    A joint at zero hides its sign. At another value sign and zero are one fixed transform together; if all joints
    beyond it stand still too, that transform is part of the frame behind them.
    """
    arm = data.arm
    for i in map(int, np.flatnonzero(still)):
        held = np.abs(data.q[fit.explanation.joint][:, arm.columns[i]]).max()
        ends = [name for name, beyond in zip(arm.own, (still[:i], still[i + 1 :]), strict=True) if beyond.all()]
        said = f"joint {arm.joints[i]!r} did not move, so that"
        if ends:
            yield f"{said} its zero and sign do not show apart from {' and '.join(map(repr, ends))}"
        elif held <= data.tolerance[0 if not arm.turning[i] else 1]:
            yield f"{said} its sign does not show, for it was held at zero"
        else:
            yield f"{said} its sign does not show apart from its zero"


def _zeros(data: Data, fit: Fit) -> Iterator[Fault]:
    arm, M = data.arm, data.joints[fit.explanation.joint].value
    for i in fit.explanation.zeros:
        name, turns, offset = arm.joints[i], arm.turning[i], float(fit.offsets[i])
        off = f"the zero of joint {name!r} is {amount(abs(offset), turns)} off"
        yield Fault("joint-zero", f"{off}: {name!r} of the model = {joint_text(i, M[i], offset, turns)}")


def _frames(who: Controller, data: Data, fit: Fit) -> Iterator[Fault]:
    arm, e, names = data.arm, fit.explanation, who.frames
    if e.base != arm.own[0]:
        own = data.bases.get(arm.own[0], se3.IDENTITY)
        T = own @ se3.inverse(fit.X)  # in base, or in the foot if there is none
        said = _elsewhere(data, arm.own[0], e.base, names.get("base", "base frame"), T, arm.foot)
        yield Fault(
            "base-frame", said if e.base or arm.own[0] not in data.bases else f"{said}; was another user frame active?"
        )
    if e.tool != arm.own[1]:
        T = se3.inverse(data.tools.get(arm.own[1], se3.IDENTITY)) @ fit.Y
        said = _elsewhere(data, arm.own[1], e.tool, names.get("tool0", "tool of zeros"), T, arm.tip)
        yield Fault(
            "tool0-frame", said if e.tool or arm.own[1] not in data.tools else f"{said}; was another tool active?"
        )


def _elsewhere(data: Data, wanted: str, found: str | None, called: str, T: Array, near: str) -> str:
    """Return why a frame is not the controller's, which is at T from it, or from a frame near it."""
    if found:
        return f"{found} for {wanted}: the controller's {called!r} is the robot's {found!r}, where {wanted!r} must be"
    if wanted in data.arm.robot.frames:
        change = change_text(T, data.tolerance)
        how = "turned against" if change.startswith("turned") else "elsewhere than"
        return f"the controller's {called!r} is {how} the robot's {wanted!r}, by {change.removeprefix('turned by ')}"
    place = f"{pose_text(T, data.tolerance)} in {near!r}"
    return f"the robot has no {wanted!r}, which must be where the controller's {called!r} is: {place}"


def _checked(who: Controller, joints: Any, poses: Any, names: Sequence[str]) -> tuple[Array, Array]:
    """Return joints (k, n) and poses (k, 6 or 7) as arrays."""
    check_rows({"joints": joints, "poses": poses}, {"joints": names, "poses": who.components})
    shown = _rows("joints", joints, names)
    posed = _rows("poses", poses, who.components)
    if len(shown) != len(posed):
        raise fail("poses", f"{len(shown)} rows of joints and {len(posed)} poses; expected as many")
    form = who.rotation
    fault = (replace(form, unit="deg") if form.unit else form).fault(posed[:, 3:])  # rad may be deg by mistake
    if fault:
        raise who.wrong("poses", fault)
    for what, rows in (("joints", shown), ("poses", posed)):
        different = len(np.unique(np.round(rows, 6), axis=0))
        if different < 3:
            counted = "is 1 different row" if different == 1 else f"are {different} different rows"
            raise fail("poses", f"there {counted} of {what}; expected 3 or more, better 10")
    return shown, posed


def _rows(what: str, given: Any, names: Sequence[str]) -> Array:
    rows = numbers(given, what, f"{what} are", names)
    if rows.ndim != 2 or rows.shape[1] != len(names):
        raise fail(what, f"{what} has shape {rows.shape}; expected (k, {len(names)})")
    wrong = np.argwhere(~(np.abs(rows) <= LARGEST))
    if len(wrong):
        raise fail(what, f"row {wrong[0][0] + 1} of {what} has a number that is not finite, or above {LARGEST:g}")
    return rows


def _tolerance(given: Any) -> tuple[float, float]:
    metres, radians = tolerance_of(given)
    if metres > WIDEST[0] or radians > WIDEST[1]:
        legal = f"expected at most {WIDEST[0]:g} m and {WIDEST[1]:g} rad"
        raise fail("tolerance", f"tolerance is {given!r}, with which anything would agree; {legal}")
    return metres, radians


def _check_names(robot: Robot, **given: str) -> None:
    """Raise KinetreeError for a given name that the robot lacks; names of REP-199 may be missing."""
    for role, name in given.items():
        if name != DEFAULTS[role] and name not in robot.frames:
            raise unknown_name("frame", name, list(robot.frames))


def _check_turns(T: Array) -> None:
    most, second = fitting.spread(T[:, :3, :3])
    if second <= ONE_AXIS * most:
        message = "the joints turn the tool about one axis alone, which leaves the frames open"
        raise fail("poses", f"{message}; expected poses that turn it about several")
