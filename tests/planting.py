"""One defect of each rule, planted in the text of a real robot; with what it implies."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

import kinetree as kt
from kinetree.model.robot import Joint, Link
from kinetree.rules.facts import bodies, poses
from kinetree.rules.names.mirror import MirrorImages
from kinetree.rules.quality import moving
from kinetree.rules.shapes.bounds import Bounds, size_of
from kinetree.syntax.xml.reader import Element, Report, parse


@dataclass(frozen=True)
class Planted:
    """The code of a rule, what puts its defect into a model or returns None where there is no place for it, and the
    codes that the defect may imply besides."""

    code: str
    plant: Callable[[Model], str | None]
    implied: tuple[str, ...] = ()


class Model:
    """The text of a robot, and edits of it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.robot = kt.load(text, format="urdf")

    @cached_property
    def root(self) -> Element:
        root = parse(self.text, "<text>", Report())
        assert root is not None
        return root

    def element(self, thing: Link | Joint) -> Element:
        """The element of a link or a joint."""
        tag = "link" if isinstance(thing, Link) else "joint"
        return next(e for e in self.root.find_all(tag) if e.get("name") == thing.name)

    def tag(self, element: Element, **attributes: object) -> str:
        """The text with other attributes in a start tag."""
        start, stop = self._start_tag(element)
        said = {**element.attributes, **{name: str(value) for name, value in attributes.items()}}
        end = "/>" if self._bytes[stop - 2 : stop] == b"/>" else ">"
        written = "".join(f' {name}="{value}"' for name, value in said.items())
        return self._with(start, stop, f"<{element.tag}{written}{end}")

    def inside(self, element: Element, more: str) -> str | None:
        """The text with more in an element, which must not end in itself."""
        _, stop = self._start_tag(element)
        return None if self._bytes[stop - 2 : stop] == b"/>" else self._with(stop, stop, more)

    def without(self, element: Element) -> str:
        """The text without an element."""
        return self._with(element.start, element.start + len(element.raw.encode()), "")

    def at_end(self, more: str) -> str:
        """The text with more before its end."""
        return self._with(self.root.end, self.root.end, more)

    def renamed(self, old: str, new: str) -> str:
        """The text with another name in the place of one, in quotes."""
        return re.sub(rf"([\"']){re.escape(old)}\1", lambda match: f'"{new}"', self.text)

    def _start_tag(self, element: Element) -> tuple[int, int]:
        match = re.compile(rb"<[^>]*>").match(self._bytes, element.start)
        assert match
        return match.span()

    def _with(self, start: int, stop: int, text: str) -> str:
        return (self._bytes[:start] + text.encode() + self._bytes[stop:]).decode()

    @cached_property
    def _bytes(self) -> bytes:
        return self.text.encode()

    # places

    def turning(self) -> Iterator[Joint]:
        """Revolute joints with zero well inside, which no other joint follows and which follow none."""
        leaders = {joint.mimic.joint for joint in self.robot.joints.values() if joint.mimic}
        for joint in self.robot.joints.values():
            free = joint.type == "revolute" and joint.coordinated and joint.name not in leaders
            if free and joint.safety is None and -4 < joint.limit.lower < -0.1 and 0.1 < joint.limit.upper < 4:
                yield joint

    def lone(self) -> Iterator[Link]:
        """Links that are moved and that nothing is fixed to, with a sound inertial."""
        for links in moving(self.robot, bodies(self.robot)).values():
            inertial = links[0].inertial
            if len(links) == 1 and inertial and inertial.mass > 0:
                a, b, c = np.linalg.eigvalsh(inertial.inertia)
                if a > 1e-9 and a + b > c:
                    yield links[0]

    def seen(self) -> Iterator[Link]:
        """Links that are moved, and have shapes of both kinds."""
        for links in moving(self.robot, bodies(self.robot)).values():
            if links[0].visuals and links[0].collisions:
                yield links[0]


