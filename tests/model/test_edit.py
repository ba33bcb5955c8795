"""Edits: what they change, and the physics that they do not."""

from __future__ import annotations

from dataclasses import replace
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import kinetree as kt
import pendants
from each import each
from kinetree.errors import KinetreeError, UnknownNameError
from kinetree.model.assemble import build, parts_of
from kinetree.model.edit.merge import combined
from kinetree.model.robot import CoupledLimit, Extension, ForceTorque, Inertial, Limit, Mimic, Robot
from kinetree.spatial import se3
from kinetree.spatial.handedness import mirrored_vector
from physics import everything, kinetic_energy, random_pose, total_inertia
from support import all_frames, icub_urdfs, random_q

RNG = np.random.default_rng(7)
ARM = """<robot name="r"><link name="base"/><link name="arm"/>
  <sensor name="arm" type="imu"><parent link="arm"/></sensor>
  <joint name="arm" type="continuous"><parent link="base"/><child link="arm"/></joint></robot>"""
POSE = random_pose(RNG)


def icub() -> Robot:
    return kt.load(next(p for p in icub_urdfs() if p.parent.name == "iCubGazeboV2_7"))


@pytest.fixture(scope="module", params=["everything", "icub"])
def robot(request) -> Robot:
    return everything() if request.param == "everything" else icub()


def same_physics(a: Robot, b: Robot, qa: np.ndarray, qb: np.ndarray, frame: str, names=None) -> None:
    """Every frame of `a`, seen from `frame`, is where it is in `b`; so is all mass, as seen from there."""
    names = names or {}
    poses_a, poses_b = all_frames(a, qa), all_frames(b, qb)
    Ta, Tb = se3.inverse(poses_a[frame]), se3.inverse(poses_b[names.get(frame, frame)])
    for name, T in poses_a.items():
        np.testing.assert_allclose(Tb @ poses_b[names.get(name, name)], Ta @ T, rtol=0, atol=1e-12, err_msg=name)
    Ia, Ib = total_inertia(a, qa, frame), total_inertia(b, qb, names.get(frame, frame))
    assert Ia[3, 3] > 1  # there is mass to speak of
    np.testing.assert_allclose(Ib, Ia, rtol=0, atol=1e-12 * np.abs(Ia).max())


def same_motion(a: Robot, b: Robot, frame: str | None = None, names=None) -> None:
    """The same physics at the same q."""
    assert a.nq == b.nq
    for _ in range(3):
        q = random_q(a, RNG)
        same_physics(a, b, q, q, frame or a.root, names)


def same_energy(a: Robot, b: Robot) -> None:
    for _ in range(3):
        q, qd = random_q(a, RNG), RNG.normal(size=a.nv)
        assert kinetic_energy(b, q, qd) == pytest.approx(kinetic_energy(a, q, qd), rel=1e-12)


def noted(robot: Robot, code: str) -> list[str]:
    return [str(note) for note in robot.notes if note.code == code]


