"""What a robot has of SDF, as <gazebo> blocks of URDF, in the words from which sdformat makes it again."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from html import escape

import numpy as np

from kinetree.formats import gazebo
from kinetree.formats.force_torque import TAG, words_of
from kinetree.formats.gazebo import SENSOR_TYPES, SURFACE, Word, converted, leaves, springs_of, surfaces_of
from kinetree.model.assemble import build, parts_of
from kinetree.model.edit.extensions import change_extensions, kept_elements
from kinetree.model.robot import Dynamics, Extension, Geometry, Joint, Link, Robot, Sensor, Surface
from kinetree.spatial.se3 import IDENTITY, rpy_from_rotation
from kinetree.syntax.numbers import format_number, format_numbers
from kinetree.syntax.xml.reader import Element, Report, parse

OF_MODEL = ("static", "self_collide", "allow_auto_disable", "enable_wind", "plugin", "gripper")
OF_WORLD = ("physics", "scene", "gui", "gravity", "light", "atmosphere", "spherical_coordinates", "include")
"""Elements of a model, and those that only a world has, whose plugins are no matter of the robot."""
OF_LINK = (
    *("gravity", "enable_wind", "self_collide", "kinematic", "must_be_base_link", "velocity_decay", "projector"),
    *("audio_sink", "audio_source", "battery", "light", "particle_emitter", "plugin"),
)
OF_SENSOR = (
    *("air_flow", "air_pressure", "air_speed", "altimeter", "always_on", "camera", "contact", "enable_metrics", "gps"),
    *("imu", "lidar", "logical_camera", "magnetometer", "navsat", "plugin", "ray", "rfid", "rfidtag", "sonar"),
    *("topic", "transceiver", "visualize"),
)
"""Elements of a link and a sensor that Gazebo reads and Kinetree keeps as they are."""
OF_SHAPES = {
    "collision": ("surface", "laser_retro", "max_contacts"),
    "visual": ("cast_shadows", "laser_retro", "transparency", "visibility_flags", "meta", "plugin", "material"),
}


def with_blocks(robot: Robot, plain: Robot, sensors: Iterable[Sensor]) -> Robot:
    """Return the robot with blocks in place of the elements of SDF that they can hold.

    plain: the robot as URDF has it; sensors: its sensors, on links.
    """
    own = _settled(robot)
    writer = _Blocks(plain, own)
    for link in plain.links.values():
        writer.link(link)
    for joint in plain.joints.values():
        writer.joint(joint)
    for sensor in sensors:
        writer.sensor(sensor)
    if not any(e.format == "sdf" and e.tag in OF_WORLD for e in robot.extensions):
        writer.as_they_stand("", robot.extensions, OF_MODEL.__contains__)
    if not writer.contents:
        return own
    parts = parts_of(own)
    change_extensions(parts, lambda one: None if id(one) in writer.placed else one)
    parts.extensions += writer.blocks()
    return build(parts)


def _settled(robot: Robot) -> Robot:
    """Return the robot without words of its blocks that say another surface than the shapes of their link have, or
    another spring than their joint has."""
    kept = [*kept_elements(robot.extensions, "urdf", "gazebo")]
    said = surfaces_of(element for _, element in kept)
    links = [robot.links[name] for name in said if name in robot.links]
    wrong = {link.name for link in links if any(shape.surface != said[link.name] for shape in link.collisions)}
    springs = springs_of(element for _, element in kept)
    wrong |= {name for name, fields in springs.items() if _spring(robot.joints.get(name), fields) not in (None, fields)}
    if not wrong:
        return robot
    parts = parts_of(robot)
    texts = {id(one): _without_settled(block) for one, block in kept if block.get("reference") in wrong}
    left = [replace(one, text=texts.get(id(one), one.text)) for one in parts.extensions]
    parts.extensions = [one for one in left if one.text]
    return build(parts)


def _spring(joint: Joint | None, fields: Iterable[str]) -> dict[str, float] | None:
    """Return fields of the dynamics of a joint of one coordinate, or None."""
    row = joint.dynamics[0] if joint and joint.dynamics else Dynamics()
    return {field: getattr(row, field) for field in fields} if joint and joint.kind.single else None


def _without_settled(block: Element) -> str:
    """Return the text of a block without what its link's shapes or its joint have themselves; "" if nothing else is in
    it."""
    texts = []
    for child in block.children:
        inside = [inner for inner in child.children if inner.tag == "surface"] if child.tag == "collision" else []
        found = [e for surface in inside for path, e in (leaves(surface) or {}).items() if path in SURFACE]
        text = child.kept
        for element in found:
            text = text.replace(element.raw, "", 1)
        if gazebo.COLLISION.get(child.tag, Word(("",))).places[0] not in SURFACE and child.tag not in gazebo.SPRINGS:
            texts.append(text)
    return f"<gazebo{_reference(block.get('reference') or '')}>{''.join(texts)}</gazebo>" if texts else ""


def _reference(name: str) -> str:
    return f' reference="{escape(name)}"' if name else ""


def _element(extension: Extension) -> Element | None:
    return parse(extension.text, "<text>", Report())


def is_in_block(sensor: Sensor, is_sdf: bool) -> bool:
    """Return whether a sensor is written into a block, for it is one of SDF. is_sdf: whether the robot is from SDF."""
    return sensor.type in SENSOR_TYPES and (is_sdf or bool(_settings(sensor)))


def _settings(sensor: Sensor) -> list[Extension]:
    tags = (*OF_SENSOR, f"{TAG}/force", f"{TAG}/torque")
    return [e for e in sensor.extensions if e.format == "sdf" and e.tag in tags]


def nested(texts: dict[str, str]) -> str:
    """Return elements of which the innermost are given by their paths, "surface/friction/ode/fdir1"."""
    outer: dict[str, dict[str, str]] = {}
    for path, text in texts.items():
        tag, _, rest = path.partition("/")
        outer.setdefault(tag, {})[rest] = text
    return "".join(inner[""] if "" in inner else f"<{tag}>{nested(inner)}</{tag}>" for tag, inner in outer.items())


class _Blocks:
    def __init__(self, robot: Robot, own: Robot) -> None:
        self.robot = robot
        elements = [element for _, element in kept_elements(own.extensions, "urdf", "gazebo")]
        self.said = surfaces_of(elements)
        self.springs = springs_of(elements)
        self.is_sdf = own.text is not None and own.text.format == "sdf"
        self.contents: dict[str, list[str]] = {}
        self.placed: set[int] = set()

    def blocks(self) -> list[Extension]:
        """Return a block for the model and each link or joint."""
        return [
            Extension("urdf", "gazebo", f"<gazebo{_reference(name)}>{''.join(texts)}</gazebo>")
            for name, texts in self.contents.items()
        ]

    def add(self, name: str, text: str) -> None:
        if text:
            self.contents.setdefault(name, []).append(text)

    def as_they_stand(self, name: str, extensions: Iterable[Extension], fits: Callable[[str], bool]) -> None:
        for one in extensions:
            if one.format == "sdf" and fits(one.tag):
                self.add(name, one.text)
                self.placed.add(id(one))

    # links

    def link(self, link: Link) -> None:
        """Add what SDF has inside a link."""
        self.as_they_stand(link.name, link.extensions, OF_LINK.__contains__)
        surfaces = {shape.surface for shape in link.collisions}
        blob = {}
        if len(surfaces) == 1 and surfaces.isdisjoint({None, self.said.get(link.name)}):
            blob = self.surface(link.name, surfaces.pop())
        if not self.shapes(link.name, "collision", link.collisions, blob) and blob:
            self.add(link.name, f"<collision>{nested(blob)}</collision>")
        self.shapes(link.name, "visual", link.visuals, {})

    def surface(self, name: str, surface: Surface | None) -> dict[str, str]:
        """Add the words of a surface, and return the elements of SDF for which there are none."""
        words = {word.places[0]: tag for tag, word in gazebo.COLLISION.items()}
        blob = {}
        for path, field in SURFACE.items():
            if (value := getattr(surface, field)) is not None:
                tag = words.get(path) or path.rpartition("/")[2]
                text = f"<{tag}>{format_number(value)}</{tag}>"
                if path in words:
                    self.add(name, text)
                else:
                    blob[path] = text
        return blob

    def shapes(self, name: str, kind: str, shapes: Sequence[Geometry], blob: dict[str, str]) -> bool:
        """Add what the shapes of a link have in common, and return whether there is any. blob: more elements."""
        found = [
            [e for e in shape.extensions if e.format == "sdf" and e.tag.partition("/")[0] in OF_SHAPES[kind]]
            for shape in shapes
        ]
        texts = [[(one.tag, one.text) for one in extensions] for extensions in found]
        looks = {shape.material.rgba if shape.material else None for shape in shapes}
        more = [*texts[0]] if texts else []
        if not more or any(other != more for other in texts[1:]):
            return False
        blob = {**blob}
        for one in found[0]:
            word = self.word(kind, one)
            self.add(name, word)
            if not word and one.tag in blob:
                return False
            if not word:
                blob[one.tag] = one.text
        rgba = looks.pop() if len(looks) == 1 else None
        if any(path.startswith("material/") for path in blob):  # beside which sdformat gives a shape no colour
            if looks:
                return False
            if rgba:
                blob["material/diffuse"] = f"<diffuse>{format_numbers(rgba)}</diffuse>"
        self.add(name, f"<{kind}>{nested(blob)}</{kind}>" if blob else "")
        self.placed |= {id(one) for extensions in found for one in extensions}
        return True

    def word(self, kind: str, extension: Extension) -> str:
        """Return an element of SDF as a word, or "" if there is none."""
        element = _element(extension)
        if element is None or element.attributes:
            return ""
        if extension.tag == "material/script":
            inside = {e.tag: e.text.strip() for e in element.children}
            known = len(element.children) == 2 and inside.get("uri") == gazebo.SCRIPTS and inside.get("name")
            return f"<material>{escape(inside['name'], quote=False)}</material>" if known else ""
        for tag, word in gazebo.WORDS[kind].items():
            if word.places == (extension.tag,) and word.kind != "text":
                text = converted(word, element)
                return f"<{tag}>{text}</{tag}>" if text is not None else ""
        return ""

    # joints

    def joint(self, joint: Joint) -> None:
        """Add what SDF has inside a joint."""
        for one in joint.extensions:
            if (one.format, one.tag) == ("sdf", "physics") and (words := self.physics(one)):
                self.add(joint.name, words)
                self.placed.add(id(one))
        self.as_they_stand(joint.name, joint.extensions, ("plugin",).__contains__)
        if len(joint.dynamics) == 1 and joint.kind.single and joint.name not in self.springs:
            for word, field in gazebo.SPRINGS.items():
                if value := getattr(joint.dynamics[0], field):
                    self.add(joint.name, f"<{word}>{format_number(value)}</{word}>")

    def physics(self, extension: Extension) -> str:
        """Return <physics> in words of URDF, or "" if one of its elements has none."""
        element = _element(extension)
        left = (leaves(element) if element is not None else None) or {}
        texts = []
        for tag, word in gazebo.JOINT.items():
            found = {converted(word, left.pop(place)) for place in word.places if place in left}
            if len(found) > 1 or None in found:
                return ""
            texts += [f"<{tag}>{text}</{tag}>" for text in found]
        return "" if left else "".join(texts)

    # sensors

    def sensor(self, sensor: Sensor) -> None:
        """Add a sensor of SDF, with the settings that URDF's own <sensor> lacks."""
        if not is_in_block(sensor, self.is_sdf):
            return
        own = _settings(sensor)
        name = sensor.name.rpartition("::")[2]
        inside: list[str] = []
        if not np.array_equal(sensor.origin, IDENTITY):
            numbers = (*sensor.origin[:3, 3], *rpy_from_rotation(sensor.origin[:3, :3]))
            inside.append(f"<pose>{format_numbers(numbers)}</pose>")
        if sensor.update_rate is not None:
            inside.append(f"<update_rate>{format_number(sensor.update_rate)}</update_rate>")
        said = self.robot.sensors[sensor.name].force_torque  # of which URDF's own may have no more than a part
        reading = words_of(said) if said else {}
        text = "".join(f"<{tag}>{word}</{tag}>" for tag, word in reading.items())
        text += "".join(one.text for one in own if one.tag.startswith(f"{TAG}/"))
        inside += [f"<{TAG}>{text}</{TAG}>"] if text else []
        inside += [one.text for one in own if "/" not in one.tag]
        start = f'<sensor name="{escape(name)}" type="{escape(sensor.type)}">'
        self.add(sensor.joint or sensor.frame, f"{start}{''.join(inside)}</sensor>")
        self.placed |= {id(one) for one in own}