def _limit(**attributes: object) -> Callable[[Model], str | None]:
    """Other attributes in the limit of a joint."""

    def plant(model: Model) -> str | None:
        for joint in model.turning():
            element = model.element(joint).find("limit")
            return model.tag(element, **attributes) if element else None
        return None

    return plant


def _half_way(model: Model) -> str | None:
    for joint in model.turning():
        element = model.element(joint).find("limit")
        return model.tag(element, lower=joint.limit.upper / 2) if element else None
    return None


def _reversed(model: Model) -> str | None:
    for joint in model.turning():
        element = model.element(joint).find("limit")
        return model.tag(element, lower=joint.limit.upper, upper=joint.limit.lower) if element else None
    return None


def _in_joint(more: str) -> Callable[[Model], str | None]:
    """More in a joint that has no dynamics."""

    def plant(model: Model) -> str | None:
        for joint in model.turning():
            if not joint.dynamics:
                return model.inside(model.element(joint), more)
        return None

    return plant


def _axis(*numbers: float) -> Callable[[Model], str | None]:
    """Another axis in a joint whose axis is z."""

    def plant(model: Model) -> str | None:
        for joint in model.turning():
            axis = model.element(joint).find("axis")
            if axis and joint.axes.tolist() == [[0, 0, 1]]:
                return model.tag(axis, xyz=" ".join(map(repr, numbers)))
        return None

    return plant


def _mimic(chain: bool, multiplier: float) -> Callable[[Model], str | None]:
    """A joint that follows one, or one that follows a third."""

    def plant(model: Model) -> str | None:
        joints = list(model.turning())
        if len(joints) < 3:
            return None
        first = model.inside(model.element(joints[0]), f'<mimic joint="{joints[1].name}" multiplier="{multiplier}"/>')
        if first is None or not chain:
            return first
        model = Model(first)
        joint = model.robot.joints[joints[1].name]
        return model.inside(model.element(joint), f'<mimic joint="{joints[2].name}" multiplier="{multiplier}"/>')

    return plant


def _root_mass(model: Model) -> str | None:
    root = model.robot.links[model.robot.root]
    inertia = '<inertia ixx="0.2" ixy="0" ixz="0" iyy="0.25" iyz="0" izz="0.3"/>'
    more = f'<inertial><mass value="9"/>{inertia}</inertial>'
    return None if root.inertial else model.inside(model.element(root), more)


def _name(change: Callable[[str], str]) -> Callable[[Model], str | None]:
    """Another name for a link whose name no joint has, and that has a letter, an underscore and no capitals."""

    def plant(model: Model) -> str | None:
        for name in model.robot.links:
            plain = re.fullmatch(r"[a-z][a-z0-9]*_[a-z0-9_]+", name)
            if plain and name not in model.robot.joints and "package" not in name:
                return model.renamed(name, change(name))
        return None

    return plant


def _inertia(change: Callable[[Link], tuple[float, ...]]) -> Callable[[Model], str | None]:
    """Another inertia, ixx to izz without the mixed ones."""

    def plant(model: Model) -> str | None:
        for link in model.lone():
            element = model.element(link).find("inertial")
            inertia = element.find("inertia") if element else None
            xx, yy, zz = change(link)
            if inertia:
                return model.tag(inertia, ixx=xx, ixy=0, ixz=0, iyy=yy, iyz=0, izz=zz)
        return None

    return plant


def _diagonal(link: Link) -> np.ndarray:
    assert link.inertial
    return np.diag(link.inertial.inertia)


def _power_of_ten(link: Link) -> tuple[float, ...]:
    return (10.0 ** round(np.log10(_diagonal(link).mean())),) * 3


def _far_away(link: Link) -> tuple[float, ...]:
    assert link.inertial
    return tuple(link.inertial.mass * np.array((25.0, 25.1, 25.2)))


