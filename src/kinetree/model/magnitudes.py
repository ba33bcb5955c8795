"""Numbers of a robot so large that products of them, as in a volume or a moment of inertia, overflow."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.errors import Finding, Source
from kinetree.model.names import kind_of
from kinetree.model.robot import Frame, Geometry, Inertial, Joint, Link, Sensor
from kinetree.spatial.se3 import IDENTITY

if TYPE_CHECKING:
    from kinetree.model.assemble import Parts

LARGEST = 1e30
"""The largest length, mass, moment of inertia, scale or ratio, in SI units. Limits of joints may be larger."""
LEGAL = f"expected numbers up to {LARGEST:g} in size, in SI units"

Quantity = tuple[str, Any]
"""What a number or numbers are, and their values."""


def too_large(parts: Parts) -> list[Finding]:
    """Return an error for every number whose size is above `LARGEST`, or that is not a number."""
    if _all_moderate(parts):
        return []
    quantities: list[tuple[Link | Joint | Frame | Sensor, Iterator[Quantity]]] = [
        *((link, _of_link(link)) for link in parts.links),
        *((joint, _of_joint(joint)) for joint in parts.joints),
        *((frame, _of_origin(frame)) for frame in parts.frames),
        *((sensor, _of_origin(sensor)) for sensor in parts.sensors),
    ]
    found = []
    for thing, numbers_of in quantities:
        for what, numbers in numbers_of:
            if not _is_moderate(numbers):
                message = f"{what} is too large; {LEGAL}"
                label = f"{kind_of(thing)} {thing.name!r}"
                found.append(Finding("too-large", "error", message, thing.source, label))
    return found


def leave_out_large(parts: Parts) -> list[Finding]:
    """Take shapes with too large numbers out of the parts, in place; return a warning for each."""
    found: dict[Source | None, Finding] = {}  # a shape may be seen and felt

    def kept(link: Link, shapes: Iterable[Geometry]) -> tuple[Geometry, ...]:
        moderate = []
        for shape in shapes:
            large = next((what for what, numbers in _of_geometry(shape) if not _is_moderate(numbers)), None)
            if large is None:
                moderate.append(shape)
            else:
                message = f"{large} is too large; {LEGAL}; it is left out"
                found[shape.source] = Finding("left-out", "warning", message, shape.source, f"link {link.name!r}")
        return tuple(moderate)

    parts.links = [
        replace(link, visuals=kept(link, link.visuals), collisions=kept(link, link.collisions)) for link in parts.links
    ]
    return [*found.values()]


def _all_moderate(parts: Parts) -> bool:
    """Return whether no number is too large, in a few passes over all numbers: most robots have none."""
    geometries = [g for link in parts.links for g in (*link.visuals, *link.collisions)]
    inertials = [link.inertial for link in parts.links if link.inertial]
    placed: tuple[Joint | Frame | Sensor | Geometry | Inertial, ...] = (
        *parts.joints,
        *parts.frames,
        *parts.sensors,
        *geometries,
        *inertials,
    )
    origins = [*(one.origin for one in placed), *(joint.child_origin for joint in parts.joints)]
    origins = [origin for origin in origins if origin is not IDENTITY]
    numbers = [inertial.mass for inertial in inertials]
    for joint in parts.joints:
        if joint.pitch:
            numbers.append(joint.pitch)
        if joint.mimic:
            numbers += (joint.mimic.multiplier, joint.mimic.offset, *joint.mimic.higher)
    for geometry in geometries:
        for value in geometry.shape.parameters.values():
            if isinstance(value, tuple):
                numbers += value
            elif not isinstance(value, str):
                numbers.append(value)
    arrays = [*origins, *(inertial.inertia for inertial in inertials)]
    flat = np.concatenate([array.ravel() for array in arrays]) if arrays else np.zeros(1)
    return _is_moderate(numbers) and bool(flat.min() >= -LARGEST and flat.max() <= LARGEST)  # false for NaN


def _is_moderate(numbers: Any) -> bool:
    flat = numbers.ravel().tolist() if isinstance(numbers, np.ndarray) else numbers
    return all(-LARGEST <= number <= LARGEST for number in flat)


def _of_origin(thing: Frame | Sensor | Geometry) -> Iterator[Quantity]:
    if thing.origin is not IDENTITY:
        yield "its origin", thing.origin


def _of_link(link: Link) -> Iterator[Quantity]:
    if link.inertial:
        yield "its mass", (link.inertial.mass,)
        yield "its inertia", link.inertial.inertia
        if link.inertial.origin is not IDENTITY:
            yield "the origin of its inertial", link.inertial.origin
    for geometry in (*link.visuals, *link.collisions):
        yield from _of_geometry(geometry)


def _of_geometry(geometry: Geometry) -> Iterator[Quantity]:
    kind = geometry.shape.kind
    if geometry.origin is not IDENTITY:
        yield f"the origin of a {kind}", geometry.origin
    for name, value in geometry.shape.parameters.items():
        if not isinstance(value, str):
            yield f"the {name} of a {kind}", value if isinstance(value, tuple) else (value,)


def _of_joint(joint: Joint) -> Iterator[Quantity]:
    for origin in (joint.origin, joint.child_origin):
        if origin is not IDENTITY:
            yield "its origin", origin
    if joint.pitch:
        yield "its pitch", (joint.pitch,)
    if joint.mimic:
        yield "the multiplier of its mimic", (joint.mimic.multiplier, *joint.mimic.higher)
        yield "the offset of its mimic", (joint.mimic.offset,)