class TestRename:
    def test_every_reference_follows(self):
        robot = everything()
        new = kt.edit.rename(
            robot,
            {"trunk5": "wrist", "thumb": "daumen", "on_trunk5": "spot"},
            sensors={"imu": "head_imu"},
            joints={"screw_3": "spindle"},
        )
        same_motion(robot, new, names={"trunk5": "wrist", "on_trunk5": "spot"})
        assert new.joints["finger"].parent == "wrist"
        assert new.joints["finger"].mimic.joint == "daumen"
        assert new.groups["arm"] == ("spindle", "revolute_0", "continuous_4")
        assert dict(new.coupled_limits[0].coefficients) == {"revolute_0": 1.0, "spindle": -2.0, "finger": 0.5}
        assert new.sensors["head_imu"].frame == "spot"
        assert new.sensors["ft"].frame == "wrist"
        assert new.joint_names == tuple({"screw_3": "spindle"}.get(n, n) for n in robot.joint_names)
        assert new.extensions[0].text == '<gazebo reference="trunk2"><joint>daumen</joint></gazebo>'

    def test_the_callers_order_stays(self):
        robot = everything()
        robot = robot.order(reversed(robot.joint_names))
        for new in (kt.edit.rename(robot, {"thumb": "t"}), kt.edit.lock(robot, {}), kt.edit.reroot(robot, "trunk5")):
            assert new.joint_names == robot.joint_names
        assert kt.edit.prefix(robot, "x_").joint_names == tuple(f"x_{name}" for name in robot.joint_names)

    def test_two_things_swap_their_names(self):
        robot = everything()
        names = {"trunk1": "trunk2", "trunk2": "trunk1"}
        same_motion(robot, kt.edit.rename(robot, names), names=names)

    def test_frames_takes_links_too(self):
        assert "b" in kt.edit.rename(everything(), frames={"base": "b"}).links

    def test_extensions_of_every_place_and_quoting(self):
        text = (
            '<a link=\'base\' y="base"><frameName>\n base\n</frameName><b>base</b><c body1="say &quot;base&quot;"/></a>'
        )
        robot = everything()
        parts = parts_of(robot)
        parts.links[0] = replace(parts.links[0], extensions=(Extension("urdf", "a", text),))
        link = kt.edit.rename(build(parts), {"base": 'r"&<t'}).links['r"&<t']
        assert link.extensions[0].text == (
            "<a link='r&quot;&amp;&lt;t' y=\"base\"><frameName>\n r&quot;&amp;&lt;t\n</frameName><b>base</b>"
            '<c body1="say &quot;base&quot;"/></a>'
        )

    def test_a_type_or_a_file_spelt_like_a_link_is_none(self):
        text = (
            '<gazebo reference="imu"><sensor name="s" type="imu"><topicName>imu</topicName>'
            '<plugin name="imu" filename="imu"><bodyName>imu</bodyName></plugin></sensor></gazebo>'
        )
        robot = kt.load(f'<robot name="r"><link name="imu"/>{text}</robot>', format="urdf")
        expected = text.replace('reference="imu"', 'reference="l_imu"').replace("<bodyName>imu", "<bodyName>l_imu")
        assert kt.edit.prefix(robot, "l_").extensions[0].text == expected

    def test_a_name_of_two_things_in_an_extension_is_refused(self):
        """A gazebo element refers to a link or to a joint: nothing tells which."""
        robot = kt.edit.rename(everything(), joints={"thumb": "trunk2"})  # a joint and a link of one name
        for names in ({"joints": {"trunk2": "t"}}, {"links": {"trunk2": "t"}}):
            with pytest.raises(KinetreeError, match="<gazebo>: mentions 'trunk2', which is the name of a frame and a"):
                kt.edit.rename(robot, **names)
        new = kt.edit.rename(robot, joints={"trunk2": "t"}, links={"trunk2": "t"})
        assert new.extensions[0].text == '<gazebo reference="t"><joint>t</joint></gazebo>'
        assert kt.edit.prefix(robot, "l_").extensions[0].text.startswith('<gazebo reference="l_trunk2">')
        with pytest.raises(KinetreeError, match="say joints="):
            kt.edit.rename(robot, {"trunk2": "t"})

    @each(
        "format, text, expected",
        [
            ("urdf", '<transmission name="arm"><joint name="arm"/></transmission>', '"arm"><joint name="j"/>'),
            ("urdf", '<ros2_control><joint name="arm"><param name="mimic">arm</param></joint></ros2_control>',
             '<joint name="j"><param name="mimic">j</param>'),
            ("urdf", '<ros2_control><sensor name="arm"><param name="frame_id">arm</param></sensor></ros2_control>',
             '<sensor name="arm"><param name="frame_id">l</param>'),
            ("urdf", "<gazebo><plugin><jointName>arm</jointName><bodyName>arm</bodyName></plugin></gazebo>",
             "<jointName>j</jointName><bodyName>l</bodyName>"),
            ("sdf", '<sensor name="arm"><pose relative_to="hand"/></sensor>', '"arm"><pose relative_to="h"/>'),
            ("mjcf", '<actuator><motor name="arm" joint="arm"/><motor tendon="arm"/><motor site="arm"/></actuator>',
             'name="arm" joint="j"/><motor tendon="c"/><motor site="l"/>'),
            ("mjcf", '<custom><tuple><element objtype="xbody" objname="arm"/></tuple></custom>', 'objname="l"'),
            ("mjcf", '<sensor><plugin objtype="camera" objname="arm" reftype="geom" refname="hand"/></sensor>',
             'objname="s" reftype="geom" refname="hand"'),
        ],
    )  # fmt: skip
    def test_an_extension_tells_what_it_mentions(self, format, text, expected):
        """A link, a joint, a sensor and a limit of one name get others; each place follows what it names."""
        parts = parts_of(kt.edit.add_frame(kt.load(ARM, format="urdf"), "hand", "arm"))
        parts.coupled_limits.append(CoupledLimit("arm", {"arm": 1.0}))
        parts.extensions.append(Extension(format, "x", text))
        names = {"links": "l", "joints": "j", "sensors": "s", "coupled_limits": "c"}
        changes = {kind: {"arm": new} for kind, new in names.items()}
        new = kt.edit.rename(build(parts), {"hand": "h"}, **changes)
        assert expected in new.extensions[0].text

    def test_unknown_and_taken_names(self):
        with pytest.raises(UnknownNameError, match="trunk5"):
            kt.edit.rename(everything(), {"trunk55": "x"})
        for kind in ("links", "joints", "frames", "sensors"):
            with pytest.raises(UnknownNameError, match="no "):
                kt.edit.rename(everything(), **{kind: {"nobody": "x"}})
        with pytest.raises(KinetreeError, match="already a"):
            kt.edit.rename(everything(), {"trunk5": "trunk4"})

    @pytest.mark.parametrize("format", ["sdf", "mjcf"])
    def test_prefix_keeps_the_world(self, format):
        text = '<mujoco><worldbody><body name="b"><freejoint name="f"/><geom size="1"/></body></worldbody></mujoco>'
        new = kt.edit.prefix(kt.load(text, format="mjcf"), "x_")
        assert (new.root, [*new.links], [*new.joints]) == ("world", ["world", "x_b"], ["x_f"])
        assert new.joints["x_f"].parent == "world"
        again = kt.load(kt.text(new, format), format=format)
        assert (again.root, [*again.joints]) == ("world", ["x_f"])
        both = kt.edit.attach(new, kt.load(text, format="mjcf"), "x_b", prefix="y_")
        assert [*both.links] == ["world", "x_b", "y_world", "y_b"]

    def test_prefix_renames_a_link_world_that_is_not_the_root(self):
        text = '<robot name="r"><link name="a"/><link name="world"/><joint name="j" type="fixed">{}</joint></robot>'
        up, down = '<parent link="world"/><child link="a"/>', '<parent link="a"/><child link="world"/>'
        assert kt.edit.prefix(kt.load(text.format(up), format="urdf"), "x_").root == "world"
        assert [*kt.edit.prefix(kt.load(text.format(down), format="urdf"), "x_").links] == ["x_a", "x_world"]

    @pytest.mark.slow
    def test_prefix(self, robot):
        new = kt.edit.prefix(robot, "left_")
        same_motion(robot, new, names={name: f"left_{name}" for name in robot.frames})
        same_energy(robot, new)
        for kind in ("links", "joints", "frames", "sensors", "groups", "materials"):
            assert list(getattr(new, kind)) == [f"left_{name}" for name in getattr(robot, kind)]
        used = {g.material.name for link in new.links.values() for g in link.visuals if g.material and g.material.name}
        assert all(name.startswith("left_") for name in used)
        assert not new.notes[len(robot.notes) :]


