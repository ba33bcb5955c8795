"""Functions that the parts of the MJCF writer share: joints of one body, attributes, missing masses."""

from dataclasses import dataclass, replace
from math import inf, nextafter

import numpy as np

from kinetree.formats.losses.grains import TINY
from kinetree.formats.losses.losses import Losses
from kinetree.formats.mjcf.context import ATTRIBUTES, FORMAT, MESH, OPEN, WORLD
from kinetree.model.edit.extensions import kept_elements
from kinetree.model.robot import CoupledLimit, Extension, Inertial, Joint, Limit, Link, Robot
from kinetree.spatial import se3
from kinetree.spatial.se3 import Array, frozen
from kinetree.syntax.numbers import numbers
from kinetree.syntax.xml.reader import Report, parse

ROUNDING = 1e-12  # relative error of computed principal moments


@dataclass
class Job:
    """A robot to write, and what the format cannot represent of it."""

    robot: Robot
    losses: Losses

    def __post_init__(self) -> None:
        busy = {frame.link for frame in self.robot.frames.values() if frame.name not in self.robot.links}
        self._busy = busy | {sensor.frame for sensor in self.robot.sensors.values()}

    def row(self, joint: Joint) -> list[Joint]:
        """Return the joints of one body: this one, and those behind links that the reader makes between two joints,
        whose frames are that of the body while these joints are at zero."""
        row = [joint]
        while row[-1].kind.mjcf and row[-1].type != "floating" and self._between(row[-1]):
            after = self.robot.child_joints(row[-1].child)[0]
            turns = after.type != "prismatic" and any(j.type == "ball" for j in row)
            rotated = after.type == "ball" and not np.array_equal(after.child_origin[:3, :3], np.eye(3))
            many = sum(j.kind.nv for j in [*row, after]) > 6
            apart = not np.allclose(after.origin @ after.child_origin, se3.IDENTITY, rtol=0, atol=1e-14)
            if after.type == "floating" or not after.kind.mjcf or rotated or turns or many or apart:
                break
            row.append(after)
        return row

    def _between(self, joint: Joint) -> bool:
        """Return whether the link behind a joint is as the reader makes it between two joints of one body."""
        link = self.robot.links[joint.child]
        empty = not (link.inertial or link.visuals or link.collisions or link.extensions)
        named = link.name == f"{joint.name}_link"
        return empty and named and link.name not in self._busy and len(self.robot.child_joints(link.name)) == 1

    def in_file(self) -> list[Joint]:
        """Return all joints in the order in which they are written, depth first."""
        joints: list[Joint] = []
        stack = [*reversed(self.robot.child_joints(self.robot.root))]
        while stack:
            joints.append(stack.pop())
            stack += reversed(self.robot.child_joints(joints[-1].child))
        return joints

    def drawn(self) -> dict[str, Array]:
        """Return T_root_link (4, 4) of every link where the file draws it."""
        T = {self.robot.root: se3.IDENTITY}
        for name in self.robot.placed:
            joint = self.robot.joints[name]
            T[joint.child] = T[joint.parent] @ (self.initial(joint) @ joint.child_origin)
        return T

    def initial(self, joint: Joint) -> Array:
        """Return where the file draws the frame of a joint: where its body stood in the file, or its origin."""
        kept = attributes_of(joint.extensions, self, "initial") if joint.type == "floating" else {}
        if not kept or not np.array_equal(joint.origin, se3.IDENTITY):
            return joint.origin
        w, x, y, z = (numbers(kept.get("quat", "")) or (1.0, 0.0, 0.0, 0.0))[:4]
        return se3.homogeneous(se3.rotation_from_quaternion((x, y, z, w)), numbers(kept.get("pos", "")) or (0.0,) * 3)

    def inertial(self, link: Link) -> Inertial | None:
        """Return the inertial to write for a link, or None: the nearest to the link's own that a body can have."""
        return None if link.inertial is None or link.name == WORLD else possible(link.inertial)


def weightless(job: Job) -> list[str]:
    """Return the links of moving bodies that, with all that is fixed to them, have no mass or inertia."""
    heavy: set[str] = set()
    for name in [job.robot.root, *(job.robot.joints[j].child for j in job.robot.placed)][::-1]:  # children first
        inertial = job.inertial(job.robot.links[name])
        own = inertial is not None and inertial.mass >= TINY and min(moments(inertial)) >= TINY
        if own or any(j.type == "fixed" and j.child in heavy for j in job.robot.child_joints(name)):
            heavy.add(name)
    ends = (job.row(joint)[-1].child for joint in job.robot.joints.values() if joint.type != "fixed")
    return [end for end in dict.fromkeys(ends) if end not in heavy]


def moments(inertial: Inertial) -> Array:
    """Return the principal moments (3,), ascending."""
    return np.asarray(np.linalg.eigvalsh(inertial.inertia))


def possible(inertial: Inertial) -> Inertial:
    """Return the inertial with the nearest principal moments that a body can have, if its own are not.

    No moment is above the sum of the other two. For a <= b <= c with c above a + b by e, the orthogonal projection is
    (a + e/3, b + e/3, c - e/3), or (0, m, m) with m the mean of b and c if a + e/3 is negative.
    """
    (a, b, c), axes = np.linalg.eigh(inertial.inertia)
    excess = c - a - b
    if excess <= ROUNDING * max(abs(a), abs(c)):
        return inertial
    if a + excess / 3 >= 0:
        a, b = a + excess / 3, b + excess / 3
    else:
        a, b = 0.0, max((b + c) / 2, 0.0)
    return replace(inertial, inertia=frozen(axes @ np.diag((a, b, a + b)) @ axes.T))


def range_of(limit: Limit | CoupledLimit) -> tuple[float, float]:
    """Return a range of MJCF, which has two ends, the first below the second, and whose largest number is OPEN."""
    lower, upper = max(limit.lower, -OPEN), min(limit.upper, OPEN)
    return lower, upper if upper != lower else nextafter(lower, inf)


def attributes_of(extensions: tuple[Extension, ...], job: Job, tag: str = ATTRIBUTES) -> dict[str, str]:
    """Return attributes that were kept by the reader."""
    found: dict[str, str] = {}
    for extension in extensions if "extension" not in job.losses.without else ():
        if extension.format == FORMAT and extension.tag == tag:
            element = parse(f"<a {extension.text}/>", "", Report())
            found |= element.attributes if element is not None else {}
    return found


def site_looks(job: Job) -> dict[str, dict[str, str]]:
    """Return the attributes for the look of each site, by its name."""
    looks: dict[str, dict[str, str]] = {}
    for link in job.robot.links.values() if "extension" not in job.losses.without else ():
        for _, site in kept_elements(link.extensions, FORMAT, "site"):
            name = site.attributes.pop("name", "")
            gone = ("material",) if "material" in job.losses.without else ()
            looks[name] = {k: v for k, v in site.attributes.items() if k not in gone}
    return looks


def elements_of(extensions: tuple[Extension, ...], job: Job) -> list[str]:
    """Return elements that were kept by the reader, as text, without those for the looks of sites."""
    kept = () if "extension" in job.losses.without else extensions
    return [e.text for e in kept if e.format == FORMAT and e.tag not in (ATTRIBUTES, MESH, "initial", "site")]
