"""Closed structures of the iCub: motors that move several joints together, as published with its control boards."""

import tomllib
from fractions import Fraction
from functools import cache
from importlib.resources import files
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from kinetree.arguments import explain_type_errors
from kinetree.display import brief
from kinetree.errors import fail
from kinetree.model.robot import Robot
from kinetree.robots.icub.boards import families, is_coordinate
from kinetree.robots.packaged import includes, version_of
from kinetree.spatial.numbers import numbers
from kinetree.spatial.se3 import Array, frozen

Quantity = Literal["position", "velocity", "torque"]


class Coupling(NamedTuple):
    """Joints and the motors that move them together.

    joints, motors: names (n,); motor i is that of joint i on the control board. matrix (n, n): positions of the joints
    for positions of the motors behind their gearboxes, and likewise velocities; with its transpose torques of the
    motors for torques of the joints. printed (n, n): matrixM2J as the robots' files round it. gearbox (n,): the rotor's
    angle for the motor's, with its sign. versions: of the robot, such as "1.0 - 2.10".
    """

    name: str
    joints: tuple[str, ...]
    motors: tuple[str, ...]
    matrix: Array
    printed: Array
    gearbox: tuple[float, ...]
    versions: str

    def __repr__(self) -> str:
        return brief(self)


@explain_type_errors
def couplings(version: str = "2.0") -> tuple[Coupling, ...]:
    """Return the couplings of a version of the iCub, such as "2.5"; joints in none of them have a motor each.

    Wrist, hand and eyes are left out. Raises KinetreeError for an unknown version. Source: couplings.toml.

    Examples:
        >>> import kinetree as kt
        >>> neck = kt.icub.couplings("2.5")[-1]
        >>> neck.joints, neck.motors
        (('neck_pitch', 'neck_roll'), ('neck_motor_0', 'neck_motor_1'))
        >>> (neck.matrix @ [10, 10]).tolist()  # pitch and roll, if both motors turn by 10 degrees
        [0.0, 10.0]
    """
    number = version_of("icub", version)[1]
    return tuple(coupling for coupling in _table() if includes(coupling.versions, number))


@explain_type_errors
def to_motors(robot: Robot, values: Any, *, quantity: Quantity, version: str) -> Array:
    """Return positions, velocities or torques of the motors for those of the joints.

    values: positions (…, nq), or velocities or torques (…, nv), in the robot's order, SI. The result has their shape,
    with motor i of a coupling in the place of its joint i; joints without a coupling keep their values.
    quantity: "position", "velocity" or "torque".
    version: of the robot, as in `couplings`.

    Motors count behind their gearboxes, without friction. So power stays the same: the sum of torque times velocity
    over the motors is that over the joints. Raises KinetreeError for a robot of another family than the version, and
    for a robot that has only some joints of a coupling.

    Examples:
        >>> import kinetree as kt
        >>> icub = kt.load("icub")
        >>> motors = kt.icub.to_motors(icub, icub.q(neck_roll=0.2), quantity="position", version="2.5")
        >>> {name: round(x, 3) for name, x in zip(icub.joint_names, motors.tolist()) if "neck" in name}
        {'neck_pitch': 0.2, 'neck_roll': 0.2, 'neck_yaw': 0.0}
    """
    return _mapped(robot, values, quantity, version, to_joints=False)


@explain_type_errors
def from_motors(robot: Robot, values: Any, *, quantity: Quantity, version: str) -> Array:
    """Return positions, velocities or torques of the joints for those of the motors: the inverse of `to_motors`.

    The arguments are those of `to_motors`, with motor i of a coupling in the place of its joint i.

    Examples:
        >>> import kinetree as kt
        >>> icub = kt.load("icub")
        >>> motors = icub.q(neck_pitch=0.2, neck_roll=0.2)  # both motors of the neck, in the places of its joints
        >>> q = kt.icub.from_motors(icub, motors, quantity="position", version="2.5")
        >>> {name: round(x, 3) for name, x in zip(icub.joint_names, q.tolist()) if "neck" in name}
        {'neck_pitch': 0.0, 'neck_roll': 0.2, 'neck_yaw': 0.0}
    """
    return _mapped(robot, values, quantity, version, to_joints=True)


def _mapped(robot: Robot, values: Any, quantity: Quantity, version: str, *, to_joints: bool) -> Array:
    if quantity not in get_args(Quantity):
        raise fail("quantity", f"quantity is {quantity!r}; expected one of {', '.join(map(repr, get_args(Quantity)))}")
    names = robot.coordinate_names if quantity == "position" else robot.velocity_names
    mapped = np.array(numbers(values, "number", "values are", names))
    if mapped.ndim == 0 or mapped.shape[-1] != len(names):
        raise fail(
            "q-shape", f"values have shape {mapped.shape}; expected (…, {len(names)}), in order: {', '.join(names)}"
        )
    for coupling in _of_robot(robot, version):
        columns = [names.index(joint) for joint in coupling.joints]
        forward = coupling.matrix if quantity != "torque" else np.linalg.inv(coupling.matrix).T
        with np.errstate(invalid="ignore"):  # of numbers that are not finite
            mapped[..., columns] = mapped[..., columns] @ (forward if to_joints else np.linalg.inv(forward)).T
    return mapped


def _of_robot(robot: Robot, version: str) -> list[Coupling]:
    """Return the couplings of a version whose joints a robot has."""
    family = "icub3" if version_of("icub", version)[1] >= (3, 0) else "icub"
    if family not in (own := families(robot)):
        message = f"is of the family {' or '.join(own)}, and version {version} is of {family}"
        raise fail("family", message, element=f"robot {robot.name!r}")
    found = []
    for coupling in couplings(version):
        there = [joint for joint in coupling.joints if is_coordinate(robot, joint)]
        if there and len(there) < len(coupling.joints):
            missing = ", ".join(sorted(set(coupling.joints) - set(there)))
            message = f"has no coordinate for {missing}, which is coupled with {', '.join(there)}"
            raise fail("coupling", message, element=f"robot {robot.name!r}", fix="unlock it, or use the whole model")
        found += [coupling] if there else []
    return found


@cache
def _table() -> tuple[Coupling, ...]:
    data = tomllib.loads(files(__package__).joinpath("couplings.toml").read_text("utf-8"))
    return tuple(
        Coupling(
            row["name"],
            tuple(row["joints"]),
            tuple(f"{row['name']}_motor_{i}" for i in range(len(row["joints"]))),
            frozen([[float(Fraction(number)) for number in line] for line in row["matrix"]]),
            frozen(row["printed"]),
            tuple(map(float, row["gearbox"])),
            row["versions"],
        )
        for row in data["coupling"]
    )