class TestLock:
    def test_poses_stay_and_followers_lock_too(self):
        robot = everything()
        q = random_q(robot, RNG)
        values = {name: q[robot.q_slices[name]] for name in ("revolute_0", "planar_b0", "ball_b3", "screw_3")}
        new = kt.edit.lock(robot, values)
        assert new.joint_names == tuple(n for n in robot.joint_names if n not in values)
        for name in (*values, "thumb", "finger"):
            assert new.joints[name].type == "fixed"
            assert new.joints[name].mimic is None
            assert len(new.joints[name].limits) == len(new.joints[name].axes) == 0
        rest = new.q({name: q[robot.q_slices[name]] for name in new.joint_names})
        same_physics(robot, new, q, rest, "base")
        assert new.groups["arm"] == ("continuous_4",)
        assert not new.coupled_limits
        assert len(noted(new, "locked")) == 6
        assert len(noted(new, "dropped")) == 1

    def test_a_coupled_limit_holds_the_rest(self):
        robot = everything()
        new = kt.edit.lock(robot, {"screw_3": 0.7})
        rng = np.random.default_rng(3)
        for _ in range(20):
            q = robot.q(revolute_0=rng.uniform(-3, 3), screw_3=0.7)
            rest = new.q(revolute_0=q[robot.q_slices["revolute_0"]])
            slack = (robot.limits.h - robot.limits.G @ q)[-2:]
            np.testing.assert_allclose((new.limits.h - new.limits.G @ rest)[-2:], slack, rtol=0, atol=1e-12)

    def test_degrees(self):
        robot = everything()
        a = kt.edit.lock(robot, {"revolute_0": 30, "prismatic_2": 0.1}, unit="deg")
        b = kt.edit.lock(robot, {"revolute_0": np.deg2rad(30), "prismatic_2": 0.1})
        for name in a.joints:
            assert np.array_equal(a.joints[name].origin, b.joints[name].origin)

    def test_outside_the_limits_is_a_warning(self):
        (note,) = [n for n in kt.edit.lock(everything(), {"screw_3": 9}).notes if n.code == "locked"]
        assert note.severity == "warning"
        assert "outside its limits -1 to 2" in note.message

    @each(
        "values, message",
        [
            ({"finger": 1}, "follows 'thumb'"),
            ({"fixed_1": 1}, "is fixed"),
            ({"nobody": 1}, "no joint 'nobody'"),
            ({"ball_b3": [1, 0]}, "takes 4 numbers"),
            ({"ball_b3": [0, 0, 0, 0]}, "no value of a ball joint"),
        ],
    )
    def test_refusals(self, values, message):
        with pytest.raises(KinetreeError, match=message):
            kt.edit.lock(everything(), values)

    @each(
        "format, element",
        [
            ("mjcf", '<actuator><motor jointinparent="s"/></actuator>'),
            ("urdf", '<transmission name="t"><joint name="s"/></transmission>'),
            ("urdf", '<ros2_control name="c" type="system"><joint name="s"/></ros2_control>'),
        ],
    )
    def test_kept_elements_that_name_the_joint_are_noted(self, format, element):
        text = {
            "mjcf": '<mujoco><worldbody><body name="b"><joint name="s" type="slide"/><joint name="r"/>'
            f'<geom size="1"/></body></worldbody>{element}</mujoco>',
            "urdf": '<robot name="r"><link name="a"/><link name="b"/><link name="c"/>'
            '<joint name="s" type="continuous"><axis xyz="0 0 1"/><parent link="a"/><child link="b"/></joint>'
            '<joint name="r" type="continuous"><axis xyz="0 0 1"/><parent link="b"/><child link="c"/></joint>'
            f"{element}</robot>",
        }[format]
        robot = kt.load(text, format=format)
        new = kt.edit.lock(robot, {"s": 0.3})
        (note,) = noted(new, "stale-extension")
        assert "mentions 's', fixed now; it is kept as it stands" in note
        assert not noted(kt.edit.lock(robot, {"r": 0.3}), "stale-extension")

    @pytest.mark.slow
    def test_on_a_real_robot(self):
        robot = icub()
        q = random_q(robot, RNG)
        fingers = robot.joint_names[:20]
        new = kt.edit.lock(robot, {name: q[robot.q_slices[name]] for name in fingers})
        same_physics(robot, new, q, new.q({n: q[robot.q_slices[n]] for n in new.joint_names}), "root_link")


class TestReroot:
    @pytest.mark.slow
    @each("link", ["trunk5", "finger_link", "thumb_link", "trunk0", "base"])
    def test_every_joint_of_one_coordinate(self, link):
        robot = everything()
        new = kt.edit.reroot(robot, link)
        assert new.root == link
        assert new.joint_names == robot.joint_names
        same_motion(robot, new, link)
        for name, joint in robot.joints.items():
            assert new.joints[name].limits == joint.limits
            assert new.joints[name].mimic == joint.mimic
            assert new.joints[name].pitch == joint.pitch

    def test_there_and_back(self):
        robot = everything()
        same_energy(robot, kt.edit.reroot(kt.edit.reroot(robot, "trunk5"), "base"))

    @pytest.mark.slow
    def test_on_a_real_robot(self):
        robot = icub()
        new = kt.edit.reroot(robot, "l_foot")
        same_motion(robot, new, "l_foot")
        assert new.root == "l_foot"

    def test_a_reversed_sensor_joint_is_noted(self):
        assert "mind its sign" in noted(kt.edit.reroot(everything(), "trunk5"), "reversed-joint")[0]

    def test_joints_of_several_coordinates_are_refused_all_at_once(self):
        with pytest.raises(KinetreeError, match="other coordinates") as caught:
            kt.edit.reroot(everything(), "branch4")
        elements = [f.element for f in caught.value.findings]
        assert elements == ["joint 'floating_b4'", "joint 'ball_b3'", "joint 'universal_b2'", "joint 'planar_b0'"]
        with pytest.raises(UnknownNameError):
            kt.edit.reroot(everything(), "on_base")


