"""References by dialect: the attributes and elements whose value is the name of a part of the robot.

A place is an element and one of its attributes, or its text. The kind of a place is what its name refers to: "link",
"joint" and the like, or several of them, separated by spaces, if it may be any.
"""

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from types import MappingProxyType

TEXT = ""
"""In the place of an attribute: the text of the element."""
EVERY = "*"
"""In the place of a tag: every element."""
PART = "link joint sensor"
"""The kind of a place that names a part of the robot of an unknown kind."""
UNLISTED = "unlisted"
"""The kind of a place that is not in the table, in a dialect that anyone may extend."""
PROSE = "prose"
"""The kind of a place that names no part of the robot, but may mention a name."""

NAMED: Mapping[str, str] = {
    **dict.fromkeys(("link", "frame", "body", "site"), "frames"),
    **dict.fromkeys(("sensor", "camera"), "sensors"),
    "joint": "joints",
    "tendon": "coupled_limits",
    "actuator": "actuators",
}
"""Kinds to the field of a robot that has their names. Other kinds, such as "geom", have no names in a robot."""

_GAZEBO_JOINTS = ("joint_name", "jointName", "left_joint", "right_joint", "leftJoint", "rightJoint", "mimicJoint")
_CONTROLLER_JOINTS = (
    *("joints", "joint", "dof_names", "controller_joint_names", "command_joints", "extra_joints"),
    *("left_wheel_names", "right_wheel_names", "left_wheel", "right_wheel"),
    *("traction_joints_names", "steering_joints_names", "front_wheels_names", "rear_wheels_names"),
)
GROUPS = ("group", "parent_group", "component_group")
"""Attributes of an SRDF that name a group of joints."""
_SRDF_KINDS = {
    "link": ("link", "link1", "link2", "base_link", "tip_link", "parent_link", "child_link"),
    "joint": ("joint_name",),
    "": ["name", *GROUPS, "reason", "type", "value", "center", "radius", "id"],
}
_MJCF_KINDS = {
    "joint": ("joint", "joint1", "joint2", "jointinparent"),
    "body": ("body", "body1", "body2", "subtree1", "subtree2"),
    "site": ("site", "site1", "site2", "cranksite", "slidersite", "refsite", "sidesite"),
    "geom": ("geom", "geom1", "geom2", "sidegeom"),
    "tendon": ("tendon", "tendon1", "tendon2"),
    "actuator": ("actuator",),
    "camera": ("camera",),
    "its objtype": ("objname",),
    "its reftype": ("refname",),
}

REFERENCES: Mapping[str, Mapping[tuple[str, str], str]] = {
    "urdf": {
        ("link", "name"): "link",
        ("joint", "name"): "joint",
        ("parent", "link"): "link",
        ("child", "link"): "link",
        ("mimic", "joint"): "joint",
        ("gazebo", "reference"): "link joint",
    },
    "gazebo": {(tag, TEXT): "joint" for tag in _GAZEBO_JOINTS},
    "transmission": {("joint", "name"): "joint"},
    "ros2_control": {("joint", "name"): "joint", ("mimic", TEXT): "joint"},
    "controllers": {(key, TEXT): "joint" for key in _CONTROLLER_JOINTS},
    "sdf": {
        ("pose", "relative_to"): "frame joint",
        ("xyz", "expressed_in"): "frame joint",
        ("frame", "attached_to"): "frame joint",
        ("gearbox_reference_body", TEXT): "link",
    },
    "srdf": {
        **{(EVERY, attribute): kind for kind, attributes in _SRDF_KINDS.items() for attribute in attributes},
        ("link", "name"): "link",
        ("joint", "name"): "joint",
        ("passive_joint", "name"): "joint",
    },
    "mjcf": {
        **{(EVERY, attribute): kind for kind, attributes in _MJCF_KINDS.items() for attribute in attributes},
        **{(tag, "name"): "actuator" for tag in ("motor", "position", "velocity", "general")},
        ("site", "name"): "site",
        ("site", "material"): "material",
        ("camera", "target"): "body",
        ("light", "target"): "body",
    },
}
"""Dialects to their places, (tag, attribute or TEXT), and the kind of each. "its objtype": that attribute has it.

In ROS's <param name="mimic">elbow</param> the name of the parameter stands for the tag. gazebo, transmission and
ros2_control are blocks in a URDF, where other tools add elements of their own: there `kind_of` goes by words, too.
controllers: parameters in YAML.
"""

_PLUGINS = {**REFERENCES["sdf"], **REFERENCES["gazebo"]}
_BLOCKS = {**_PLUGINS, **REFERENCES["transmission"], **REFERENCES["ros2_control"]}
_ROWS = {**REFERENCES, "sdf": _PLUGINS, "urdf": {**_BLOCKS, **REFERENCES["urdf"]}}
_CLOSED = {"srdf": PROSE, "mjcf": ""}
"""Dialects without extensions, and the kind of their places that are not in the table."""
_FREE = re.compile(r"filename|uri|type|class|version|plugin|xmlns.*")
"""Attributes whose values name no part of the robot."""
_WORD = re.compile(
    r"\w*(joint|link|body|site|frame|parent|child|base|tip|target|reference)(s|_?names?|_?ids?)?\d*", re.IGNORECASE
)
"""Tags and attributes, such as <bodyName> or child_frame_id, whose last word shows that they name a part."""


def kind_of(dialect: str, tag: str, attribute: str = TEXT, attributes: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return the kind of a place: the kind of its name, "" for no name, PROSE or UNLISTED.

    attribute: TEXT for the text of the element. attributes: all of the element, which may show the kind.
    """
    if tag == "param" and attribute in (TEXT, "value"):
        tag, attribute = attributes.get("name", ""), TEXT
    rows = _ROWS.get(dialect, {})
    kind = rows.get((tag, attribute), rows.get((EVERY, attribute)))
    if kind is None:
        return _CLOSED[dialect] if dialect in _CLOSED else _by_word(tag, attribute)
    if kind.startswith("its "):
        kind = attributes.get(kind.removeprefix("its "), "").replace("xbody", "body")
    return kind


@lru_cache(maxsize=1024)
def _by_word(tag: str, attribute: str) -> str:
    """Return the kind of a place by the last word of its tag or attribute; that of a `name` by its tag."""
    if _FREE.fullmatch(attribute):
        return ""
    match = _WORD.fullmatch(tag if attribute in (TEXT, "name") else attribute)
    if match is None:
        return "" if attribute == "name" else UNLISTED
    word = match[1].lower()
    return "frame" if word in ("body", "site", "frame") else word if word in ("joint", "link") else PART


@cache
def fields_of(kind: str) -> frozenset[str]:
    """Return the fields of a robot in which the name at a place of some kind may be: "frames", "joints" …"""
    return frozenset(NAMED[one] for one in kind.split() if one in NAMED)
