"""What a format lacks is carried in elements of Kinetree and comes back; data that do not fit are left out, aloud."""

import json
import random
import re
from dataclasses import replace

import numpy as np
import pytest

import kinetree as kt
from carried_robots import RECORD, differences, everything
from each import each
from kinetree.formats.losses.sidecar.differences import FIELDS, Record
from kinetree.formats.losses.sidecar.merge_fixed_link import merge_fixed_link
from kinetree.formats.registry import FORMATS
from kinetree.model.assemble import Parts, build, parts_of
from kinetree.model.joints import JOINT_TYPES
from kinetree.model.robot import Extension, Frame, Joint, Limit, Link, Sensor
from kinetree.spatial import se3
from support import REFUSED, all_frames, example_robot_urdfs, icub_urdfs, random_q, sample

CARRYING = [name for name, row in FORMATS.items() if row.carries]


def through(robot, format):
    return kt.load(FORMATS[format].write(fresh(robot), ()), format=format)


def fresh(robot):
    return build(parts_of(robot))


def warned(robot):
    return [note.message for note in robot.notes if note.code == "carried"]


@each("format", CARRYING)
def test_every_field_comes_back(format):
    robot = everything()
    again = through(robot, format)
    assert differences(robot, again) == []
    assert not warned(again)
    for other in CARRYING:  # and from there by way of every other format
        assert differences(robot, through(through(robot, other), format)) == []


@each("format", CARRYING)
def test_a_file_without_these_elements_is_the_same_robot_to_others(format):
    robot = everything()
    text = RECORD[format].sub("", FORMATS[format].write(robot, ()))
    bare, full = kt.load(text, format=format), through(robot, format)
    q = random_q(robot, np.random.default_rng(1))
    here, there = all_frames(full, q), all_frames(bare.order(bare.joint_names), renamed_q(bare, robot, q))
    for name in robot.links:
        np.testing.assert_allclose(np.linalg.inv(there[robot.root]) @ there[name], here[name], atol=1e-12)
        theirs = bare.links[name].inertial if name in bare.links else None  # a link without mass may be a frame
        mine = robot.links[name].inertial
        written = theirs and (theirs.mass if theirs.mass > 1e-9 else None)  # SDF has no links without mass
        assert (mine and mine.mass) == written


def renamed_q(bare, robot, q):
    """The numbers of `robot` in the order of a robot whose joints may have other names."""
    by_child = {robot.joints[name].child: q[where] for name, where in robot.q_slices.items()}
    return np.concatenate([by_child[bare.joints[name].child] for name in bare.joint_names])


def test_what_mujoco_and_simulators_see_instead():
    robot = everything()
    mjcf, sdf = FORMATS["mjcf"].write(robot, ()), FORMATS["sdf"].write(robot, ())
    assert 'name="slide" type="slide" axis="1 0 0" range="0 5e-324"' in mjcf  # the joint is held at 0
    assert "actuatorfrcrange" not in re.search(r'<joint name="turn".*/>', mjcf)[0]
    assert '<joint name="slide_joint" type="prismatic">' in sdf
    assert '<link name="slide">' in sdf


ENDS = "<parent link='a'/><child link='b'/><axis xyz='0 0 1'/>"


def hinge(joint="j", kind="revolute", more="<limit lower='-1' upper='1' velocity='2' effort='3'/>", name="r"):
    text = f"<link name='a'/><link name='b'/><joint name='{joint}' type='{kind}'>{ENDS}{more}</joint>"
    return kt.load(f"<robot name='{name}'>{text}</robot>", format="urdf")


@each("limit", [Limit(0.0, np.inf), Limit(-np.inf, 1.0), Limit(0.5, 0.5), Limit(-1e17, 1e16, -1.0, -2.0)])
@each("format", CARRYING)
def test_awkward_limits_come_back(format, limit):
    for kind in ("revolute", "prismatic"):
        parts = parts_of(hinge(kind=kind))
        parts.joints = [replace(joint, limits=(limit,)) for joint in parts.joints]
        assert differences(build(parts), through(build(parts), format)) == []


