"""Diagnosis if no explanation fits all poses: one wrong pose, a wrong place in the model, or rounding."""

import numpy as np

from kinetree.controllers.controller import METRES, Controller
from kinetree.controllers.rotation import RADIANS
from kinetree.display import number as as_text
from kinetree.lab.calibrate.data import Data, Fit, fit_of, model
from kinetree.lab.calibrate.readings import Fault
from kinetree.lab.calibrate.search import simplest
from kinetree.lab.calibrate.settle import settled, starts
from kinetree.lab.calibrate.text import change_text, is_nothing
from kinetree.progress import tracked
from kinetree.queries.motion import fk
from kinetree.spatial import Array

LEFT = 4
"""Least number of poses besides a wrong one."""
SIMPLE = (2, 1)
"""Most faults of the other poses, and most if zeros of joints are among them."""
EACH = 12
"""Largest number of poses for which each is left out in turn; with more, thirds are compared."""
NOISE = 1.5
"""Factor by which another transform must help if noise alone is no cause, and of a tolerance for noise."""
LOUD = 20.0
"""Noise, in tolerances, from which another cause is likelier."""
CLEAR = 5.0
"""Error, in tolerances, above which a pose is wrong if the others fit."""


def odd_poses(data: Data) -> list[tuple[int, Fit]]:
    """Return the poses without which the others have an explanation of the fewest faults, each with the fit of all."""
    k, found = data.T.shape[1], []
    for row in tracked(range(k) if k <= EACH else _outliers(data), "leaving out poses"):
        rest = np.delete(np.arange(k), row)
        for part in simplest(data.only(rest), *SIMPLE) if len(rest) >= LEFT else []:
            fit = fit_of(data, part.explanation, part.X, part.Y, part.offsets)
            if data.off(fit.residual[row : row + 1]) > CLEAR:
                found.append((row, fit))
    least = min((fit.explanation.wrong for _, fit in found), default=0)
    return [(row, fit) for row, fit in found if fit.explanation.wrong == least]


def _outliers(data: Data) -> list[int]:
    """Return the one pose that does not fit the explanation of a third of the poses, if there is one."""
    k = data.T.shape[1]
    for start in tracked(range(3), "comparing thirds of the poses"):
        for part in simplest(data.only(np.arange(start, k, 3))):
            fit = fit_of(data, part.explanation, part.X, part.Y, part.offsets)
            rows = np.flatnonzero((fit.residual > CLEAR * data.tolerance).any(axis=-1))
            if len(rows) == 1:
                return [int(rows[0])]
    return []


def odd_fault(who: Controller, data: Data, fit: Fit, row: int, numbers: Array) -> Fault:
    """Return the fault of a pose, as written (6 or 7,), that does not fit, with the numbers that may be wrong."""
    metres, radians = fit.residual[row]
    said = (
        f"pose {row + 1} does not fit the others: {as_text(metres * 1e3)} mm and {as_text(np.rad2deg(radians))} deg off"
    )
    one = [*_odd_joints(data, fit, row), *_odd_numbers(who, data, fit, row, numbers)]
    return Fault("pose-wrong", f"{said}; {' or '.join(one)} would fit" if one else said)


def _odd_joints(data: Data, fit: Fit, row: int) -> list[str]:
    """Return the joints of which another number would fit."""
    e, n = fit.explanation, len(data.arm.joints)
    M = data.joints[e.joint].value
    alone = [i for i in range(n) if np.count_nonzero(M[i]) == 1 and np.count_nonzero(M[:, i]) == 1]
    places = [(i, angle) for i in alone for angle in (-np.pi / 2, 0.0, np.pi / 2, np.pi)]
    X, offsets, Y = (np.repeat(part[None], len(places), axis=0) for part in (fit.X, fit.offsets, fit.Y))
    for offset, (i, angle) in zip(offsets, places, strict=True):
        offset[i] += angle * data.arm.turning[i]
    known, each = [e._replace(base="", tool="")] * len(places), [(i,) for i, _ in places]
    found, off = settled(data.only(np.array([row])), known, starts(X, offsets, Y), each)
    said = {}
    for s in map(int, np.flatnonzero(off <= 1)):
        i = places[s][0]
        shown = data.shown[row, i] + (found.offsets[s, i] - fit.offsets[i]) / M[i, i]
        if data.arm.turning[i]:
            shown = _turn(data, i, shown, data.shown[row, i], M[i, i], fit.offsets[i])
        said[i] = f"J{i + 1} = {as_text(shown, 5)}"
    return list(said.values())


def _turn(data: Data, i: int, shown: float, typed: float, unit: float, offset: float) -> float:
    """Return the number that is a whole number of turns from `shown`: within the limits, nearest to `typed`."""
    limits, column = data.arm.robot.limits, data.arm.columns[i]
    nearest = shown + 2 * np.pi / abs(unit) * (np.round((typed - shown) * abs(unit) / (2 * np.pi)) + np.arange(-2, 3))
    q = unit * nearest + offset
    beyond = (q < limits.lower[column] - data.tolerance[1]) | (q > limits.upper[column] + data.tolerance[1])
    return float(min(zip(beyond, np.abs(nearest - typed), nearest, strict=True))[2])


def _odd_numbers(who: Controller, data: Data, fit: Fit, row: int, numbers: Array) -> list[str]:
    """Return the number of the pose that differs from the model, if there is one only and the format is as expected."""
    e = fit.explanation
    if e.rotation or e.position:
        return []
    fits = who.from_pose(data.active.shown(model(data, e, fit.X, fit.Y, fit.offsets)[row]))
    unit = RADIANS.get(who.rotation.unit, 1.0)
    gone = np.abs(numbers - fits) * np.where(np.arange(len(numbers)) < 3, METRES[who.position], unit)
    if who.rotation.unit:
        gone[3:] = np.minimum(gone[3:], np.abs(2 * np.pi - gone[3:]))
    other = np.flatnonzero(gone > np.where(np.arange(len(numbers)) < 3, *data.tolerance))
    return [f"{who.components[i]} = {as_text(fits[i], 5)}" for i in other] if len(other) == 1 else []


