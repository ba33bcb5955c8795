"""Rounding errors of inertias whose entries have few digits."""

from collections.abc import Mapping
from contextlib import suppress
from decimal import Decimal, InvalidOperation
from functools import cached_property

import numpy as np

from kinetree.errors import Source
from kinetree.rules.facts import document, fact, sdf_document
from kinetree.rules.rule import Array, Element, Link, Robot

ENTRIES = (("ixx", "ixy", "ixz"), ("ixy", "iyy", "iyz"), ("ixz", "iyz", "izz"))
EXACT_ZERO = 0.1
"""Last place of 0.0, which programs write for exactly zero, as they write 0."""


class InertiaTexts:
    """Texts of inertias in URDF and SDF files, looked up only when a rule needs them."""

    def __init__(self, robot: Robot) -> None:
        self._robot = robot

    def of(self, link: Link) -> Mapping[str, str]:
        """Return the texts of the entries of a link's inertia by name; empty for other formats and missing inertias."""
        return self._by_link.get(link.name, {})

    @cached_property
    def _by_link(self) -> Mapping[str, Mapping[str, str]]:
        if root := document(self._robot):
            return {element.get("name") or "": _entries(element) for element in reversed(root.find_all("link"))}
        if root := sdf_document(self._robot):
            elements = (element for element in root.walk() if element.tag == "link")
            texts: dict[Source | None, Mapping[str, str]] = {one.source: _entries(one) for one in elements}
            return {name: texts.get(link.source, {}) for name, link in self._robot.links.items()}
        return {}


@fact
def inertia_texts(robot: Robot) -> InertiaTexts:
    """Return the texts of inertias."""
    return InertiaTexts(robot)


def _entries(link: Element) -> Mapping[str, str]:
    inertial = link.find("inertial")
    inertia = inertial.find("inertia") if inertial else None
    return {**inertia.attributes, **{child.tag: child.text for child in inertia.children}} if inertia else {}


def about(link: Link, k: int) -> Array:
    """Return v vᵀ (3, 3) of the k-th principal axis: the derivative of the k-th principal moment by the tensor."""
    assert link.inertial
    v = np.linalg.eigh(link.inertial.inertia)[1][:, k]
    return np.outer(v, v)


def off_by_rounding(slope: Array, texts: InertiaTexts, link: Link) -> float:
    """Return the largest rounding error of a measure of an inertia. slope (3, 3): its derivative by the entries."""
    return float((np.abs(slope) * _roundings(texts.of(link), link)).sum()) * (1 + 1e-9)


def _roundings(texts: Mapping[str, str], link: Link) -> Array:
    """Return the largest rounding errors of the entries (3, 3): half of one in the finest last place of any entry.
    Trailing zeros count if the text is known. 0 and 0.0 are exact, because programs write them for nothing."""
    assert link.inertial
    tensor = link.inertial.inertia
    rows = range(3)
    places = np.array([[_last_place(tensor.item(i, j), texts.get(ENTRIES[i][j], "")) for j in rows] for i in rows])
    finest = places[tensor != 0].min(initial=np.inf)
    return np.where(tensor != 0, finest, np.where(places < EXACT_ZERO, places, 0.0)) / 2


def _last_place(value: float, text: str) -> float:
    """Return one in the last place of a number, from its text or its shortest form."""
    found = []
    for form in (text.strip(), repr(value)):
        with suppress(InvalidOperation):
            exponent = Decimal(form).as_tuple().exponent
            found += [10.0 ** min(exponent, 300)] if isinstance(exponent, int) else []
    return min(found, default=0.0)
