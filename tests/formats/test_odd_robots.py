"""What each format says of robots that no file of another format has: the remarks and losses in full."""

# ruff: noqa: E501

from dataclasses import replace

import numpy as np

import kinetree as kt
from kinetree.errors import KinetreeError
from kinetree.formats.losses.balls import without_balls
from kinetree.formats.losses.grains import with_grain
from kinetree.formats.registry import FORMATS, WRITTEN
from kinetree.formats.urdf import read
from kinetree.model.assemble import Parts, build, parts_of
from kinetree.model.robot import Dynamics, ForceTorque, Frame, Geometry, Inertial, Limit, Link, Material, Sensor, Shape
from kinetree.spatial import se3
from kinetree.spatial.se3 import frozen
from whole import one_line

LINKS = "".join(f'<link name="{name}"/>' for name in "abcd")
JOINT = (
    '<joint name="{0}" type="{1}"><origin xyz="1 2 0" rpy="0 0.5 0"/><parent link="{2}"/><child link="{3}"/>'
    '<axis xyz="0 0 1"/><limit lower="-1" upper="1" velocity="2" effort="3"/></joint>'
)
ARM = f"""<robot name="r" version="1.2">{LINKS}{JOINT.format("j", "revolute", "a", "b")}
  <joint name="weld" type="fixed"><origin xyz="0 1 0" rpy="0.5 0 0"/><parent link="b"/><child link="c"/></joint>
  {JOINT.format("k", "prismatic", "c", "d")}</robot>"""
AT = se3.pose_from_xyz_rpy((0.1, 0.2, 0.3), (0.0, 0.0, 0.4))
READINGS = [
    ForceTorque(measures, axes, point)
    for measures in ("parent_on_child", "child_on_parent")
    for axes in ("child", "parent", "sensor")
    for point in ("joint", "frame")
]
BOX = Geometry(Shape("box", {"size": (1.0, 2.0, 3.0)}))


def arm(**fields) -> Parts:
    parts = parts_of(read(ARM, "r.urdf")[0])
    for name, value in fields.items():
        setattr(parts, name, value)
    return parts


def with_joint(*names: str, **fields) -> Parts:
    parts = arm()
    parts.joints = [replace(joint, **fields) if joint.name in names else joint for joint in parts.joints]
    return parts


def with_shapes(*shapes: Geometry, link: str = "b", **fields) -> Parts:
    parts = arm(**fields)
    parts.links = [
        replace(one, visuals=shapes, collisions=shapes[:1]) if one.name == link else one for one in parts.links
    ]
    return parts


def looks(*materials: Material) -> Parts:
    return with_shapes(*(replace(BOX, material=material) for material in materials))


RED, BLUE = (1.0, 0.0, 0.0, 1.0), (0.0, 0.0, 1.0, 1.0)
ODD = {
    "a group with fixed joints": arm(groups={"g": ("j", "weld"), "h": ("j",), "none": ()}),
    "another order": arm(joint_order=("k", "j")),
    "a long link": with_joint(*("weld", "k"), origin=frozen(se3.translation((9e29, 0.0, 0.0)))),
    "a frame called like a row": arm(frames=[Frame("dh_1", "d", AT)]),
    "a frame called like a link": arm(frames=[Frame("j_link", "d", AT), Frame("tip", "d")]),
    "a sensor of the world": arm(
        links=[Link("world"), *arm().links[1:]],
        joints=[replace(one, parent="world" if one.parent == "a" else one.parent) for one in arm().joints],
        sensors=[Sensor("s", "imu", "world"), Sensor("t", "imu", "f"), Sensor("u", "imu", "b")],
        frames=[Frame("f", "world", AT)],
    ),
    "one link": Parts("one", arm().links[:1]),
    **{
        f"a sensor on {joint} of {name}": arm(
            sensors=[Sensor(f"s{i}", "force_torque", frame, AT, joint, force_torque=one) for i, one in enumerate(READINGS)]
        )
        for joint, frame, name in (("j", "b", "its child"), ("weld", "c", "its child"), ("k", "d", "its child"), ("j", "a", "its parent"))
    },
    "settings of sensors": arm(sensors=[Sensor("s", "imu", "d", AT, update_rate=5.0), Sensor("t", "imu", "a")]),
    "frames of joints": with_joint("j", child_origin=AT),
    "a frame of a fixed joint": with_joint("weld", child_origin=AT),
    "floating": with_joint("j", type="floating", axes=frozen([[]]).reshape(0, 3), limits=(), child_origin=AT),
    "rates": with_joint("j", limits=(Limit(-1.0, 1.0, 2.0, 3.0, 4.0, 4.0, 5.0),)),
    "rates that differ": with_joint("j", limits=(Limit(-1.0, 1.0, 2.0, 3.0, 4.0, 6.0),)),
    "no limits": with_joint("j", limits=()),
    "a limit of effort alone": with_joint("k", limits=(Limit(effort=3.0),)),
    "shapes without extent": with_shapes(Geometry(Shape("box", {"size": (1.0, 0.0, 1.0)})), Geometry(Shape("sphere", {"radius": 0.0}))),
    "meshes": with_shapes(
        *(Geometry(Shape("mesh", {"filename": name, "scale": (1.0, 1.0, 2.0)})) for name in ("m.dae", "package://p/m.stl", "a/M.STL", "m.obj", "b/m.obj"))
    ),
    "shapes to draw": with_shapes(Geometry(Shape("sphere", {"radius": 1.0}), AT, "visual_1"), link="d"),
    "materials": looks(
        Material("red", RED), Material("red", RED), Material("red", BLUE), Material("", BLUE), Material("wood", None, "w.png"), Material("wood", RED), Material("bare"), Material("")
    ),
    "materials whose colour comes later": looks(Material("m"), Material("m", RED), Material("n", None, "n.bmp"), Material("n", BLUE, "n.bmp")),
}  # fmt: skip


