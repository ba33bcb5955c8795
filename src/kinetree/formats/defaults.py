"""One table of what the readers of each format assume where a file is silent.

`losses/capabilities.py` is about what a format cannot express; this is about what a file leaves out. Readers take the
values from here, and writers write a value wherever the reader would assume another.

Sources: urdfdom 5 (`link.cpp`, `joint.cpp`, `model.cpp`); the SDF specification 1.12 (http://sdformat.org/spec) as
libsdformat 16 reads it; the XML reference of MuJoCo (https://mujoco.readthedocs.io/en/stable/XMLreference.html).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from typing import Literal


@dataclass(frozen=True, slots=True)
class Defaults:
    """What a format assumes, also where it requires a value and a file lacks it all the same.

    mass, inertia: of a link without them, kg, and kg m² about each axis.
    density: of a shape whose mass counts, kg/m³; 0 if shapes weigh nothing. by_shapes: whether a link without inertial
    weighs what its shapes do.
    lower, upper, effort, velocity: limits of a joint that has some, in SI units.
    damping: of a joint. axis: of a joint that has one, in its own frame, (3,).
    pose: of everything, xyz and rpy (6,). gravity: in the axes of the world, m/s², (3,); None if the format has none.
    version: of a file that does not name one. encoding: of a text that does not declare one.
    angle: the unit of angles; None if a file has to declare it.
    order: of the joints in the state vector of the programs of the format: as in the "file", "depth first" with the
    branches as in the file, or depth first by "names".
    required: the names of fields above without which the format's own readers refuse a file.
    """

    mass: float = 0.0
    inertia: float = 0.0
    density: float = 0.0
    by_shapes: bool = False
    lower: float = -inf
    upper: float = inf
    effort: float = inf
    velocity: float = inf
    damping: float = 0.0
    axis: tuple[float, float, float] = (0.0, 0.0, 1.0)
    pose: tuple[float, float, float, float, float, float] = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    gravity: tuple[float, float, float] | None = None
    version: str = ""
    encoding: str = "utf-8"
    angle: Literal["rad", "deg"] | None = "rad"
    order: Literal["file", "depth first", "names"] = "file"
    required: tuple[str, ...] = ()


DEFAULTS: Mapping[str, Defaults] = {
    "urdf": Defaults(
        lower=0.0, upper=0.0, axis=(1.0, 0.0, 0.0), version="1.0", order="names", required=("effort", "velocity")
    ),
    "sdf": Defaults(mass=1.0, inertia=1.0, density=1000.0, gravity=(0.0, 0.0, -9.8), required=("version",)),
    "mjcf": Defaults(density=1000.0, by_shapes=True, gravity=(0.0, 0.0, -9.81), angle="deg", order="depth first"),
    "dh": Defaults(angle=None, required=("angle",)),
    "ets": Defaults(),
    "usd": Defaults(density=1000.0, axis=(1.0, 0.0, 0.0), angle="deg"),
}
"""What each format assumes. urdfdom keeps joints in a map by name, and Pinocchio numbers them depth first in it."""
