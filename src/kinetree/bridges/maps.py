"""Maps of coordinates and frames between a robot and its model in another library."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from kinetree.bridges.bodies import Body
from kinetree.compiler.port import Port, checked
from kinetree.display import counted
from kinetree.errors import fail
from kinetree.model.names import Lookup
from kinetree.model.robot import Robot
from kinetree.queries.query import coordinates, velocities
from kinetree.spatial import exponential, se3
from kinetree.spatial.se3 import Array


class Chart(NamedTuple):
    """Coordinates of a joint in a library, for q (…, n) of the joint here.

    to: function from q to the numbers there; back: the reverse. rates: function from q to the orthogonal E (…, nv, nv)
    with v_there = E v, or None for the identity.
    """

    to: Callable[[Array], Array]
    back: Callable[[Array], Array]
    rates: Callable[[Array], Array] | None = None


class Place(NamedTuple):
    """Where a library has the coordinates of a body's joint: chart, and its numbers in q and v there."""

    body: Body
    chart: Chart
    q: slice
    v: slice


class Same(NamedTuple):
    """Coordinates that a library has as they are: there[at] = multiplier * q[here] + offset; own: not of a follower."""

    at: Array
    here: Array
    multiplier: Array
    offset: Array
    own: Array


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Maps:
    """Maps of coordinates and frames between a robot and its model in another library.

    frames: the library's name, number or object of each frame of the robot, by its name. nq, nv: how many coordinates
    and velocities the model has. q, v and their batches are those of kernels: (…, nq), m, rad and seconds.

    Examples:
        >>> import kinetree as kt
        >>> from kinetree.bridges import mujoco
        >>> text = '<mujoco><worldbody><body><joint type="ball"/><geom size="1"/></body></worldbody></mujoco>'
        >>> model, maps = mujoco.export(kt.load(text, format="mjcf"))
        >>> maps.q([0, 0, 0.6, 0.8])  # quaternions are x y z w here, w x y z in MuJoCo
        array([0.8, 0. , 0. , 0.6])
    """

    frames: Mapping[str, Any]
    nq: int
    nv: int
    _places: tuple[Place, ...]
    _same: Same
    _ports: tuple[Port, Port]
    _G_still: tuple[Array, Array]

    def __repr__(self) -> str:
        (nq,), (nv,) = (port.shape for port in self._ports)
        return f"Maps(nq {nq} ↔ {self.nq}, nv {nv} ↔ {self.nv}, {counted(len(self.frames), 'frame')})"

    def q(self, q: Any) -> Array:
        """Return the coordinates (…, nq there) of the model for q (…, nq) of the robot, followers computed."""
        (q,), same = _arrays((self._ports[0], q)), self._same
        there = np.zeros((*q.shape[:-1], self.nq))
        there[..., same.at] = same.multiplier * q[..., same.here] + same.offset
        for body, chart, at, _ in self._places:
            there[..., at] = chart.to(body.multiplier * q[..., body.q] + body.offset)
        return there

    def q_back(self, q: Any) -> Array:
        """Return q (…, nq) of the robot for coordinates (…, nq there) of the model. Those of followers are ignored; an
        angle that the model has as its cosine and sine is in [-pi, pi]."""
        (q,), same = _arrays((Port("q", (self.nq,)), q)), self._same
        here = np.zeros((*q.shape[:-1], *self._ports[0].shape))
        here[..., same.here[same.own]] = q[..., same.at[same.own]]
        for body, chart, at, _ in self._places:
            if body.leader is None:
                here[..., body.q] = chart.back(q[..., at])
        return here

    def G(self, q: Any = None) -> Array:
        """Return G (…, nv there, nv) with v_there = G v and tau = Gᵀ tau_there.

        q (…, nq): needed if a velocity has other axes there than here, as that of a floating joint may. Raises
        KinetreeError if it is missing then.
        """
        return self._G(self._G_still[0], q)

    def v(self, v: Any, q: Any = None) -> Array:
        """Return the velocities (…, nv there) of the model for v (…, nv) of the robot, followers computed. q: as for
        `G`."""
        v, q = _arrays((self._ports[1], v), (self._ports[0], q))
        return np.asarray((self.G(q) @ v[..., None])[..., 0])

    def v_back(self, v: Any, q: Any = None) -> Array:
        """Return v (…, nv) of the robot for velocities (…, nv there) of the model, those of followers ignored. q
        (…, nq): of the robot, as for `G`."""
        v, q = _arrays((Port("v", (self.nv,)), v), (self._ports[0], q))
        G = self._G(self._G_still[1], q)  # orthogonal columns of length 1
        return np.asarray((np.swapaxes(G, -1, -2) @ v[..., None])[..., 0])

    def _G(self, still: Array, q: Any) -> Array:
        q = None if q is None else _arrays((self._ports[0], q))[0]
        G = np.tile(still, (*(() if q is None else q.shape[:-1]), 1, 1))
        for body, chart, _, at in self._places:
            if chart.rates is not None:
                if q is None:
                    message = f"velocities of joint {body.name!r} have other axes there, which turn with it"
                    raise fail("missing-q", message, fix="pass q, too")
                G[..., at, body.v] = chart.rates(q[..., body.q])
        return G


