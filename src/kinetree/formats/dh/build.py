"""A DH table to a robot. Chains with the same joint share it, and its axes must coincide."""

from dataclasses import replace
from math import inf

import numpy as np

from kinetree.errors import nearest_names
from kinetree.formats.dh.rows import DYNAMICS
from kinetree.model.assemble import Parts, assemble
from kinetree.model.dh import BOTH, USES, DHChain, DHRow, DHShape, DHTable
from kinetree.model.magnitudes import LARGEST, LEGAL
from kinetree.model.robot import RATES, UNLIMITED, Dynamics, Frame, Geometry, Joint, Limit, Link, Robot, Shape, Text
from kinetree.spatial import se3
from kinetree.spatial.dh import CLOSE
from kinetree.spatial.se3 import Array, frozen
from kinetree.syntax.text import TextReport


def robot_of(table: DHTable, report: TextReport, text: Text | None = None) -> Robot | None:
    """Return the robot of a table, or None with the faults in `report`.

    The frame of a link is that of its joint after the motion; the transform after it goes to the next joint's origin.
    """
    builder = _Builder(table, report)
    for number, chain in enumerate(table.chains, 1):
        builder.chain(chain, f"chain {chain.name!r}" if chain.name else f"chain {number}")
    for joint in table.fixed:
        builder.cut(joint)
    for frame in table.frames:
        builder.frame(frame)
    for link in table.links:
        label = f"inertial on {link.name!r}"
        if place := builder.place(link.name, "link or frame", link, label):
            builder.weigh(*place, link, label)
    builder.carriers = {joint.child: joint for joint in builder.parts.joints}
    with np.errstate(all="ignore"):  # what is too large is refused
        for shape in table.shapes:
            builder.draw(shape)
    parts = builder.parts
    for i, link in enumerate(parts.links):
        if link.name in builder.drawn:
            visuals, collisions = map(tuple, builder.drawn[link.name])
            parts.links[i] = replace(link, visuals=visuals, collisions=collisions)
    builder.check_order(table.order)
    parts.joint_order = table.order or None
    parts.text = text
    parts.notes = tuple(f for f in report.findings if f.severity != "error")
    robot, findings = assemble(parts)
    for finding in findings:
        line = finding.source.line if finding.source else None
        report.findings.append(replace(finding, excerpt=report.excerpt(line, None)))
    return None if report.failed else robot