def _mass(value: float) -> Callable[[Model], str | None]:
    def plant(model: Model) -> str | None:
        for link in model.lone():
            element = model.element(link).find("inertial")
            mass = element.find("mass") if element else None
            if mass:
                return model.tag(mass, value=value)
        return None

    return plant


def _boxed(model: Model) -> Iterator[tuple[Link, Element, float]]:
    """Links of simple shapes, their inertial, and how far their shapes reach."""
    known = Bounds(model.robot, bodies(model.robot), poses(model.robot), {}, {})
    for link in model.lone():
        element = model.element(link).find("inertial")
        box = known.whole_body(link.name)
        if box is not None and element and link.inertial:
            reach = np.linalg.norm(np.abs(box - link.inertial.origin[:3, 3]).max(axis=0))
            if 0.01 < reach < 0.3:
                yield link, element, float(reach)


def _beyond_shape(model: Model) -> str | None:
    for link, element, reach in _boxed(model):
        inertia = element.find("inertia")
        assert inertia
        assert link.inertial
        xx, yy, zz = link.inertial.mass * (5 * reach) ** 2 * np.array((1.0, 1.01, 1.02))
        return model.tag(inertia, ixx=xx, ixy=0, ixz=0, iyy=yy, iyz=0, izz=zz)
    return None


def _centre_away(model: Model) -> str | None:
    for _, element, _ in _boxed(model):
        origin = element.find("origin")
        if origin:
            return model.tag(origin, xyz="30 40 0")
    return None


def _no_inertial(model: Model) -> str | None:
    for link in model.lone():
        inertial = model.element(link).find("inertial")
        return model.without(inertial) if inertial else None
    return None


def _no_collision(model: Model) -> str | None:
    shapes = {link.name for link in model.seen()}
    for links in moving(model.robot, bodies(model.robot)).values():
        if len(links) == 1 and links[0].name in shapes and len(links[0].collisions) == 1:
            collision = model.element(links[0]).find("collision")
            return model.without(collision) if collision else None
    return None


def _size(value: float) -> Callable[[Model], str | None]:
    """Another length of a cylinder, or width of a box, that collides."""

    def plant(model: Model) -> str | None:
        for link in model.seen():
            for shape in (e for c in model.element(link).find_all("collision") for e in c.walk()):
                if shape.tag == "cylinder":
                    return model.tag(shape, length=value)
                if shape.tag == "box":
                    return model.tag(shape, size=f"{value} 0.1 0.1")
        return None

    return plant


def _visual(*meshes: str) -> Callable[[Model], str | None]:
    """More to see of a link."""

    def plant(model: Model) -> str | None:
        for link in model.seen():
            more = "".join(f"<visual><geometry><mesh {mesh}/></geometry></visual>" for mesh in meshes)
            return model.inside(model.element(link), more)
        return None

    return plant


def _blocks(more: str) -> Callable[[Model], str | None]:
    return lambda model: model.at_end(more)


def _of_the_new_gazebo(block: str) -> Callable[[Model], str | None]:
    """A block beside a plug-in of the new Gazebo, in a model without plug-ins of the classic one."""
    plugin = '<gazebo><plugin filename="gz-sim-imu-system" name="gz::sim::systems::Imu"/></gazebo>'
    return lambda model: None if 'filename="libgazebo' in model.text else model.at_end(plugin + block)


def _about(block: str) -> Callable[[Model], str | None]:
    """A block that names the root, JOINT, a joint that turns, and FIXED, one that does not."""

    def plant(model: Model) -> str | None:
        fixed = next((joint.name for joint in model.robot.joints.values() if joint.kind.nv == 0), None)
        turning = next((joint.name for joint in model.turning() if f'name="{joint.name}"' in model.text), None)
        driven = any(element.tag in ("transmission", "ros2_control") for element in model.root.children)
        if fixed is None or turning is None or driven:
            return None
        return model.at_end(block.replace("ROOT", model.robot.root).replace("JOINT", turning).replace("FIXED", fixed))

    return plant