class TestPieces:
    @pytest.mark.slow
    def test_cut_and_remove_share_the_robot_between_them(self):
        robot = icub()
        arm, rest = kt.edit.cut(robot, "l_shoulder_1"), kt.edit.remove(robot, "l_shoulder_1")
        assert {*arm.links} | {*rest.links} == {*robot.links}
        assert not {*arm.links} & {*rest.links}
        assert {*arm.sensors} | {*rest.sensors} == {*robot.sensors}
        assert len(arm.joints) + len(rest.joints) == len(robot.joints) - 1
        assert len(arm.extensions) + len(rest.extensions) >= len(robot.extensions) - 1
        q = random_q(robot, RNG)
        for part in (arm, rest):
            q_part = part.q({name: q[robot.q_slices[name]] for name in part.joint_names})
            poses, whole = all_frames(part, q_part), all_frames(robot, q)
            T = se3.inverse(whole[part.root])
            for name in part.frames:
                np.testing.assert_allclose(poses[name], T @ whole[name], rtol=0, atol=1e-12)
        joint = next(j for j in robot.joints.values() if j.child == "l_shoulder_1")
        joined = kt.edit.attach(
            rest, arm, joint.parent, joint.origin, joint_name=joint.name, type=joint.type, axes=joint.axes
        )
        same_motion(robot, joined.order(robot.joint_names))
        same_energy(robot, joined.order(robot.joint_names))

    def test_a_lost_leader_is_refused_until_it_is_locked(self):
        robot = everything()
        with pytest.raises(KinetreeError, match="follows joint 'revolute_0', which is cut away") as caught:
            kt.edit.cut(robot, "trunk1")
        assert "lock" in caught.value.findings[0].fix
        new = kt.edit.cut(kt.edit.lock(robot, {"revolute_0": 0.3}), "trunk1")
        assert new.joints["thumb"].type == "fixed"

    def test_a_follower_of_a_lost_follower_keeps_the_leader(self):
        robot = everything()
        new = kt.edit.remove(robot, "thumb_link")
        assert new.joints["finger"].mimic == Mimic("revolute_0", -1.0, 0.5)
        q = random_q(robot, RNG)
        poses = all_frames(robot, q)
        for name, T in all_frames(new, q).items():
            np.testing.assert_allclose(T, poses[name], rtol=0, atol=1e-12)

    def test_what_is_dropped_is_noted(self):
        robot = kt.edit.lock(everything(), {"revolute_0": 0.0})
        new = kt.edit.cut(robot, "trunk5")
        dropped = " ".join(noted(new, "dropped"))
        assert list(new.sensors) == ["imu"]
        assert "sensor 'ft'" in dropped
        assert "<gazebo>" in dropped
        new = kt.edit.remove(everything(), "trunk4")
        assert new.groups["arm"] == ("screw_3", "revolute_0")
        dropped = " ".join(noted(new, "dropped"))
        for word in ("group 'all'", "group 'arm': has lost 'continuous_4'", "coupled limit 'sum'"):
            assert word in dropped

    def test_a_group_that_is_cut_away_whole_is_noted(self):
        robot = kt.edit.set_groups(everything(), {"none": (), "hand": ("finger", "thumb"), "all": ("screw_3", "thumb")})
        robot = kt.edit.remove(robot, "finger_link")
        new = kt.edit.remove(robot, "thumb_link")
        assert dict(new.groups) == {"none": (), "all": ("screw_3",)}
        said = noted(new, "dropped")
        assert any("group 'hand': has lost 'finger'" in note for note in said)
        assert any("group 'hand': is of 'thumb' alone, cut away; it is dropped" in note for note in said)

    def test_a_limit_over_a_lost_joint_is_noted(self):
        parts = parts_of(everything())
        parts.coupled_limits.append(CoupledLimit("other", {"prismatic_2": 1.0, "continuous_4": 1.0}, -1, 1))
        new = kt.edit.remove(build(parts), "trunk4")
        assert [c.name for c in new.coupled_limits] == []
        assert "'other'" in " ".join(noted(new, "dropped"))

    def test_an_extension_about_both_pieces_stays_with_a_warning(self):
        new = kt.edit.remove(everything(), "thumb_link")
        assert len(new.extensions) == 1
        (note,) = (note for note in new.notes if note.code == "stale-extension")
        assert note.severity == "warning"
        assert "mentions 'thumb', cut away" in note.message

    def test_refusals(self):
        robot = everything()
        with pytest.raises(KinetreeError, match="nothing would be left"):
            kt.edit.remove(robot, "base")
        for edit in (kt.edit.cut, kt.edit.remove):
            with pytest.raises(UnknownNameError):
                edit(robot, "on_base")

    def test_attach(self):
        robot, tool = icub(), everything()
        T = random_pose(RNG)
        new = kt.edit.attach(robot, tool, "l_hand_dh_frame", T, prefix="tool_")
        assert new.joint_names == (*robot.joint_names, *(f"tool_{n}" for n in tool.joint_names))
        qa, qb = random_q(robot, RNG), random_q(tool, RNG)
        poses, poses_tool = all_frames(robot, qa), all_frames(tool, qb)
        for name, pose in all_frames(new, np.concatenate([qa, qb])).items():
            expected = poses[name] if name in poses else poses["l_hand_dh_frame"] @ T @ poses_tool[name[5:]]
            np.testing.assert_allclose(pose, expected, rtol=0, atol=1e-12)
        assert "tool_arm" in new.groups

    def test_attach_with_an_offset_to_a_frame_that_is_offset_itself(self):
        offset = se3.pose_from_xyz_rpy((0.1, 0.2, 0.3), (0.4, -0.5, 1.6))
        turned = se3.pose_from_xyz_rpy((-0.3, 0.05, 0.2), (1.0, 0.3, -0.7))
        arm = kt.edit.add_frame(kt.chain("Rz(q1) tx(0.4)"), "mount", "q1_link", offset)
        both = kt.edit.attach(arm, kt.chain("Rx(q9)"), "mount", turned, prefix="t_")
        T = kt.fk(both, "t_base_link", base="q1_link").interpret(both.q())
        assert np.allclose(T, offset @ turned, rtol=0, atol=1e-15)
        assert not np.allclose(T, turned @ offset, rtol=0, atol=0.1)

    def test_attach_by_a_moving_joint(self):
        new = kt.edit.attach(
            everything(), everything(), "on_base", prefix="b_", type="revolute", axes=[[0, 0, 1]], limits=[Limit(-1, 1)]
        )
        assert new.joint_names[len(everything().joint_names)] == "b_base_attachment"
        assert new.joints["b_base_attachment"].limit == Limit(-1, 1)
        poses = all_frames(new, new.q(b_base_attachment=0.4))
        expected = poses["on_base"] @ se3.turn((0.0, 0.0, 1.0), 0.4)
        np.testing.assert_allclose(poses["b_base"], expected, rtol=0, atol=1e-12)

    def test_attach_refusals(self):
        robot = everything()
        with pytest.raises(KinetreeError, match="both have groups"):
            kt.edit.attach(robot, robot, "base")
        with pytest.raises(KinetreeError, match="already a link"):
            kt.edit.attach(robot, kt.edit.set_groups(robot, {}), "base")
        with pytest.raises(UnknownNameError, match="on_base"):
            kt.edit.attach(robot, robot, "on_bas", prefix="b_")
        with pytest.raises(KinetreeError, match="expected a type among"):
            kt.edit.attach(robot, robot, "base", prefix="b_", type="hinge")

    @each(
        "type_name, axes",
        [
            ("revolute", []),
            ("revolute", [0, 0, 1]),
            ("revolute", [[0, 1]]),
            ("revolute", [[0, 0, 0]]),
            ("revolute", [[0, 0, np.nan]]),
            ("revolute", [[0, 0, 1], [0, 1]]),
            ("revolute", "z"),
            ("revolute", None),
            ("universal", [[0, 0, 1]]),
            ("universal", [[0, 0, 1], [0, 0, 0]]),
            ("fixed", [[0, 0, 1]]),
        ],
    )
    def test_attach_refuses_axes_of_no_joint(self, type_name, axes):
        with pytest.raises(KinetreeError, match=f"a {type_name} joint is attached with [012] axes"):
            kt.edit.attach(everything(), everything(), "base", prefix="b_", type=type_name, axes=axes)

    @pytest.mark.slow
    @each("length", [2.0, 1e-200, 1e200])
    def test_attach_takes_axes_of_any_length(self, length):
        robot = kt.edit.attach(
            everything(), everything(), "base", prefix="b_", type="revolute", axes=[[0, 0.6 * length, 0.8 * length]]
        )
        np.testing.assert_allclose(robot.joints["b_base_attachment"].axes, [[0, 0.6, 0.8]], rtol=0, atol=1e-15)
        T = kt.fk(robot, "b_base", "base")(robot.q(b_base_attachment=1.0))
        np.testing.assert_allclose(T, se3.turn((0.0, 0.6, 0.8), 1.0), rtol=0, atol=1e-15)

    def test_attach_by_a_screw(self):
        new = kt.edit.attach(
            everything(), everything(), "base", prefix="b_", type="screw", axes=[[0, 0, 1]], pitch=0.01
        )
        T = kt.fk(new, "b_base", "base")(new.q(b_base_attachment=0.5))
        expected = se3.turn((0.0, 0.0, 1.0), 0.5) @ se3.translation((0, 0, 0.005))
        np.testing.assert_allclose(T, expected, rtol=0, atol=1e-15)
        for type_name, pitch in (("screw", np.inf), ("revolute", 0.01)):
            with pytest.raises(KinetreeError, match="expected finite m/rad, of a screw joint alone"):
                kt.edit.attach(new, new, "base", prefix="c_", type=type_name, axes=[[0, 0, 1]], pitch=pitch)