def unexplained(who: Controller, data: Data, fit: Fit, posed: Array, guess: tuple[Fault, ...]) -> Fault:
    """Return the fault of poses without an explanation: what remains at best, and its possible origin.

    guess: possible faults of the numbers.
    """
    worst = int(np.argmax((fit.residual / data.tolerance).max(axis=-1)))
    metres, radians = fit.residual[worst]
    said = (
        f"nothing that is looked for explains the poses; at best pose {worst + 1} is the worst, "
        f"{as_text(metres * 1e3)} mm and {as_text(np.rad2deg(radians))} deg off"
    )
    said += "".join(f"; perhaps {fault.message}" for fault in guess)
    misplaced, corrects = _misplaced(data, fit)
    rounded = "" if corrects else _rounded(who, data, fit, posed)  # joints at whole degrees need not be rounded
    return Fault("no-fit", f"{said}; {rounded or misplaced}")


def _rounded(who: Controller, data: Data, fit: Fit, posed: Array) -> str:
    """Return a message if rounding of the numbers may explain the residual, else ""."""
    e = fit.explanation
    steps = [_step(part) for part in (data.shown, posed[:, :3], posed[:, 3:])]
    J = np.abs(data.arm.jacobians(data.q[e.joint], fit.offsets) @ data.joints[e.joint].value) * steps[0] / 2
    moved = np.linalg.norm(J.reshape(len(J), 2, 3, -1), axis=2).sum(axis=-1)  # (k, 2), m and rad
    arm = np.linalg.norm(data.tools.get(e.tool or "", fit.Y)[:3, 3])
    unit = RADIANS.get(who.rotation.unit, 1.0)
    of_pose = np.sqrt(3) / 2 * np.array([METRES[who.position] * steps[1], unit * steps[2]])
    of_pose[0] += np.linalg.norm(data.active.tool[:3, 3]) * of_pose[1]
    most = moved.max(axis=0) + np.array([arm * moved[:, 1].max(), 0.0]) + of_pose
    if not any(steps) or (fit.residual > np.maximum(most, data.tolerance)).any():
        return ""
    digits = ", ".join(
        f"{what} to {step:g}" for what, step in zip(("joints", "positions", "angles"), steps, strict=True) if step
    )
    return f"that may be the rounding of {digits}: if so, say {_advice(np.maximum(most, data.tolerance))}"


def _advice(bounds: Array) -> str:
    """Return a tolerance (2,), m and rad, rounded up, as an argument."""
    metres, radians = np.ceil(bounds * 1e4) / 1e4
    return f"tolerance=({metres:g}, {radians:g})"


def _noise(data: Data, fit: Fit) -> str:
    """Return a message about poses that are noisier than the tolerance, with one for them if the noise is plausible."""
    most = max(float(data.off(fit.residual)), 1.0)
    bounds = np.maximum(NOISE * fit.residual.max(axis=0), data.tolerance)
    said = f"the poses are noisier than the tolerance, up to {as_text(most)} times as much"
    return f"{said}; if that is expected, say {_advice(bounds)}" if most < LOUD else said


def _step(numbers: Array) -> float:
    """Return the step to which numbers are rounded, or 0 if they have more than one decimal."""
    for step in (1.0, 0.1):
        if np.abs(numbers / step - np.round(numbers / step)).max() < 1e-6:
            return step
    return 0.0


def _misplaced(data: Data, fit: Fit) -> tuple[str, bool]:
    """Return a message about the joints between which a correction would help most, and whether it would suffice."""
    arm, e, q = data.arm, fit.explanation, data.q[fit.explanation.joint]
    if len(arm.joints) < 2 or len(q) < LEFT:  # 18 unknowns need more equations
        return "too few poses to say which joint is wrong", False
    A = np.moveaxis(np.asarray(fk(arm.robot, list(arm.links[:-1]), arm.foot).interpret(q)), 1, 0)  # not worth compiling
    B, s, n = np.linalg.solve(A, data.T[e.joint]), len(A), len(arm.joints)
    known = [(X, Y) for X in data.bases.values() for Y in data.tools.values()]
    for X, Y in [*known, (fit.X, fit.Y)]:
        case = e._replace(base=None, tool=None) if X is fit.X else e._replace(base="", tool="")
        start = starts(*(np.repeat(part[None], s, axis=0) for part in (X, np.zeros(n), Y)))
        (_, _, _, D), off = settled(data, [case] * s, start, [()] * s, B)
        if off.min() <= 1:
            break
    places = np.flatnonzero(off <= 1) if off.min() <= 1 else [int(np.argmin(off))]
    if all(is_nothing(D[i], data.tolerance) for i in places):
        return _noise(data, fit), False
    where = ", or between ".join(
        f"{arm.joints[i]!r} and {arm.joints[i + 1]!r}, by {change_text(D[i], data.tolerance)} in {arm.links[i]!r}"
        for i in places
    )
    if off.min() > 1:
        noisy = NOISE * off.min() > (most := data.off(fit.residual)) and most < LOUD
        other = f", or {_noise(data, fit)}" if noisy else ""
        return f"another transform would help most, and not enough, between {where}{other}", False
    several = " (the smallest of several)" if X is fit.X else ""
    return f"another transform would correct it, between {where}{several}", True