def _control(inside: str, hardware: str = "<hardware><plugin>x</plugin></hardware>") -> Callable[[Model], str | None]:
    return _about(f'<ros2_control name="planted" type="system">{hardware}{inside}</ros2_control>')


_STATE = '<state_interface name="position"/>'
_DRIVEN = f'<joint name="JOINT"><command_interface name="position"/>{_STATE}</joint>'
_DRIVE = (
    '<transmission name="planted"><type>transmission_interface/SimpleTransmission</type><joint name="JOINT">'
    "<hardwareInterface>EffortJointInterface</hardwareInterface></joint>"
    '<actuator name="m"><mechanicalReduction>1</mechanicalReduction></actuator></transmission>'
)
OF_GAZEBO = (
    Planted("XML-005", _about(_DRIVE + _DRIVE)),
    Planted("XML-006", _about('<gazebo reference="ROOT"><mu1>0.123</mu1><mu1>0.321</mu1></gazebo>')),
    Planted("XML-007", _about('<gazebo reference="ROOT"><sensor name="x"/><sensor name="x"/></gazebo>')),
    Planted("XML-008", _blocks("<gazebo><gazebo/></gazebo>")),
    Planted(
        "XML-012",
        _about(2 * '<gazebo reference="JOINT"><sensor name="x"><topic>planted</topic></sensor></gazebo>'),
        implied=("XML-007",),
    ),
    Planted("XML-009", _blocks('<gazebo><plugin name="x"><bodyName>no_such</bodyName></plugin></gazebo>')),
    Planted(
        "XML-010", _blocks('<gazebo><plugin filename="gz-sim-imu-system" name="gz::sim::systems::Contact"/></gazebo>')
    ),
    Planted(
        "XML-011",
        _about(
            '<gazebo reference="ROOT"><sensor name="x" type="camera"><gz_frame_id>ROOT</gz_frame_id></sensor></gazebo>'
        ),
    ),
)
"""Of the rules about blocks of Gazebo and their plug-ins."""
OF_CONTROL = (
    Planted("CTL-001", _control(_DRIVEN + _DRIVEN)),
    Planted("CTL-002", _control(_DRIVEN.replace('interface name="position"', 'interface name="postion"'))),
    Planted("CTL-003", _control(_DRIVEN.replace(_STATE, ""))),
    Planted(
        "CTL-004",
        _control(_DRIVEN.replace('"position"/>', '"position"><param name="min">-99</param></command_interface>', 1)),
    ),
    Planted(
        "CTL-005",
        _control(
            _DRIVEN.replace(
                _STATE, '<state_interface name="position"><param name="initial_value">99</param></state_interface>'
            )
        ),
    ),
    Planted("CTL-006", _control(_DRIVEN.replace('name="JOINT"', 'name="JOINT" mimic="true"'))),
    Planted("CTL-007", _control(_DRIVEN.replace("JOINT", "FIXED"))),
    Planted("CTL-008", _control(_DRIVEN, "")),
    Planted(
        "CTL-011",
        _about(
            '<ros2_control name="planted" type="system"><hardware><plugin>gz_ros2_control/X</plugin></hardware>'
            '</ros2_control><gazebo><plugin filename="libgazebo_ros2_control.so" name="x"/></gazebo>'
        ),
    ),
    Planted("CTL-009", _about(_DRIVE.replace("EffortJoint", "EffortJoin"))),
    Planted("CTL-010", _about(_DRIVE.replace(">1<", ">0<"))),
)
"""Of the rules about ros2_control and transmissions."""


def _body(inertial: str = "", shapes: str = "") -> Callable[[Model], str | None]:
    """A link fixed to one that moves."""

    def plant(model: Model) -> str | None:
        for link in model.lone():
            joint = f'<joint name="planted" type="fixed"><parent link="{link.name}"/><child link="planted"/></joint>'
            return model.at_end(f'<link name="planted">{inertial}{shapes}</link>{joint}')
        return None

    return plant


