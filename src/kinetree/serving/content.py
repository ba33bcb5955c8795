"""Content of a server: description, files and transforms of a robot, as messages of ROS in CDR."""

import posixpath
from dataclasses import dataclass, replace
from functools import lru_cache
from urllib.parse import unquote

import numpy as np

from kinetree.errors import Finding, KinetreeError
from kinetree.formats.losses.capabilities import lost_shape
from kinetree.formats.urdf.links import SHAPES
from kinetree.formats.urdf.write import write
from kinetree.logs.ros.base import TF, TF_MESSAGE, TF_STATIC
from kinetree.logs.ros.cdr import encoded, layout
from kinetree.logs.ros.definitions import full_name, schema_text
from kinetree.logs.ros.transforms import DESCRIPTION, STRING
from kinetree.model.assemble import build, parts_of
from kinetree.model.robot import Geometry, Joint, Robot
from kinetree.queries.transforms import Transforms, left_out, transforms
from kinetree.serving.messages import Channel
from kinetree.shapes.served import served
from kinetree.spatial.se3 import Array

TYPES = {TF: TF_MESSAGE, TF_STATIC: TF_MESSAGE, DESCRIPTION: STRING}
CHANNELS = tuple(Channel(topic, full_name(name), schema_text(name)) for topic, name in TYPES.items())
"""All channels; the numbers of messages are their places here."""
UNSEEN = ("loop", "sensor")
"""Parts that URDF cannot always represent, and that are not drawn."""


@dataclass(frozen=True, slots=True)
class Content:
    """What viewers get of a robot.

    description: URDF. files: contents of its meshes and textures by their addresses, `package://…`. notes: warnings
    about what is not served. frames: those that joints move.
    """

    robot: Robot
    description: str
    files: dict[str, bytes]
    notes: tuple[Finding, ...]
    frames: "Frames"

    def file(self, address: str) -> bytes | None:
        """Return the file of an address, which may be quoted as in a URL and contain `..`; None for any other file."""
        scheme, _, path = unquote(address).partition("://")
        return self.files.get(f"{scheme}://{posixpath.normpath(path)}")

    def latched(self, topic: str, stamp: int) -> bytes:
        """Return the message of a topic that every client gets once. stamp: ns since 1970."""
        if topic == DESCRIPTION:
            return _described(self.description)
        tree = transforms(self.robot, which="static")
        return Frames(tree).message(tree, stamp)

    def moving(self, q: Array, stamp: int) -> bytes:
        """Return the transforms that joints move, at q (nq,). stamp: ns since 1970."""
        return self.frames.message(transforms(self.robot, q, which="moving"), stamp)


@lru_cache(maxsize=1)
def _described(description: str) -> bytes:
    """Return the message of a description, which all clients share."""
    return encoded(STRING, {"data": description})[0]


def content_of(robot: Robot) -> Content:
    """Return the content for a robot.

    Shapes that URDF lacks are left out, and joints of types that it lacks are floating in the description, because
    viewers draw links where the transforms place them.
    """
    shown, files, findings = served(robot)
    findings += left_out(robot)
    try:
        text = write(shown)
    except KinetreeError as error:
        text = write(_plain(shown), UNSEEN)
        findings += [
            Finding(
                f.code,
                "warning",
                f"{f.message.partition('; without=')[0]}; {DESCRIPTION} is without it",
                f.source,
                f.element,
            )
            for f in error.findings
        ]
    return Content(robot, text, files, tuple(findings), Frames(transforms(robot, which="moving")))


def _plain(robot: Robot) -> Robot:
    """Return a robot with the shapes and types of joints that URDF has."""
    parts = parts_of(robot)
    parts.links = [replace(x, visuals=_seen(x.visuals), collisions=_seen(x.collisions)) for x in parts.links]
    if not all(joint.kind.urdf for joint in parts.joints):
        parts.joints = [joint if joint.kind.urdf and not joint.mimic else _floating(joint) for joint in parts.joints]
        parts.joint_order, parts.coupled_limits = None, []
    return build(parts)


def _seen(shapes: tuple[Geometry, ...]) -> tuple[Geometry, ...]:
    return tuple(shape for shape in shapes if not lost_shape(SHAPES, shape))


def _floating(joint: Joint) -> Joint:
    return Joint(
        joint.name,
        "floating",
        joint.parent,
        joint.child,
        origin=joint.origin,
        child_origin=joint.child_origin,
        source=joint.source,
    )


class Frames:
    """A message of transforms, in which only stamps and numbers change."""

    def __init__(self, tree: Transforms) -> None:
        stamp, vector = {"sec": 0, "nanosec": 0}, dict.fromkeys("xyzw", 0.0)
        rows = [
            {
                "header": {"stamp": stamp, "frame_id": parent},
                "child_frame_id": name,
                "transform": {"translation": vector, "rotation": vector},
            }
            for name, parent in zip(tree.names, tree.parents, strict=True)
        ]
        (data,) = encoded(TF_MESSAGE, {"transforms": rows})
        self._data = np.frombuffer(data, np.uint8)
        value, _ = layout(TF_MESSAGE, data, _no_fault)
        places = [(row["header"]["stamp"]["sec"], row["transform"]["translation"]["x"]) for row in value["transforms"]]
        offsets = np.array([[number.offset for number in pair] for pair in places], dtype=int).reshape(-1, 2, 1)
        self._stamps, self._numbers = offsets[:, 0] + np.arange(8), offsets[:, 1] + np.arange(7 * 8)

    def message(self, tree: Transforms, stamp: int) -> bytes:
        """Return the message. tree: of the same frames. stamp: ns since 1970."""
        data = self._data.copy()
        data[self._stamps] = np.array(divmod(stamp, 10**9), dtype="<u4").view(np.uint8)
        numbers = np.concatenate([tree.positions, tree.quat_xyzw], axis=-1)
        data[self._numbers] = np.ascontiguousarray(numbers, dtype="<f8").view(np.uint8)
        return bytes(data)


def _no_fault(*_: object) -> KinetreeError:
    raise AssertionError