@each("format", CARRYING)
def test_a_limit_of_a_continuous_joint_is_obeyed_and_comes_back(format):
    parts = parts_of(hinge(kind="continuous", more=""))
    parts.joints = [replace(joint, limits=(Limit(-1.0, 0.5),)) for joint in parts.joints]
    robot = build(parts)
    assert differences(robot, through(robot, format)) == []
    bare = kt.load(RECORD[format].sub("", FORMATS[format].write(robot, ())), format=format)
    assert (bare.joints["j"].type, bare.joints["j"].limit) == ("revolute", Limit(-1.0, 0.5))


@each("name", ["a", "b", "world", "__j__", " j ", "x::j", "a::j", "::", "j::", "__model__"])
def test_names_that_are_not_legal_in_sdf_come_back(name):
    robot = hinge()
    for made in (
        kt.edit.rename(robot, joints={"j": name}),
        *([] if name in robot.links else [kt.edit.rename(robot, links={"b": name})]),
        *([] if name in robot.links else [kt.edit.add_frame(robot, name, "b")]),
        replace(fresh(robot), name=name),
    ):
        again = through(made, "sdf")
        assert differences(made, again) == []


def test_names_that_clash_with_names_in_their_place():
    links = "".join(f"<link name='{name}'/>" for name in ("a", "a_joint", "a_joint_", "w"))
    joints = "".join(
        f"<joint name='{name}' type='fixed'><parent link='{parent}'/><child link='{child}'/></joint>"
        for name, parent, child in (("a", "w", "a"), ("a_joint", "a", "a_joint"), ("w", "a_joint", "a_joint_"))
    )
    robot = kt.load(f"<robot name='r'>{links}{joints}</robot>", format="urdf")
    notes = []
    again = kt.load(FORMATS["sdf"].write(fresh(robot), (), notes), format="sdf")
    assert differences(robot, again) == []
    assert [note.message for note in notes if note.code == "carried"] == [
        "other programs see other names, which do not clash: "
        "joint 'a' as 'a_joint__', joint 'a_joint' as 'a_joint_joint', joint 'w' as 'w_joint'"
    ]


def test_a_body_on_the_world_is_fixed_to_it():
    text = """<mujoco><worldbody><geom type="sphere" size="1"/><site name="s"/><body name="a"><joint name="j"/>
      <geom size="1"/></body></worldbody></mujoco>"""
    robot = fresh(kt.load(text, format="mjcf"))
    written = FORMATS["sdf"].write(robot, ())
    assert '<link name="world_link">' in written
    assert "<parent>world</parent>" in written
    assert differences(robot, kt.load(written, format="sdf")) == []


def test_a_link_called_world_that_is_not_the_root_or_has_mass():
    mass = "<inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial>"
    for text in (f"<link name='world'>{mass}</link><link name='a'/>", "<link name='a'/><link name='world'/>"):
        parent, child = ("world", "a") if "inertial" in text else ("a", "world")
        joint = f"<joint name='j' type='continuous'><parent link='{parent}'/><child link='{child}'/><axis xyz='1 0 0'/>"
        robot = kt.load(f"<robot name='r'>{text}{joint}</joint></robot>", format="urdf")
        for format in CARRYING:
            assert differences(robot, through(robot, format)) == [], format


def test_an_inertia_that_no_body_can_have_is_carried_and_the_nearest_is_written():
    tensors = {"0.5 0.1 0.2": (0.5 - 1 / 15, 0.1 + 1 / 15, 0.2 + 1 / 15), "1 2 -1": (1.5, 1.5, 0.0), "1 1 2": (1, 1, 2)}
    for said, nearest in tensors.items():
        xx, yy, zz = said.split()
        text = f"""<robot name="r"><link name="w"/><link name="a"><inertial><origin xyz="1 2 3" rpy="1 2 3"/>
          <mass value="2"/><inertia ixx="{xx}" ixy="0" ixz="0" iyy="{yy}" iyz="0" izz="{zz}"/></inertial></link>
          <joint name="j" type="fixed"><parent link="w"/><child link="a"/></joint></robot>"""
        robot, notes = fresh(kt.load(text, format="urdf")), []
        written = FORMATS["mjcf"].write(robot, (), notes)
        again, bare = (kt.load(one, format="mjcf") for one in (written, RECORD["mjcf"].sub("", written)))
        assert differences(robot, again) == []
        assert bare.links["a"].inertial.mass == 2.0
        moments = np.linalg.eigvalsh(bare.links["a"].inertial.inertia)
        np.testing.assert_allclose(moments, sorted(nearest), atol=1e-12)
        assert any("no body can have the inertia of a;" in note.message for note in notes) == (said != "1 1 2")


