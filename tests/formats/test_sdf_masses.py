"""Masses of SDF: what a silent file means, what is computed from shapes, and links without mass that are written."""

import re
from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import kinetree as kt
import mesh_files
from each import each
from kinetree import KinetreeError
from kinetree.formats import sdf
from kinetree.formats.losses.grains import MASS, MOMENT
from kinetree.model.assemble import build, parts_of
from kinetree.model.robot import Extension, Frame, Inertial, Joint, Link, Sensor
from kinetree.spatial import se3
from sdf_texts import INERTIAL, close, findings, hinge, load, model
from support import all_frames, random_q, shared

RECORD = re.compile(r"\s*<kinetree:\w+.*?</kinetree:\w+>")
BOX = '<collision name="c"><pose>{pose}</pose>{density}<geometry>{shape}</geometry></collision>'


def felt(shape="<box><size>1 2 3</size></box>", density="", pose="0 0 0 0 0 0"):
    return BOX.format(shape=shape, density=density, pose=pose)


def body(inertial="", inside="", version="1.11"):
    """The inertial of a single link."""
    return load(model(f'<link name="a">{inertial}{inside}</link>', version)).links["a"].inertial


def codes(text):
    return [(f.code, f.severity) for f in load(text).notes]


class TestSilentFile:
    def test_a_link_without_inertial_has_the_kilogram_of_libsdformat(self):
        text = model('<link name="a"/>')
        found = load(text).links["a"].inertial
        assert (found.mass, found.origin.tolist()) == (1.0, np.eye(4).tolist())
        assert found.inertia.tolist() == np.eye(3).tolist()
        assert codes(text) == [("no-inertial", "warning")]
        assert not findings(model(f'<link name="a">{INERTIAL}</link>'))

    def test_so_has_one_of_a_static_model_with_a_remark(self):
        text = model('<static>true</static><link name="a"/>')
        assert load(text).links["a"].inertial.mass == 1.0
        assert codes(text) == [("no-inertial", "info")]

    def test_in_a_world_each_model_is_static_by_itself(self):
        one, other = (
            '<model name="{}">{}<link name="l"/></model>'.format(*x) for x in (("m", ""), ("n", "<static>1</static>"))
        )
        robot = load(f'<sdf version="1.9"><world name="w">{one}{other}</world></sdf>')
        assert [n.severity for n in robot.notes if n.code == "no-inertial"] == ["warning", "info"]
        assert robot.links["world"].inertial is None
        assert kt.dynamics.mass(robot) == 2.0

    @pytest.mark.parametrize("inertial", ["<inertial/>", "<inertial><mass>1</mass></inertial>"])
    def test_an_inertial_without_parts_has_the_defaults_of_these(self, inertial):
        assert (body(inertial).mass, body(inertial).inertia.tolist()) == (1.0, np.eye(3).tolist())
        assert "default-inertial" in [f.code for f in findings(model(f'<link name="a">{inertial}</link>'))]

    @each(
        "inertial, lacks, has",
        [
            ("", "<mass>, <inertia>", "defaults, 1 kg and 1 kg m² about each axis"),
            ("<mass>5</mass>", "<inertia>", "default, 1 kg m² about each axis"),
            ("<inertia><ixx>2</ixx><iyy>2</iyy><izz>2</izz></inertia>", "<mass>", "default, 1 kg"),
            ("<mass>5</mass><inertia><ixx>2</ixx><izz>2</izz></inertia>", "<iyy>", "default, 1 kg m²"),
            ("<inertia><iyy>2</iyy></inertia>", "<mass>, <ixx>, <izz>", "defaults, 1 kg and 1 kg m²"),
        ],
    )
    def test_only_what_is_missing_is_said_to_have_a_default(self, inertial, lacks, has):
        text = model(f'<link name="a"><inertial>{inertial}</inertial></link>')
        said = [f.message for f in findings(text) if f.code == "default-inertial"]
        assert said == [f"<inertial> without {lacks} has SDF's {has}"]
        mass, moments = load(text).links["a"].inertial.mass, load(text).links["a"].inertial.inertia.diagonal()
        assert mass == (5.0 if "<mass>" in inertial else 1.0)
        assert moments.tolist() == [2.0 if f"<i{x}{x}>" in inertial else 1.0 for x in "xyz"]

    def test_a_whole_inertial_says_nothing(self):
        assert findings(model(f'<link name="a">{INERTIAL}</link>')) == []

    def test_without_masses_it_has_none(self):
        robot = kt.load(model('<link name="a"/>'), format="sdf", without=("inertial",))
        assert robot.links["a"].inertial is None
        assert [note.code for note in robot.notes] == []


