"""SDF joints to the model: poses, axes, limits and dynamics."""

from math import inf, pi

import numpy as np

from kinetree.formats.defaults import DEFAULTS
from kinetree.formats.fields import single_children
from kinetree.formats.sdf.context import AXIS_OTHERS, JOINT_OTHERS, LIMIT_OTHERS, Context, is_world
from kinetree.formats.sdf.frames import WORLD, Entry
from kinetree.formats.sdf.values import attribute_of, bound_of, needed_text, number_of, truth_of, vector_of
from kinetree.model.joints import JOINT_TYPES, JointType
from kinetree.model.robot import NO_AXES, UNLIMITED, Dynamics, Extension, Joint, Limit, Mimic
from kinetree.spatial.se3 import IDENTITY, NO_DIRECTION, Array, frozen
from kinetree.syntax.xml.reader import Element

TYPES = {row.sdf: row for row in JOINT_TYPES.values() if row.sdf}
ASSUMED = DEFAULTS["sdf"]
DEFAULT_AXIS = ASSUMED.axis
"""Axis without <xyz>: joint.sdf of the specification requires it, and defines this default. <axis> itself is optional;
Gazebo takes the same axis for a joint without it."""
AXIS_FIX = "write <xyz>0 0 1</xyz> if it is z, <xyz>1 0 0</xyz> if it is x"
CHILDREN = ("pose", "parent", "child", "axis", "axis2", "thread_pitch", "screw_thread_pitch")


def joint(context: Context, entry: Entry) -> Joint | None:
    """Return the joint of a place of kind "joint", or None with an error."""
    return _Joint(context, entry).read()