def test_a_force_torque_sensor_reads_the_same_in_mujoco_wherever_it_says():
    text = """<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="fixed"><parent link="a"/>
      <child link="b"/></joint><sensor name="ft" type="force_torque"><parent joint="j"/>
      <origin xyz="1 2 3" rpy="1 0 0"/>
      <force_torque><frame>child</frame><measure_direction>child_to_parent</measure_direction></force_torque></sensor>
      </robot>"""
    robot = fresh(kt.load(text, format="urdf"))
    written = FORMATS["mjcf"].write(robot, ())
    assert '<site name="ft_site"/>' in written  # where the child link's own frame is
    assert differences(robot, kt.load(written, format="mjcf")) == []


@each("format", CARRYING)
@each("kind", [row.name for row in JOINT_TYPES.values() if row.by_axes and row.urdf and row.axes])
def test_the_own_frame_of_a_joint_comes_back(format, kind):
    if (format == "mjcf" and not JOINT_TYPES[kind].mjcf) or (format == "sdf" and not JOINT_TYPES[kind].sdf):
        return
    T = se3.pose_from_xyz_rpy((0.1, 0.2, 0.3), (1, 2, 3))
    for C in (T, se3.pose_from_xyz_rpy((0, 0, 0), (1, 2, 3))):
        parts = parts_of(hinge(kind=kind, more=""))
        parts.joints = [replace(joint, origin=T, child_origin=C, axes=joint.axes @ T[:3, :3]) for joint in parts.joints]
        robot = build(parts)
        again = through(robot, format)
        assert differences(robot, again) == []
        q = random_q(robot, np.random.default_rng(1))
        np.testing.assert_allclose(all_frames(again, q)["b"], all_frames(robot, q)["b"], atol=1e-12)


BROKEN = {
    ("coupled_limit", "tiny"): '{"new": true, "coefficients": {"turn": 1e-200}}',
    ("coupled_limit", "zero"): '{"new": true, "coefficients": {"turn": 0}}',
    ("coupled_limit", "none"): '{"new": true, "coefficients": {"gone": 1}}',
    ("group", ""): '{"joints": ["turn"]}',
    ("frame", ""): '{"new": true, "link": "base"}',
    ("joint", "turn"): '{"name": "slide"}',
}


class TestBrokenRecords:
    @each("bad", [[key] for key in BROKEN] + [[*BROKEN]])
    def test_each_is_left_out_alone_and_named(self, bad):
        robot = build(replace(parts_of(everything()), groups={"arm": ("turn", "slide")}))
        text = FORMATS["urdf"].write(robot, ())
        records = "".join(
            f'<kinetree_carried of="{kind}" name="{name}">{BROKEN[kind, name]}</kinetree_carried>' for kind, name in bad
        )
        again = kt.load(text.replace("</robot>", f"{records}</robot>"), format="urdf")
        assert differences(robot, again) == []
        named = [f"about {kind.replace('_', ' ')} {name!r} is left out: " for kind, name in bad]
        assert [any(name in message for message in warned(again)) for name in named] == [True] * len(bad)
        assert len(warned(again)) == len(bad)

    @each("wrong", ['"limit.lower": "x"', '"type": "odd"', '"damping": 1', '"limits.0.lower": "x"', '"origin": [[1]]'])
    def test_nothing_of_a_record_with_one_wrong_entry_is_applied(self, wrong):
        def named(record):
            text = FORMATS["urdf"].write(hinge("turn"), ())
            text = text.replace(
                "</robot>", f'<kinetree_carried of="joint" name="turn">{record}</kinetree_carried></robot>'
            )
            return kt.load(text, format="urdf")

        assert list(named('{"name": "spin"}').joints) == ["spin"]
        for record in (f'{{"name": "spin", {wrong}}}', f'{{{wrong}, "name": "spin", "calibration.rising": 1}}'):
            robot = named(record)
            assert list(robot.joints) == ["turn"]
            assert robot.joints["turn"].calibration is None
            assert len(warned(robot)) == 1

    @each(
        "record, message",
        [
            ('of="link" name="a"', "about link 'a' has no effect: its data are not understood; expected a JSON object"),
            ('of="lnk" name="a"', "about lnk 'a' has no effect: the kind 'lnk' is not known; did you mean 'link'"),
            ("", "carries has no effect: it does not say of what"),
        ],
    )
    def test_its_message_says_what_is_wrong(self, record, message):
        text = f'<robot name="r"><link name="a"/><kinetree_carried {record}>[]</kinetree_carried></robot>'
        (found,) = warned(kt.load(text, format="urdf"))
        assert message in found

    @each("attributes", ["", "link='arm::a'", "joint='j'", "joint='j' link='gone'"])
    def test_a_floating_joint_without_names_in_sdf(self, attributes):
        text = f"""<sdf version="1.10" xmlns:kinetree="urn:kinetree"><world name="w">
          <model name="arm"><link name="a"/></model><kinetree:free {attributes}/></world></sdf>"""
        robot = kt.load(text, format="sdf")
        assert robot.joints["arm"].type == "floating"
        assert len(warned(robot)) == 1


