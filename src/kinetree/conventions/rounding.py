"""How far an inertia may be off because its entries are written with so many digits."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from decimal import Decimal, InvalidOperation
from functools import cached_property

import numpy as np

from kinetree.conventions.facts import document, fact, sdf_document
from kinetree.errors import Source
from kinetree.formats.xml import Element
from kinetree.model.robot import Link, Robot
from kinetree.spatial.se3 import Array

ENTRIES = (("ixx", "ixy", "ixz"), ("ixy", "iyy", "iyz"), ("ixz", "iyz", "izz"))
EXACT_ZERO = 0.1
"""One in the last place of 0.0, which is how programs write exactly nothing, as they write 0."""


class InertiaTexts:
    """The entries of inertias as URDF and SDF files have them; they are looked up where one is wanted, for as a rule
    none is."""

    def __init__(self, robot: Robot) -> None:
        self._robot = robot

    def of(self, link: Link) -> Mapping[str, str]:
        """The texts of the entries of a link's inertia by name; of other formats, and of what is not written, none."""
        return self._by_link.get(link.name, {})

    @cached_property
    def _by_link(self) -> Mapping[str, Mapping[str, str]]:
        if root := document(self._robot):
            return {element.attributes["name"]: _entries(element) for element in root.find_all("link")}
        if root := sdf_document(self._robot):
            elements = (element for element in root.walk() if element.tag == "link")
            texts: dict[Source | None, Mapping[str, str]] = {one.source: _entries(one) for one in elements}
            return {name: texts.get(link.source, {}) for name, link in self._robot.links.items()}
        return {}


@fact
def inertia_texts(robot: Robot) -> InertiaTexts:
    """What the file writes of inertias."""
    return InertiaTexts(robot)


def _entries(link: Element) -> Mapping[str, str]:
    inertial = link.find("inertial")
    inertia = inertial.find("inertia") if inertial else None
    return {**inertia.attributes, **{child.tag: child.text for child in inertia.children}} if inertia else {}


def about(link: Link, k: int) -> Array:
    """v vᵀ (3, 3) of the k-th principal axis: how the k-th principal moment changes with the tensor."""
    assert link.inertial
    v = np.linalg.eigh(link.inertial.inertia)[1][:, k]
    return np.outer(v, v)


def off_by_rounding(slope: Array, texts: InertiaTexts, link: Link) -> float:
    """By how much a measure of an inertia that changes so with its entries (3, 3) may be off by rounding."""
    return float((np.abs(slope) * _roundings(texts.of(link), link)).sum()) * (1 + 1e-9)


def _roundings(texts: Mapping[str, str], link: Link) -> Array:
    """By how much the entries (3, 3) of an inertia may be off: half of one in the last place that is written of any.

    Trailing zeros count, as far as the text is known. 0 and 0.0 are exact: so programs write what is nothing.
    """
    assert link.inertial
    tensor = link.inertial.inertia
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