class TestComputedInertia:
    """`<inertial auto="true">`; the numbers are those of Drake 1.51, which has libsdformat 16."""

    @each(
        "shape, mass, centre, moments",
        [
            ("<box><size>1 2 3</size></box>", 6000, 0, (6500, 5000, 2500)),
            ("<sphere><radius>0.5</radius></sphere>", 523.5987755982989, 0, (52.359878,) * 3),
            (
                "<cylinder><radius>0.5</radius><length>2</length></cylinder>",
                1570.7963267948965,
                0,
                (621.773546, 621.773546, 196.349541),
            ),
            (
                "<capsule><radius>0.5</radius><length>2</length></capsule>",
                2094.3951023931954,
                0,
                (1394.08174, 1394.08174, 248.709418),
            ),
            (
                "<ellipsoid><radii>1 2 3</radii></ellipsoid>",
                25132.741228718343,
                0,
                (65345.127195, 50265.482457, 25132.741229),
            ),
            (
                "<cone><radius>0.5</radius><length>2</length></cone>",
                523.5987755982989,
                -0.5,
                (98.174770, 98.174770, 39.269908),
            ),
        ],
    )
    def test_of_each_shape(self, shape, mass, centre, moments):
        found = body('<inertial auto="true"/>', felt(shape))
        assert found.mass == pytest.approx(mass, rel=1e-15)
        assert found.origin[:3, 3] == pytest.approx((0, 0, centre), abs=1e-15)
        assert np.diag(found.inertia) == pytest.approx(moments, rel=1e-7)

    def test_of_two_shapes_that_are_turned_and_of_different_density(self):
        cylinder = "<cylinder><radius>0.5</radius><length>2</length></cylinder>"
        two = felt(pose="1 0 0 0 0 0") + felt(cylinder, "<density>2700</density>", "-1 1 0 0.3 0.2 0.1").replace(
            '"c"', '"d"'
        )
        found = body('<inertial auto="true"/>', two)
        p = found.origin[:3, 3]
        about_link = found.inertia + found.mass * (p @ p * np.eye(3) - np.outer(p, p))
        assert found.mass == pytest.approx(10241.150082346221, rel=1e-15)
        assert p == pytest.approx((0.171743, 0.414128, 0.0), abs=1e-6)
        expected = [[12365.174704, 4310.146145, -234.829264], [16833.01183, 295.856923], [17654.134704]]
        assert about_link[np.triu_indices(3)] == pytest.approx([x for row in expected for x in row], rel=1e-8)
        scaled = body('<inertial auto="true"><mass>4</mass></inertial>', two)
        assert scaled.mass == pytest.approx(4.0, rel=1e-15)
        assert scaled.inertia == pytest.approx(found.inertia * 4 / found.mass, rel=1e-12)

    @each(
        "of_link, of_shape, mass",
        [
            ("", "", 6000),
            ("<density>10</density>", "", 60),
            ("<density>10</density>", "<density>20</density>", 120),
            ("", "<density> 2e1 </density>", 120),
        ],
    )
    def test_the_density_of_the_shape_goes_before_that_of_the_link_and_that_before_water(self, of_link, of_shape, mass):
        assert body(f'<inertial auto="true">{of_link}</inertial>', felt(density=of_shape)).mass == pytest.approx(mass)

    @each("density", ["0", "-1", "iron"])
    def test_a_shape_whose_density_is_not_positive_weighs_nothing(self, density):
        text = model(f'<link name="a"><inertial auto="1"/>{felt(density=f"<density>{density}</density>")}</link>')
        assert load(text).links["a"].inertial.mass == 0
        assert ("no-effect", "warning") in codes(text)

    def test_what_stands_beside_it_has_no_effect_and_what_is_computed_is_told(self):
        inertial = '<inertial auto="TRUE"><pose>5 5 5 0 0 0</pose><inertia><ixx>9</ixx></inertia></inertial>'
        text = model(f'<link name="a">{inertial}{felt()}</link>')
        assert load(text).links["a"].inertial.origin[:3, 3].tolist() == [0, 0, 0]
        assert codes(text) == [("no-effect", "warning")] * 2 + [("auto-inertia", "info")]
        assert "6000 kg" in load(text).notes[-1].message

    @each("auto", ['auto="false"', 'auto="0"', ""])
    def test_it_has_to_be_asked_for(self, auto):
        assert body(f"<inertial {auto}/>", felt()).mass == 1.0

    @each(
        "inside",
        [
            "",
            felt("<plane/>"),
            felt() + felt("<mesh><uri>a.stl</uri></mesh>").replace('"c"', '"d"'),
            felt("<box><size>1 2</size></box>"),
            felt() + felt("<box><size>x</size></box>").replace('"c"', '"d"'),
        ],
    )
    def test_where_it_cannot_be_computed_the_mass_is_unknown_and_answers_that_need_it_are_refused(self, inside):
        text = model(hinge().replace('<link name="a"/>', f'<link name="a"><inertial auto="true"/>{inside}</link>'))
        robot = load(text)
        assert robot.links["a"].inertial is None
        assert kt.fk(robot, "b")([0.0]) is not None
        for ask in (kt.dynamics.mass, kt.center_of_mass, kt.inverse_dynamics):
            with pytest.raises(KinetreeError, match="its mass is unknown"):
                ask(robot)
        assert '<inertial auto="true"/>' in kt.text(build(parts_of(robot)), "sdf")
        assert "unknown-inertia" in {note.code for note in robot.notes}
        with pytest.raises(KinetreeError, match="URDF cannot express an unknown mass"):
            kt.text(robot, "urdf")
        written = kt.text(robot, "urdf", without=("unknown_mass", "plane"))
        assert kt.dynamics.mass(kt.load(written, format="urdf")) == 1.0

    def test_it_is_written_as_computed(self):
        text = model(f'<link name="a"><inertial auto="true"/>{felt(density="<density>5</density>")}</link>')
        again = kt.text(build(parts_of(load(text))), "sdf")
        assert "<mass>30</mass>" in again
        assert "auto" not in again