class TestMergeFixed:
    @pytest.mark.slow
    def test_the_physics_stays(self, robot):
        new = kt.edit.merge_fixed(robot)
        same_motion(robot, new)
        same_energy(robot, new)
        assert set(new.frames) == set(robot.frames)
        measured = {sensor.joint for sensor in robot.sensors.values()}
        assert {j.name for j in new.joints.values() if j.type == "fixed"} <= measured
        assert "fixed joints have gone" in noted(new, "merged")[0]

    def test_shapes_keep_their_place(self, robot):
        new = kt.edit.merge_fixed(robot)
        q = random_q(robot, RNG)
        assert any(link.visuals for link in robot.links.values())

        def places(r: Robot) -> np.ndarray:
            poses = all_frames(r, q)
            found = [poses[n] @ g.origin for n, l in r.links.items() for g in (*l.visuals, *l.collisions)]
            return np.array(sorted(found, key=lambda T: tuple(np.round(T[:3].ravel(), 6))))

        np.testing.assert_allclose(places(new), places(robot), rtol=0, atol=1e-12)

    def test_keep(self):
        robot = everything()
        new = kt.edit.merge_fixed(robot, keep=["fixed_b1", "trunk1"])
        assert "branch1" in new.links
        assert "trunk1" in new.links
        with pytest.raises(UnknownNameError):
            kt.edit.merge_fixed(robot, keep=["nobody"])

    def test_a_robot_without_fixed_joints_is_itself(self):
        robot = kt.edit.cut(everything(), "branch1")
        assert kt.edit.merge_fixed(robot) is robot


