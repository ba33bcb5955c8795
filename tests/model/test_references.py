"""What names what, by dialect: the table, and what is not in it."""

from each import each
from kinetree.model.references import NAMED, PART, PROSE, REFERENCES, TEXT, UNLISTED, fields_of, kind_of
from physics import everything

UNNAMED = {"", "geom", "actuator", "material", "its objtype", "its reftype"}
"""Kinds of places without a name of a robot."""


@each("dialect", REFERENCES)
def test_every_row_has_kinds_that_are_known(dialect):
    robot = everything()
    for (tag, attribute), kind in REFERENCES[dialect].items():
        assert tag
        assert attribute == TEXT or attribute.isidentifier()
        assert kind in UNNAMED or set(kind.split()) <= set(NAMED)
        assert all(hasattr(robot, field) for field in fields_of(kind))


@each(
    "dialect, place, kind",
    [
        ("urdf", ("parent", "link"), "link"),
        ("urdf", ("sensor", "name"), ""),
        ("urdf", ("flexJoint", "name"), "joint"),
        ("urdf", ("bodyName", TEXT), "frame"),
        ("urdf", ("robotBaseFrame", TEXT), "frame"),
        ("urdf", ("links", TEXT), "link"),
        ("urdf", ("parent", TEXT), PART),
        ("urdf", ("x", "child_frame_id"), "frame"),
        ("urdf", ("x", "joint2"), "joint"),
        ("urdf", ("x", "filename"), ""),
        ("urdf", ("x", "xmlns:link"), ""),
        ("urdf", ("topicName", TEXT), UNLISTED),
        ("urdf", ("multiplier", TEXT), UNLISTED),
        ("urdf", ("jointType", TEXT), UNLISTED),
        ("urdf", ("xacro:arm_link", "name"), ""),
        ("sdf", ("jointName", TEXT), "joint"),
        ("controllers", ("left_wheel_names", TEXT), "joint"),
        ("another", ("x", "link"), "link"),
        ("srdf", ("chain", "tip_link"), "link"),
        ("srdf", ("group", "name"), ""),
        ("srdf", ("virtual_joint", "name"), ""),
        ("srdf", ("virtual_joint", "parent_frame"), PROSE),
        ("srdf", ("note", TEXT), PROSE),
        ("mjcf", ("joint", "name"), ""),
        ("mjcf", ("body", "childclass"), ""),
        ("mjcf", ("motor", "cranksite"), "site"),
    ],
)
def test_the_kind_of_a_place(dialect, place, kind):
    assert kind_of(dialect, *place) == kind


@each(
    "name, kind", [("mimic", "joint"), ("frame_id", "frame"), ("joints", "joint"), ("rate", UNLISTED), (None, UNLISTED)]
)
def test_a_parameter_is_called_by_its_name(name, kind):
    attributes = {} if name is None else {"name": name}
    assert kind_of("urdf", "param", TEXT, attributes) == kind_of("urdf", "param", "value", attributes) == kind
    assert kind_of("urdf", "param", "name", attributes) == ""


def test_an_attribute_tells_the_kind_of_an_object():
    for objtype, kind in (("site", "site"), ("xbody", "body"), ("body", "body"), ("geom", "geom")):
        assert kind_of("mjcf", "plugin", "objname", {"objtype": objtype}) == kind
    assert kind_of("mjcf", "plugin", "refname", {"objtype": "site"}) == ""
