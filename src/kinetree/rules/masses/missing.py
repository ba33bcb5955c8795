"""Rules about masses and inertias that compare links: the root, fixed links, copies."""

import re

import numpy as np

from kinetree.model.inertias import NOTHING
from kinetree.rules.examples import ARM, CART
from kinetree.rules.masses.inertia import CONSISTENT, TUTORIAL
from kinetree.rules.quality import LinkQuality, Masses, Noted, Quality, grouped
from kinetree.rules.rule import Bodies, Found, Link, Robot, Threshold, number
from kinetree.rules.shapes.bounds import MARKER, Bounds, shapes_of, size_of

COPIES = Threshold(4, "links", "smallest number of links with the same mass and inertia")
DIFFERENT = Threshold(2.0, "", "smallest ratio of the sizes of links that cannot have one inertia")


def _chain(lengths: tuple[float, ...]) -> str:
    """Return a robot of boxes on joints, with their inertias."""
    parts = ['<robot name="chain">\n  <link name="base_link"/>']
    for i, length in enumerate(lengths, 1):
        mass, across, about = 10 * length, 10 * length * (length**2 + 0.01) / 12, 10 * length * 0.02 / 12
        box = f'<geometry><box size="{length} 0.1 0.1"/></geometry>'
        parts.append(
            f'  <link name="link_{i}"><visual>{box}</visual><collision>{box}</collision>\n    <inertial>'
            f'<mass value="{mass:g}"/>'
            f'<inertia ixx="{about:.6f}" ixy="0" ixz="0" iyy="{across:.6f}" iyz="0" izz="{across:.6f}"/></inertial>'
            f"</link>\n"
            f'  <joint name="joint_{i}" type="continuous"><parent link="{f"link_{i - 1}" if i > 1 else "base_link"}"/>'
            f'<child link="link_{i}"/><axis xyz="0 1 0"/></joint>'
        )
    return "\n".join([*parts, "</robot>"])


CHAIN = _chain((0.2, 0.3, 0.4, 0.5))


class RootMass(Quality):
    """The body at the root of a robot that stands free has mass and inertia.

    Gazebo leaves out a link without mass with everything that hangs on it, so nothing of the robot appears. A robot
    that is fixed to a link called world needs no mass there.
    """

    code = "INR-013"
    clause = "every link that is simulated needs an inertial"
    url = TUTORIAL
    base = CART
    good = (
        '<inertial><mass value="9"/><inertia ixx="0.075" ixy="0" ixz="0" iyy="0.1275" iyz="0" izz="0.1875"/></inertial>'
    )
    bad = ""

    def check(self, robot: Robot, bodies: Bodies, noted: Noted) -> Found:
        """Of URDF: the root and the links fixed to it have shapes and no inertia, although a link that moves has mass,
        and none of them is called world. Without a mass they carry several joints; an arm is fixed to something."""
        links = [link for link in robot.links.values() if bodies[link.name] == robot.root]
        shaped = [link for link in links if shapes_of(link)]
        if not shaped or not _is_urdf(robot) or any(link.name == "world" for link in links):
            return
        if not any(_is_heavy(link) for link in robot.links.values() if bodies[link.name] != robot.root):
            return
        heavy = [link for link in links if _is_heavy(link)]
        counted = any(link.inertial is not None and np.abs(link.inertial.inertia).max() > NOTHING for link in links)
        carried = [joint for joint in robot.joints.values() if joint.kind.nv and bodies[joint.parent] == robot.root]
        if not heavy and not counted and len(carried) > 1:  # INR-015 is about those with inertia and no mass
            message = "the root of the robot has shapes, but neither it nor a link fixed to it has mass"
            yield self.finding(message, shaped[0], fix="add an <inertial>, or fix the robot to a link called world")
        elif heavy and not counted and ("default-inertia", f"link {heavy[0].name!r}") not in noted:
            yield self.finding("the link has mass, but no inertia about any axis", heavy[0])