class TestFrames:
    @pytest.mark.slow
    def test_add(self, robot):
        T = random_pose(RNG)
        on = list(robot.frames)[-1]
        new = kt.edit.add_frame(robot, "spot", on, T)
        same_motion(robot, new)
        poses = all_frames(new, random_q(new, RNG))
        np.testing.assert_allclose(poses["spot"], poses[on] @ T, rtol=0, atol=1e-12)

    @pytest.mark.slow
    def test_add_a_sensor(self, robot):
        """On a frame, or on the link behind a joint; a force sensor says what it measures, in its own axes."""
        T, frame = random_pose(RNG), list(robot.frames)[-1]
        new = kt.edit.add_sensor(robot, "eye", "camera", frame, T, update_rate=30.0)
        same_motion(robot, new)
        eye = new.sensors["eye"]
        assert (eye.type, eye.frame, eye.joint, eye.update_rate, eye.force_torque) == (
            "camera",
            frame,
            None,
            30.0,
            None,
        )
        np.testing.assert_array_equal(eye.origin, T)
        joint = list(robot.joints.values())[-1]
        given = {"joint": joint.name, "measures": "child_on_parent"}
        force = kt.edit.add_sensor(new, "force", "force_torque", **given).sensors["force"]
        assert (force.frame, force.joint) == (joint.child, joint.name)
        assert force.force_torque == ForceTorque("child_on_parent", "sensor", "frame")
        other = kt.edit.add_sensor(new, "force", "force_torque", frame, joint=joint.name).sensors["force"]
        assert (other.frame, other.force_torque) == (frame, None)

    @each(
        "arguments, message",
        [
            (("eye", "imu"), "sensor 'eye' has no place; expected a frame on=… or a joint=…"),
            (("eye", "imu", "no"), "no frame 'no'"),
            (("spare", "imu", "base"), "already a sensor of this name"),
            (("eye", "imu", "base", np.eye(3)), r"a pose is an array \(4, 4\)"),
            (("eye", "force_torque", "base", np.eye(4), "ft"), "takes from"),
        ],
    )
    def test_a_sensor_that_cannot_be(self, arguments, message):
        robot = kt.edit.add_sensor(everything(), "spare", "imu", "base")
        with pytest.raises((kt.KinetreeError, TypeError), match=message):
            kt.edit.add_sensor(robot, *arguments)
        for given in ({"measures": "parent_on_child"}, {"measures": "both", "joint": next(iter(robot.joints))}):
            with pytest.raises(kt.KinetreeError, match="expected one of parent_on_child, child_on_parent, with joint="):
                kt.edit.add_sensor(robot, "eye", "force_torque", "base", **given)
        for type, rate in (("imu", -1.0), ("imu", np.nan), ("imu", np.inf), ("", None)):
            with pytest.raises(kt.KinetreeError, match=r"type is .* and update_rate .*; expected a word"):
                kt.edit.add_sensor(robot, "eye", type, "base", update_rate=rate)
        with pytest.raises(kt.KinetreeError, match="no joint 'elbw'"):
            kt.edit.add_sensor(robot, "eye", "force_torque", joint="elbw")

    def test_move_an_extra_frame(self):
        robot, T = everything(), random_pose(RNG)
        new = kt.edit.move_frame(robot, "on_trunk5", T, relative_to="trunk5")
        assert np.array_equal(new.frames["on_trunk5"].origin, T)
        again = kt.edit.move_frame(new, "on_trunk5", se3.inverse(T) @ robot.frames["on_trunk5"].origin)
        same_motion(robot, again)
        a, b = sensor_places(robot), sensor_places(new)
        for name in a:
            np.testing.assert_allclose(b[name], a[name], rtol=0, atol=1e-12)

    @pytest.mark.slow
    @each("link", ["base", "trunk1", "trunk5", "branch3", "finger_link"])
    def test_moving_a_links_own_frame_moves_nothing_else(self, link):
        robot, T = everything(), random_pose(RNG)
        new = kt.edit.move_frame(robot, link, T)
        q = random_q(robot, RNG)
        root = np.eye(4) if link != "base" else T  # T_oldroot_newroot
        poses, moved = all_frames(robot, q), all_frames(new, q)
        for name in robot.frames:
            expected = poses[name] @ T if name == link else poses[name]
            np.testing.assert_allclose(root @ moved[name], expected, rtol=0, atol=1e-12)
        np.testing.assert_allclose(
            total_inertia(new, q, "on_base"), total_inertia(robot, q, "on_base"), rtol=0, atol=1e-11
        )
        same_energy(robot, new)
        for at in range(2):
            shapes = [
                pose[link] @ (r.links[link].visuals, r.links[link].collisions)[at][0].origin
                for r, pose in ((robot, poses), (new, moved))
            ]
            np.testing.assert_allclose(root @ shapes[1], shapes[0], rtol=0, atol=1e-12)
        for name, place in sensor_places(new).items():
            np.testing.assert_allclose(root @ place, sensor_places(robot)[name], rtol=0, atol=1e-12)

    def test_refusals(self):
        robot = everything()
        with pytest.raises(KinetreeError, match="expected frames of 'trunk5'"):
            kt.edit.move_frame(robot, "on_trunk5", np.eye(4), relative_to="base")
        with pytest.raises(KinetreeError, match="already a frame"):
            kt.edit.add_frame(robot, "on_base", "base")
        with pytest.raises(UnknownNameError):
            kt.edit.add_frame(robot, "x", "nobody")
        for T in (np.eye(3), np.diag([1, 1, -1, 1.0]), np.full((4, 4), np.nan), 2 * np.eye(4)):
            with pytest.raises(KinetreeError, match=r"pose (is|has)"):
                kt.edit.add_frame(robot, "x", "base", T)


def sensor_places(robot: Robot) -> dict[str, np.ndarray]:
    poses = all_frames(robot, robot.q())
    return {s.name: poses[s.frame] @ s.origin for s in robot.sensors.values()}


class TestGroups:
    def test_set_and_add(self):
        robot = kt.edit.set_groups(everything(), {"a": ["thumb", "screw_3"]})
        robot = kt.edit.group(robot, "b", ["screw_3"])
        assert robot.groups == {"a": ("thumb", "screw_3"), "b": ("screw_3",)}
        assert kt.edit.group(robot, "a", []).groups["a"] == ()

    def test_refusals(self):
        with pytest.raises(UnknownNameError, match="thumb"):
            kt.edit.group(everything(), "a", ["thum"])
        with pytest.raises(KinetreeError, match="twice"):
            kt.edit.group(everything(), "a", ["thumb", "thumb"])


def test_an_edited_robot_has_no_stale_text():
    path = icub_urdfs()[0]
    robot = kt.load(path)
    assert robot.text is not None
    assert kt.edit.add_frame(robot, "spot", robot.root).text is None


@pytest.mark.slow
def test_an_edited_robot_is_saved_and_loaded_again(tmp_path: Path):
    robot = kt.edit.merge_fixed(kt.edit.reroot(icub(), "l_foot"))
    kt.save(robot, tmp_path / "again.urdf")
    again = kt.load(tmp_path / "again.urdf")
    same_physics(
        robot, again, q := random_q(robot, RNG), again.q(dict(zip(robot.joint_names, q, strict=True))), "l_foot"
    )