class TestMasslessLinksWritten:
    """Every link without `<inertial>` would have 1 kg for all programs that read SDF."""

    URDF = """<robot name="r"><link name="foot"/><link name="base">{heavy}</link><link name="arm">{heavy}</link>
      <link name="flange"/><link name="tool0"/><link name="cover">
      <visual><geometry><box size="1 1 1"/></geometry></visual></link>
      <link name="virtual"/><link name="hand">{heavy}</link><link name="mount"/><link name="gripper">{heavy}</link>
      {joints}</robot>"""
    HEAVY = """<inertial><origin xyz="0 0 0.1"/><mass value="2"/>
      <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>"""
    JOINTS = """foot base fixed 0,0,0.1
      base arm revolute 0,0,0.2
      arm flange fixed 0.1,0,0
      flange tool0 fixed 0,0.1,0
      arm cover fixed 0,0,0
      arm virtual revolute 0,0,0.3
      virtual hand revolute 0,0.2,0
      hand mount revolute 0.3,0,0
      mount gripper fixed 0,0,0.4"""

    def robot(self):
        joints = ""
        for line in self.JOINTS.splitlines():
            parent, child, kind, xyz = line.split()
            more = '<axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/>' if kind != "fixed" else ""
            joints += (
                f'<joint name="to_{child}" type="{kind}"><origin xyz="{xyz.replace(",", " ")}" rpy="0.1 0.2 0.3"/>'
                f'<parent link="{parent}"/><child link="{child}"/>{more}</joint>'
            )
        return kt.load(self.URDF.format(heavy=self.HEAVY, joints=joints), format="urdf")

    def written(self):
        notes = []
        text = sdf.write(self.robot(), notes=notes)
        return text, load(RECORD.sub("", text)), notes

    def test_the_mass_stays_for_programs_without_records(self):
        _, bare, _ = self.written()
        assert not [note for note in bare.notes if note.code == "no-inertial"]
        assert kt.dynamics.mass(bare) == pytest.approx(8.0, abs=1e-8)
        assert kt.dynamics.mass(self.robot()) == 8.0

    def test_links_that_are_nothing_but_frames_become_frames_and_others_get_a_small_inertial(self):
        _, bare, notes = self.written()
        assert {*bare.links} == {"base", "arm", "cover", "virtual", "hand", "gripper"}
        assert {"foot", "flange", "tool0", "mount"} <= {*bare.frames}
        for name in ("cover", "virtual"):
            assert bare.links[name].inertial.mass == MASS
            assert bare.links[name].inertial.inertia.tolist() == (MOMENT * np.eye(3)).tolist()
        (frames, weights) = [note for note in notes if note.code == "massless"]
        assert (frames.severity, weights.severity) == ("info", "warning")
        assert "foot, flange, tool0, mount;" in frames.message
        assert "cover, virtual;" in weights.message

    def test_every_frame_is_where_it_was(self):
        robot, (_, bare, _) = self.robot(), self.written()
        q = random_q(robot, np.random.default_rng(0))
        here, there = all_frames(robot, q), all_frames(bare, q)
        for name in robot.links:
            assert np.abs(np.linalg.inv(there["foot"]) @ there[name] - here[name]).max() < 1e-14
        assert np.abs(there["__model__"] - there["foot"]).max() < 1e-15  # a model stands where it stood

    @pytest.mark.parametrize(("xyz", "is_moved"), [("0 0 0", False), ("0 0 1", True)])
    def test_a_model_whose_root_stays_in_place_has_no_frame_for_it(self, xyz, is_moved):
        mass = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
        text = f"""<robot name="r"><link name="base_link"/><link name="base">{mass}</link><joint name="f" type="fixed">
          <origin xyz="{xyz}"/><parent link="base_link"/><child link="base"/></joint></robot>"""
        assert ("__model__" in kt.text(kt.load(text, format="urdf"), "sdf")) == is_moved

    def test_kinetree_restores_the_robot(self):
        robot, (text, _, _) = self.robot(), self.written()
        again = load(text)
        assert not again.notes
        assert (again.root, [*again.links], [*again.joints]) == (robot.root, [*robot.links], [*robot.joints])
        assert again.joint_names == robot.joint_names
        assert [name for name in again.frames if name not in again.links] == []
        for name, link in robot.links.items():
            assert (link.inertial is None) == (again.links[name].inertial is None)
        for name, joint in robot.joints.items():
            other = again.joints[name]
            assert (joint.type, joint.parent, joint.child) == (other.type, other.parent, other.child)
            assert np.abs(joint.origin @ joint.child_origin - other.origin @ other.child_origin).max() < 1e-14
        assert kt.compare(robot, again).same

    def test_a_link_that_a_loop_or_a_group_needs_stays_a_link(self):
        parts = parts_of(self.robot())
        parts.sensors = [Sensor("imu", "imu", "tool0"), Sensor("ft", "force_torque", "base", joint="to_base")]
        bare = load(RECORD.sub("", sdf.write(build(parts))))
        assert "foot" in bare.links
        assert {"flange", "tool0"}.isdisjoint(bare.links)
        assert bare.sensors["imu"].frame == "tool0"  # which is a frame: its sensor stands on the link that has a mass

    def test_a_link_that_is_felt_alone_stays_a_link(self):
        parts = parts_of(self.robot())
        parts.links = [replace(one, visuals=(), collisions=one.visuals) for one in parts.links]
        assert "cover" in load(RECORD.sub("", sdf.write(build(parts)))).links

    def test_a_joint_of_a_group_stays(self):
        parts = parts_of(self.robot())
        parts.groups = {"arm": ("to_arm", "to_tool0")}
        robot = build(parts)
        bare, again = (load(change("", sdf.write(robot))) for change in (RECORD.sub, lambda _, text: text))
        assert {"tool0", "flange"} & {*bare.links} == {"tool0"}
        assert dict(again.groups) == dict(robot.groups)

    def test_a_loop_keeps_the_links_that_it_joins(self):
        parts = parts_of(self.robot())
        T = all_frames(build(parts), np.zeros(3 + 1)[: build(parts).nq])
        origin = se3.frozen(np.linalg.inv(T["tool0"]) @ T["cover"])
        parts.loops = [Joint("tie", "fixed", "tool0", "cover", origin)]
        robot = build(parts)
        bare, again = load(RECORD.sub("", sdf.write(robot))), load(sdf.write(robot))
        assert {"tool0", "flange"} & {*bare.links} == {"tool0"}
        assert [(loop.parent, loop.child) for loop in again.loops.values()] == [("tool0", "cover")]

    @each("kind, static", [("floating", ""), ("fixed", ""), ("fixed", "<static>true</static>")])
    def test_links_on_the_world(self, kind, static):
        """A floating joint has to end at a link; so has the one that holds a static model."""
        parts = parts_of(self.robot())
        parts.links = [Link("world"), *parts.links]
        parts.joints = [Joint("foot_joint", kind, "world", "foot"), *parts.joints]
        parts.extensions = [Extension("sdf", "static", static)] if static else []
        robot = build(parts)
        text = sdf.write(robot)
        bare, again = load(RECORD.sub("", text)), load(text)
        assert ("foot" in bare.links) == (kind == "floating" or bool(static))
        assert kt.dynamics.mass(bare) == pytest.approx(8.0, abs=1e-8)
        assert [*again.links] == [*robot.links]
        assert {j.name: (j.type, j.parent, j.child) for j in again.joints.values()} == {
            j.name: (j.type, j.parent, j.child) for j in robot.joints.values()
        }
        assert not [note for note in again.notes if note.code == "carried"]

    def test_the_frame_of_a_model_that_a_robot_has_stays(self):
        parts = parts_of(self.robot())
        parts.frames = [Frame("__model__", "arm", se3.frozen(se3.translation((1.0, 2.0, 3.0))))]
        robot = build(parts)
        again = load(sdf.write(robot))
        assert [*again.frames] == [*robot.frames]
        assert again.frames["__model__"].link == "arm"
        assert not again.notes

    def test_links_of_a_world_that_is_not_the_first_link_keep_their_order(self):
        parts = parts_of(self.robot())
        parts.links = [*parts.links, Link("world")]
        parts.joints = [*parts.joints, Joint("hold", "fixed", "world", "foot")]
        order = [*load(sdf.write(build(parts))).links]
        assert order == ["world", *self.robot().links]

    @each("kinds", [("fixed", "fixed"), ("fixed", "floating"), ("floating", "fixed")])
    def test_a_root_called_world_with_a_frame_is_a_link_in_its_place(self, kinds):
        heavy, T = Inertial(2.0, se3.frozen(np.eye(3))), se3.frozen(se3.translation((1.0, 2.0, 3.0)))
        parts = parts_of(self.robot())
        parts.links = [Link("world"), Link("a", heavy), Link("b", heavy)]
        parts.joints = [Joint(f"to_{name}", kind, "world", name, T) for name, kind in zip("ab", kinds, strict=True)]
        parts.frames, parts.joint_order = [Frame("spot", "world", T)], None
        robot = build(parts)
        bare = load(RECORD.sub("", sdf.write(robot)))
        here, there = all_frames(robot, robot.q()), all_frames(bare, bare.q())
        assert kt.dynamics.mass(bare) == pytest.approx(4.0, abs=1e-8)
        assert all(close(there[name], here[name]) for name in ("world", "a", "b", "spot"))

    def test_a_frame_is_in_the_model_of_its_link(self):
        parts = parts_of(self.robot())
        robot = kt.edit.rename(
            build(parts), links={"tool0": "a::tool0", "flange": "a::flange"}, joints={"to_tool0": "a::to_tool0"}
        )
        bare, again = load(RECORD.sub("", sdf.write(robot))), load(sdf.write(robot))
        assert "a::tool0" in bare.frames
        assert "a::tool0" not in bare.links  # on a::flange, which is no frame of the model around it
        assert "a::flange" in bare.links
        assert {*again.links} == {*robot.links}

    def test_a_joint_that_is_moved_to_another_link_stays_there(self):
        text = sdf.write(self.robot())
        moved = text.replace("<child>gripper</child>", "<child>other</child>").replace(
            "</model>", '<link name="other"/></model>'
        )
        again = load(moved.replace('relative_to="to_mount"', ""))
        assert again.joints["to_mount"].child == "other"
        assert "changed since" in " ".join(note.message for note in again.notes)

    def test_without_frames_each_gets_a_small_inertial(self):
        bare = load(RECORD.sub("", sdf.write(self.robot(), ("frame",))))
        assert {*bare.links} == {*self.robot().links}
        assert kt.dynamics.mass(bare) == pytest.approx(8.0, abs=1e-7)

    def test_a_robot_without_masses_has_almost_none(self):
        bare = load(RECORD.sub("", sdf.write(self.robot(), ("inertial",))))
        assert kt.dynamics.mass(bare) < 1e-7

    def test_a_mass_of_zero_is_none(self):
        text = sdf.write(build(self.with_zero("virtual", np.zeros((3, 3)), "tool0")))
        bare, again = load(RECORD.sub("", text)), load(text)
        notes = []
        sdf.write(build(self.with_zero("virtual", np.zeros((3, 3)), "tool0")), notes=notes)
        assert {note.code for note in notes} == {"massless"}  # their inertia is not said to be one that no body has
        assert "tool0" in bare.frames
        assert "tool0" not in bare.links
        assert bare.links["virtual"].inertial.mass == MASS
        for name in ("virtual", "tool0"):
            assert (again.links[name].inertial.mass, again.links[name].inertial.inertia.any()) == (0, False)

    def test_an_inertia_about_one_axis_without_mass_is_that_of_a_grain(self):
        text = sdf.write(build(self.with_zero("virtual", np.diag((0.0, 0.0, 1.0)), "tool0")))
        assert np.diag(load(RECORD.sub("", text)).links["virtual"].inertial.inertia).tolist() == [MOMENT] * 3

    def test_an_inertia_without_mass_stays(self):
        text = sdf.write(build(self.with_zero("virtual", np.diag((1.0, 2.0, 2.5)), "tool0")))
        bare = load(RECORD.sub("", text))
        assert {"virtual", "tool0"} <= {*bare.links}
        assert np.diag(bare.links["tool0"].inertial.inertia).tolist() == [1.0, 2.0, 2.5]
        assert load(text).links["tool0"].inertial.mass == 0

    def with_zero(self, *names):
        one, inertia, other = names
        parts = parts_of(self.robot())
        zero = Inertial(0.0, se3.frozen(inertia))
        parts.links = [
            link if link.name not in (one, other) else Link(link.name, zero, link.visuals, link.collisions)
            for link in parts.links
        ]
        return parts

    def test_a_mass_that_is_written_into_the_file_later_counts(self):
        text = sdf.write(self.robot()).replace(f"<mass>{MASS!r}</mass>", "<mass>3</mass>", 1)
        again = load(text)
        assert again.links["cover"].inertial.mass == 3
        assert "which has been changed since" in " ".join(note.message for note in again.notes)

    @each("data", ['{"inertial": null}', '{"inertial.mass": 0}', '{"inertial.mass": 5}'])
    def test_a_record_takes_no_mass_away_that_a_body_has(self, data):
        record = f'<kinetree:carried of="link" kinetree:name="arm">{data}</kinetree:carried></model>'
        text = sdf.write(self.robot())
        again = load(
            re.sub(r'<kinetree:carried of="link" kinetree:name="arm">.*', "", text).replace("</model>", record)
        )
        assert again.links["arm"].inertial.mass == 2
        assert [note.code for note in again.notes] == ["carried"]

    def test_a_record_of_a_joint_has_no_inertial(self):
        record = '<kinetree:carried of="joint" kinetree:name="to_arm">{"inertial": null}</kinetree:carried></model>'
        again = load(sdf.write(self.robot()).replace("</model>", record))
        assert [note.code for note in again.notes] == ["carried"]

    def test_a_frame_that_is_moved_to_another_link_stays_there(self):
        text = sdf.write(self.robot()).replace('name="tool0" attached_to="arm"', 'name="tool0" attached_to="base"')
        again = load(text)
        assert again.frames["tool0"].link == "base"
        assert "the file has been changed since" in " ".join(note.message for note in again.notes)

    @pytest.mark.parametrize("root", ["world", "foot"])
    def test_a_root_called_world_is_the_world_and_weighs_nothing(self, root):
        parts = parts_of(self.robot())
        text = kt.text(build(parts), "urdf").replace('"foot"', f'"{root}"')
        robot = kt.load(text, format="urdf")
        written = sdf.write(robot)
        again, bare = load(written), load(RECORD.sub("", written))
        assert kt.dynamics.mass(bare) == pytest.approx(8.0, abs=1e-8)
        assert {*again.links} == {*robot.links}
        assert ("world" in bare.links) == (root == "world")

    @pytest.mark.parametrize("case", ["F01-massless-to-sdf/m.urdf", "F01c-mjcf-joints-to-sdf/m.xml"])
    def test_cases_that_were_reported(self, case, tmp_path):
        robot = kt.load(shared("cases") / "formats" / case)
        kt.save(robot, tmp_path / "m.sdf")
        bare = load(RECORD.sub("", (tmp_path / "m.sdf").read_text()))
        assert kt.dynamics.mass(bare) == pytest.approx(kt.dynamics.mass(robot), abs=1e-8)
        assert kt.compare(robot, kt.load(tmp_path / "m.sdf")).same

    def test_compare_sees_masses_that_differ(self):
        cases = shared("cases") / "formats" / "F01c-mjcf-joints-to-sdf"
        old, new = kt.load(cases / "m.xml"), kt.load(cases / "m.sdf")  # as an earlier version wrote it
        assert not kt.compare(old, new).same