def _shapes(seen: str, felt: str) -> str:
    return f"<visual><geometry>{seen}</geometry></visual><collision><geometry>{felt}</geometry></collision>"


def _inertial(mass: float, xx: float, yy: float, zz: float) -> str:
    inertia = f'<inertia ixx="{xx}" ixy="0" ixz="0" iyy="{yy}" iyz="0" izz="{zz}"/>'
    return f'<inertial><mass value="{mass}"/>{inertia}</inertial>'


_SMALL = '<box size="0.03 0.04 0.05"/>'
_LIGHT = _inertial(0.1, 4.1e-5, 3.4e-5, 2.5e-5)


def _twins(model: Model) -> str | None:
    """Two links with one shape at one place."""
    for link in model.lone():
        text = f'<link name="planted">{_LIGHT}{_shapes(_SMALL, _SMALL)}</link><joint name="planted" type="fixed">'
        text += f'<parent link="{link.name}"/><child link="planted"/></joint>'
        return model.at_end(text + text.replace('"planted"', '"planted_too"'))
    return None


def _other_ends(model: Model) -> str | None:
    """A joint with the names of two links that it does not join."""
    moved = [j for j in model.turning() if j.name not in model.robot.links and not j.name.isdigit()]
    if len(moved) < 3:
        return None
    return model.renamed(moved[0].name, f"{moved[1].child}_to_{moved[2].child}_joint")


def _called_a_joint(model: Model) -> str | None:
    name = next((name for name in model.robot.links if name not in model.robot.joints), None)
    return model.renamed(name, f"{name}_planted_joint") if name else None


def _uneven_legs(model: Model) -> str | None:
    """Two legs, of which one has a shin of another mass, in a robot without sides of its own."""
    if any(re.match(r"(?i)(l|left)_", name) for name in model.robot.links):
        return None
    legs = MirrorImages.base.replace(MirrorImages.good, MirrorImages.bad).partition('"walker">')[2]
    legs = re.sub(r'"(left|right|pelvis)', r'"planted_\1', legs.replace("</robot>", ""))
    joint = f'<parent link="{model.robot.root}"/><child link="planted_pelvis"/>'
    return model.at_end(f'{legs}<joint name="planted" type="fixed">{joint}</joint>')


def _away_from_parent(model: Model) -> str | None:
    body = bodies(model.robot)
    known = Bounds(model.robot, body, poses(model.robot), {}, {})
    for joint in model.turning():
        origin = model.element(joint).find("origin")
        if origin and all(known.whole_body(body[link]) is not None for link in (joint.parent, joint.child)):
            return model.tag(origin, xyz="6 7 0")
    return None


def _one_limit(model: Model) -> str | None:
    joints = [model.robot.joints[name] for name in model.robot.joint_names]
    if len(joints) < 4 or not all(model.element(j).find("limit") and j.coordinated for j in joints):
        return None
    if any(joint.mimic or joint.safety for joint in model.robot.joints.values()):
        return None
    text = re.sub(r'effort\s*=\s*["\'][^"\']*["\']', 'effort="10"', model.text)
    return re.sub(r'velocity\s*=\s*["\'][^"\']*["\']', 'velocity="1"', text)


def _root_without_inertia(model: Model) -> str | None:
    """A root with mass and no inertia, alone or with links that have neither."""
    body = [link for link in model.robot.links.values() if bodies(model.robot)[link.name] == model.robot.root]
    felt = [link for link in body if link.inertial]
    if any(link.name == "world" for link in body) or not body[0].visuals or len(felt) > 1:
        return None
    if not felt:
        return model.inside(model.element(body[0]), _inertial(9, 0, 0, 0))
    inertial = model.element(felt[0]).find("inertial")
    inertia = inertial.find("inertia") if inertial else None
    return model.tag(inertia, ixx=0, ixy=0, ixz=0, iyy=0, iyz=0, izz=0) if inertia else None


