"""SDF: names that repeat, children that are fixed to the world, far frames, and what of a robot it cannot express."""

from __future__ import annotations

import numpy as np

import kinetree as kt
from each import each
from kinetree.formats.registry import FORMATS
from kinetree.model.assemble import build, parts_of
from kinetree.model.robot import Frame, Inertial, Joint, Link, Sensor
from kinetree.spatial import se3
from sdf_texts import close, errors, load, model, pose
from support import all_frames, loss_of

M = '<model name="m"><link name="{}"/></model>'
WORLDS = '<sdf version="1.10"><world name="v">{}</world><world name="w">{}</world></sdf>'


class TestModelsOfOneName:
    def test_in_two_worlds_are_refused_if_one_of_them_is_meant(self):
        text = WORLDS.format(M.format("a"), M.format("b") + M.replace('"m"', '"n"').format("c"))
        (error,) = errors(text, model="m")
        assert (error.code, error.message) == ("duplicate-name", "there are 2 models 'm'; names must differ")
        assert [*load(text, model="n").links] == ["c"]
        assert [*load(text, model="v").links] == ["world", "m::a"]

    def test_say_their_own_faults_instead_if_they_have_any(self):
        text = WORLDS.format(M.format("a"), '<model name="m"><link/></model>')
        assert [error.code for error in errors(text, model="m")] == ["missing-attribute"]

    def test_that_are_merged_are_refused(self):
        arm = model('<link name="{}"/>')
        files = {"a.sdf": arm.format("a"), "b.sdf": arm.format("b")}
        text = model('<link name="l"/><include merge="true"><uri>a.sdf</uri></include>{}')
        assert errors(text.format(""), files) == []
        for name, said in (("<name>m</name>", 1), ("<name>n</name>", 0)):
            found = errors(text.format(f'<include merge="true">{name}<uri>b.sdf</uri></include>'), files)
            assert [one.code for one in found] == ["duplicate-name"] * said
            assert all(one.message.startswith("there is already a frame of this name") for one in found)


class TestJointsOntoTheWorld:
    STATIC = '<model name="in"><static>true</static></model>'
    JOINT = '<joint name="j" type="fixed"><parent>l</parent><child>{}</child></joint>'

    @each("child", ["world", "in"])
    def test_are_refused(self, child):
        (error,) = errors(model(f'<link name="l"/>{self.STATIC}{self.JOINT.format(child)}'))
        message = f"<child> is {child!r}, which no joint can move; expected any frame of the model"
        assert (error.code, error.message) == ("unknown-child", message)

    def test_of_a_static_model_with_a_link_are_joints(self):
        static = self.STATIC.replace("</static>", '</static><link name="k"/>')
        robot = load(model(f'<link name="l"/>{static}{self.JOINT.format("in")}'))
        assert robot.joints["j"].child in ("l", "in::k")


@each("steps", [3, 15, 16, 17, 40])
def test_frames_that_many_poses_lead_to(steps):
    """Two rows of frames, each relative to the one before."""
    frames = [
        f'<frame name="{row}{i}"><pose relative_to="{f"{row}{i - 1}" if i else "l"}">{x} 0 0.5 0 0 0</pose></frame>'
        for row, x in (("a", 1), ("b", -1))
        for i in range(steps)
    ]
    link = f'<link name="k"><pose relative_to="a{steps - 1}"/></link>'
    joint = f'<joint name="j" type="revolute"><pose relative_to="b{steps - 1}"/><parent>l</parent><child>k</child>'
    robot = load(model(f'<link name="l"/>{"".join(frames)}{link}{joint}<axis><xyz>0 0 1</xyz></axis></joint>'))
    assert close(robot.joints["j"].origin, pose(-steps, 0, steps / 2))
    assert close(robot.joints["j"].child_origin, pose(2 * steps, 0, 0))


def robot_of(links: list[Link], joints: list[Joint], **more: list) -> kt.Robot:
    parts = parts_of(kt.chain("Rz(q1)"))
    parts.links, parts.joints, parts.frames, parts.text, parts.joint_order = links, joints, [], None, None
    for name, value in more.items():
        setattr(parts, name, value)
    return build(parts)


def heavy(*names: str) -> list[Link]:
    return [Link(name, Inertial(1.0, np.eye(3))) for name in names]


@each(
    "frame, joint, lost",
    [
        ("in::a", None, ""),
        ("in::b", "in::k", ""),
        ("in::a", "in::k", "a sensor of joint 'in::k' that is not fixed to its child link"),
        ("c", "j", ""),
        ("f", "in::k", "a sensor on 'f', outside its model"),
        ("f", None, "a sensor on 'f', outside its model"),
        ("in::g", None, ""),
        ("world", None, ""),
    ],
)
def test_sensors_that_have_no_place(frame, joint, lost):
    on_world = frame == "world"
    links = [*([Link("world")] if on_world else []), *heavy("in::a", "in::b", "c")]
    ends = {"in::k": ("in::a", "in::b"), "j": ("in::a", "c")}
    ends |= {"held": ("world", "in::a")} if on_world else {}
    joints = [Joint(name, "fixed", *both) for name, both in ends.items()]
    frames = [Frame("f", "in::b"), Frame("in::g", "in::b")]
    robot = robot_of(links, joints, frames=frames, sensors=[Sensor("s", "imu", frame, joint=joint)])
    said = loss_of(FORMATS["sdf"].write, robot)
    assert said.splitlines()[0].partition(" SDF cannot express ")[2] == (f"{lost} [cannot-say-sensor]" if lost else "")


@each("place, lost", [(0.0, ""), (0.5, "a floating joint that does not end at the frame of its link")])
def test_floating_joints_end_at_their_link(place, lost):
    T = se3.homogeneous(np.eye(3), np.array((0.0, 0.0, place)))
    joint = Joint("free", "floating", "world", "a", child_origin=T)
    said = loss_of(FORMATS["sdf"].write, robot_of([Link("world"), *heavy("a")], [joint]))
    assert said.partition(" SDF cannot express ")[0] == ("error: joint 'free':" if lost else said)
    assert lost in said
    assert said.startswith("nothing") == (not lost)


def test_frames_on_links_without_mass_come_back_on_them():
    T = se3.homogeneous(se3.rotation((0, 0, 1), 0.5), np.array((1.0, 2.0, 3.0)))
    joint = Joint("j", "fixed", "a", "tip", origin=T)
    robot = robot_of([*heavy("a"), Link("tip")], [joint], frames=[Frame("f", "tip", T), Frame("g", "a", T)])
    text = kt.text(robot, "sdf")
    assert '<link name="tip">' not in text
    again = kt.load(text, format="sdf")
    assert ([*again.links], again.frames["f"].link, again.frames["g"].link) == (["a", "tip"], "tip", "a")
    line = text[: text.index('<frame name="tip"')].count("\n") + 1
    assert again.links["tip"].source.line == line
    assert close(again.frames["f"].origin, T)
    assert close(all_frames(again, again.zero)["f"], T @ T)