def test_reported_files():
    files = shared("cases") / "files"
    assert kt.dynamics.mass(kt.load(files / "noinertial.sdf")) == 3.0
    assert kt.load(files / "v13.sdf").joint_names == ("j",)
    assert kt.dynamics.mass(kt.load(files / "ground.sdf")) == 1.0


class TestOldVersions:
    TURNED = """<link name="a"><pose>0 0 0 1 0 0</pose></link><link name="b"><pose>0 0 1 0 1 0</pose></link>
      <joint name="j" type="revolute"><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz></axis></joint>"""

    @each("version", ["1.2", "1.3", "1.4", "1.5"])
    def test_axes_are_in_the_frame_of_the_model_until_1_4(self, version):
        axis = load(model(self.TURNED, version)).joints["j"].axis
        assert axis == pytest.approx((0, 0, 1) if version == "1.5" else (-np.sin(1), 0, np.cos(1)))  # as Drake has it

    def test_a_mesh_had_a_filename_in_1_2(self):
        shape = felt("<mesh><filename>a.stl</filename></mesh>")
        for version, file in (("1.2", "a.stl"), ("1.3", None)):
            found = load(model(f'<link name="a">{shape}</link>', version)).links["a"].collisions
            assert [one.shape.parameters["filename"] for one in found] == [file] * (file is not None)

    @each("version", ["²", "1.²", "1." + "9" * 5000, "١.٤", "1.-4", "1..4"])
    def test_a_version_in_a_model_config_that_is_no_number_is_an_error(self, version):
        files = {
            "m/model.config": f'<model>\n<sdf version="{version}">old.sdf</sdf></model>',
            "m/old.sdf": model('<link name="l"/>'),
        }
        (error,) = findings('<sdf version="1.9"><world name="w"><include><uri>m</uri></include></world></sdf>', files)
        assert (error.code, error.severity) == ("sdf-version", "error")
        assert str(error.source) == "m/model.config:2:15"
        assert "expected one such as 1.6" in error.message

    def test_the_reported_version_is_an_error(self):
        with pytest.raises(KinetreeError, match="'²' is no version"):
            kt.load(shared("cases") / "attack" / "sdf_version" / "t.sdf")

    def test_of_several_versions_the_newest_that_is_read_is_taken(self):
        names = {"1.10": "ten", "1.9": "nine", "1.13": "later", "1.0": "old"}
        rows = "".join(f'<sdf version="{version}">{name}.sdf</sdf>' for version, name in names.items())
        files = {f"m/{name}.sdf": model(f'<link name="{name}"/>') for name in names.values()}
        files["m/model.config"] = f"<model>{rows}</model>"
        text = '<sdf version="1.9"><world name="w"><include><uri>m</uri></include></world></sdf>'
        robot, _ = sdf.read(text, "file.sdf", lambda name, _: (files[name].encode(), name) if name in files else None)
        assert [*robot.links] == ["world", "m::ten"]

    def test_digits_of_other_scripts_are_no_limit(self):
        text = model(hinge("<xyz>0 0 1</xyz><limit><upper>٣</upper></limit>"))
        assert "number" in [f.code for f in findings(text) if f.severity == "error"]