class _Builder:
    def __init__(self, table: DHTable, report: TextReport) -> None:
        self.report = report
        self.parts = Parts(table.name, [Link(table.root, source=table.source)], source=table.source)
        self.parts.sensors = list(table.sensors)
        self.parts.groups = table.groups
        self.parts.coupled_limits = list(table.coupled_limits)
        self.joints: dict[str, Joint] = {}
        self.rows: dict[str, tuple[DHRow, str]] = {}  # joint: its first row, and the chain of that row
        self.start: dict[str, Array] = {}  # joint: T_parent_row, the start of its first row
        self.frames: dict[str, tuple[str, Array]] = {table.root: (table.root, se3.IDENTITY)}  # name: link, T_link_frame
        self.carriers: dict[str, Joint] = {}  # link: its joint, when all are known
        self.drawn: dict[str, tuple[list[Geometry], list[Geometry]]] = {}  # link: its shapes for each of USES
        self.places: list[tuple[str, Array]] = []  # of the frames of rows

    def error(
        self, code: str, message: str, thing: DHChain | DHRow | DHShape | Frame | Joint | Link, element: str
    ) -> None:
        self.report.error(code, message, thing.source.line if thing.source else None, element=element)

    def chain(self, chain: DHChain, label: str) -> None:
        prefix = f"{chain.name}_" if chain.name else ""
        link, T = self.begin(chain, label)
        self.name_frame(f"{prefix}dh_0" if chain.frames else None, link, T, chain, automatic=True)
        passed: set[str] = set()
        for i, row in enumerate(chain.rows, 1):
            name = row.joint or f"{prefix}q{i}"
            element = f"joint {name!r} of {label}" if row.type != "fixed" else f"row {i} of {label}"
            before, after = row.constants(chain.convention)
            if row.type == "fixed":
                T = T @ before @ after
            elif name in passed:
                self.error("joint-twice", "occurs twice in its chain; expected once", row, element)
            else:
                passed.add(name)
                place = self.shared if name in self.joints else self.new
                link, T = place(replace(row, joint=name), label, element, link, T, before)
                T = T @ after
            if row.inertial:
                self.weigh(link, T, Link("", row.inertial, source=row.source), element)
            self.name_frame(row.frame or (f"{prefix}dh_{i}" if chain.frames else None), link, T, row, not row.frame)
        named = bool(chain.rows and chain.rows[-1].frame) and np.array_equal(chain.tool, se3.IDENTITY)
        tip = chain.tip or (f"{prefix}tip" if chain.frames and not named else None)
        self.name_frame(tip, link, T @ chain.tool, chain)

    def begin(self, chain: DHChain, label: str) -> tuple[str, Array]:
        """Return (link, T_link_row) at which the first row starts."""
        first = chain.rows[0].joint if chain.rows else ""
        if not chain.has_base and chain.on is None and first in self.joints:
            return self.joints[first].parent, self.start[first]
        root = self.parts.links[0].name
        link, T = self.place(chain.on or root, "link or frame before it", chain, label) or self.frames[root]
        return link, T @ chain.base

    def place(self, on: str, what: str, thing: DHChain | Frame | Link, label: str) -> tuple[str, Array] | None:
        """Return (link, T_link_frame) of a frame, or None after an error that it is not what is expected."""
        if on not in self.frames:
            near = nearest_names(on, list(self.frames))
            self.error("unknown-frame", f"on={on!r} is not a {what}; {near}", thing, label)
        return self.frames.get(on)

    def new(self, row: DHRow, label: str, element: str, link: str, T: Array, before: Array) -> tuple[str, Array]:
        """Add a joint; return its child link and T_child_joint, the joint after its motion."""
        child = row.link or f"{row.joint}_link"
        joint = Joint(
            row.joint,
            row.type,
            link,
            child,
            frozen(T @ before),
            row.axes,
            row.link_frame,
            limits=row.limits,
            dynamics=row.dynamics,
            mimic=row.mimic,
            source=row.source,
        )
        self.joints[row.joint] = joint
        self.rows[row.joint] = (row, label)
        self.start[row.joint] = T
        self.parts.joints.append(joint)
        self.parts.links.append(Link(child, source=row.source))
        self.frames.setdefault(child, (child, se3.IDENTITY))
        return child, se3.inverse(row.link_frame)

    def shared(self, row: DHRow, label: str, element: str, link: str, T: Array, before: Array) -> tuple[str, Array]:
        """Return what `new` returns, for a joint of an earlier chain. A constant by which this chain's frame on the
        common axis differs, and which commutes with the motion, comes after the joint."""
        joint, (first, first_chain) = self.joints[row.joint], self.rows[row.joint]
        self.agree(row, first, first_chain, element)
        if joint.parent != link:
            message = f"hangs on link {link!r} here and on {joint.parent!r} in {first_chain}; a joint has one parent"
            self.error("two-parents", message, row, element)
            return joint.child, se3.inverse(joint.child_origin)
        C = se3.inverse(joint.origin) @ T @ before
        apart = 0.0 if row.type == "prismatic" else float(np.abs(C[:2, 3]).max())
        turned = float(np.abs(C[:3, 2] - (0.0, 0.0, 1.0)).max())
        if max(apart, turned) > CLOSE:
            message = (
                f"its axis is not the one of {first_chain}: {apart:.3g} m apart, "
                f"directions differ by {turned:.3g}; a shared joint has one axis"
            )
            self.error("shared-axis", message, row, element)
        return joint.child, se3.inverse(joint.child_origin) @ C

    def agree(self, row: DHRow, first: DHRow, chain: str, element: str) -> None:
        """Report values of a later row of a joint that differ from those of its first row."""
        limit, first_limit = _limit(row), _limit(first)
        dynamics, first_dynamics = _dynamics(row), _dynamics(first)
        bounds, first_bounds = (limit.lower, limit.upper), (first_limit.lower, first_limit.upper)
        said = {
            "type": (row.type, first.type),
            "flip": (row.flip, first.flip),
            "limits": (bounds, first_bounds) if bounds != (-inf, inf) else None,
            "velocity": (limit.velocity, first_limit.velocity) if limit.velocity < inf else None,
            "effort": (limit.effort, first_limit.effort) if limit.effort < inf else None,
            **{
                name: (getattr(limit, name), getattr(first_limit, name)) if getattr(limit, name) < inf else None
                for name in RATES
            },
            **{name: (value, getattr(first_dynamics, name)) for name in DYNAMICS if (value := getattr(dynamics, name))},
            "link": (row.link, first.link) if row.link else None,
            "mimic": (row.mimic, first.mimic) if row.mimic else None,
            "link_frame": (row.link_frame.tolist(), first.link_frame.tolist())
            if not np.array_equal(row.link_frame, se3.IDENTITY)
            else None,
        }
        for key, values in said.items():
            if values and values[0] != values[1]:
                message = f"its {key} is {values[0]} here and {values[1]} in {chain}; expected one"
                self.error("shared-joint", message, row, element)

    def check_order(self, order: tuple[str, ...]) -> None:
        """Report an order that does not name every joint without a leader once."""
        moving = {name for name, joint in self.joints.items() if not joint.mimic}
        if order and (set(order) != moving or len(set(order)) != len(order)):
            apart = ", ".join(sorted(set(order) ^ moving))
            wrong = f"look at {apart}" if apart else "one occurs twice"
            message = f"order has to name every joint once, followers left out; {wrong}"
            self.report.error("order", message, None, element="order")

    def name_frame(
        self, name: str | None, link: str, T: Array, thing: DHChain | DHRow, automatic: bool = False
    ) -> None:
        """Add a frame. An automatic one is left out if an earlier chain has a frame there."""
        if name is None:
            return
        if automatic and any(link == l and np.abs(T - other).max() < CLOSE for l, other in self.places):
            return
        self.places.append((link, T))
        self.add(Frame(name, link, frozen(T), thing.source))

    def cut(self, fixed: Joint) -> None:
        """Cut a link in two: what was fixed to it moves, in the same place, to a new link behind a fixed joint."""
        element, on = f"fixed joint {fixed.name!r}", fixed.parent
        links = [link.name for link in self.parts.links]
        if on not in links:
            self.error("unknown-link", f"on={on!r} is not a link; {nearest_names(on, links)}", fixed, element)
            return
        back = se3.inverse(fixed.origin)
        self.parts.joints = [
            replace(joint, parent=fixed.child, origin=frozen(back @ joint.origin)) if joint.parent == on else joint
            for joint in self.parts.joints
        ]
        self.parts.frames = [
            replace(frame, link=fixed.child, origin=frozen(back @ frame.origin)) if frame.link == on else frame
            for frame in self.parts.frames
        ]
        before = next((i for i, joint in enumerate(self.parts.joints, 1) if joint.child == on), 0)
        self.parts.joints.insert(before, fixed)  # before the joints that follow, so that the order of q stays
        self.parts.links.insert(before + 1, Link(fixed.child, source=fixed.source))
        own = (on, fixed.child)
        self.frames |= {frame.name: (frame.link, frame.origin) for frame in self.parts.frames if frame.name not in own}
        self.frames[fixed.child] = (fixed.child, se3.IDENTITY)

    def frame(self, frame: Frame) -> None:
        if place := self.place(frame.link, "link or frame before it", frame, f"frame {frame.name!r}"):
            unplaced = frame.unplaced or next((f.unplaced for f in self.parts.frames if f.name == frame.link), "")
            self.add(replace(frame, link=place[0], origin=frozen(place[1] @ frame.origin), unplaced=unplaced))

    def draw(self, shape: DHShape) -> None:
        """Give the link of a frame the spheres and the cylinder of a shape."""
        label, link, T = f"shape on {shape.on!r}", *self.frames.get(shape.on, ("", se3.IDENTITY))
        end = self.point(shape.end, link, T) if shape.end is not None else T[:3, :3] @ shape.start + T[:3, 3]
        if not link or end is None:
            name = str(shape.end) if link else shape.on
            behind = f" behind {shape.on!r}" if link else ""
            near = nearest_names(name, [frame for frame in self.frames if frame != name])
            message = f"{name!r} is not a link or frame{behind}; {near}"
            self.error("unknown-frame", message, shape, label)
            return
        start = T[:3, :3] @ shape.start + T[:3, 3]
        length = float(np.linalg.norm(end - start))
        if not max(length, shape.radius) <= LARGEST:
            self.error("too-large", f"is too large; {LEGAL}", shape, label)
            return
        drawn = [("sphere", np.eye(3), p) for p in ([start] if length < CLOSE else [start, end]) if shape.capped]
        if length >= CLOSE:
            R = se3.rotation_between((0.0, 0.0, 1.0), (end - start) / length)
            drawn.append(("cylinder", R, (start + end) / 2))
        for kind, R, p in drawn:
            one = Shape(kind, {"radius": shape.radius} | ({"length": length} if kind == "cylinder" else {}))
            T = frozen(se3.homogeneous(R, p))
            for use, own in zip(USES, self.drawn.setdefault(link, ([], [])), strict=True):
                if shape.use in (use, BOTH):
                    own.append(Geometry(one, T, f"{use}_{len(own) + 1}"))

    def point(self, end: Array | str, link: str, T: Array) -> Array | None:
        """Return an end of a shape in its link; None for a frame that does not move with the link."""
        if not isinstance(end, str):
            return np.asarray(T[:3, :3] @ end + T[:3, 3])
        last, T_last_end = self.frames.get(end, ("", se3.IDENTITY))
        for _ in self.carriers:  # names may make a circle, which `assemble` reports
            if last == link or last not in self.carriers:
                break
            carrier = self.carriers[last]
            last, T_last_end = carrier.parent, carrier.origin @ carrier.child_origin @ T_last_end
        return np.asarray(T_last_end[:3, 3]) if last == link else None

    def weigh(self, name: str, T: Array, weighed: Link, label: str) -> None:
        """Give a link an inertia that is known in a frame. T (4, 4): T_link_frame."""
        i = next(i for i, link in enumerate(self.parts.links) if link.name == name)
        if self.parts.links[i].inertial:
            self.error("duplicate-name", f"link {name!r} has an inertia already; expected one", weighed, label)
        elif weighed.inertial:
            inertial = replace(weighed.inertial, origin=frozen(T @ weighed.inertial.origin))
            self.parts.links[i] = replace(self.parts.links[i], inertial=inertial, source=weighed.source)

    def add(self, frame: Frame) -> None:
        self.parts.frames.append(frame)
        self.frames.setdefault(frame.name, (frame.link, frame.origin))


def _limit(row: DHRow) -> Limit:
    return row.limits[0] if row.limits else UNLIMITED


def _dynamics(row: DHRow) -> Dynamics:
    return row.dynamics[0] if row.dynamics else Dynamics()