@pytest.mark.crosscheck
class TestAgainstPinocchio:
    @pytest.mark.parametrize("edit", [kt.edit.merge_fixed, lambda r: kt.edit.move_frame(r, "l_upper_leg", POSE)])
    def test_the_mass_matrix_stays(self, edit, tmp_path):
        pin = pytest.importorskip("pinocchio")
        robot = icub()
        kt.save(edit(robot), tmp_path / "edited.urdf")
        before = pin.buildModelFromUrdf(str(next(p for p in icub_urdfs() if p.parent.name == "iCubGazeboV2_7")))
        after = pin.buildModelFromUrdf(str(tmp_path / "edited.urdf"))
        q, qd = random_q(robot, RNG), RNG.normal(size=robot.nv)
        energies = []
        for model in (before, after):
            order = [robot.q_slices[name].start for name in model.names[1:]]
            energies.append(pin.computeKineticEnergy(model, model.createData(), q[order], qd[order]))
        assert energies[1] == pytest.approx(energies[0], rel=1e-12)
        assert kinetic_energy(robot, q, qd) == pytest.approx(energies[0], rel=1e-12)


@pytest.mark.crosscheck
def test_edits_of_many_robots():
    """Every robot of example-robot-data: what two edits in a row leave alone."""
    try:
        data = distribution("example-robot-data").locate_file("cmeel.prefix/share/example-robot-data/robots")
    except PackageNotFoundError:
        pytest.skip("example-robot-data is not installed")
    paths = sorted(Path(str(data)).rglob("*.urdf"))
    assert len(paths) > 50
    compared = 0
    for path in paths:
        try:
            robot = kt.load(path)
        except KinetreeError:
            continue
        new = kt.edit.merge_fixed(kt.edit.prefix(robot, "x_"))
        q = random_q(robot, RNG)
        poses, moved = all_frames(robot, q), all_frames(new, q)
        kept = {name: name if name == robot.root == "world" else f"x_{name}" for name in poses}
        assert all(np.abs(moved[kept[name]] - T).max() < 1e-12 for name, T in poses.items()), path
        comparison = kt.compare(robot, new)
        assert comparison.same, f"{path}: {comparison}"
        compared += 1
    assert compared > 50


@each(
    "edit",
    [
        lambda robot: kt.edit.rename(robot, {"base": 3}),
        lambda robot: kt.edit.rename(robot, frames={"base": None}),
        lambda robot: kt.edit.add_frame(robot, "n", "base", "here"),
        lambda robot: kt.edit.add_frame(robot, "n", "base", np.full((4, 4), np.nan)),
        lambda robot: kt.edit.lock(robot, {robot.joint_names[0]: "x"}),
    ],
)
def test_what_is_no_name_or_pose_or_number_is_refused(edit):
    with pytest.raises(kt.KinetreeError):
        edit(everything())


@pytest.mark.slow
def test_a_tool_is_a_sibling_of_tool0():
    """A FANUC's tool, as its pendant shows it: 120 mm out of the flange and turned by 30 degrees about z."""
    arm = pendants.ARM
    T = kt.controllers["fanuc"].to_pose([0, 0, 120, 0, 0, 30])
    robot = kt.edit.add_tool(arm, "gripper_tcp", T)
    q = robot.q() + 0.3
    assert np.allclose(kt.fk(robot, "gripper_tcp", base="tool0")(q), T, rtol=0, atol=1e-12)
    written = kt.load(kt.text(robot, "urdf"), format="urdf")
    assert written.frames["gripper_tcp"].link == written.parent_joint("tool0").parent == "flange"
    assert np.allclose(kt.fk(written, "gripper_tcp")(q), kt.fk(robot, "tool0")(q) @ T, rtol=0, atol=1e-12)
    with pytest.raises(kt.KinetreeError, match="tool0"):
        kt.edit.add_tool(arm, "tool0", T)
    with pytest.raises(kt.KinetreeError, match="no frame 'left_tool0'"):
        kt.edit.add_tool(arm, "tcp", T, tool0="left_tool0")


@each("mirror", ["x", "y", "z"])
def test_a_right_handed_frame_is_laid_over_a_left_handed_system(mirror):
    """A point that the left-handed system gives is where the overlay gives it, after the conversion at the boundary."""
    R = Rotation.from_euler("xyz", [0.4, -1.1, 2.0]).as_matrix()
    axes, origin = R @ np.diag([1.0, 1.0, -1.0]), np.array([0.1, -0.2, 0.3])
    robot = kt.edit.add_overlay(pendants.ARM, "cell", "base_link", axes, origin, mirror=mirror)
    T = kt.fk(robot, "cell", base="base_link")(robot.q())
    said = np.array([0.5, 0.7, -0.2])
    there = axes @ said + origin  # what the left-handed system means
    assert np.linalg.det(T[:3, :3]) == pytest.approx(1)
    assert np.allclose(T[:3, :3] @ mirrored_vector(said, mirror) + T[:3, 3], there, rtol=0, atol=1e-12)
    kept = [i for i, axis in enumerate("xyz") if axis != mirror]
    assert np.allclose(T[:3, :3][:, kept], axes[:, kept], rtol=0, atol=1e-12)


def test_what_is_no_left_handed_system():
    for axes, options, said in (
        (np.eye(3), {}, "right-handed, which needs no overlay"),
        (np.zeros((3, 3)), {}, "not three unit vectors"),
        ([1, 2], {}, "not three unit vectors"),
        (-np.eye(3), {"mirror": "w"}, "mirror is 'w'"),
        (-np.eye(3), {"position": [1, 2]}, "expected three finite numbers"),
    ):
        with pytest.raises(kt.KinetreeError, match=said) as error:
            kt.edit.add_overlay(pendants.ARM, "cell", "base_link", axes, **options)
        assert error.value.findings[0].code == "overlay"


def test_what_floats_already_stays():
    arm = kt.load('<robot name="r"><link name="a"/></robot>', format="urdf")
    floating = kt.edit.floating(arm)
    assert kt.edit.floating(floating) is floating
    assert (floating.nq, floating.root) == (7, "world")