class TestFilesThatOthersHaveChanged:
    @each("format", CARRYING)
    def test_data_about_what_is_gone_are_left_out(self, format):
        lines = FORMATS[format].write(everything(), ()).splitlines()
        lines = [line if RECORD[format].search(line) else line.replace('"turn"', '"other"') for line in lines]
        again = kt.load(
            "\n".join(lines).replace("&quot;turn&quot;, &quot;slide&quot;]", "&quot;slide&quot;]"), format=format
        )
        assert again.joints["other"].safety is None or format == "urdf"
        assert "what it carries about group 'arm' is left out: there is no joint 'turn'" in warned(again)
        assert format == "urdf" or any("joint 'turn' is left out: there is no joint" in text for text in warned(again))

    def test_a_number_that_the_file_says_has_priority(self):
        text = FORMATS["mjcf"].write(everything(), ())
        again = kt.load(text.replace('range="0 5e-324"', 'range="0 0.5"'), format="mjcf")
        (message,) = warned(again)
        assert message == (
            "what it carries about joint 'slide' is left out: limits.0.upper is 0.5 in the file, which has been "
            "changed since"
        )
        assert again.joints["slide"].limit == Limit(0.0, 0.5, np.inf, 40.0)

    def test_a_limit_that_the_file_changes_keeps_its_velocity(self):
        text = FORMATS["mjcf"].write(everything(), ())
        again = kt.load(text.replace('range="-1 2"', 'range="-1 1"'), format="mjcf")
        assert again.joints["turn"].limit == Limit(-1.0, 1.0, 3.0, 0.0)
        assert not warned(again)

    def test_a_floor_keeps_the_world(self):
        text = FORMATS["mjcf"].write(everything(), ())
        floor = text.replace("<worldbody>", '<worldbody><geom type="plane" size="1 1 1"/>')
        again = kt.load(floor, format="mjcf")
        assert again.root == "world"
        assert warned(again) == [
            "what it carries about link 'world' is left out: link 'world' has a body or frames of its own now, so it "
            "stays"
        ]

    @pytest.mark.parametrize("format", CARRYING)
    @pytest.mark.slow
    def test_no_damage_moves_anything(self, format):
        """A hundred damaged records, or all: nothing is refused, and frames and masses are those of the file."""
        robot, rng = everything(), random.Random(0)
        text = FORMATS[format].write(robot, ())
        bare = kt.load(RECORD[format].sub("", text), format=format)
        q = np.linspace(0.1, 0.3, bare.nq)
        before = seen_from_base(bare, q)
        values = [
            None,
            True,
            1e300,
            float("nan"),
            "x",
            [],
            {},
            [["urdf", "a", "<a/>"]],
            [1],
            {"x": 1},
            -1,
            "nobody",
            10**400,
        ]
        planted = [
            (match, damaged)
            for match in RECORD[format].finditer(text)
            for damaged in damages(json.loads(unescaped(match[3])), values, rng)
        ]
        assert len(planted) > 40
        for match, damaged in rng.sample(planted, min(100, len(planted))):
            said = escaped(damaged if isinstance(damaged, str) else json.dumps(damaged))
            again = kt.load(text[: match.start(3)] + said + text[match.end(3) :], format=format)
            after = seen_from_base(again, q_of(again, bare, q))
            for name in robot.links:
                np.testing.assert_allclose(after[name], before[name], atol=1e-9)
                if name in again.links:
                    assert same_mass(again.links[name], robot.links[name])
                else:  # a link without mass that is written as a frame
                    assert robot.links[name].inertial is None


