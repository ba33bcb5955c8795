"""Every fault of structure: the code, the words, the places, and all faults at once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from each import each
from kinetree.errors import KinetreeError, Source
from kinetree.model.assemble import Parts, assemble, assemble_certain, build
from kinetree.model.robot import CoupledLimit, Frame, Joint, Limit, Link, Material, Mimic, Sensor
from kinetree.spatial.se3 import frozen

Z = frozen([[0.0, 0.0, 1.0]])


def at(line: int) -> Source:
    return Source("r.urdf", line, 1)


def hinge(name: str, parent: str, child: str, line: int = 1, **more) -> Joint:
    return Joint(name, "revolute", parent, child, axes=Z, source=at(line), **more)


def links(*names: str) -> list[Link]:
    return [Link(name, source=at(i + 1)) for i, name in enumerate(names)]


def chain(**more) -> Parts:
    """a -j1- b -j2- c, and what else is given."""
    return Parts("r", links("a", "b", "c"), [hinge("j1", "a", "b", 10), hinge("j2", "b", "c", 11)], **more)


def faults(parts: Parts) -> dict[str, str]:
    robot, findings = assemble(parts)
    assert robot is None
    assert all(f.severity == "error" for f in findings)
    return {f.code: str(f) for f in findings}


def test_a_sound_robot_has_no_findings():
    robot, findings = assemble(chain())
    assert robot is not None
    assert robot.root == "a"
    assert findings == []


def test_no_links():
    assert "has no links" in faults(Parts("r", source=at(1)))["no-links"]


def test_no_name():
    parts = chain()
    parts.links.append(Link("", source=at(4)))
    assert "r.urdf:4:1: error: link: has no name" in faults(parts)["no-name"]


@each(
    "field, thing, words",
    [
        ("links", Link("b", source=at(9)), "link 'b': there is already a link of this name at r.urdf:2:1"),
        ("joints", hinge("j1", "c", "d", 9), "joint 'j1': there is already a joint of this name at r.urdf:10:1"),
        (
            "frames",
            Frame("b", "a", source=at(9)),
            "there is already a link of this name at r.urdf:2:1; links and frames",
        ),
        ("frames", Frame("spot", "a", source=at(9)), "there is already a frame of this name at r.urdf:5:1"),
        ("sensors", Sensor("eye", "camera", "a", source=at(9)), "there is already a sensor of this name at r.urdf:6:1"),
        ("materials", Material("red", source=at(9)), "there is already a material of this name at r.urdf:7:1"),
    ],
)
def test_duplicate_names_with_both_places(field, thing, words):
    parts = chain(
        frames=[Frame("spot", "a", source=at(5))],
        sensors=[Sensor("eye", "camera", "a", source=at(6))],
        materials=[Material("red", source=at(7))],
    )
    getattr(parts, field).append(thing)
    message = faults(parts)["duplicate-name"]
    assert words in message
    assert message.startswith("r.urdf:9:1: error:")


def test_a_joint_and_a_frame_may_share_a_name():
    assert build(chain(frames=[Frame("j1", "a")])).frames["j1"].link == "a"


def test_unknown_parent_and_child_with_the_nearest_names():
    parts = chain()
    parts.joints += [hinge("j3", "cc", "a", 12), hinge("j4", "a", "bb", 13)]
    found = faults(parts)
    assert "its parent link 'cc' does not exist; did you mean 'c'" in found["unknown-parent"]
    assert "its child link 'bb' does not exist; did you mean 'b'" in found["unknown-child"]


def test_a_tree_below_a_link_that_does_not_exist():
    """As in Drake's files, which fix their first link to a link `world` that they do not write."""
    parts = chain()
    parts.joints.append(hinge("j3", "world", "a", 12))
    assert set(faults(replace(parts, joints=[*parts.joints]))) == {"unknown-root"}
    robot, _ = assemble_certain(parts)
    assert robot is not None
    assert robot.root == "a"
    assert {doubt.element for doubt in robot.doubts} == {"joint 'j3'", "link 'world'", "link 'a'"}


