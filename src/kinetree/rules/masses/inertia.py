"""Rules about masses and inertias: those that no body can have, and those that were never measured."""

from collections.abc import Mapping

import numpy as np

from kinetree.model.inertias import NOTHING, ROUNDED, is_negative
from kinetree.rules.masses.rounding import InertiaTexts, about, off_by_rounding
from kinetree.rules.quality import LinkQuality, Masses, Noted, Quality, grouped
from kinetree.rules.rule import Array, Bodies, Found, Link, Threshold, number, numbers
from kinetree.rules.shapes.bounds import Bounds, shapes_of, size_of
from kinetree.rules.shapes.geometry import HUGE

CONSISTENT = "https://arxiv.org/abs/1610.08703"
"""Traversaro et al., Identification of fully physical consistent inertial parameters."""
TUTORIAL = (
    "https://docs.ros.org/en/jazzy/Tutorials/Intermediate/URDF/"
    "Adding-Physical-and-Collision-Properties-to-a-URDF-Model.html"
)

BROKEN = Threshold(0.01, "", "largest excess of a moment over the sum of the others, as a part of it")
HEAVY = Threshold(1e4, "kg", "largest mass of a link; only INR-007 judges heavier ones")
LIGHT = Threshold(1e-6, "kg", "smallest mass of a body that a joint moves")
OSMIUM = Threshold(22590.0, "kg/m³", "density of osmium, the densest metal")
DENSER = Threshold(2.0, "", "largest density of a link, as a multiple of that of osmium")
SLIGHT = Threshold(0.1, "kg", "smallest mass for which a link that is fixed to another is judged")
WIDE = Threshold(0.1, "m", "smallest radius of gyration at which a power of ten cannot be a rounded moment")
OTHERS = Threshold(3, "links", "smallest number of other links that show a unit in which all inertias are written")
CUBE = Threshold(1.05, "", "largest ratio of the sides of a box whose moments may be equal")
HOLLOW = Threshold(0.2, "", "largest moment of a ball or a cube, in masses times squared widths")
BALL = Threshold(0.08, "", "smallest moment of a ball or a cube, in masses times squared widths")


class NotPositive(Quality):
    """No principal moment of inertia is negative.

    A torque would turn such a body the opposite way, and every simulation of it diverges.
    """

    code = "INR-001"
    level = "MUST"
    clause = "the inertia matrix is positive semidefinite"
    url = CONSISTENT
    good = '<inertia ixx="0.0192" ixy="0"'
    bad = '<inertia ixx="0.0192" ixy="0.05"'

    def check(self, masses: Masses, inertia_texts: InertiaTexts) -> Found:
        """A negative principal moment that rounding does not explain."""
        for link, _, moments in masses.where(is_negative(masses.moments)):
            # the least moment is concave in the tensor: wherever that lies, it is no larger than its tangent says
            slope = about(link, 0)
            if moments[0] < -off_by_rounding(slope, inertia_texts, link) or (
                link.inertial and link.inertial.inertia.diagonal().min() < 0
            ):
                message = f"the principal moments of inertia are {_listed(moments)} kg m²; none can be negative"
                yield self.finding(message, link)


class Triangle(Quality):
    """No principal moment of inertia is larger than the sum of the two others.

    No body has such an inertia. MuJoCo and Drake refuse the model.
    """

    code = "INR-002"
    thresholds = (BROKEN,)
    level = "MUST"
    clause = "A + B >= C of the principal moments"
    url = CONSISTENT
    good = 'ixx="0.666667" ixy="0" ixz="0" iyy="0.6375"'
    bad = 'ixx="0.966667" ixy="0" ixz="0" iyy="0.6375"'

    def check(self, masses: Masses, inertia_texts: InertiaTexts) -> Found:
        """A violation larger than the number below, and than rounding explains. INR-001 is about negative
        moments."""
        a, b, c = masses.moments.T
        for link, _, moments in masses.where((a >= -ROUNDED * masses.size) & (c - a - b > BROKEN * c + NOTHING)):
            slope = 2 * about(link, 2) - np.eye(3)  # of c - a - b = 2c - trace, which is convex in the tensor
            if moments[2] - moments[0] - moments[1] > off_by_rounding(slope, inertia_texts, link):
                message = f"the principal moments of inertia are {_listed(moments)} kg m²"
                yield self.finding(f"{message}; the largest cannot exceed the sum of the others", link)