def _copies(model: Model) -> str | None:
    """All inertias alike, where the sizes of links differ."""
    known = Bounds(model.robot, bodies(model.robot), poses(model.robot), {}, {})
    lone = [size_of(known.part_of_body(link.name)) for link in model.lone()]
    sizes = [size for size in lone if size >= 0.02]
    if len(sizes) < 4 or max(sizes) < 2 * min(sizes):
        return None
    text = re.sub(r"<mass[^>]*>", '<mass value="1.3"/>', model.text)
    return re.sub(r"<inertia\b[^>]*>", '<inertia ixx="0.011" ixy="0" ixz="0" iyy="0.012" iyz="0" izz="0.013"/>', text)


_DISC = '<cylinder radius="0.05" length="0.02"/>'


def _fixed(parent: str, *children: str) -> str:
    """Links on fixed joints."""
    return "".join(
        f'<link name="{name}"/><joint name="{name}_joint" type="fixed"><parent link="{parent}"/><child link="{name}"/>'
        "</joint>"
        for name in children
    )


def _wrong_side(model: Model) -> str | None:
    return model.at_end(
        _fixed(model.robot.root, "planted_left_a", "planted_right_a") + _fixed("planted_left_a", "planted_right_b")
    )


def _namesake_of_root(model: Model) -> str | None:
    root = model.robot.root
    ends = f'<parent link="{root}"/><child link="planted"/><axis xyz="0 0 1"/>'
    inertial = _inertial(0.1, 6.6e-5, 6.6e-5, 1.25e-4)
    return model.at_end(
        f'<link name="planted">{inertial}</link><joint name="{root}" type="continuous">{ends}</joint><gazebo/>'
    )


def _misspelt_side(model: Model) -> str | None:
    return model.at_end("".join(_fixed(model.robot.root, name) for name in ("left_planted", "right_plamted")))


def _fixed_wheel(model: Model) -> str | None:
    plugin = "<plugin><leftJoint>planted_joint</leftJoint><rightJoint>planted_joint</rightJoint></plugin>"
    return model.at_end(f"{_fixed(model.robot.root, 'planted')}<gazebo>{plugin}</gazebo>")


def _wheel_across(model: Model) -> str | None:
    joint = f'<parent link="{model.robot.root}"/><child link="planted_wheel"/><axis xyz="0 1 0"/>'
    inertial = _inertial(0.1, 6.6e-5, 6.6e-5, 1.25e-4)
    link = f'<link name="planted_wheel">{inertial}{_shapes(_DISC, _DISC)}</link>'
    return model.at_end(f'{link}<joint name="planted" type="continuous">{joint}</joint>')


def _exchanged_wheels(model: Model) -> str | None:
    """Wheels of which the left one is on the right."""
    base = "base_link" if "base_link" in model.robot.links else model.robot.root
    if base == "world" or {"left_wheel", "right_wheel"} & model.robot.links.keys():
        return None
    text = ""
    for side, y in (("left", -0.2), ("right", 0.2)):
        ends = f'<parent link="{base}"/><child link="{side}_wheel"/><origin xyz="0 {y} 0"/><axis xyz="0 1 0"/>'
        text += f'<link name="{side}_wheel">{_inertial(0.1, 6.6e-5, 1.25e-4, 6.6e-5)}</link>'
        text += f'<joint name="{side}_wheel_joint" type="continuous">{ends}</joint>'
    return model.at_end(text)