def test_a_capsule_of_no_size_weighs_nothing():
    found = body('<inertial auto="true"/>', felt("<capsule><radius>0</radius><length>0</length></capsule>"))
    assert (found.mass, found.inertia.any()) == (0.0, False)


class TestStaticModels:
    """The world holds each link of a static model, so none weighs on a joint; the mass is that of libsdformat."""

    SIDE = hinge("<xyz>0 1 0</xyz>").replace('<link name="b">', '<link name="b"><inertial><mass>2</mass></inertial>')

    @pytest.mark.slow
    @each("static, torque", [("", -2 * 9.81), ("false", -2 * 9.81), ("true", 0.0), ("1", 0.0)])
    def test_they_weigh_nothing_on_their_joints(self, static, torque):
        text = self.SIDE.replace("<axis>", "<pose>-1 0 0 0 0 0</pose><axis>")
        robot = load(model((f"<static>{static}</static>" if static else "") + text))
        assert kt.gravity_torques(robot)([0.0]) == pytest.approx([torque])
        assert kt.inverse_dynamics(robot)([0.0], [0.0], [0.0]) == pytest.approx([torque])
        assert kt.dynamics.mass(robot) == 3.0
        assert kt.center_of_mass(robot)([0.0]) == pytest.approx((2 / 3, 0, 0))

    def test_nor_do_they_accelerate(self):
        with pytest.raises(KinetreeError, match="no mass resists the motion of 'j'"):
            kt.forward_dynamics(load(model(f"<static>true</static>{self.SIDE}")))

    def test_a_model_beside_them_weighs_as_before(self):
        side = self.SIDE.replace("<axis>", "<pose>-1 0 0 0 0 0</pose><axis>")
        still, free = (
            f'<model name="{name}">{static}{side}{held}</model>'
            for name, static, held in (
                ("still", "<static>true</static>", ""),
                ("arm", "", '<joint name="w" type="fixed"><parent>world</parent><child>a</child></joint>'),
            )
        )
        robot = load(f'<sdf version="1.9"><world name="w">{still}{free}</world></sdf>')
        torque = dict(zip(robot.joint_names, kt.gravity_torques(robot)(robot.q()), strict=True))
        assert torque == {"still::j": 0.0, "arm::j": pytest.approx(-2 * 9.81)}