class _Joint:
    def __init__(self, context: Context, entry: Entry) -> None:
        self.context = context
        self.report = context.report
        self.entry = entry
        self.element = entry.element
        self.once, self.others = single_children(self.report, self.element, CHILDREN, ("sensor",), ("name", "type"))
        self.extensions: list[Extension] = []

    def read(self) -> Joint | None:
        report, element = self.report, self.element
        errors = report.count["error"]
        kind = self.kind()
        if kind is None:  # what depends on the type is unknown
            kind = JOINT_TYPES["fixed"]
            self.once = {tag: self.once[tag] for tag in ("pose", "parent", "child") if tag in self.once}
        parent, child = self.ends()
        if (parent is None or child is None) and report.count["error"] == errors:
            return None
        origin = self.context.frames.between(parent, self.entry) if parent else None
        child_origin = self.context.frames.between(self.entry, child) if child else None
        others = [other for other in self.others if other.tag != "sensor"]
        self.extensions += self.context.keep(others, JOINT_OTHERS, element)
        used = [tag for tag in ("axis", "axis2")[: kind.axes] if tag in self.once]
        axes = self.axes(kind)
        parts = [self.axis_parts(self.once[tag], tag, kind) for tag in used]
        rows = [dynamics for _, dynamics, _ in parts] if kind.axes else self.idle_dynamics(kind)
        self.unused(kind)
        limits = tuple(limit for limit, _, _ in parts)
        return Joint(
            self.context.local(self.entry.name),
            kind.name,
            self.context.local(parent.name) if parent else "",
            self.context.local(child.name) if child else "",
            IDENTITY if origin is None else origin,
            axes,
            IDENTITY if child_origin is None else child_origin,
            self.pitch(kind),
            limits=limits if any(limit != UNLIMITED for limit in limits) else (),
            mimic=next((mimic for _, _, mimic in parts if mimic), None),
            dynamics=tuple(rows) if any(row != Dynamics() for row in rows) else (),
            extensions=tuple(self.extensions),
            source=element.source,
        )

    def kind(self) -> JointType | None:
        name = attribute_of(self.report, self.element, "type")
        if not name:
            self.report.error("missing-attribute", "<joint> needs type=…, which is missing", self.element)
            return None
        kind = TYPES.get(name.lower())
        if kind is None:
            message = f"type={name!r} is not supported; expected {', '.join(map(str, TYPES))}"
            self.report.error("joint-type", message, self.element, attribute="type")
        return kind

    def ends(self) -> tuple[Entry | None, Entry | None]:
        """Return the links, or the world, that the joint connects: those to which its ends are fixed."""
        entry, frames = self.entry, self.context.frames
        named = needed_text(self.report, self.element, self.once.get("parent"), "parent", self.element)
        if named == WORLD:
            parent = frames.get(WORLD)
        else:
            place = frames.find(entry.full(named), entry, self.once["parent"], "parent") if named else None
            parent = self.context.link_of(place)
        is_held = "child" in self.once and entry.attached_to == entry.full(WORLD)
        child = self.context.link_of(entry) if entry.attached_to and not is_held else None
        if parent is not None and parent is child:
            message = f"connects link {self.context.local(parent.name)!r} to itself; parent and child must differ"
            self.report.error("cycle", message, self.element)
            return None, None
        if is_held or (child is not None and is_world(child)):
            name = entry.attached_to.removeprefix(entry.prefix)
            message = f"<child> is {name!r}, which no joint can move; expected any frame of the model"
            self.report.error("unknown-child", message, self.once["child"], owner=self.element)
            return parent, None
        return parent, child

    # axes

    def idle_dynamics(self, kind: JointType) -> list[Dynamics]:
        """Return the damping that files from URDF give to fixed joints, in an axis with nothing else."""
        axis = self.once.get("axis") if kind.name == "fixed" else None
        if axis is None or axis.attributes or [child.tag for child in axis.children] != ["xyz", "dynamics"]:
            return []
        xyz = axis.children[0]
        if xyz.text.strip() != "0 0 1" or xyz.attributes or xyz.children:
            return []
        del self.once["axis"]
        return [self.dynamics(axis.children[1], "axis")]

    def unused(self, kind: JointType) -> None:
        for tag in ("axis", "axis2")[kind.axes :]:
            if tag in self.once:
                message = f"<{tag}> of a {kind.name} joint has no effect; it is kept unchanged"
                self.report.add("info", "no-effect", message, self.once[tag], owner=self.element)
                self.extensions += self.context.keep([self.once[tag]], (tag,), self.element)

    def axes(self, kind: JointType) -> Array:
        """Return unit vectors (k, 3) in the joint frame."""
        if not kind.axes:
            return NO_AXES
        rows = []
        for tag in ("axis", "axis2")[: kind.axes]:
            if tag not in self.once and kind.axes == 1:
                message = f"a {kind.name} joint without <axis> has SDF's default, z (0 0 1), as in Gazebo"
                self.report.warning("default-axis", message, self.element, fix=AXIS_FIX)
                return frozen([DEFAULT_AXIS])
            if tag not in self.once:
                message = f"a {kind.name} joint needs <{tag}>, which is missing"
                self.report.error("no-axis", message, self.element)
                return NO_AXES
            rows.append(self.axis(self.once[tag]))
        return frozen(rows)

    def axis(self, element: Element) -> Array:
        report = self.report
        xyz = element.find("xyz")
        if xyz is None:
            message = f"<{element.tag}> without <xyz> has SDF's default, z (0 0 1)"
            report.warning("default-axis", message, element, owner=self.element, fix=AXIS_FIX)
        vector = np.array(vector_of(report, xyz, 3, DEFAULT_AXIS, self.element))
        length = float(np.linalg.norm(vector / max(1.0, np.abs(vector).max()))) * max(1.0, np.abs(vector).max())
        if not length > NO_DIRECTION:
            message = f"<xyz> of <{element.tag}> has no direction; expected any vector but zero"
            report.error("zero-axis", message, xyz or element, owner=self.element)
            return frozen(DEFAULT_AXIS)
        R = self.expressed_in(element, xyz)
        return frozen(vector / length if R is None else R @ (vector / length))

    def expressed_in(self, element: Element, xyz: Element | None) -> Array | None:
        """Return R_joint_x (3, 3) of the frame in whose coordinates the axis is, or None for the joint's own."""
        entry, report = self.entry, self.report
        reference = attribute_of(report, xyz, "expressed_in", self.element) if xyz is not None else ""
        flag = element.find("use_parent_model_frame")
        if reference and entry.version < (1, 7):
            message = "expressed_in belongs to SDF 1.7; it is used, but readers of older versions drop it"
            report.warning("sdf-version", message, xyz or element, attribute="expressed_in", owner=self.element)
        elif flag is not None and entry.version >= (1, 7):
            message = "<use_parent_model_frame> has no effect since SDF 1.7; use expressed_in='__model__'"
            report.warning("sdf-version", message, flag, owner=self.element)
        elif not reference and entry.version < (1, 7):
            old = truth_of(report, flag, entry.version <= (1, 4), self.element)
            reference = "__model__" if old else ""
        if not reference:
            return None
        frames = self.context.frames
        frame = frames.find(entry.full(reference), entry, xyz or element, "expressed_in")
        T = frames.between(entry, frame) if frame else None
        return None if T is None or T is IDENTITY else T[:3, :3]

    def axis_parts(self, element: Element, tag: str, kind: JointType) -> tuple[Limit, Dynamics, Mimic | None]:
        known = ("xyz", "limit", "dynamics", "mimic", "use_parent_model_frame")
        once, others = single_children(self.report, element, known)
        self.extensions += self.context.keep(others, AXIS_OTHERS, self.element, f"{tag}/")
        return (
            self.limit(once.get("limit"), tag, kind),
            self.dynamics(once.get("dynamics"), tag),
            self.mimic(once.get("mimic"), tag, kind),
        )

    def limit(self, element: Element | None, tag: str, kind: JointType) -> Limit:
        if element is None:
            return UNLIMITED
        report, owner = self.report, self.element
        once, others = single_children(report, element, ("lower", "upper", "velocity", "effort"))
        self.extensions += self.context.keep(others, LIMIT_OTHERS, owner, f"{tag}/limit/")
        names = ("lower", "upper", "velocity", "effort")
        lower, upper, velocity, effort = (bound_of(report, once.get(n), getattr(ASSUMED, n), owner) for n in names)
        if kind.name == "continuous" and (lower > -inf or upper < inf):
            message = "<lower> and <upper> of a continuous joint have no effect"
            report.warning("limit", message, element, owner=owner, fix="make the joint revolute, or remove them")
            lower, upper = -inf, inf
        return Limit(lower, upper, velocity if velocity >= 0 else inf, effort if effort >= 0 else inf)

    def dynamics(self, element: Element | None, tag: str) -> Dynamics:
        if element is None:
            return Dynamics()
        names = {"damping": ASSUMED.damping, "friction": 0.0, "spring_stiffness": 0.0, "spring_reference": 0.0}
        once, others = single_children(self.report, element, tuple(names))
        self.extensions += self.context.keep(others, (), self.element, f"{tag}/dynamics/")
        numbers = (number_of(self.report, once.get(name), default, self.element) for name, default in names.items())
        return Dynamics(*numbers)

    def mimic(self, element: Element | None, tag: str, kind: JointType) -> Mimic | None:
        """Return a follower: multiplier * (leader - reference) + offset (SDF 1.11)."""
        if element is None:
            return None
        report, owner = self.report, self.element
        leader = attribute_of(report, element, "joint", owner)
        axis = attribute_of(report, element, "axis", owner) or "axis"
        if axis != "axis" or tag != "axis" or not leader:
            message = f"<mimic joint={leader!r} axis={axis!r}> in <{tag}> is not supported; expected joints of one axis"
            report.error("mimic", message, element, owner=owner)
            return None
        once, others = single_children(report, element, ("multiplier", "offset", "reference"), (), ("joint", "axis"))
        self.extensions += self.context.keep(others, (), owner, f"{tag}/mimic/")
        multiplier = number_of(report, once.get("multiplier"), 1.0, owner)
        offset = number_of(report, once.get("offset"), 0.0, owner)
        reference = number_of(report, once.get("reference"), 0.0, owner)
        name = self.context.local(self.entry.prefix + leader)
        return Mimic(name, multiplier, offset - multiplier * reference if reference else offset)

    def pitch(self, kind: JointType) -> float:
        """Return metres per radian. <screw_thread_pitch> is metres per turn of a right-handed thread; the older
        <thread_pitch> is radians per metre of a left-handed one (joint.sdf of SDF 1.10)."""
        new, old = self.once.get("screw_thread_pitch"), self.once.get("thread_pitch")
        if kind.name != "screw":
            self.extensions += self.context.keep([e for e in (new, old) if e], CHILDREN, self.element)
            return 0.0
        if new is not None:
            if old is not None:
                message = "<thread_pitch> stands beside <screw_thread_pitch>, which is used"
                self.report.warning("no-effect", message, old, owner=self.element)
            return number_of(self.report, new, 1.0, self.element) / (2 * pi)
        if old is None:
            message = "a screw joint without <screw_thread_pitch> has SDF's default, 1 metre per turn"
            self.report.warning("default-pitch", message, self.element)
            return 1.0 / (2 * pi)
        thread_pitch = number_of(self.report, old, 1.0, self.element)
        if abs(thread_pitch) < 1e-100:
            message = "<thread_pitch> is zero radians per metre; expected another number"
            self.report.error("number", message, old, owner=self.element)
            return 0.0
        return -1.0 / thread_pitch
