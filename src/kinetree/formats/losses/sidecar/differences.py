"""Differences between the robot and the robot that is read from the file."""

import json
import re
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kinetree.formats.actuators import block_actuators
from kinetree.formats.losses.sidecar.merge_fixed_link import fits_frame, merge_fixed_link
from kinetree.formats.losses.sidecar.values import Leaves, leaves
from kinetree.model.assemble import Parts, parts_of
from kinetree.model.edit.naming import Names, renamed_parts
from kinetree.model.robot import Actuator, CoupledLimit, Frame, Inertial, Joint, Link, Material, Robot, Sensor

CLASSES: Mapping[str, type] = {
    "link": Link,
    "joint": Joint,
    "loop": Joint,
    "frame": Frame,
    "sensor": Sensor,
    "material": Material,
    "coupled_limit": CoupledLimit,
    "actuator": Actuator,
}
JOINT = ("type", "child_origin", "limits", "dynamics", "safety", "calibration", "extensions")
FIELDS: Mapping[str, tuple[str, ...]] = {
    "link": ("inertial", "visuals", "collisions", "extensions"),
    "joint": JOINT,
    "loop": JOINT,
    "frame": ("link", "origin", "unplaced"),
    "sensor": ("type", "frame", "origin", "joint", "update_rate", "force_torque", "extensions"),
    "material": ("rgba", "texture"),
    "coupled_limit": ("coefficients", "lower", "upper"),
    "actuator": ("joint", "kind", "gear", "control", "force", "kp", "kv"),
}
"""Fields that are carried, by kind of element. What a joint connects, and how it moves, is only in the file;
`child_origin` is where its own frame is on the child link, which changes nothing of its motion."""
CLOSE = 1e-9
"""Metres, entries of rotations, and relative differences of inertias, up to which a file says the same."""


@dataclass
class Record:
    """Record of what a file carries of one element.

    kind, name: of the element, as the file has it; the robot is kind "robot" without a name.
    data: values by path; name: its own name; new: it is only here; gone: only the format needs it.
    file: values that the file has at the paths, if not the default.
    """

    kind: str
    name: str
    data: Leaves = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The data as JSON."""
        return json.dumps(self.data, ensure_ascii=False)


def things_in(parts: Parts, kind: str) -> list[Any]:
    """Return the list of the elements of a kind, which may be changed in place."""
    things: list[Any] = getattr(parts, f"{kind}s")
    return things


def differences(
    robot: Robot, back: Robot, format: str, own_names: Mapping[tuple[str, str], str], known: Iterable[Record] = ()
) -> list[Record]:
    """Return a record for each element of `robot` that `back`, read from a file of it, does not have in full.

    own_names: the own name of each element that has another name in `robot` and the file, by (kind, name). known:
    records of what the writer has changed itself.
    """
    records = {(one.kind, one.name): Record(one.kind, one.name, dict(one.data)) for one in known}

    def record(kind: str, name: str) -> Leaves:
        return records.setdefault((kind, name), Record(kind, name)).data

    there = parts_of(back)
    for name in back.links:
        if name not in robot.links:
            with suppress(ValueError):
                merge_fixed_link(there, name)
                record("link", name)["gone"] = True
    carriers = {joint.child: joint.name for joint in there.joints}  # a joint is the one that carries its child link
    names = {joint.name: carriers.get(joint.child, joint.name) for joint in robot.joints.values()}
    here = renamed_parts(parts_of(robot), Names(joints=names), format="")
    in_blocks = here.actuators == block_actuators(here.extensions, {joint.name: joint for joint in here.joints})
    for kind, fields in FIELDS.items():
        others = {thing.name: thing for thing in things_in(there, kind)}
        for thing in things_in(here, kind):
            if kind == "actuator" and thing.name not in others and in_blocks:
                continue  # its block is carried, or in the file
            if (other := others.pop(thing.name, None)) is None:
                record(kind, thing.name).update({"new": True, **leaves(thing, fields)})
            elif data := _changes(thing, other, fields, robot, format):
                before = record(kind, thing.name)
                before.update(_with_file(data, {**before.get("file", {}), **data.get("file", {})}))
        for other in others.values():
            record(kind, other.name).update(_with_file({"gone": True}, leaves(other, fields)))
    for group, members in here.groups.items():
        record("group", group)["joints"] = [*members]
    if here.joint_order != back.joint_names:
        record("robot", "")["joint_order"] = [*(here.joint_order or ())]
    order, in_file = ([one.name for one in parts.actuators] for parts in (here, there))
    if order != [*(name for name in in_file if name in order), *(name for name in order if name not in in_file)]:
        record("robot", "")["actuators"] = order
    if foreign := leaves(here, ("extensions",), format):
        record("robot", "").update(foreign)
    carried = "".join(one.text for one in records.values()) if any(name[6:] for name in here.header) else ""
    used = {*re.findall(r"(?:<|\\[nrt]|\s)([\w.-]+):", carried)}
    if spaces := {name: uri for name, uri in here.header.items() if name[:6] == "xmlns:" and name[6:] in used}:
        record("robot", "")["header"] = spaces
    own_names = {("joint", new): old for old, new in names.items() if new != old} | {**own_names}
    for (kind, name), own in own_names.items():
        record(kind, name)["name"] = own
    return [*records.values()]


def _with_file(data: Leaves, file: Leaves) -> Leaves:
    return {**data, "file": file} if file else data


def _changes(thing: Any, other: Any, names: Collection[str], robot: Robot, format: str) -> Leaves:
    mine, theirs = leaves(thing, names, format), leaves(other, names, format)
    if isinstance(thing, Link) and _same_inertia(thing.inertial, other.inertial):
        mine, theirs = ({k: v for k, v in all.items() if not k.startswith("inertial.")} for all in (mine, theirs))
    for path in [path for path in theirs if path.endswith(".material.rgba") and path not in mine]:
        material = robot.materials.get(str(mine.get(f"{path.removesuffix('rgba')}name")))
        if material and not material.texture and [*(material.rgba or ())] == theirs[path]:  # a reference, resolved
            del theirs[path]
    paths = [path for path in {**mine, **theirs} if not _same(path, mine.get(path), theirs.get(path))]
    if "child_origin" in paths and not fits_frame(other, thing.child_origin):
        paths.remove("child_origin")
    return _with_file(
        {path: mine.get(path) for path in paths}, {path: theirs[path] for path in paths if path in theirs}
    )


def _same(path: str, mine: Any, theirs: Any) -> bool:
    if path in ("origin", "child_origin"):
        default = np.eye(4)
        return np.allclose(default if mine is None else mine, default if theirs is None else theirs, 0, CLOSE)
    return bool(mine == theirs)


def _same_inertia(mine: Inertial | None, theirs: Inertial | None) -> bool:
    if mine is None or theirs is None:
        return True
    a, b = (i.origin[:3, :3] @ i.inertia @ i.origin[:3, :3].T for i in (mine, theirs))
    return bool(np.allclose(a, b, rtol=0, atol=CLOSE * np.abs(a).max()))