class TestComputedFromMeshes:
    """<inertial auto="true"> of meshes: a tetrahedron with corners at 0, x = 1, y = 2, z = 3, 1000 kg/m³.

    Its centre is the mean of its corners; the second moment of a solid tetrahedron about its centre is 1/20 of the sum
    over its corners, of corner by corner.
    """

    def load(self, folder, file="t.stl", more="", density="", mass=""):
        made = {"t.obj": mesh_files.obj(), "t.stl": mesh_files.stl(), "t.dae": mesh_files.dae()}
        made |= {"open.stl": mesh_files.stl(faces=mesh_files.FACES[:3])}
        made |= {"in.stl": mesh_files.stl(faces=mesh_files.FACES[:, ::-1]), "bad.stl": b"x"}
        for name, data in made.items():
            (folder / name).write_bytes(data)
        shape = felt(f"<mesh><uri>{file}</uri>{more}</mesh>", density, pose="1 2 3 0.1 0.2 0.3")
        (folder / "m.sdf").write_text(model(f'<link name="a"><inertial auto="true">{mass}</inertial>{shape}</link>'))
        return kt.load(folder / "m.sdf")

    @pytest.mark.parametrize("file", ["t.obj", "t.stl", "t.dae"])
    @pytest.mark.parametrize("scale", ["", "2 3 4", "-1 1 1", "-2 -1 0.5"])
    def test_against_the_formula_of_a_tetrahedron(self, tmp_path, file, scale):
        corners = mesh_files.CORNERS * ([float(x) for x in scale.split()] or 1.0)
        volume = abs(np.linalg.det(corners[1:] - corners[0])) / 6
        T = se3.homogeneous(Rotation.from_euler("xyz", (0.1, 0.2, 0.3)).as_matrix(), (1.0, 2.0, 3.0))
        placed = corners @ T[:3, :3].T + T[:3, 3]
        away = placed - placed.mean(axis=0)
        squares = 1000 * volume / 20 * away.T @ away
        inertial = self.load(tmp_path, file, f"<scale>{scale}</scale>" if scale else "").links["a"].inertial
        assert inertial.mass == pytest.approx(1000 * volume, rel=1e-12)
        np.testing.assert_allclose(inertial.origin, se3.translation(placed.mean(axis=0)), atol=1e-12)
        np.testing.assert_allclose(inertial.inertia, np.trace(squares) * np.eye(3) - squares, rtol=1e-9, atol=1e-8)

    def test_density_mass_and_other_shapes_count(self, tmp_path):
        assert self.load(tmp_path, density="<density>500</density>").links["a"].inertial.mass == pytest.approx(500)
        assert self.load(tmp_path, mass="<density>10</density>").links["a"].inertial.mass == pytest.approx(10)
        robot = self.load(tmp_path, mass="<mass>7</mass>")
        assert robot.links["a"].inertial.mass == pytest.approx(7)
        assert "auto-inertia" in {note.code for note in robot.notes}

    @pytest.mark.parametrize(
        ("file", "more", "why"),
        [
            ("gone.stl", "", "It follows from the mesh 'gone.stl': there is no file"),
            ("open.stl", "", "'open.stl': its surface is not closed, so that it has no volume"),
            ("in.stl", "", "its volume is -1 m³; expected faces that turn outwards"),
            ("bad.stl", "", "is not an STL file: it has 1 bytes"),
            ("t.dae", "<submesh><name>n</name></submesh>", "the volume of its part 'n' is not computed"),
        ],
    )
    def test_without_a_volume_the_mass_is_unknown(self, tmp_path, file, more, why):
        robot = self.load(tmp_path, file, more)
        assert robot.links["a"].inertial is None
        assert why in robot.links["a"].unweighed
        with pytest.raises(KinetreeError, match="its mass is unknown"):
            kt.dynamics.mass(robot)

    def test_a_text_without_a_file_reads_no_mesh(self):
        link = load(
            model(f'<link name="a"><inertial auto="true"/>{felt("<mesh><uri>a.stl</uri></mesh>")}</link>')
        ).links["a"]
        assert "It follows from the mesh 'a.stl'" in link.unweighed

    def test_a_confined_model_reads_no_mesh_elsewhere(self, tmp_path):
        (tmp_path / "inside").mkdir()
        (tmp_path / "inside" / "package.xml").write_text("<package><name>p</name></package>")
        (tmp_path / "t.stl").write_bytes(mesh_files.stl())
        shape = felt("<mesh><uri>../t.stl</uri></mesh>")
        file = tmp_path / "inside" / "m.sdf"
        file.write_text(model(f'<link name="a"><inertial auto="true"/>{shape}</link>'))
        assert kt.load(file).links["a"].inertial.mass == pytest.approx(1000)
        assert kt.load(file, confined=True).links["a"].inertial is None


def test_a_default_inertial_of_a_static_model_is_a_remark():
    for static, severity in (("true", "info"), ("false", "warning")):
        inside = f'<static>{static}</static><link name="a"><inertial/></link>'
        notes = kt.load(f'<sdf version="1.9"><model name="m">{inside}</model></sdf>', format="sdf").notes
        assert [(n.code, n.severity) for n in notes] == [("default-inertial", severity)]
