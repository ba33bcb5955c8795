"""The configuration of an arm that its controller writes beside a pose, and which solutions have it."""

from __future__ import annotations

from typing import Any

import numpy as np

from kinetree.arguments import explain_type_errors
from kinetree.controllers.controller import Controller
from kinetree.controllers.posture import Configuration
from kinetree.errors import UnverifiedWarning, fail, warn
from kinetree.model.limits import checked_q
from kinetree.model.robot import Robot
from kinetree.queries.pendant import Pendant, of, pendant
from kinetree.queries.query import memoise
from kinetree.queries.six_axes import six_axes
from kinetree.spatial.se3 import Array

UPRIGHT = 0.99
"""Least cosine of the angle between axis 1 and z of the base."""


@explain_type_errors
def configuration(
    robot: Robot, controller: str | Controller, q: Any, model: str = "", *, base: str = "base", tool0: str = "tool0"
) -> Any:
    """Return the configuration that the controller writes beside the pose of q (…, nq): a text, or texts (…).

    KUKA's status and turn, ABB's cf1, cf4, cf6 and cfx, FANUC's letters and turns, and those of Mitsubishi Electric,
    Stäubli and Yaskawa, of arms with six joints whose last three axes meet. The arm's geometry says where its wrist
    center is, the pendant's joints give the rest; model, base, tool0: as in `kinetree.controllers.joints`.
    `controller.configuration` has the definition and its sources. Raises KinetreeError for other makers and arms. Warns
    with UnverifiedWarning of what the sources do not say.

    Examples:
        >>> import numpy as np
        >>> import kinetree as kt
        >>> arm = kt.chain("Rz(q1) tz(0.4) Ry(q2) tx(0.5) Ry(q3) tx(0.4) Rx(q4) Ry(q5) Rx(q6)", name="kr10")
        >>> q = np.radians([10, -60, 80, 0, -30, 200])
        >>> kt.controllers.configuration(arm, "kuka", q, base="base_link", tool0="tip")
        'S 6, T 18'
    """
    arm, form = _arm(robot, of(controller), model, base, tool0)
    array = checked_q(robot.limits, q, "q")
    if not np.isfinite(array).all():
        raise fail("q", "q is not finite")
    values = form.values(_angles(robot, arm, array, base, tool0))
    texts = [form.written(row) for row in values.reshape(-1, values.shape[-1]).tolist()]
    return np.array(texts, dtype=np.object_).reshape(values.shape[:-1]) if values.ndim > 1 else texts[0]


@explain_type_errors
def has_configuration(
    robot: Robot,
    controller: str | Controller,
    q: Any,
    configuration: str,
    model: str = "",
    *,
    within: float = 0.01,
    base: str = "base",
    tool0: str = "tool0",
) -> Any:
    """Return whether q (…, nq) has a configuration, (…) of bool: as "S 2, T 35" of KUKA.

    A part that the text leaves out, as T, may have any value. `within` this angle, deg, of where a value changes both
    count, since written poses are rounded; with 0 each of `IK.solutions` has one of its own, as far as the maker's
    words go. NaN, as there where there are fewer, is False. The other arguments, errors and warnings are those of
    `configuration`.

    Examples:
        >>> import kinetree as kt
        >>> arm = kt.chain("Rz(q1) tz(0.4) Ry(q2) tx(0.5) Ry(q3) tx(0.4) Rx(q4) Ry(q5) Rx(q6)", name="kr10")
        >>> found = kt.ik(arm, "tip").solutions(kt.fk(arm, "tip")([0.2, -1, 1.4, 0.1, -0.5, 0.3]))
        >>> mask = kt.controllers.has_configuration(arm, "kuka", found.q, "S 6, T 18", base="base_link", tool0="tip")
        >>> found.q[mask].round(6)  # one of eight
        array([[ 0.2, -1. ,  1.4,  0.1, -0.5,  0.3]])
    """
    arm, form = _arm(robot, of(controller), model, base, tool0)
    if not 0.0 <= within < np.inf:
        raise fail("configuration", f"within is {within!r}; expected an angle from 0, deg")
    wanted, array = form.read(configuration), checked_q(robot.limits, q, "q")
    is_known = np.asarray(np.isfinite(array).all(axis=-1))
    array = np.where(is_known[..., None], array, 0.0)
    mask = is_known & form.matches(_angles(robot, arm, array, base, tool0), wanted, within)
    return mask if mask.ndim else bool(mask)


def _arm(robot: Robot, who: Controller, model: str, base: str, tool0: str) -> tuple[Pendant, Configuration]:
    """Return the joints of an arm on its pendant, and how its configuration is written."""
    if missing := who.configuration.missing:
        raise fail("configuration", f"configurations of {who.name} are not known here: {missing}")
    arm = pendant(robot, who, model, base, tool0)
    _plane(robot, base, tool0)
    if who.configuration.unverified:
        warn(f"{who.name}: {'; '.join(who.configuration.unverified)}", UnverifiedWarning)
    return arm, who.configuration


def _plane(robot: Robot, base: str, tool0: str) -> tuple[Array, float]:
    """Return where axis 2, axis 3 and the wrist center (3,) are with all joints at zero, as numbers x + iy, m; and 1 or
    -1, as axis 3 turns with axis 2 or against it. Raises KinetreeError for other arms.

    x is along axis 1, upwards, and y forward, where a positive joint 2 leans the arm, as all makers here have it.
    """

    def make() -> tuple[Array, float]:
        arm = six_axes(robot, tool0, base)
        if arm is None or arm.family != "wrist" or arm.is_reversed:
            kind = "six turning joints, of which axes 2 and 3 are parallel and axes 4 to 6 meet in a point"
            raise fail("configuration", f"the arm from {base!r} to {tool0!r} has no configurations; expected {kind}")
        if abs(arm.R[0, 2]) < UPRIGHT:
            raise fail("configuration", f"joint 1 does not turn about z of {base!r}, which is the arm's base")
        up = float(np.sign(arm.R[0, 2]))
        if up * arm.R[1, 0] < -0.5:
            message = f"a positive joint 2 leans the arm away from x of {base!r}"
            warn(f"{message}; forward is taken where it leans, so check joint 2 and {base!r}", UnverifiedWarning)
        places = arm.a[[1, 2, 5]]
        return places[:, 0] * up + 1j * places[:, 1] * up, float(arm.signs[2])

    return memoise(robot, ("plane", base, tool0), make)


def _angles(robot: Robot, arm: Pendant, q: Array, base: str, tool0: str) -> Array:
    """Return angles (…, 8), deg, of `SIDES` and the pendant's joints, for q (…, nq)."""
    (axis_2, axis_3, wrist), sign = _plane(robot, base, tool0)
    q2, q3 = (q[..., arm.columns[i]] for i in (1, 2))
    upper = axis_3 - axis_2
    lower = np.exp(1j * sign * q3) * (wrist - axis_3)
    ahead = (axis_2 + np.exp(1j * q2) * (upper + lower)).imag / (abs(upper) + abs(wrist - axis_3))
    inside = (np.conj(upper) * lower).imag / (abs(upper) * abs(wrist - axis_3))
    return np.concatenate([np.degrees(np.stack([ahead, inside], axis=-1)), arm.shown(q)], axis=-1)
