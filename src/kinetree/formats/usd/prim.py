"""Prims of a composed stage: what a robot needs of them, from the text reader or from usd-core."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kinetree.errors import Finding, Severity, Source

Raw = tuple[str, str, tuple[str, ...], dict[str, Any], dict[str, tuple[str, ...]], str, int | None]
"""Path, type, applied schemas, values by name, targets by name, display name and line of a prim."""

KEPT = re.compile(
    r"(physics|newton|drive|limit|urdf|kinetree|xformOp|physxJoint|physxMimicJoint|inputs)\b.*|primvars:display\w+"
    r"|xformOpOrder|size|radius|height|length|width|axis|points|faceVertex(Counts|Indices)|orientation|purpose|visibility"
)
"""Names of the attributes that are read."""
BINDINGS = ("material:binding", "material:binding:physics")
GPRIMS = ("Cube", "Sphere", "Cylinder", "Capsule", "Cone", "Plane", "Mesh")
"""Types of prims that are shapes."""
UNREAD = ("Capsule_1", "Cylinder_1", "TetMesh", "BasisCurves", "NurbsCurves", "NurbsPatch", "Points", "PointInstancer")
"""Types of prims with shapes that are not read."""
MAX_PRIMS = 100_000
MAX_NUMBERS = 10_000_000
"""Most numbers of a stage that are read."""
MAX_CORNERS = 3_000_000
"""Most corners of the faces of all meshes of a stage."""
MAX_FINDINGS = 1000


@dataclass(slots=True, eq=False)
class Prim:
    """A prim: values are numbers, texts, tuples of texts, and flat arrays of all other tuples and arrays of numbers."""

    path: str
    type: str
    schemas: tuple[str, ...]
    values: Mapping[str, Any]
    targets: Mapping[str, tuple[str, ...]]
    title: str
    line: int | None
    parent: "Prim | None" = None
    children: "list[Prim]" = field(default_factory=list)

    def number(self, name: str, default: float) -> float:
        """Return a number, or the default if there is none."""
        value = self.values.get(name)
        return float(value) if isinstance(value, int | float) else default

    def numbers(self, name: str, count: int) -> Any:
        """Return an array of so many numbers (count,), or None if there is none."""
        value = self.values.get(name)
        return value if isinstance(value, np.ndarray) and value.shape == (count,) else None

    def word(self, name: str, default: str) -> str:
        """Return a text, or the default if there is none."""
        value = self.values.get(name)
        return value if isinstance(value, str) else default

    def flag(self, name: str, default: bool) -> bool:
        """Return a truth value, or the default if there is none."""
        return bool(self.number(name, default))

    def has(self, *schemas: str) -> bool:
        """Return whether one of the schemas is applied."""
        return not set(schemas).isdisjoint(self.schemas)

    def above(self) -> "Iterator[Prim]":
        """Yield the prim and all above it, from below."""
        prim: Prim | None = self
        while prim is not None:
            yield prim
            prim = prim.parent

    def walk(self) -> "Iterator[Prim]":
        """Yield the prim and all below it, in the order of the file."""
        waiting = [self]
        while waiting:
            prim = waiting.pop()
            yield prim
            waiting += reversed(prim.children)


@dataclass(slots=True, eq=False)
class Stage:
    """A composed stage. settings: metadata of its root layer. corners: of the faces of its meshes that were read."""

    file: str
    settings: Mapping[str, Any]
    prims: Mapping[str, Prim]
    findings: list[Finding] = field(default_factory=list)
    corners: int = 0

    @property
    def metres(self) -> float:
        """Metres per unit of length: by default 0.01, as USD says."""
        return float(self.settings.get("metersPerUnit", 0.01))

    @property
    def kilograms(self) -> float:
        """Kilograms per unit of mass."""
        return float(self.settings.get("kilogramsPerUnit", 1.0))

    def source(self, prim: Prim | None = None) -> Source:
        """Return the place of a prim: usd-core does not tell the line."""
        return Source(self.file, prim.line if prim else None)

    def note(
        self, severity: Severity, code: str, message: str, prim: Prim | None = None, fix: str | None = None
    ) -> None:
        """Note a finding about a prim, which is named by its path."""
        if len(self.findings) < MAX_FINDINGS:
            element = f"prim {prim.path}" if prim else None
            self.findings.append(Finding(code, severity, message, self.source(prim), element, fix))


def stage_of(file: str, settings: Mapping[str, Any], raw: list[Raw]) -> Stage:
    """Return the stage of prims in the order of the file. Raises TypeError or ValueError if an answer is no stage."""
    prims: dict[str, Prim] = {}
    for path, type, schemas, values, targets, title, line in raw:
        if not all(isinstance(text, str) for text in (path, type, title, *schemas, *values, *targets)):
            raise TypeError
        known = {name: _value(value) for name, value in values.items()}
        prim = Prim(path, type, tuple(schemas), known, targets, title, line, prims.get(path.rpartition("/")[0]))
        prims[path] = prim
        if prim.parent is not None:
            prim.parent.children.append(prim)
    return Stage(file, settings, prims)


def _value(value: Any) -> Any:
    if isinstance(value, bytes):  # how a child process sends an array
        return np.frombuffer(value)
    if not isinstance(value, bool | int | float | str | tuple | np.ndarray):
        raise TypeError
    return value