OF_LINKS = (
    Planted("NAM-013", _exchanged_wheels, implied=("INR-013",)),
    Planted("INR-018", _body(_inertial(0.1, 1.6e-5, 1.4e-5, 1e-5), _shapes(_SMALL, _SMALL))),
    Planted("INR-019", _body(_inertial(0, 0, 0, 0), _shapes(_SMALL, _SMALL))),
    Planted("NAM-012", _namesake_of_root, implied=("INR-013",)),
    Planted(
        "XML-014",
        _blocks(
            '<gazebo><sensor name="planted" type="imu"><enable_orientation>0</enable_orientation></sensor></gazebo>'
        ),
    ),
    Planted(
        "XML-015",
        _blocks('<gazebo><sensor name="planted" type="imu"><update_rate>-5</update_rate></sensor></gazebo>'),
    ),
    Planted("MSH-008", _blocks("<gazebo><plugin><parameters>package://arm/no.yaml</parameters></plugin></gazebo>")),
    Planted("NAM-011", _wrong_side),
    Planted("XML-013", _fixed_wheel),
    Planted("JNT-006", _wheel_across, implied=("INR-013",)),
    Planted(
        "GEO-006",
        _body(_LIGHT, _shapes(_SMALL, _SMALL).replace("<collision>", '<collision><origin xyz="0 0 0.01"/>')),
    ),
    Planted("GEO-007", _twins),
    Planted("NAM-008", _other_ends),
    Planted("NAM-009", _called_a_joint),
    Planted("NAM-010", _uneven_legs),
    Planted("NAM-014", _misspelt_side),
    Planted("JNT-005", _away_from_parent, implied=("R105-004", "GEO-003")),
    Planted("LIM-011", _one_limit),
    Planted("LIM-013", _limit(velocity=175)),
    Planted("INR-013", _root_without_inertia, implied=("TRE-001",)),
    Planted("INR-014", _body("", _shapes(_SMALL, _SMALL))),
    Planted("INR-015", _body(_inertial(0, 0.02, 0.021, 0.022))),
    Planted(
        "INR-017",
        _copies,
        implied=("INR-003", "INR-005", "INR-006", "INR-009", "INR-010", "INR-012", "INR-018"),
    ),
    Planted(
        "GEO-004",
        _body(
            _LIGHT,
            _shapes(_SMALL, _SMALL).replace(
                "</visual>", '<material name="planted"><color rgba="255 128 0 1"/></material></visual>'
            ),
        ),
    ),
    Planted("GEO-005", _body(_LIGHT, _shapes(_SMALL, '<box size="0.4 0.5 0.6"/>'))),
    Planted(
        "MSH-007",
        _body(_LIGHT, _shapes(_SMALL, '<mesh filename="package://arm/meshes/many_triangles.stl"/>')),
        implied=("MSH-005",),
    ),
)
"""Of the rules that compare links and joints with others."""