def damages(data, values, rng):
    yield from ("", "{", "[]", "null", "[" * 5000)
    yield data | {"file": 3}
    yield data | {"nothing": 1}
    for path in data:
        for value in rng.sample(values, 4):
            if path != "name" or not isinstance(value, str):
                yield data | {path: value}
        yield data | {f"{path}.0": 1, path: None}
    fields = [field for kind in FIELDS.values() for field in kind]
    for field in rng.sample(fields, 3):
        yield data | {field: 1, f"{field}.3.velocity": 2.0}
    yield data | {"new": True}
    yield data | {"gone": True}
    yield data | {"name": "base"}


def seen_from_base(robot, q):
    """The pose of every frame, seen from the base."""
    frames = all_frames(robot, q)
    return {name: np.linalg.inv(frames["base"]) @ T for name, T in frames.items()}


def q_of(again, bare, q):
    by_child = {bare.joints[name].child: q[where] for name, where in bare.q_slices.items()}
    return np.concatenate([by_child[again.joints[name].child] for name in again.joint_names])


def same_mass(one, other):
    """Whether two links have the same mass; a grain in SDF is as good as none."""
    one, other = (link.inertial.mass if link.inertial else 0.0 for link in (one, other))
    return one == other or {one, other} == {0.0, 1e-9}


def unescaped(text):
    return text.replace("&quot;", '"').replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


@each("format", CARRYING)
def test_a_record_that_no_reader_would_take_is_refused(format):
    parts = parts_of(hinge())
    parts.extensions.append(Extension("dh", "big", "x" * 600_000))
    with pytest.raises(kt.KinetreeError, match=r"600\d\d\d characters; at most 500000 are written"):
        FORMATS[format].write(build(parts), ())
    assert FORMATS[format].write(build(parts), ("extension",))


@pytest.mark.crosscheck
@pytest.mark.parametrize("format", CARRYING)
@pytest.mark.sampled(1)
def test_every_robot_comes_back_in_every_field(format):
    """With shapes where the format has them: meshes of MJCF are tested with their assets."""
    paths = [path for path in [*icub_urdfs(), *example_robot_urdfs()] if path.name not in REFUSED]
    without = ("geometry",) if format == "mjcf" else ()
    for path in sample(paths, 3):
        robot = kt.load(kt.text(kt.load(path), "urdf", without=without), format="urdf")
        again = through(robot, format)
        assert differences(robot, again) == [], path
        assert not warned(again), path


def test_a_link_for_a_format_alone_stays_where_its_joints_changed():
    """Of a record that somebody has edited around: other joints, more of them, a body, frames."""
    from kinetree.formats.losses.sidecar.merge_fixed_link import merge_fixed_link
    from kinetree.model.assemble import Parts
    from kinetree.model.robot import Joint, Link

    def parts(*joints):
        names = {"a", *(name for joint in joints for name in (joint.parent, joint.child))}
        found = Parts("r")
        found.links += [Link(name) for name in sorted(names)]
        found.joints += joints
        return found

    for joints in (
        (Joint("j", "revolute", "b", "a"),),
        (Joint("j", "revolute", "b", "a"), Joint("k", "revolute", "a", "c")),
        (Joint("j", "fixed", "b", "a"), Joint("k", "fixed", "a", "c"), Joint("l", "fixed", "a", "d")),
        (),
    ):
        with pytest.raises(ValueError, match="link 'a' has other joints now, so it stays"):
            merge_fixed_link(parts(*joints), "a")
    with pytest.raises(ValueError, match="there is no link 'x'"):
        merge_fixed_link(parts(), "x")