class NoInertia(LinkQuality):
    """A moving link with mass has an inertia.

    Without inertia any torque turns the link infinitely fast.
    """

    code = "INR-003"
    clause = "a body of some extent has inertia about every axis"
    good = '<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/>'
    bad = '<inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/>'

    def check(self, loose: tuple[tuple[Link, ...], ...], noted: Noted) -> Found:
        """A body that a joint moves, or a free one of SDF, with one mass and nothing but zeros for inertia. Of a
        default inertia, the reader reports that."""
        for links in loose:
            heavy = [link for link in links if link.inertial and link.inertial.mass > 0]
            some = any(np.abs(link.inertial.inertia).max() > NOTHING for link in links if link.inertial)
            if len(heavy) == 1 and not some and ("default-inertia", f"link {heavy[0].name!r}") not in noted:
                yield self.finding("the link moves and has mass, but its inertia is zero", heavy[0])


class NegativeMass(LinkQuality):
    """No mass is negative.

    Simulators refuse a negative mass, or the link falls upwards.
    """

    code = "INR-004"
    level = "MUST"
    clause = "the mass of the link"
    good = '<mass value="8"/>'
    bad = '<mass value="-8"/>'

    def check(self, masses: Masses) -> Found:
        """A mass below zero."""
        for link, mass, _ in masses.where(masses.mass < 0):
            yield self.finding(f"the mass is {number(mass)} kg; expected 0 or more", link)


class NoMass(LinkQuality):
    """A moving link with an inertial has mass.

    Without mass any force accelerates the link infinitely. Simulators refuse such a link, or remove it with all links
    behind it.
    """

    code = "INR-005"
    clause = "the mass of the link"
    good = '<mass value="8"/>'
    bad = '<mass value="0"/>'

    def check(self, loose: tuple[tuple[Link, ...], ...], noted: Noted) -> Found:
        """A body that a joint moves, or a free one of SDF, whose inertials all have a mass of zero. Of a default
        inertial, the reader reports that."""
        for links in loose:
            said = [link for link in links if link.inertial]
            some = any(link.inertial.mass for link in said if link.inertial)
            if said and not some and ("default-inertia", f"link {said[0].name!r}") not in noted:
                yield self.finding("the link moves, but its mass is 0; expected more than 0", said[0])


class Placeholder(Quality):
    """An inertia is computed or measured, not a placeholder.

    Tutorials write the same power of ten about every axis; a real body has such an inertia only by chance.
    """

    code = "INR-006"
    thresholds = (SLIGHT, WIDE, OTHERS, CUBE, BALL, HOLLOW)
    evidence = "heuristic"
    clause = "if unsure what to put, the identity matrix is a bad default"
    url = TUTORIAL
    good = '<inertia ixx="0.45" ixy="0" ixz="0" iyy="0.45" iyz="0" izz="0.45"/>'
    bad = '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'

    def check(self, counted: Masses, bounds: Bounds, bodies: Bodies) -> Found:
        """A power of ten, the same about every axis, unless the link's own shape is as wide as high and explains it,
        all inertias are written in this unit, or the link is light and fixed to another; one finding for all links that
        have the same."""
        least, _, most = counted.moments.T
        even = most - least <= 1e-9 * most
        made_up = [
            (link, float(f"{moments[0]:.9g}"))  # programs that write models round in their own ways
            for link, mass, moments in counted.where(even & (least > NOTHING))
            if abs((exponent := np.log10(moments[0])) - round(exponent)) < 1e-9  # a power of ten
            and not _is_ball(mass, moments[0], bounds.whole(shapes_of(link)))
            and not (mass < SLIGHT and bodies[link.name] != link.name)
            and not (moments[0] < mass * WIDE**2 and _is_last_place(moments[0], counted, ~even))
        ]
        for same in grouped(made_up, lambda pair: pair[1]):
            message = f"the inertia is {number(same[0][1])} kg m² about every axis, which looks like a placeholder"
            fix = "compute it from the shape and the mass, or take it from CAD"
            yield from self.shared(message, [link for link, _ in same], fix=fix)


def _is_last_place(unit: float, masses: Masses, others: Array) -> bool:
    """Return whether the inertias of other links are written as whole multiples of a unit, as rounded numbers are."""
    written = [link.inertial.inertia / unit for link, _, _ in masses.where(others) if link.inertial]
    return len(written) >= OTHERS and all(np.allclose(one, one.round(), rtol=0, atol=1e-6) for one in written)


