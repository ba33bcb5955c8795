"""Parts of robots: names that are looked up, rows of single joints, completion after errors, and gaps of loops."""

from dataclasses import replace

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.errors import Doubt
from kinetree.model import gaps
from kinetree.model.assemble import build, parts_of
from kinetree.model.complete import complete
from kinetree.model.reshape import free_name, single_joints
from kinetree.model.robot import Calibration, Dynamics, Joint, Limit, Safety, Sensor
from kinetree.spatial import se3
from physics import everything
from support import all_frames


@each(
    "what, kind, known",
    [
        ("links", "link", "base"),
        ("joints", "joint", "screw_3"),
        ("frames", "frame", "on_trunk5"),
        ("sensors", "sensor", "gyro"),
        ("materials", "material", "steel"),
        ("groups", "group", "arm"),
        ("loops", "loop", "closing"),
    ],
)
def test_names_that_are_unknown(what, kind, known):
    parts = parts_of(everything())
    parts.loops = [Joint("closing", "ball", "trunk5", "branch4")]
    found = getattr(build(parts), what)
    assert known in found
    assert f"{known}x" not in found
    assert len([*found]) == len(found)
    assert repr(found).startswith(f"{kind}s(")
    with pytest.raises(kt.KinetreeError) as error:
        found[f"{known}x"]
    assert str(error.value) == f"error: no {kind} '{known}x'; did you mean '{known}'? [unknown-name]"
    with pytest.raises(kt.KinetreeError, match=rf"^error: no {kind} 'Zzzzzz'; there (are|is only) '"):
        found["Zzzzzz"]


def test_joints_of_several_coordinates_as_rows():
    """The same motion, by joints with the numbers of each coordinate."""
    parts = parts_of(everything())
    numbers = [Limit(-1.0 - i, 2.0 + i, 3.0, 4.0) for i in range(6)], [Dynamics(damping=0.1 + i) for i in range(6)]
    several = ("planar_b0", "universal_b2", "floating_b4")
    parts.joints = [
        replace(j, limits=tuple(numbers[0][: j.kind.nv]), dynamics=tuple(numbers[1][: j.kind.nv]))
        if j.name in several
        else j
        for j in parts.joints
    ]
    parts.sensors.append(Sensor("plane", "force_torque", "branch0", joint="planar_b0"))
    parts.links.append(replace(parts.links[0], name="planar_b0_TX_link"))
    parts.joints.append(Joint("taken", "fixed", "base", "planar_b0_TX_link"))
    robot = build(parts)
    made, names = single_joints(robot, several)
    assert names == {
        "planar_b0": ("planar_b0_TX", "planar_b0_TY", "planar_b0_RZ"),
        "universal_b2": ("universal_b2_R1", "universal_b2_R2"),
        "floating_b4": ("floating_b4_TX", "floating_b4_TY", "floating_b4_TZ", "floating_b4_R"),
    }
    assert made.joints["planar_b0_TX"].child == "planar_b0_TX_link_"
    assert made.sensors["plane"].joint == "planar_b0_RZ"
    assert made.groups["all"] == tuple(one for name in robot.groups["all"] for one in names.get(name, (name,)))
    for name, row in names.items():
        for own, whole in (("limits", numbers[0]), ("dynamics", numbers[1])):
            found = [one for part in row for one in getattr(made.joints[part], own)]
            assert found == whole[: robot.joints[name].kind.nv]
    q = np.random.default_rng(2).uniform(-1, 1, made.nq)
    ball = made.q_slices["floating_b4_R"]
    q[ball] /= np.linalg.norm(q[ball])
    there = np.empty(robot.nq)
    for name in robot.joint_names:
        there[robot.q_slices[name]] = np.concatenate([q[made.q_slices[one]] for one in names.get(name, (name,))])
    for name, T in all_frames(robot, there).items():
        np.testing.assert_allclose(all_frames(made, q)[name], T, atol=1e-12)
    endless = replace(robot.joints["universal_b2"], limits=(Limit(velocity=1.0), Limit(lower=-1.0)))
    parts.joints = [endless if j.name == endless.name else j for j in parts.joints]
    made, _ = single_joints(build(parts), ["universal_b2"])
    assert [made.joints[f"universal_b2_R{i}"].type for i in (1, 2)] == ["continuous", "revolute"]


def test_free_names():
    taken = {"a", "a_"}
    assert [free_name("a", taken), free_name("b", taken), free_name("a", taken)] == ["a__", "b", "a___"]
    assert taken == {"a", "a_", "a__", "a___", "b"}