def test_a_group_with_a_joint_that_does_not_exist():
    robot, _ = assemble_certain(chain(groups={"arm": ("j1", "j9"), "hand": ("j2",)}))
    assert robot is not None
    assert dict(robot.groups) == {"hand": ("j2",)}
    assert [doubt.part for doubt in robot.doubts] == ["groups"]


@each(
    "more, code, words",
    [
        ({"frames": [Frame("f", "nobody")]}, "unknown-link", "frame 'f': its link 'nobody' does not exist"),
        ({"sensors": [Sensor("s", "imu", "nobody")]}, "unknown-frame", "sensor 's': its frame 'nobody'"),
        ({"sensors": [Sensor("s", "ft", "a", joint="j9")]}, "unknown-joint", "sensor 's': its joint 'j9'"),
        ({"groups": {"arm": ("j1", "j9")}}, "unknown-joint", "group 'arm': its joint 'j9'"),
        (
            {"coupled_limits": [CoupledLimit("sum", {"j1": 1.0, "j9": 1.0})]},
            "coupled-limit",
            "coupled limit 'sum': names 'j9', which is not a joint of one coordinate",
        ),
    ],
)
def test_unknown_references(more, code, words):
    assert words in faults(chain(**more))[code]


def test_a_frame_on_a_frame_is_no_frame_on_a_link():
    assert "unknown-link" in faults(chain(frames=[Frame("f", "a"), Frame("g", "f")]))


def test_a_coupled_limit_over_a_ball():
    parts = chain(coupled_limits=[CoupledLimit("sum", {"ball": 1.0})])
    parts.links.append(Link("d"))
    parts.joints.append(Joint("ball", "ball", "c", "d"))
    assert "coupled-limit" in faults(parts)


@each(
    "mimic, words",
    [
        (Mimic("j9"), "mimics joint 'j9', which does not exist; did you mean"),
        (Mimic("j2"), "mimics itself: j2 -> j2"),
        (Mimic("weld"), "a revolute joint cannot mimic a fixed joint"),
    ],
)
def test_bad_mimics(mimic, words):
    parts = chain()
    parts.links.append(Link("d"))
    parts.joints[1] = hinge("j2", "b", "c", 11, mimic=mimic)
    parts.joints.append(Joint("weld", "fixed", "c", "d"))
    assert words in faults(parts)["mimic"]


def test_mimics_in_a_circle_are_all_named():
    parts = Parts(
        "r",
        links("a", "b", "c", "d"),
        [
            hinge("j1", "a", "b", mimic=Mimic("j2")),
            hinge("j2", "b", "c", mimic=Mimic("j3")),
            hinge("j3", "c", "d", mimic=Mimic("j1")),
        ],
    )
    _, findings = assemble(parts)
    assert "mimics itself: j1 -> j2 -> j3 -> j1" in str(findings[0])
    assert len(findings) == 3


def test_a_follower_outside_a_circle_ends():
    parts = Parts(
        "r",
        links("a", "b", "c", "d"),
        [
            hinge("out", "a", "b", mimic=Mimic("j2")),
            hinge("j2", "b", "c", mimic=Mimic("j3")),
            hinge("j3", "c", "d", mimic=Mimic("j2")),
        ],
    )
    _, findings = assemble(parts)
    assert {f.element for f in findings} == {"joint 'j2'", "joint 'j3'"}


def test_two_parents():
    parts = chain()
    parts.joints.append(hinge("j3", "a", "c", 12))
    assert (
        "joint 'j3': its child link 'c' is already the child of joint 'j2' at r.urdf:11:1"
        in faults(parts)["two-parents"]
    )


def test_several_roots():
    parts = chain()
    parts.links.append(Link("d", source=at(4)))
    message = faults(parts)["several-roots"]
    assert "several links have no parent: 'a', 'd'" in message
    assert message.startswith("r.urdf:4:1")