class FixedMass(Quality):
    """A link with a shape has mass, although it is fixed to another link.

    Its weight is missing from the body, and simulators that keep fixed joints leave the link out.
    """

    code = "INR-014"
    level = "MAY"
    clause = "every link that is simulated needs an inertial"
    url = TUTORIAL
    good = """<link name="flange">
    <visual><geometry><box size="0.02 0.06 0.06"/></geometry></visual>
    <collision><geometry><box size="0.02 0.06 0.06"/></geometry></collision>
    <inertial><mass value="0.2"/><inertia ixx="1e-4" ixy="0" ixz="0" iyy="7e-5" iyz="0" izz="7e-5"/></inertial>
  </link>"""
    bad = good.replace(good[good.index("    <inertial>") : good.index("  </link>")], "")
    base = ARM.replace('<link name="flange"/>', good)

    def check(self, robot: Robot, bodies: Bodies) -> Found:
        """Of URDF: a link fixed to another has visuals, collision shapes and no inertial, and the body has mass; one
        finding for all."""
        heavy = {bodies[link.name] for link in robot.links.values() if _is_heavy(link)}
        light = [
            link
            for link in robot.links.values()
            if link.visuals and link.collisions and not link.inertial and link.name != bodies[link.name] in heavy
        ]
        if _is_urdf(robot):
            yield from self.shared("the link has a collision shape, but no mass", light)


class InertiaWithoutMass(LinkQuality):
    """A link with moments of inertia has mass.

    Moments of inertia are masses times squared distances, so one of the two is wrong.
    """

    code = "INR-015"
    clause = "a moment of inertia is the integral of squared distances over mass"
    url = CONSISTENT
    good = '<link name="flange"/>'
    bad = (
        '<link name="flange"><inertial><mass value="0"/>'
        '<inertia ixx="0.02" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.02"/></inertial></link>'
    )

    def check(self, robot: Robot, masses: Masses, bodies: Bodies, noted: Noted) -> Found:
        """A mass of zero as written, moments that are not zero, and another link of its body has a mass or the body is
        the root's; INR-005 is about other bodies."""
        heavy = {bodies[link.name] for link in robot.links.values() if link.inertial and link.inertial.mass}
        for link, _, moments in masses.where((masses.mass == 0) & (masses.size > NOTHING)):
            body = bodies[link.name]
            if (body in heavy or body == robot.root) and ("default-inertia", f"link {link.name!r}") not in noted:
                message = f"the mass is 0, but the moments of inertia are up to {number(float(moments[2]))} kg m²"
                yield self.finding(message, link)


class CopiedInertia(LinkQuality):
    """Links of different sizes have inertias of their own.

    One mass and inertia that was copied to all links is a placeholder.
    """

    code = "INR-017"
    thresholds = (COPIES, DIFFERENT, MARKER)
    evidence = "heuristic"
    clause = "the inertia of the link"
    base = CHAIN
    good = CHAIN
    bad = re.sub(
        "<mass.*</inertial>",
        '<mass value="1"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.03"/></inertial>',
        CHAIN,
    )

    def check(self, counted: Masses, bounds: Bounds, bodies: Bodies) -> Found:
        """Several links that joints move, and at least half of these, have the same mass and moments, and shapes of
        different sizes."""
        moved = [one for one in counted.where(counted.mass > 0) if bodies[one[0].name] == one[0].name]
        for same in grouped(moved, lambda one: (one[1], tuple(one[2]))):
            if len(same) < max(COPIES, len(moved) / 2):
                continue
            sizes = [size_of(bounds.part_of_body(link.name)) for link, _, _ in same]
            known = [size for size in sizes if size >= MARKER]
            if len(known) >= COPIES and max(known) >= DIFFERENT * min(known):
                message = f"the mass, {number(same[0][1])} kg, and the inertia are the same on links of different sizes"
                yield from self.shared(message, [link for link, *_ in same])


def _is_urdf(robot: Robot) -> bool:
    return robot.text is not None and robot.text.format == "urdf"


def _is_heavy(link: Link) -> bool:
    return link.inertial is not None and link.inertial.mass > 0
