"""Actuators: what drives the joints of a robot in a simulator or by a controller."""

from dataclasses import dataclass, field
from typing import Literal, get_args

from kinetree.display import Brief
from kinetree.errors import Source

Kind = Literal["position", "velocity", "motor"]
"""What the control of an actuator is: a target position, a target velocity, or a force."""
KINDS: tuple[Kind, ...] = get_args(Kind)
Range = tuple[float, float]


@dataclass(frozen=True, slots=True, repr=False)
class Actuator(Brief):
    """A drive of a joint of one coordinate, in the units of the drive: its position is gear * q, that of the motor if
    gear is the reduction of a gearbox, and a force f of the drive acts on the joint as gear * f.

    kind: "position": f = kp * (control - gear * q) - kv * gear * qd; "velocity": f = kv * (control - gear * qd);
    "motor": f = control. So the equations of MuJoCo's elements of these names.
    control, force: lowest and highest control, and f; (-inf, inf) without limits, None if no file says any.
    kp, kv: gains, N m/rad or N/m, and N m s/rad or N s/m, or None if no file says any.
    `kt.save` writes None to MJCF as the limits of the joint and gains for its inertia; see the page on MJCF.
    """

    name: str
    joint: str
    kind: Kind
    gear: float = 1.0
    control: Range | None = None
    force: Range | None = None
    kp: float | None = None
    kv: float | None = None
    source: Source | None = field(default=None, compare=False)