def test_what_is_said_of_them(golden):
    said = []
    for name, parts in ODD.items():
        robot = build(parts)
        for format in sorted({*FORMATS} & {*WRITTEN} - {*(("dh-csv", "ets") if name.startswith("a sensor") else ())}):
            notes = []
            try:
                WRITTEN[format].write(robot, (), notes)
            except KinetreeError as error:
                notes += error.findings
            if notes:
                said += [f"# {name}, as {format}", *map(str, notes)]
    golden("odd_robots.txt", "\n".join(said) + "\n")


def test_what_is_changed_of_them(golden):
    """Joints in the place of a ball, inertials as small as simulators take, and names of meshes beside those of a file."""
    said = []
    for dynamics in ((), (Dynamics(1.0),), (Dynamics(1.0), Dynamics(2.0), Dynamics(3.0))):
        parts = with_joint(
            "j", type="ball", axes=frozen([[]]).reshape(0, 3), limits=(), dynamics=dynamics, child_origin=AT
        )
        parts.sensors = [
            Sensor("s", "imu", "b", joint="j"),
            Sensor("t", "imu", "b", joint="k"),
            Sensor("u", "imu", "b"),
        ]
        parts.groups, parts.joint_order = {"g": ("k", "j")}, ("k", "j")
        parts.frames = [Frame("j_x", "a"), Frame("j_y_link", "a")]
        made = without_balls(parts)
        things = (*made.joints, *made.links, *made.sensors)
        said += [*map(one_line, things), f"{made.groups} {made.joint_order}"]
    products = np.array([[3.0, 0.1, 0.2], [0.1, 4.0, 0.3], [0.2, 0.3, 5.0]])
    for mass, inertia in (
        (0.0, products),
        (2.0, products * 1e-16),
        (1e-15, products),
        (0.9e-15, products),
        (0.0, 0 * products),
    ):
        link, record = with_grain(Link("l"), Inertial(mass, frozen(inertia), AT))
        assert np.array_equal(link.inertial.inertia, link.inertial.inertia.T)
        said += [f"{link.inertial.mass:.3g} {1e12 * link.inertial.inertia.round(15) + 0.0}", str(sorted(record.data))]
    said += [str(with_grain(Link("l"), None)[1].data["inertial"])]
    text = "<mujoco><asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/><mesh name='m_2' file='n.stl'/></asset><worldbody><body name='a'>{}</body></worldbody></mujoco>"
    robot = kt.load(
        text.format(
            "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/><geom type='mesh' mesh='m'/><geom type='mesh' mesh='m_2'/>"
        ),
        format="mjcf",
    )
    parts = parts_of(robot)
    more = tuple(
        Geometry(Shape("mesh", {"filename": name, "scale": (1.0, 1.0, size)}))
        for name, size in (("m.stl", 1.0), ("m.stl", 2.0), ("x/m.stl", 1.0))
    )
    parts.links = [replace(link, visuals=(*link.visuals, *more)) if link.name == "a" else link for link in parts.links]
    said.append(kt.text(build(parts), "mjcf"))
    golden("odd_robots_changed.txt", "\n".join(said) + "\n")
