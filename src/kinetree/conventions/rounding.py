"""How far an inertia may be off because its entries are written with so many digits."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from decimal import Decimal, InvalidOperation

import numpy as np

from kinetree.conventions.subject import document, sdf_document
from kinetree.model.robot import Link, Robot
from kinetree.spatial.se3 import Array

ENTRIES = (("ixx", "ixy", "ixz"), ("ixy", "iyy", "iyz"), ("ixz", "iyz", "izz"))
EXACT_ZERO = 0.1
"""One in the last place of 0.0, which is how programs write exactly nothing, as they write 0."""


def _written(robot: Robot, link: Link) -> Mapping[str, str]:
    """The texts of the entries of a link's inertia by name, of a URDF or SDF file; of others, and of what is not
    written, none."""
    if root := document(robot):
        links = [element for element in root.find_all("link") if element.get("name") == link.name]
    else:
        root = sdf_document(robot)
        links = [element for element in root.walk() if element.tag == "link"] if root else []
        links = [element for element in links if element.source == link.source]
    inertial = links[0].find("inertial") if links else None
    inertia = inertial.find("inertia") if inertial else None
    return {**inertia.attributes, **{child.tag: child.text for child in inertia.children}} if inertia else {}


def about(link: Link, k: int) -> Array:
    """v vᵀ (3, 3) of the k-th principal axis: how the k-th principal moment changes with the tensor."""
    assert link.inertial
    v = np.linalg.eigh(link.inertial.inertia)[1][:, k]
    return np.outer(v, v)


def off_by_rounding(slope: Array, robot: Robot, link: Link) -> float:
    """By how much a measure of an inertia that changes so with its entries (3, 3) may be off by rounding."""
    return float((np.abs(slope) * _roundings(robot, link)).sum()) * (1 + 1e-9)


def _roundings(robot: Robot, link: Link) -> Array:
    """By how much the entries (3, 3) of an inertia may be off: half of one in the last place that is written of any.

    Trailing zeros count, as far as the text is known. 0 and 0.0 are exact: so programs write what is nothing.
    """
    assert link.inertial
    tensor, texts = link.inertial.inertia, _written(robot, link)
    places = np.array(
        [[_last_place(tensor.item(i, j), texts.get(ENTRIES[i][j], "")) for j in range(3)] for i in range(3)]
    )
    finest = places[tensor != 0].min(initial=np.inf)
    return np.where(tensor != 0, finest, np.where(places < EXACT_ZERO, places, 0.0)) / 2


def _last_place(value: float, text: str) -> float:
    """One in the last place of a number that is written so, or as short as may be."""
    found = []
    for form in (text.strip(), repr(value)):
        with suppress(InvalidOperation):
            exponent = Decimal(form).as_tuple().exponent
            found += [10.0 ** min(exponent, 300)] if isinstance(exponent, int) else []
    return min(found, default=0.0)
