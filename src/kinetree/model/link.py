"""Links of a robot: their masses, and the shapes that are seen or felt. All frozen; SI units."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from kinetree.display import Brief
from kinetree.errors import Source
from kinetree.model.text import Extension
from kinetree.spatial.se3 import IDENTITY, Array


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Inertial(Brief):
    """mass in kg; origin T_link_com (4, 4); inertia (3, 3) in kg m² about the centre of mass in the axes of origin."""

    mass: float
    inertia: Array
    origin: Array = field(default_factory=lambda: IDENTITY)


@dataclass(frozen=True, slots=True)
class Material:
    """The look of a shape; rgba in [0, 1], texture a file as written."""

    name: str
    rgba: tuple[float, float, float, float] | None = None
    texture: str | None = None
    source: Source | None = None


@dataclass(frozen=True, slots=True)
class Shape:
    """A shape to draw or collide: `kind` is "box", "sphere", "cylinder", "capsule", "ellipsoid", "plane", "mesh" or a
    format's own word; `parameters` are its sizes in metres or its file, for example {"filename": …, "scale": (…)}.

    box: size (3 full lengths); sphere: radius; cylinder and capsule: radius, length (along z, caps not counted);
    ellipsoid: radii (3); plane: normal (3), size (2); mesh: filename as written, scale (3), and in SDF the name of its
    part, submesh, with center "true" if the middle of that part's bounds is its origin.
    """

    kind: str
    parameters: Mapping[str, float | str | tuple[float, ...]]


@dataclass(frozen=True, slots=True)
class Surface:
    """Contact of a shape: coefficients of friction mu and, across the first direction, mu2; restitution, from 0 to 1;
    stiffness in N/m and damping in N s/m. None: the file gives none, so the simulator has its default."""

    mu: float | None = None
    mu2: float | None = None
    restitution: float | None = None
    stiffness: float | None = None
    damping: float | None = None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Geometry(Brief):
    """A shape on a link, seen or felt. origin is T_link_shape (4, 4). A material without rgba and texture is a
    reference to the robot's material of that name. surface: of a shape that is felt."""

    shape: Shape
    origin: Array = field(default_factory=lambda: IDENTITY)
    name: str | None = None
    material: Material | None = None
    extensions: tuple[Extension, ...] = ()
    source: Source | None = None
    surface: Surface | None = None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Link(Brief):
    """A rigid body and its frame; without inertial it has no mass, or an unknown one if `unweighed` says why."""

    name: str
    inertial: Inertial | None = None
    visuals: tuple[Geometry, ...] = ()
    collisions: tuple[Geometry, ...] = ()
    extensions: tuple[Extension, ...] = ()
    source: Source | None = None
    unweighed: str = ""


def with_shapes(link: Link, change: Callable[[Geometry], Geometry]) -> Link:
    """Return a link with other shapes, seen and felt."""
    return replace(link, visuals=tuple(map(change, link.visuals)), collisions=tuple(map(change, link.collisions)))