class AbsurdMass(Quality):
    """Masses are between a milligram and ten tonnes.

    A larger mass is likely to be in grams. A link that is a billion times lighter than its neighbours makes simulations
    inexact.
    """

    code = "INR-007"
    thresholds = (HEAVY, HUGE, LIGHT, OSMIUM)
    evidence = "heuristic"
    clause = "kilograms"
    url = "https://www.ros.org/reps/rep-0103.html"
    good = '<mass value="8"/>'
    bad = '<mass value="80000"/>'

    def check(self, counted: Masses, moving: Mapping[str, tuple[Link, ...]], link_bounds: Bounds) -> Found:
        """A link that is too heavy, also for a solid box around its shapes, or a body that a joint moves and that is
        too light altogether."""
        for link, mass, _ in counted.where(counted.mass > HEAVY):
            box = link_bounds.whole(shapes_of(link))
            if box is not None and size_of(box) <= HUGE and mass <= OSMIUM * np.prod(box[1] - box[0]):
                continue
            found = numbers((mass, HEAVY))[0]
            yield self.finding(f"the mass is {found} kg, more than ten tonnes; is it in grams?", link)
        for links in moving.values():
            mass = sum(link.inertial.mass for link in links if link.inertial)
            if 0 < mass < LIGHT:
                message = f"the link moves, but its mass is {number(mass)} kg, less than a milligram"
                yield self.finding(message, links[0])


class MovingWithoutInertial(Quality):
    """A moving link has an inertial.

    Simulators refuse a link without mass, or remove it with all links behind it. SDF gives it 1 kg and 1 kg m² about
    each axis.
    """

    code = "INR-011"
    clause = "every link that is simulated needs an inertial"
    url = TUTORIAL
    good = """\
    <inertial>
      <origin xyz="0.25 0 0"/>
      <mass value="8"/>
      <inertia ixx="0.0192" ixy="0" ixz="0" iyy="0.116267" iyz="0" izz="0.116267"/>
    </inertial>
"""
    bad = ""

    def check(self, weighed: Mapping[str, tuple[Link, ...]], noted: Noted) -> Found:
        """A body that a joint moves, of which no link has an inertial, nor a mass that follows from its shapes."""
        is_sdf = any(code == "no-inertial" for code, _ in noted)
        so = "; SDF gives it 1 kg and 1 kg m² about each axis" if is_sdf else "; simulators refuse or remove it"
        for links in weighed.values():
            if not any(link.inertial for link in links):
                yield self.finding(f"the link moves, but has no inertial{so}", links[0])


class TooDense(Quality):
    """No link is denser than the densest metal.

    A ball has the least inertia of all bodies of one mass and density. If a link has less inertia than a ball of the
    densest metal, its mass is in grams, or its inertia is in other units or a placeholder. Simulations of it vibrate.
    """

    code = "INR-012"
    thresholds = (OSMIUM, DENSER, HEAVY, SLIGHT)
    clause = "nothing is denser than osmium, 22,590 kg/m³"
    url = "https://www.rsc.org/periodic-table/element/76/osmium"
    good = '<mass value="0.5"/>'
    bad = '<mass value="500"/>'

    def check(self, counted: Masses, bodies: Bodies) -> Found:
        """Less inertia than a ball of the largest density. Light links that are fixed to others are not judged. One
        finding for all links of the same mass and moments."""
        dense = counted.where(too_dense(counted))
        found = [one for one in dense if bodies[one[0].name] == one[0].name or one[1] >= SLIGHT]
        for same in grouped(found, lambda one: (one[1], tuple(one[2]))):
            _, kilograms, moments = same[0]
            ball = 4 / 3 * np.pi * (5 / 6 * moments.sum() / kilograms) ** 1.5
            times = number(kilograms / ball / OSMIUM)
            message = (
                f"the mass, {number(kilograms)} kg, is too large for the moments of inertia, {_listed(moments)} kg m²: "
                f"the link is at least {times} times as dense as osmium"
            )
            fix = "check the units of the mass and of the inertia"
            yield from self.shared(message, [one[0] for one in same], fix=fix)


def too_dense(masses: Masses) -> Array:
    """Return for which links (n,) even a ball with their moments would be too dense."""
    mass, trace = masses.mass, masses.moments.sum(axis=1)
    within = (mass > 0) & (mass <= HEAVY) & (masses.moments[:, 2] > NOTHING) & (trace > 0)
    squared = 5 / 6 * np.where(within, trace, np.inf) / np.where(within, mass, 1.0)  # trace = 6/5 m r²
    return np.asarray(mass > DENSER * OSMIUM * 4 / 3 * np.pi * squared**1.5)


def _listed(moments: Array) -> str:
    return ", ".join(number(moment if abs(moment) > NOTHING else 0.0) for moment in moments.tolist())


def _is_ball(mass: float, moment: float, box: Array | None) -> bool:
    """Return whether a moment is that of a cube, a ball or a shape between, in a box of nearly equal sides."""
    if box is None or mass <= 0:
        return False
    size = np.sort(box[1] - box[0])
    return bool(size[2] <= CUBE * size[0] and BALL <= moment / (mass * max(size[2], 1e-9) ** 2) <= HOLLOW)