def test_parts_whose_masses_add_up_to_zero_have_no_common_centre():
    there, here = (Inertial(mass, np.eye(3), se3.frozen(se3.translation([mass, 0, 0]))) for mass in (1.0, -1.0))
    with pytest.raises(kt.KinetreeError, match="link 'a': its parts have masses that add up to zero at different") as e:
        combined([here, there], "a")
    assert e.value.findings[0].code == "no-mass"
    both = combined([Inertial(1.0, np.eye(3), here.origin), Inertial(-1.0, np.eye(3), here.origin)], "a")
    assert (both.mass, both.inertia.tolist()) == (0.0, (2 * np.eye(3)).tolist())


def test_textures_and_meshes_are_named_from_the_file_of_the_whole(tmp_path):
    shape = '<geometry><mesh filename="m.stl"/></geometry><material name="{}"><texture filename="{}"/></material>'
    for name, texture in (("a", "wood.png"), ("b", "package://b/wood.png")):
        visual = shape.format(f"of {name}", texture)
        (tmp_path / name).mkdir()
        (tmp_path / name / "r.urdf").write_text(
            f'<robot name="r"><link name="{name}"><visual>{visual}</visual></link></robot>'
        )
    a, b = (kt.load(tmp_path / name / "r.urdf") for name in "ab")
    for robot, other, mesh, texture in (
        (b, a, "../a/m.stl", "../a/wood.png"),
        (a, b, "../b/m.stl", "package://b/wood.png"),
    ):
        whole = kt.edit.attach(robot, other, robot.root, prefix="p_")
        (visual,) = whole.links[f"p_{other.root}"].visuals
        assert visual.shape.parameters["filename"] == mesh
        assert visual.material.texture == texture


@pytest.mark.slow
def test_a_floating_base_keeps_all_names():
    """Every pose is that of the fixed robot, carried by the base; twice is once."""
    icub = kt.load("icub")
    floating = kt.edit.floating(icub)
    assert floating.name == icub.name
    assert floating.joint_names == ("floating_base", *icub.joint_names)
    assert {*floating.frames} == {"world", *icub.frames}
    assert floating.groups == icub.groups
    q = icub.limits.sample(1, seed=1)[0]
    base = kt.fk(floating, icub.root).interpret(floating.q(floating_base=[1, 2, 3, 0.5, 0.5, 0.5, 0.5]))
    here = kt.fk(floating, "l_hand").interpret(np.r_[1, 2, 3, 0.5, 0.5, 0.5, 0.5, q])
    np.testing.assert_allclose(here, base @ kt.fk(icub, "l_hand").interpret(q), rtol=0, atol=1e-15)
    np.testing.assert_array_equal(base[:3, 3], [1, 2, 3])
    assert kt.edit.floating(floating) is floating
    assert kt.load("icub", floating=True).joint_names == floating.joint_names
    with pytest.raises(kt.KinetreeError, match="a floating base needs this name"):
        kt.edit.floating(kt.edit.rename(icub, links={"l_hand": "world"}))


@each(
    "name, virtual",
    [
        ("floating_base", ""),
        ("odometry", '<virtual_joint name="odometry" type="floating" parent_frame="odom" child_link="a"/>'),
        ("root_joint", ""),
    ],
)
def test_the_pose_of_a_base_in_an_srdf_is_that_of_the_floating_base(name, virtual):
    """Pinocchio's descriptions have no virtual joint, and name it in groups and states alone."""
    state = f'<joint name="{name}" value="0 0 0.6 0 0 0 1"/><joint name="j" value="0.5"/>'
    group = f'<group name="g"><joint name="{name}"/><joint name="j"/></group>'
    srdf = f'<robot name="r">{virtual}{group}<group_state name="home" group="g">{state}</group_state></robot>'
    joint = '<joint name="j" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 1 0"/></joint>'
    text = f'<robot name="r"><link name="a"/><link name="b"/>{joint}</robot>'
    floating = kt.load(text, format="urdf", srdf=srdf, floating=True)
    assert not floating.notes
    assert floating.semantic.virtual_joints == ()
    (state,) = floating.semantic.group_states
    assert [one.name for one in state.joints] == ["floating_base", "j"]
    assert floating.semantic.groups[0].members[0].name == "floating_base"
    assert 'qpos="0 0 0.6 1 0 0 0 0.5"' in kt.text(floating, "mjcf")


def test_an_empty_world_with_one_fixed_joint_floats_by_this_joint():
    """As in MJCF, whose root is always `world`; a world that carries more has to get another name."""
    inside = '<body name="arm" pos="1 2 3"><geom size=".1"/><body name="fore"><joint name="j"/><geom size=".1"/></body>'
    floating = kt.load(f"<mujoco><worldbody>{inside}</body></worldbody></mujoco>", format="mjcf", floating=True)
    assert floating.joint_names == ("arm_fixed_joint", "j")
    T = kt.fk(floating, "fore").interpret(floating.q(arm_fixed_joint=[0.5, 0, 0, 0, 0, 1, 0]))
    np.testing.assert_allclose(T, [[-1, 0, 0, 1.5], [0, -1, 0, 2], [0, 0, 1, 3], [0, 0, 0, 1]], atol=1e-15)
    two = kt.load(f"<mujoco><worldbody>{inside}</body><body name='b'/></worldbody></mujoco>", format="mjcf")
    shown = kt.load(f"<mujoco><worldbody><geom size='1'/>{inside}</body></worldbody></mujoco>", format="mjcf")
    fixed = kt.load(f"<mujoco><worldbody>{inside}</body></worldbody></mujoco>", format="mjcf")
    ground = kt.edit.floating(kt.edit.rename(fixed, {"world": "ground"}))
    assert ground.joint_names == ("floating_base", "j")  # any other root stays on its joint
    for robot in (two, shown):
        with pytest.raises(kt.KinetreeError, match=r"(?s)a floating base needs this name.*kt.edit.rename"):
            kt.edit.floating(robot)
        named = kt.edit.floating(kt.edit.rename(robot, {"world": "ground"}))
        assert named.joint_names == ("floating_base", "j")
        assert named.joints["floating_base"].child == "ground"