def maps_of(robot: Robot, places: Sequence[Place], frames: Mapping[str, Any]) -> Maps:
    """Return the maps of a robot whose joints a library has in these places, and its frames under these names."""
    nq, nv = (max((getattr(place, at).stop for place in places), default=0) for at in ("q", "v"))
    ports = coordinates(robot), replace(velocities(robot), name="v")
    G = np.zeros((2, nv, robot.nv))  # with and without followers
    for body, chart, _, v in places:
        if chart.rates is None:
            G[: 1 if body.leader else 2, v, body.v] = body.multiplier * np.eye(v.stop - v.start)
    rows = [
        (at.start, body.q.start, body.multiplier, body.offset, body.leader is None)
        for body, chart, at, _ in places
        if chart is SAME
    ]
    table = np.array(rows).reshape(len(rows), 5).T
    same = Same(table[0].astype(int), table[1].astype(int), table[2], table[3], table[4].astype(bool))
    others = tuple(place for place in places if place.chart is not SAME)
    return Maps(Lookup("frame", frames), nq, nv, others, same, ports, (G[0], G[1]))


def unit(quat: Array) -> Array:
    """Return quaternions (…, 4) with length 1; NaN for one that is zero."""
    with np.errstate(all="ignore"):
        scaled = quat / np.abs(quat).max(axis=-1, keepdims=True)
        return np.asarray(scaled / np.linalg.norm(scaled, axis=-1, keepdims=True))


def _arrays(*given: tuple[Port, Any]) -> list[Any]:
    """Return arrays of these ports, whose batches must go together; None stays None, but as the first."""
    known = [each for each in given if each is given[0] or each[1] is not None]
    arrays, _ = checked("maps", [port for port, _ in known], [value for _, value in known], {}, float)
    return [*arrays, *[None] * (len(given) - len(known))]


SAME = Chart(lambda q: q, lambda q: q)
UNIT = Chart(unit, unit)
FIRST_W = (3, 0, 1, 2)
"""Entries of a quaternion xyzw in the order wxyz."""
LAST_W = (1, 2, 3, 0)
"""Entries of a quaternion wxyz in the order xyzw."""
CIRCLE = Chart(
    lambda q: np.concatenate([np.cos(q), np.sin(q)], axis=-1), lambda there: np.arctan2(there[..., 1:], there[..., :1])
)
"""An angle as its cosine and sine."""


def _unit_pose(q: Any) -> Any:
    return np.concatenate([q[..., :3], unit(q[..., 3:])], axis=-1)


_PINOCCHIO = {"continuous": CIRCLE, "ball": UNIT, "floating": Chart(_unit_pose, _unit_pose)}


def same_chart(_: Body) -> Chart:
    """Return the coordinates that the joint of a body has here."""
    return SAME


def pinocchio_chart(body: Body) -> Chart:
    """Return the coordinates that the joint of a body has in Pinocchio."""
    return _PINOCCHIO.get(body.kind, SAME)


def mujoco_chart(body: Body) -> Chart:
    """Return the coordinates that the joint of a body has in MuJoCo; those of a floating one are in the world."""
    if body.kind == "ball":
        return Chart(lambda q: unit(q)[..., FIRST_W], lambda there: unit(there[..., LAST_W]))
    if body.kind == "floating":
        return Chart(partial(_free, body.T), partial(_free_back, body.T), partial(_free_rates, body.T))
    return SAME


def _free(T: Array, q: Array) -> Array:
    """Return the coordinates of a free joint in the world, wxyz last, of a floating joint at T in the root's frame."""
    turned = exponential.product(se3.quaternion_from_rotation(T[:3, :3]), np.moveaxis(unit(q[..., 3:]), -1, 0))
    p = q[..., :3] @ T[:3, :3].T + T[:3, 3]
    return np.concatenate([p, np.moveaxis(turned, 0, -1)[..., FIRST_W]], axis=-1)


def _free_back(T: Array, there: Array) -> Array:
    T_back = se3.inverse(T)
    same = np.concatenate([there[..., :3], there[..., 3:][..., LAST_W]], axis=-1)
    q = _free(T_back, same)
    return np.concatenate([q[..., :3], q[..., 3:][..., LAST_W]], axis=-1)


def _free_rates(T: Array, q: Array) -> Array:
    """Return E for linear velocities in the axes of the world, angular ones in those of the body, as here."""
    E = np.zeros((*q.shape[:-1], 6, 6))
    E[..., :3, :3] = T[:3, :3] @ se3.rotations_from_quaternions(q[..., 3:])
    E[..., 3:, 3:] = np.eye(3)
    return E
