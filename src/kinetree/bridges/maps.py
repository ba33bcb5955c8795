"""What the bridges to other libraries share: the bodies that they build of a robot, and `Maps` between the two."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from kinetree.compiler.port import Port, checked
from kinetree.errors import Finding, KinetreeError, fail
from kinetree.model.limits import resolve_mimic
from kinetree.model.names import Lookup
from kinetree.model.reshape import free_name
from kinetree.model.robot import UNLIMITED, Joint, Limit, Robot
from kinetree.model.tree import Passive, Tree
from kinetree.queries.query import coordinates, frames_of, tree, velocities
from kinetree.spatial import se3
from kinetree.spatial.plucker import about_com
from kinetree.spatial.se3 import Array


class Chart(NamedTuple):
    """Coordinates of a joint in a library, for q (…, n) of the joint here.

    to: function from q to the numbers there; back: the reverse. rates: function from q to the orthogonal E (…, nv, nv)
    with v_there = E v, or None for the identity.
    """

    to: Callable[[Array], Array]
    back: Callable[[Array], Array]
    rates: Callable[[Array], Array] | None = None


class Body(NamedTuple):
    """A body and the joint that moves it, of a type that libraries know; a joint of several axes in a row, such as a
    planar one, is several bodies, all but the last without inertia.

    name: of the joint; joint: the one here. parent: index of the body that carries it, -1 for the base. T: pose (4, 4)
    of the joint in the frame of that body. kind, axis (3,), pitch in m/rad: how it moves. q, v: its numbers in those of
    the robot, which for a follower are those of its leader, times `multiplier`, plus `offset`. leader: the joint with
    numbers of its own that it follows, or None. limit, passive: of its coordinates. inertia: mass, centre of mass (3,)
    and inertia (3, 3) about it, or None.
    """

    name: str
    joint: Joint
    parent: int
    T: Array
    kind: str
    axis: Array
    pitch: float
    q: slice
    v: slice
    multiplier: float
    offset: float
    leader: str | None
    limit: Limit
    passive: Passive
    inertia: tuple[float, Array, Array] | None


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
        return f"Maps(nq {nq} ↔ {self.nq}, nv {nv} ↔ {self.nv}, {len(self.frames)} frames)"

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


def bodies_of(
    robot: Robot, library: str, kinds: Collection[str], springs: bool = False, loops: Collection[str] = ()
) -> tuple[list[Body], dict[str, tuple[int, Array]]]:
    """Return the bodies of a robot, depth first, and for each frame its body and pose in it, as in `Tree`.

    kinds: types of joints that the library has. springs: whether it has springs of joints. loops: types of joints that
    may close loops. Raises KinetreeError for everything of the robot that the library does not have.
    """
    frames_of(robot, [])
    model, bodies = tree(robot), list[Body]()
    last = {-1: -1}
    lost = [
        refused(library, loop, f"is a {loop.type} joint that closes a loop", "load the robot with without=['loop']")
        for loop in robot.loops.values()
        if loop.type not in loops
    ]
    for i in _depth_first(model.parent):
        bodies += _row(robot, model, i, last[model.parent[i]], len(bodies))
        last[i] = len(bodies) - 1
    for body in bodies:
        if body.kind not in kinds:
            lost.append(refused(library, body.joint, f"is a {body.kind} joint", f"legal are {', '.join(kinds)}"))
        if body.passive.stiffness.any() and not springs:
            lost.append(refused(library, body.joint, "has a spring", "load the robot with without=['dynamics']"))
    if lost:
        raise KinetreeError(lost)
    return bodies, {name: (last[i], T) for name, (i, T) in model.frames.items()}


def _row(robot: Robot, model: Tree, i: int, carrier: int, first: int) -> Iterator[Body]:
    """Yield the bodies of joint i of a tree, the first of index `first`, on the body `carrier`."""
    name, kind, joint = model.joints[i], model.joint_type[i], robot.joints[model.joints[i]]
    singles = kind.singles(model.axes[i]) if kind.singles else [(kind.name, *model.axes[i][:1])]
    for k, (single, *axis) in enumerate(singles):
        at = slice(k, k + 1) if kind.singles else slice(0, None)
        yield Body(
            f"{name}.{kind.coordinates[k]}" if kind.singles else name,
            joint,
            first + k - 1 if k else carrier,
            se3.IDENTITY if k else model.T_tree[i],
            single,
            axis[0] if axis else np.zeros(3),
            model.pitch[i],
            _part(model.q_slice[i], at),
            _part(model.v_slice[i], at),
            model.multiplier[i],
            model.offset[i],
            resolve_mimic(robot, name)[0] if joint.mimic else None,
            joint.limits[k] if joint.limits else UNLIMITED,
            Passive._make([numbers[at] for numbers in model.passive[i]]),
            about_com(model.inertia[i]) if k == len(singles) - 1 else None,
        )


def _depth_first(parent: Sequence[int]) -> list[int]:
    paths: dict[int, tuple[int, ...]] = {-1: ()}
    for i, carrier in enumerate(parent):
        paths[i] = (*paths[carrier], i)
    return sorted(range(len(parent)), key=paths.__getitem__)


def link_names(bodies: Sequence[Body], frames: Mapping[str, tuple[int, Array]], reserved: str = "") -> list[str]:
    """Return a name for each body: that of the link that its joint moves, if the frames of both are one and the library
    has not reserved it, else a free one."""
    taken, names = {*frames}, []
    for i, body in enumerate(bodies):
        at, T = frames[body.joint.child]
        own = at == i and np.array_equal(T, se3.IDENTITY) and body.joint.child != reserved
        names.append(body.joint.child if own else free_name(f"{body.name}_body", taken))
    return names


def along_coordinate(axis: Array) -> tuple[Array, Array]:
    """Return a pose T (4, 4) that turns, and the axis (3,) in its axes, where it is x, y or z, or zero as before."""
    if np.count_nonzero(axis) == (axis > 0).sum() < 2:
        return se3.IDENTITY, axis
    return se3.homogeneous(se3.rotation_between(_Z, axis), (0.0, 0.0, 0.0)), _Z


def along_coordinates(
    bodies: Sequence[Body], frames: Mapping[str, tuple[int, Array]], kinds: Collection[str]
) -> tuple[list[Body], dict[str, tuple[int, Array]]]:
    """Return the bodies and frames with those bodies turned whose joints are of some kinds, so that each axis is x, y
    or z."""
    turned: list[Body] = []
    turns = {-1: se3.IDENTITY}  # from the new frame of a body to the old one
    for i, body in enumerate(bodies):
        turns[i], axis = along_coordinate(body.axis) if body.kind in kinds else (se3.IDENTITY, body.axis)
        body = body._replace(T=turns[body.parent].T @ body.T @ turns[i], axis=axis)  # a turn is orthogonal
        if body.inertia:
            mass, com, I = body.inertia
            R = turns[i][:3, :3]
            body = body._replace(inertia=(mass, R.T @ com, R.T @ I @ R))
        turned.append(body)
    return turned, {name: (i, turns[i].T @ T) for name, (i, T) in frames.items()}


def refused(library: str, joint: Joint, why: str, fix: str | None = None) -> Finding:
    """Return the finding for a joint that a library does not take."""
    message = f"it {why}, which {library} does not take"
    return Finding("bridge", "error", message, joint.source, f"joint {joint.name!r}", fix)


def library(module: str, extra: str) -> Any:
    """Return an imported module. Raises KinetreeError that names the extra if it is not installed."""
    try:
        return import_module(module)
    except ImportError:
        message = f"this bridge needs {module.partition('.')[0]}, which is not installed"
        raise fail("bridge", message, fix=f"pip install 'kinetree[{extra}]'") from None


@contextmanager
def refusals(library: str) -> Iterator[None]:
    """Raise what a library raises of a model as KinetreeError."""
    try:
        yield
    except (ValueError, RuntimeError, TypeError) as error:
        if isinstance(error, KinetreeError):
            raise
        raise fail("bridge", f"{library} does not take this robot: {' '.join(str(error).split())}") from error


def unit(quat: Array) -> Array:
    """Return quaternions (…, 4) with length 1; NaN for one that is zero."""
    with np.errstate(all="ignore"):
        scaled = quat / np.abs(quat).max(axis=-1, keepdims=True)
        return np.asarray(scaled / np.linalg.norm(scaled, axis=-1, keepdims=True))


def rotations(quat_xyzw: Array) -> Array:
    """Return R (…, 3, 3) of quaternions (…, 4)."""
    return np.moveaxis(se3.rotation_from_quaternion(np.moveaxis(quat_xyzw, -1, 0)), (0, 1), (-2, -1))


def _part(whole: slice, part: slice) -> slice:
    stop = whole.stop if part.stop is None else whole.start + part.stop
    return slice(whole.start + part.start, stop)


def _arrays(*given: tuple[Port, Any]) -> list[Any]:
    """Return arrays of these ports, whose batches must go together; None stays None, but as the first."""
    known = [each for each in given if each is given[0] or each[1] is not None]
    arrays, _ = checked("maps", [port for port, _ in known], [value for _, value in known], {}, float)
    return [*arrays, *[None] * (len(given) - len(known))]


_Z = se3.frozen((0.0, 0.0, 1.0))
SAME = Chart(lambda q: q, lambda q: q)
UNIT = Chart(unit, unit)
FIRST_W = (3, 0, 1, 2)
"""Entries of a quaternion xyzw in the order wxyz."""
LAST_W = (1, 2, 3, 0)
"""Entries of a quaternion wxyz in the order xyzw."""