def test_a_cycle_beside_a_root():
    parts = chain()
    parts.links += [Link("d"), Link("e")]
    parts.joints += [hinge("j3", "d", "e", 12), hinge("j4", "e", "d", 13)]
    message = faults(parts)["cycle"]
    assert "joint 'j3': is part of a cycle: d -> e -> d" in message or "e -> d -> e" in message


def test_a_cycle_without_a_root_and_a_joint_onto_itself():
    parts = Parts("r", links("a", "b"), [hinge("j1", "a", "b", 3), hinge("j2", "b", "a", 4)])
    assert "cycle" in faults(parts)
    assert "a -> a" in faults(Parts("r", links("a"), [hinge("j", "a", "a", 2)]))["cycle"]


def test_all_faults_come_at_once_and_build_raises_them():
    parts = chain(frames=[Frame("b", "a"), Frame("f", "nobody")], groups={"g": ("j9",)})
    parts.joints.append(hinge("j1", "nobody", "c", 12))
    with pytest.raises(KinetreeError) as caught:
        build(parts)
    codes = [f.code for f in caught.value.findings]
    assert codes == ["duplicate-name", "duplicate-name", "unknown-parent", "unknown-link", "unknown-joint"]
    assert "(4 more in .findings)" in str(caught.value)


@each("count", [999, 1000, 1001])
def test_after_a_thousand_faults_no_more_are_said(count):
    frames = [Frame(f"f{i}", "nowhere", source=at(i + 1)) for i in range(count)]
    robot, findings = assemble(Parts("r", links("a"), [], frames=frames, source=at(1)))
    assert robot is None
    assert len([one for one in findings if one.code == "unknown-link"]) == min(count, 1000)
    rest = [(one.code, one.message, one.element) for one in findings if one.code != "unknown-link"]
    said = "there are 1000 faults already; the rest is left out"
    assert rest == ([] if count < 1000 else [("too-many", said, "robot 'r'")])


def test_names_with_expressions_are_left_over():
    for name in ("${name}", "$(arg name)"):
        found = faults(replace(chain(), name=name, source=at(1)))
        assert list(found) == ["left-over-xacro"]
        assert found["left-over-xacro"].startswith(f"r.urdf:1:1: error: robot {name!r}: its name contains")


def test_a_pitch_that_is_too_large_is_named():
    screw = replace(hinge("j1", "a", "b"), type="screw", pitch=1e31)
    found = faults(Parts("r", links("a", "b"), [screw]))
    assert "joint 'j1'" in found["too-large"]
    assert "its pitch" in found["too-large"]


def test_joint_order_keeps_what_it_knows_and_puts_the_rest_last():
    assert build(chain(joint_order=("j2", "gone", "j1"))).joint_names == ("j2", "j1")
    assert build(chain(joint_order=("j2",))).joint_names == ("j2", "j1")


@each(
    "change, code",
    [
        ({"axes": np.array([[0.0, 0.0, 2.0]])}, "zero-axis"),
        ({"axes": np.zeros((1, 3))}, "zero-axis"),
        ({"axes": np.zeros((1, 2))}, "zero-axis"),
        ({"axes": np.full((1, 3), np.nan)}, "zero-axis"),
        ({"axes": np.eye(3)[:2]}, "zero-axis"),
        ({"limits": (Limit(), Limit())}, "limits"),
        ({"type": "revolving"}, "joint-type"),
        ({"name": "${prefix}j"}, "left-over-xacro"),
    ],
)
def test_faults_inside_a_joint(change, code):
    joint = replace(Joint("j", "revolute", "a", "b", axes=np.array([[0.0, 0.0, 1.0]])), **change)
    robot, findings = assemble(Parts("r", [Link("a"), Link("b")], [joint]))
    assert robot is None
    assert [finding.code for finding in findings] == [code]