def test_what_is_unknown_is_left_out():
    """Of a joint in doubt inside all but its motion, of one in doubt its motion, too, of a link all but its name."""
    parts = parts_of(everything())
    full = {"dynamics": (Dynamics(damping=1.0),), "safety": Safety(1.0), "calibration": Calibration(rising=1.0)}
    parts.joints = [replace(j, **full) if j.name == "revolute_0" else j for j in parts.joints]
    parts.doubts = [
        Doubt("joint", "revolute_0", "inside"),
        Doubt("joint", "prismatic_2"),
        Doubt("link", "trunk0"),
        Doubt("sensor", "gyro"),
        Doubt("frame", "on_base"),
    ]
    before = {joint.name: joint for joint in parts.joints}
    parts.complete = False
    complete(parts)
    after = {joint.name: joint for joint in parts.joints}
    bare, fixed, kept = (after[name] for name in ("revolute_0", "prismatic_2", "screw_3"))
    assert (bare.type, bare.limits, bare.mimic, bare.dynamics) == ("revolute", (), None, ())
    assert (bare.safety, bare.calibration) == (None, None)
    np.testing.assert_array_equal(bare.axes, before["revolute_0"].axes)
    np.testing.assert_array_equal(bare.origin, before["revolute_0"].origin)
    assert (fixed.type, fixed.parent, fixed.child) == ("fixed", "trunk1", "trunk2")
    np.testing.assert_array_equal(fixed.origin, np.eye(4))
    assert kept is before["screw_3"]
    links = {link.name: link for link in parts.links}
    assert (links["trunk0"].inertial, links["trunk0"].visuals) == (None, ())
    assert links["trunk1"].inertial is not None
    assert [sensor.name for sensor in parts.sensors] == ["imu", "ft"]
    assert [frame.name for frame in parts.frames] == ["on_trunk1", "on_trunk5", "on_branch4"]
    assert parts.coupled_limits == []


X, Z = np.array([(1.0, 0.0, 0.0)]), np.array([(0.0, 0.0, 1.0)])
TILTED = se3.translation((0.3, 0.4, 1.2)) @ se3.turn((1.0, 0.0, 0.0), 0.2)
TURNED = se3.translation((0.3, 0.4, 1.2)) @ se3.turn((0.0, 0.0, 1.0), 0.5)


@each(
    "gap, axes, pitch, T, expected",
    [
        (gaps.hinge_gap, Z, 0.0, TILTED, (1.3, 0.2)),
        (gaps.hinge_gap, Z, 0.0, TURNED, (1.3, 0.0)),
        (gaps.slide_gap, Z, 0.0, TILTED, (0.5, 0.2)),
        (gaps.slide_gap, Z, 0.0, TURNED, (0.5, 0.5)),
        (gaps.screw_gap, Z, 0.0, TURNED, (1.3, 0.0)),
        (gaps.screw_gap, Z, 2.4, TURNED, (0.5, 0.0)),  # 1.2 m are 0.5 rad
        (gaps.screw_gap, Z, 2.4, se3.translation((0, 0, 0.1)) @ TURNED, (np.hypot(0.5, 0.1), 0.0)),
        (gaps.screw_gap, Z, 2.4, se3.translation((0, 0, 2.4 * 2 * np.pi)) @ TURNED, (0.5, 0.0)),  # a turn of the thread
        (gaps.planar_gap, Z, 0.0, TILTED, (1.2, 0.2)),
        (gaps.planar_gap, Z, 0.0, TURNED, (1.2, 0.0)),
        (gaps.universal_gap, np.vstack([Z, X]), 0.0, TURNED, (1.3, 0.0)),
        (gaps.universal_gap, np.vstack([Z, X]), 0.0, se3.turn((0.0, 1.0, 0.0), 0.3), (0.0, 0.3)),
    ],
)
def test_gaps_of_loops(gap, axes, pitch, T, expected):
    assert [float(x) for x in gap(axes, pitch, T)] == pytest.approx(expected, abs=1e-9)


def test_what_refers_to_a_missing_part_is_left_out():
    """Loops between links that exist, frames, sensors and groups of parts that exist; of a loop the first of a name."""
    parts = parts_of(everything())
    sound = Joint("closing", "ball", "trunk5", "branch4")
    parts.loops = [
        sound,
        replace(sound, parent="base"),
        replace(sound, name="screw_3"),
        replace(sound, name="odd", type="odd"),
        replace(sound, name="long", axes=np.full((1, 3), 1.0)),
        replace(sound, name="off", parent="nowhere"),
        replace(sound, name="open", child="nowhere"),
        Joint("hinge", "revolute", "base", "trunk3", axes=np.array([[0.0, 0.0, 1.0]])),
    ]
    imu = next(sensor for sensor in parts.sensors if sensor.name == "imu")
    on = {"on loop": "closing", "on joint": "screw_3", "on nothing": "nothing", "on no loop": "off"}
    parts.sensors = [replace(imu, name=name, joint=joint) for name, joint in on.items()]
    parts.sensors += [imu, replace(imu, name="in nothing", frame="nothing"), replace(imu, joint="screw_3")]
    parts.frames += [
        replace(parts.frames[0], name="trunk1"),
        replace(parts.frames[0], name="on nothing", link="nothing"),
        replace(parts.frames[0], name="last"),
    ]
    parts.groups = {"arm": ("screw_3",), "gone": ("screw_3", "nothing"), "none": ()}
    parts.complete = False
    complete(parts)
    assert [(loop.name, loop.parent, loop.child) for loop in parts.loops] == [
        ("closing", "trunk5", "branch4"),
        ("hinge", "base", "trunk3"),
    ]
    assert [(one.name, one.joint) for one in parts.sensors] == [*on.items()][:2]  # two are called imu
    frames = [frame.name for frame in parts.frames]
    assert (frames[-1], "trunk1" in frames, "on nothing" in frames) == ("last", False, False)
    assert parts.groups == {"arm": ("screw_3",), "none": ()}
    assert {(doubt.kind, doubt.name, doubt.part) for doubt in parts.doubts} == {
        ("joint", "closing", ""),
        ("sensor", "imu", ""),
        ("frame", "trunk1", ""),
        ("frame", "on nothing", ""),
        ("robot", parts.name, "names"),
        ("robot", parts.name, "groups"),
    }
