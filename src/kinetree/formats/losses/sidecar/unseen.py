"""What programs that read a file do not see of a robot, counted by kind, in their own words."""

from collections import Counter
from collections.abc import Collection, Iterator
from math import inf

from kinetree.formats.gazebo import LUMPING
from kinetree.formats.losses.sidecar.differences import FIELDS as CARRIED, Record
from kinetree.model.robot import Robot
from kinetree.syntax.xml.reader import Report, parse

DRIVES = ("transmission", "ros2_control")
WHO = {"sdf": "Gazebo", "mjcf": "MuJoCo", "urdf": "ROS"}
"""Programs that read a format."""
FIELDS = {
    "limits": ("limit of a joint", "limits of joints"),
    "joint_order": ("order of the joints", "orders of the joints"),
    "dynamics": ("joint's damping, friction or spring", "joints' damping, friction or springs"),
    "armature": ("joint's rotor inertia (armature)", "joints' rotor inertias (armatures)"),
    "safety": ("safety limit of a joint", "safety limits of joints"),
    "calibration": ("calibration of a joint", "calibrations of joints"),
    "unplaced": ("frame without a place", "frames without a place"),
    "velocity": ("limit of velocity", "limits of velocity"),
    "texture": ("texture", "textures"),
    "surface": (
        "shape's friction, restitution, stiffness or damping",
        "shapes' friction, restitution, stiffness or damping",
    ),
    "group": ("group of joints", "groups of joints"),
    "sensor": ("sensor", "sensors"),
    "sensor's": ("sensor's settings", "sensors' settings"),
    "loop": ("joint that closes a loop", "joints that close loops"),
    "coupled_limit": ("limit over several joints", "limits over several joints"),
    "transmission": ("transmission", "transmissions"),
    "actuator": ("actuator", "actuators"),
    "kind": ("actuator's kind", "actuators' kinds"),
    "gains": ("actuator's gains or limits", "actuators' gains or limits"),
}
"""One and several of what a record is about, by its kind or the field."""


def unseen(records: Collection[Record], format: str, robot: Robot) -> str:
    """Return "Gazebo will not see: 2 transmissions", or "" if it sees everything; MuJoCo sees those of joints with
    actuators, and Gazebo joints that are in the file."""
    seen = {one.joint for one in robot.actuators.values()}
    if format == "sdf":
        gone = {one.name for one in records if "gone" in one.data}  # such as joints of blocks that the robot has not
        seen = {*LUMPING, *gone} if "world" in (robot.root, *gone) else {*LUMPING, *gone, "pose"}
    count = Counter(what for record in records for what in _of(record, format, seen))
    count["loop"] += len(robot.loops) if format == "urdf" else 0
    count["coupled_limit"] += len(robot.coupled_limits) if format in ("urdf", "sdf") else 0
    names = {what: FIELDS.get(what, (what, what)) for what in count}
    parts = [f"{number} {names[what][number > 1]}" for what, number in sorted((+count).items())]
    return f"{WHO.get(format, 'other programs')} will not see: {', '.join(parts)}" if parts else ""


def _of(record: Record, format: str, seen: Collection[str]) -> list[str]:
    """Return what is in a record; names of shapes and materials are not counted."""
    if record.kind in ("group", "sensor", "coupled_limit") and "gone" not in record.data:
        is_changed = record.kind == "sensor" and "new" not in record.data
        return ["sensor's" if is_changed else record.kind]
    if record.kind == "actuator":  # of which files may say more than the robot
        values = [value for path, value in record.data.items() if path in CARRIED["actuator"]]
        said = any(value not in (None, [-inf, inf]) for value in values)
        return ["actuator" if "new" in record.data else "kind" if "kind" in record.data else "gains"] * said
    found, tags = dict[str, None](), list[str]()
    for path, value in record.data.items():
        steps = path.split(".")
        if "extensions" in steps and isinstance(value, list):
            tags += _tags(value[1], value[2], format, seen)
        elif known := next((step for step in (steps[-1], steps[0]) if step in FIELDS), None):
            found[known] = None
        elif "surface" in steps:
            found[f"{'.'.join(steps[:2])}"] = None
    surfaces = [what for what in found if what not in FIELDS]
    return [*(what for what in found if what in FIELDS), *["surface"] * len(surfaces), *tags]


def _tags(tag: str, text: str, format: str, seen: Collection[str]) -> Iterator[str]:
    """Yield what an element of another tool is called: of a <gazebo>, what Gazebo would have read of it."""
    if tag in DRIVES and format == "mjcf":
        block = parse(text, "<text>", Report())
        joints = {one.get("name") for one in block.walk() if one.tag == "joint"} if block is not None else {None}
        yield from [] if joints <= {*seen} else [tag if tag in FIELDS else f"<{tag}>"]
    elif tag == "gazebo" and format == "sdf":
        block = parse(text, "<text>", Report())
        for child in block.children if block is not None else ():
            joint = {child.get("name"), *(e.text.strip() for e in child.find_all("parent"))}
            if (joint if child.tag == "joint" else {child.tag}).isdisjoint(seen):
                yield f"<{child.tag}> of <gazebo>"
    elif tag == "attributes":
        yield "settings of MJCF"
    else:
        yield tag if tag in FIELDS else f"<{tag.rpartition('/')[2].rpartition('::')[2]}>"