def test_names_are_carried_as_they_are_written():
    """An editor shows "größe", not numbers of its letters."""
    record = Record("link", "größe", {"name": "größe"})
    assert record.text == '{"name": "größe"}'


TURNED = {"origin": se3.pose_from_xyz_rpy([1, 2, 3], [0.1, 0.2, 0.3])}


class TestLinksThatOnlyAFormatNeeds:
    """Poses of everything else stay where they are when such a link is taken out."""

    def parts(self, joints, **more):
        names = dict.fromkeys(name for joint in joints for name in (joint.parent, joint.child))
        return Parts("r", [Link(name) for name in names], [*joints], **more)

    def joint(self, name, parent, child, **more):
        moves = {"type": "fixed"} | more
        axes = {} if moves["type"] == "fixed" else {"axes": np.eye(3)[2:]}
        return Joint(name, moves.pop("type"), parent, child, **moves, **axes)

    @each("where", ["root", "end", "behind a joint"])
    def test_what_is_merged(self, where):
        tail = self.joint("tail", "b", "c", type="continuous", **TURNED)
        joints = {
            "root": [
                self.joint("extra", "x", "a"),
                self.joint("side", "x", "d", **TURNED),
                self.joint("turn", "x", "e", type="continuous"),
            ],
            "end": [self.joint("first", "a", "d", **TURNED), self.joint("extra", "a", "x", **TURNED)],
            "behind a joint": [
                self.joint("turn", "a", "x", type="continuous", **TURNED),
                self.joint("extra", "x", "d", **TURNED),
            ],
        }[where]
        extra = [] if where == "root" else [Frame("f", "x", TURNED["origin"])] if where != "end" else []
        sensors = [Sensor("one", "imu", "b", TURNED["origin"])]
        sensors += [Sensor("two", "imu", "x", TURNED["origin"])] if where == "behind a joint" else []
        parts = self.parts([*joints, self.joint("on", "a", "b", **TURNED), tail], frames=extra, sensors=sensors)
        before = build(self.parts(parts.joints, frames=[*extra]))
        merge_fixed_link(parts, "x")
        after = build(parts)
        assert "x" not in after.links
        assert "extra" not in after.joints
        assert ("x" in after.frames) == (where == "end")
        kept = [name for name in after.frames if name in before.frames]
        assert {*before.frames} - {*kept} == ({"x"} if where != "end" else set())
        q = np.full(after.nq, 0.7)
        base = "a"
        assert [sensor.frame for sensor in after.sensors.values()] == ["b", "d"][: len(sensors)]
        for one in sensors:
            T = kt.fk(before, one.frame, base).interpret(q) @ one.origin
            own = after.sensors[one.name]
            np.testing.assert_allclose(kt.fk(after, own.frame, base).interpret(q) @ own.origin, T, atol=1e-12)
        for name in kept:
            np.testing.assert_allclose(
                kt.fk(after, name, base).interpret(q), kt.fk(before, name, base).interpret(q), atol=1e-12
            )

    @each(
        "joints, message",
        [
            ([("extra", "a", "y", {})], "there is no link 'x'"),
            ([("extra", "x", "a", {"child_origin": TURNED["origin"]})], "joint 'extra' has an offset now"),
            ([("turn", "a", "x", {"type": "continuous"})], "x"),
            ([("one", "a", "x", {}), ("two", "x", "b", {}), ("three", "x", "c", {})], "x"),
        ],
    )
    def test_what_is_refused(self, joints, message):
        parts = self.parts([self.joint(*rest, **more) for *rest, more in joints])
        with pytest.raises(ValueError, match=message):
            merge_fixed_link(parts, "x")

    def test_a_root_with_a_frame_stays(self):
        for more in ({"frames": [Frame("f", "x")]}, {"sensors": [Sensor("s", "imu", "x")]}):
            with pytest.raises(ValueError, match="link 'x' has a body or frames of its own now, so it stays"):
                merge_fixed_link(self.parts([self.joint("extra", "x", "a")], **more), "x")
