"""`kt.clearance` and `kt.collisions`: from a robot and options to covers, pairs and kernels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from kinetree.arguments import explain_type_errors
from kinetree.compiler.kernel import Kernel
from kinetree.contact.bounds import Covers
from kinetree.contact.capsules import with_capsules
from kinetree.contact.collisions import Collisions, solid_pairs
from kinetree.contact.covers import Cover, ball, cover
from kinetree.contact.exact import Exact
from kinetree.contact.pairs import LeftOut, Pair, chosen_pairs, moving_pairs, without_srdf
from kinetree.contact.solids import GeometryOf, Solid, links_named, solids_of
from kinetree.contact.table import Body, body_of
from kinetree.contact.ways import columns_between, corners, endless_columns, samples
from kinetree.display import counted
from kinetree.errors import fail
from kinetree.model.robot import Robot
from kinetree.progress import tracked
from kinetree.queries.query import memoise, one_of
from kinetree.spatial.se3 import Array

Covered = list[tuple[Solid, Cover]]
"""The shapes of a link with their covers."""
Covering = Callable[[Solid], Cover]
"""What makes the cover of a solid."""
NEAR = 0.02
"""How far neighbours are apart at most in the neutral configuration, m; others are tested."""


@explain_type_errors
def clearance(
    robot: Robot,
    pairs: Collection[Pair] | None = None,
    *,
    geometry: GeometryOf = "mesh",
    each: bool = False,
    touch: Collection[str] = (),
    without: Collection[str] = (),
) -> Kernel:
    """Return a kernel from q (…, nq) to a lower bound of the least distance of the links (…,), m.

    The bound is proved: it is the distance of spheres and boxes that contain the shapes, less what rounding can be. A
    clearance of 0 or less means that the links are not proved apart, not that they are in contact. each: return it for
    each pair (…, k). geometry, touch, without: as those of `kt.collisions`.

    Raises KinetreeError as `kt.collisions` does.

    Examples:
        >>> import kinetree as kt
        >>> ball = "<collision><geometry><sphere radius='0.1'/></geometry></collision>"
        >>> joint = (
        ...     "<joint name='{1}' type='continuous'><parent link='{0}'/><child link='{1}'/>"
        ...     "<origin xyz='0.3 0 0'/><axis xyz='0 0 1'/></joint>"
        ... )
        >>> links = "".join(f"<link name='{name}'>{ball}</link>" for name in "abc")
        >>> text = f"<robot name='arm'>{links}{joint.format('a', 'b')}{joint.format('b', 'c')}</robot>"
        >>> arm = kt.load(text, format="urdf")
        >>> clearance = kt.clearance(arm)
        >>> clearance([0.0, 0.0]).round(6)  # of a and c: 0.6 m less two radii
        np.float64(0.4)
    """
    one_of("each", each, (True, False))
    shapes = _shapes(robot, geometry, without)
    own, left_out = _pairs(robot, shapes, pairs, touch, ())
    check_some(robot, own, left_out)
    covers = Covers(robot, shapes.bodies, own)
    return covers.each() if each else covers.least()


@explain_type_errors
def collisions(
    robot: Robot,
    pairs: Collection[Pair] | None = None,
    *,
    geometry: GeometryOf = "mesh",
    margin: float = 0.0,
    touch: Collection[str] = (),
    moving: Sequence[str] = (),
    without: Collection[str] = (),
) -> Collisions:
    """Return what answers exactly which links of a robot are in contact, and how far apart they are.

    pairs: pairs of names of links; by default all that move against each other, but see `left_out` of the result.
    geometry: "mesh" takes the triangles of mesh files, closed ones as solids, open ones as surfaces; "hull" their
    convex hulls. margin: links count as in contact up to this distance, m; but those that are always so near, named in
    `notes`, only if they are in contact, unless `pairs` names them. touch: links that may touch each other, such
    as a held part and the fingers. moving: links whose poses in the root are a second input (…, m, 4, 4); links that
    are fixed to them do not follow. without: links that are left out where their shapes cannot be used; and those that
    `notes` of the result need not name.

    By default these pairs are left out: links that do not move against each other, neighbours (no other link with
    shapes between them, and one joint that moves, which is not floating or planar, or several that turn; those that
    slide, and those of which neither carries the other, only where they are less than 2 cm apart in the neutral
    configuration), and pairs that are in contact in all of 10,000 configurations and wherever the joints between them
    stand at their limits. Of the pairs that an SRDF disables, those for the reason User are left
    out too, and those for Default that are in contact in the neutral configuration; and those that an MJCF excludes.

    The first call puts each mesh into spheres and convex parts, which takes a second or so for 10,000 triangles, up to
    a minute for a humanoid. They are kept in the cache folder; `geometry="hull"` takes a fraction of that.

    Raises KinetreeError for a robot without collision shapes, for shapes that cannot be used, and for unknown links.

    Examples:
        >>> import kinetree as kt
        >>> ball = "<collision><geometry><sphere radius='0.1'/></geometry></collision>"
        >>> joint = (
        ...     "<joint name='{1}' type='continuous'><parent link='{0}'/><child link='{1}'/>"
        ...     "<origin xyz='0.3 0 0'/><axis xyz='0 0 1'/></joint>"
        ... )
        >>> links = "".join(f"<link name='{name}'>{ball}</link>" for name in "abc")
        >>> text = f"<robot name='arm'>{links}{joint.format('a', 'b')}{joint.format('b', 'c')}</robot>"
        >>> arm = kt.load(text, format="urdf")
        >>> contact = kt.collisions(arm)
        >>> contact.pairs
        (('a', 'c'),)
        >>> contact([[0.0, 0.0], [3.0, 0.0]])
        array([False,  True])
        >>> contact.distance([0.0, 0.0]).round(9)
        np.float64(0.4)
    """
    if isinstance(margin, bool) or not (np.isfinite(margin) and margin >= 0):
        raise fail("margin", f"margin is {margin!r}; expected a distance from 0, m")
    shapes = _shapes(robot, geometry, without)
    alone = tuple(dict.fromkeys(links_named(robot, "moving", moving)))
    own, left_out = _pairs(robot, shapes, pairs, touch, alone)
    check_some(robot, own, left_out)
    close: list[Pair] = []
    if margin and pairs is None:
        some = [pair for pair in own if not {*pair} & {*alone}]
        close = memoise(robot, (*shapes.key, tuple(some), margin), lambda: _always(robot, shapes, some, float(margin)))
    return _collisions(robot, shapes, own, alone, left_out, float(margin), close)


@dataclass(frozen=True, eq=False)
class _Shapes:
    """The shapes of the links of a robot. bodies, solids: the covers of links, and of their solids by number. notes:
    what a user should know of the shapes."""

    key: tuple[object, ...]
    covering: Covering
    links: Mapping[str, list[Solid]]
    bodies: Mapping[str, Body]
    solids: Mapping[str, Body]
    exact: Exact
    notes: tuple[str, ...]


def coarse(
    robot: Robot, pairs: Collection[Pair] | None = None, without: Collection[str] = (), every: bool = False
) -> Collisions:
    """Return what `collisions` does, ready at once and slower for each configuration: with a ball for each cover.
    Whether pairs are always in contact is asked of a tenth of the samples. There may be no pair that is tested.

    every: whether all pairs that move against each other are tested, whatever is known of them."""
    shapes = _shapes(robot, "mesh", without, ball)
    if every:
        pairs = [pair for some in moving_pairs(robot, list(shapes.bodies)) for pair in some]
    own, left_out = _pairs(robot, shapes, pairs, (), ())
    return _collisions(robot, shapes, own, (), left_out, 0.0)


def covered(
    robot: Robot, geometry: GeometryOf, without: frozenset[str] = frozenset(), covering: Covering = cover
) -> dict[str, Covered]:
    """Return the shapes of all links that have some, with their covers; without: as in `solids_of`.

    Raises KinetreeError for a robot without collision shapes, and for shapes that cannot be used.
    """
    links = {name: with_capsules(own) for name, own in solids_of(robot, geometry, without).items()}
    if not links:
        message = "no link has a collision shape"
        raise fail("contact-shape", message, element=f"robot {robot.name!r}", fix="give the links <collision> elements")
    every = tracked(links.items(), "covers", len(links))
    return {name: [(solid, covering(solid)) for solid in own] for name, own in every}


def _shapes(robot: Robot, geometry: GeometryOf, without: Collection[str], covering: Covering = cover) -> _Shapes:
    one_of("geometry", geometry, ("mesh", "hull"))
    left = frozenset(links_named(robot, "without", without))
    key = ("contact", geometry, left, covering)
    found: _Shapes = memoise(robot, key, lambda: _made(robot, geometry, left, covering, key))
    return found


def _made(
    robot: Robot, geometry: GeometryOf, without: frozenset[str], covering: Covering, key: tuple[object, ...]
) -> _Shapes:
    both = covered(robot, geometry, without, covering)
    links = {name: [solid for solid, _ in own] for name, own in both.items()}
    bodies = {name: body_of(name, links[name], [one for _, one in own]) for name, own in both.items()}
    every = [one for own in both.values() for _, one in own]
    exact = Exact(links, every)
    solids = {
        str(i): body_of(solid.link, [solid], [one])
        for i, (solid, one) in enumerate(zip(exact.solids, every, strict=True))
    }
    bare = [
        name
        for name, link in robot.links.items()
        if link.inertial and link.inertial.mass and name not in (*links, *without)
    ]
    notes = [f"link {name!r} has a mass and no collision shape" for name in bare]
    opened = dict.fromkeys(solid.link for solid in exact.solids if not solid.closed and solid.link not in without)
    notes += [f"a mesh of link {name!r} is open: it counts as a surface, without an inside" for name in opened]
    notes += [f"{note.element}: {note.message}" for note in robot.notes if note.code == "simple-shapes"]
    return _Shapes(key, covering, links, bodies, solids, exact, tuple(notes))


def _pairs(
    robot: Robot, shapes: _Shapes, pairs: Collection[Pair] | None, touch: Collection[str], moving: tuple[str, ...]
) -> tuple[list[Pair], list[LeftOut]]:
    left_out: list[LeftOut] = []
    may_touch = set(links_named(robot, "touch", touch))
    if pairs is None:
        own, left_out = memoise(robot, (*shapes.key, "pairs", moving), lambda: _tested(robot, shapes, moving))
    else:
        own = chosen_pairs(robot, pairs, shapes.links)
    left_out = [*left_out, *(LeftOut(*pair, "may touch") for pair in own if may_touch.issuperset(pair))]
    own = [pair for pair in own if not may_touch.issuperset(pair)]
    return own, left_out


MOST_NAMED = 5
"""Pairs that a note names at most."""


def check_some(robot: Robot, own: Sequence[Pair], left_out: Sequence[LeftOut]) -> None:
    """Raise KinetreeError if no pair is left."""
    if not own:
        why = ", ".join(f"{n} {reason}" for reason, n in Counter(one.reason for one in left_out).items())
        message = f"no two links are left to be tested{f'; pairs that are left out: {why}' if why else ''}"
        raise fail("contact-pairs", message, element=f"robot {robot.name!r}")


def _collisions(
    robot: Robot,
    shapes: _Shapes,
    pairs: Sequence[Pair],
    moving: tuple[str, ...],
    left_out: Sequence[LeftOut],
    margin: float,
    close: Collection[Pair] = (),
) -> Collisions:
    covers = Covers(robot, shapes.solids, solid_pairs(shapes.exact, pairs), moving)
    notes = []
    if close:
        named = "; ".join(f"{a!r} and {b!r}" for a, b in (*close,)[:MOST_NAMED]) + "; …" * (len(close) > MOST_NAMED)
        notes.append(f"{counted(len(close), 'pair')} always within {margin:g} m, of which only contact counts: {named}")
    planes = {solid.link for solid in shapes.exact.solids if solid.kind == "plane"}
    endless = "planes without ends of links {!r} and {!r} are not tested against each other"
    notes += [endless.format(*pair) for pair in pairs if planes.issuperset(pair)]
    margins = np.array([0.0 if pair in close else margin for pair in pairs])
    return Collisions(pairs, covers, shapes.exact, left_out, (*shapes.notes, *notes), margin, margins)


def _tested(robot: Robot, shapes: _Shapes, moving: tuple[str, ...]) -> tuple[list[Pair], list[LeftOut]]:
    pairs, neighbours, perhaps = moving_pairs(robot, list(shapes.bodies), moving)
    near = _touching(robot, shapes, perhaps, robot.q()[None], NEAR)
    place = {name: i for i, name in enumerate(shapes.bodies)}

    def ordered(some: Collection[Pair]) -> list[Pair]:
        return sorted(some, key=lambda pair: (place[pair[0]], place[pair[1]]))

    left_out = [LeftOut(*pair, "neighbours") for pair in ordered({*neighbours, *near})]
    pairs = ordered({*pairs, *perhaps} - {*near})
    neutral = _touching(robot, shapes, [pair for pair in pairs if not {*pair} & {*moving}], robot.q()[None])
    always = _always(robot, shapes, neutral)
    kept, more = without_srdf(robot, pairs, always, neutral)
    return kept, [*left_out, *more]


def _touching(robot: Robot, shapes: _Shapes, some: Sequence[Pair], q: Array, margin: float = 0.0) -> list[Pair]:
    """Return the pairs that are in contact in all of some configurations (n, nq)."""
    if not some:
        return []
    where = _collisions(robot, shapes, some, (), (), margin).where(q)
    return [some[i] for i in np.flatnonzero(where.all(axis=0)).tolist()]


def _always(robot: Robot, shapes: _Shapes, pairs: Sequence[Pair], margin: float = 0.0) -> list[Pair]:
    """Return the pairs in contact in all random configurations, and with the joints between them at their limits; none
    of which a joint without ends moves one away from the other."""
    endless = endless_columns(robot)
    always = [pair for pair in pairs if endless.isdisjoint(columns_between(robot, *pair))]
    q = samples(robot)[:: 10 if shapes.covering is ball else 1]  # few questions, as quick answers are asked for
    for part in (q[:20], q[20:400], q[400:]):
        always = _touching(robot, shapes, always, part, margin)
    if not always:
        return []
    contact = _collisions(robot, shapes, always, (), (), margin)
    return [pair for i, pair in enumerate(always) if (contact.apart(corners(robot, *pair), i, margin) <= margin).all()]