DEFECTS = (
    Planted("TRE-001", _root_mass, implied=("INR-009",)),
    Planted("XML-001", _blocks('<gazebo reference="no_such_link"/>')),
    Planted(
        "XML-002",
        _blocks(
            '<transmission name="no_such"><type>x</type><joint name="no_such">'
            "<hardwareInterface>hardware_interface/EffortJointInterface</hardwareInterface></joint>"
            '<actuator name="no_such"/></transmission>'
        ),
    ),
    Planted("XML-003", _control('<joint name="no_such"/>')),
    Planted("XML-004", _blocks("<gazebo><plugin><joint_name>no_such</joint_name></plugin></gazebo>")),
    *OF_GAZEBO,
    Planted("XML-016", _of_the_new_gazebo("<gazebo><material>Gazebo/Blue</material></gazebo>")),
    Planted("NAM-001", _name(lambda name: name.replace("_", "-", 1))),
    Planted("NAM-002", _name(lambda name: name.replace("_", " ", 1))),
    Planted("NAM-003", _name(lambda name: name.replace("_", ".", 1))),
    Planted("NAM-004", _name(lambda name: f"/{name}")),
    Planted("NAM-005", _name(lambda name: f"7{name}")),
    Planted("NAM-006", _name(lambda name: name.replace("_", "_X", 1))),
    Planted("JNT-001", _axis(0, 0, 2)),
    Planted("JNT-002", _axis(0, 4e-6, 1)),
    Planted("JNT-003", _limit(lower=-1000, upper=1000)),
    Planted("JNT-004", _in_joint('<dynamics damping="-0.1"/>')),
    Planted("LIM-001", _reversed),
    Planted("LIM-002", _limit(lower=0, upper=0)),
    Planted("LIM-003", _half_way),
    Planted("LIM-004", _limit(effort=0)),
    Planted("LIM-005", _limit(velocity=0)),
    Planted("LIM-006", _limit(velocity=-1)),
    Planted("LIM-007", _limit(effort=123456)),
    Planted("LIM-008", _limit(velocity=7890)),
    Planted(
        "LIM-009",
        _in_joint('<safety_controller k_velocity="1" k_position="1" soft_lower_limit="-9" soft_upper_limit="0.1"/>'),
    ),
    Planted("MIM-001", _mimic(chain=False, multiplier=100)),
    Planted("MIM-002", _mimic(chain=True, multiplier=0.001)),
    Planted("INR-001", _inertia(lambda link: (-_diagonal(link).sum(), *_diagonal(link)[1:]))),
    Planted("INR-002", _inertia(lambda link: (1.5 * _diagonal(link)[1:].sum(), *_diagonal(link)[1:]))),
    Planted("INR-003", _inertia(lambda link: (0.0, 0.0, 0.0))),
    Planted("INR-004", _mass(-1), implied=("INR-006",)),
    Planted("INR-005", _mass(0), implied=("INR-006",)),
    Planted("INR-006", _inertia(_power_of_ten), implied=("INR-008", "INR-009")),
    Planted("INR-007", _mass(1e5), implied=("INR-006", "R103-002")),
    Planted("INR-008", _inertia(_far_away)),
    Planted("INR-009", _beyond_shape),
    Planted("INR-010", _centre_away, implied=("R103-002",)),
    Planted("INR-011", _no_inertial),
    Planted("INR-012", _inertia(lambda link: tuple(1e-6 * _diagonal(link)))),
    Planted("GEO-001", _no_collision),
    Planted("GEO-002", _size(0), implied=("INR-009", "INR-010")),
    Planted("GEO-003", _size(1000), implied=("GEO-005", "INR-017")),
    Planted("MSH-009", _blocks('<gazebo><plugin filename="/home/user/no.so" name="no"/></gazebo>')),
    Planted("MSH-002", _visual('filename="package://arm/meshes/nowhere.stl"')),
    Planted("MSH-003", _visual('filename="package://arm/meshes/empty.stl"')),
    Planted("MSH-004", _visual('filename="package://arm/meshes/pointer.stl"')),
    Planted("MSH-005", _visual('filename="package://arm/meshes/cut.stl"')),
    Planted("MSH-006", _visual('filename="package://arm/meshes/millimetres.stl"'), implied=("GEO-005", "INR-017")),
    *OF_LINKS,
)


def _frames(*frames: tuple[str, str]) -> Callable[[Model], str | None]:
    """Frames (name, rpy) below the root, each on the one before."""

    def plant(model: Model) -> str | None:
        parent, more = model.robot.root, ""
        for name, rpy in frames:
            more += (
                f'<link name="{name}"/><joint name="{name}_mount" type="fixed"><origin xyz="0 0 0" rpy="{rpy}"/>'
                f'<parent link="{parent}"/><child link="{name}"/></joint>'
            )
            parent = name
        return model.at_end(more)

    return plant


OF_REPS = (
    Planted("R103-001", _visual('filename="x.stl" scale="-1 1 1"')),
    Planted("R103-002", _limit(lower=-170, upper=170)),
    Planted("R103-002", _visual('filename="x.stl" scale="0.001 0.001 0.001"', 'filename="x.stl"')),
    Planted("R103-004", _frames(("planted_camera", "0 0 0"), ("planted_camera_optical_frame", "0 0 0"))),
    Planted("R103-007", _frames(("planted_mount", "0 1.57 0"))),
    Planted("R105-002", _frames(("odom", "0 0 0"))),
)
"""Of the rules after REPs that are asked of every robot."""
