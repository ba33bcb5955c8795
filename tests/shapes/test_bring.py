"""Meshes and textures that go with a robot that is saved."""

import json
import os
import shutil

import numpy as np
import pytest

import kinetree as kt
import mesh_files as meshes
from kinetree.shapes import read_mesh
from support import put

ROBOT = """<robot name="r"><link name="a">
<visual><geometry><mesh filename="package://arm/meshes/visual/base.dae"/></geometry></visual>
<collision><geometry><mesh filename="package://arm/meshes/collision/base.stl"/></geometry></collision></link>
<link name="b"><visual><geometry><mesh filename="package://hand/meshes/base.stl" scale="2 2 2"/></geometry>
<material name="m"><texture filename="package://arm/look.png"/></material></visual>
<collision><geometry><mesh filename="package://arm/meshes/collision/base.stl"/></geometry></collision></link>
<joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint></robot>"""


@pytest.fixture
def workspace(tmp_path):
    """Two packages with files of the same names, too deep for packages of other tests to be found."""
    tmp_path = tmp_path / "a" / "b" / "c" / "d"
    for name in ("arm", "hand"):
        put(tmp_path / "src" / name / "package.xml", f"<package><name>{name}</name></package>")
    files = {
        "arm/meshes/visual/base.dae": meshes.dae(unit="0.01"),
        "arm/meshes/visual/look.png": meshes.png(),
        "arm/meshes/collision/base.stl": meshes.stl_text(),
        "arm/look.png": meshes.png(),
        "hand/meshes/base.stl": meshes.stl(),
    }
    for name, data in files.items():
        path = tmp_path / "src" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    (tmp_path / "out").mkdir()
    put(tmp_path / "src" / "arm" / "urdf" / "r.urdf", ROBOT)
    return tmp_path


def files(folder) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def load(workspace, **options) -> kt.Robot:
    return kt.load(workspace / "src" / "arm" / "urdf" / "r.urdf", **options)


def names(robot: kt.Robot) -> list[str]:
    return [
        str(shape.shape.parameters["filename"])
        for link in robot.links.values()
        for shape in (*link.visuals, *link.collisions)
    ]


class TestSaving:
    def test_urdf_takes_them_as_they_are(self, workspace):
        kt.save(load(workspace), workspace / "out" / "r.urdf")
        assert files(workspace / "out") == [
            *(f"assets/arm/{name}" for name in ("look.png", "meshes/collision/base.stl", "meshes/visual/base.dae")),
            *("assets/arm/meshes/visual/look.png", "assets/hand/meshes/base.stl", "r.urdf"),
        ]
        again = kt.load(workspace / "out" / "r.urdf")
        assert names(again) == [
            "assets/arm/meshes/visual/base.dae",
            "assets/arm/meshes/collision/base.stl",
            "assets/hand/meshes/base.stl",
            "assets/arm/meshes/collision/base.stl",
        ]
        for name in ("meshes/visual/base.dae", "meshes/visual/look.png"):
            assert (workspace / "out/assets/arm" / name).read_bytes() == (workspace / "src/arm" / name).read_bytes()
        assert again.links["b"].visuals[0].material.texture == "assets/arm/look.png"
        assert not [f for f in kt.check(again) if f.code.startswith("MSH")]

    def test_mjcf_takes_binary_stl(self, workspace):
        kt.save(load(workspace), workspace / "out" / "r.xml")
        assert files(workspace / "out") == [
            *("assets/arm/look.png", "assets/arm/meshes/collision/base.stl", "assets/arm/meshes/visual/base.stl"),
            *("assets/hand/meshes/base.stl", "r.xml"),
        ]
        dae = read_mesh((workspace / "out/assets/arm/meshes/visual/base.stl").read_bytes(), "a.stl")
        assert np.allclose(dae.bounds[1], (0.01, 0.02, 0.03))
        assert (workspace / "out/assets/arm/meshes/collision/base.stl").read_bytes()[:5] != b"solid"
        assert (workspace / "out/assets/hand/meshes/base.stl").read_bytes() == meshes.stl()
        again = kt.load(workspace / "out" / "r.xml")
        assert [shape.shape.parameters["scale"] for shape in again.links["b"].visuals] == [(2.0, 2.0, 2.0)]

    def test_sdf_takes_collisions_as_obj(self, workspace):
        kt.save(load(workspace), workspace / "out" / "r.sdf", without=("material",))
        again = kt.load(workspace / "out" / "r.sdf")
        assert names(again)[:2] == ["assets/arm/meshes/visual/base.dae", "assets/arm/meshes/collision/base.obj"]
        assert "assets/arm/meshes/visual/look.png" in files(workspace / "out")
        data = (workspace / "out" / names(again)[1]).read_bytes()
        assert np.array_equal(read_mesh(data, "a.obj").bounds, [(0, 0, 0), (1, 2, 3)])

    def test_a_robot_that_stays_beside_its_file_keeps_its_references(self, workspace):
        robot = load(workspace)
        kt.save(robot, workspace / "src/arm/urdf/copy.urdf")
        assert (workspace / "src/arm/urdf/copy.urdf").read_text() == ROBOT
        kt.save(kt.edit.rename(robot, {"a": "c"}), workspace / "src/arm/urdf/edited.urdf")
        assert names(kt.load(workspace / "src/arm/urdf/edited.urdf")) == names(robot)
        assert files(workspace / "src/arm/urdf") == ["copy.urdf", "edited.urdf", "r.urdf"]

    def test_files_that_lie_with_the_target_are_used_there(self, workspace):
        kt.save(load(workspace), workspace / "src/arm/r.sdf", without=("material",))
        assert names(kt.load(workspace / "src/arm/r.sdf"))[:2] == [
            "meshes/visual/base.dae",
            "assets/arm/meshes/collision/base.obj",
        ]
        kt.save(load(workspace), workspace / "out" / "r.urdf")
        before = files(workspace / "out")
        kt.save(kt.load(workspace / "out/r.urdf"), workspace / "out/r.xml")
        assert {*files(workspace / "out")} - {*before} == {
            *("r.xml", "assets/visual/base.stl", "assets/collision/base.stl"),
        }

    def test_keep_leaves_references_as_they_are(self, workspace):
        kt.save(load(workspace), workspace / "out" / "r.urdf", assets="keep")
        assert (workspace / "out" / "r.urdf").read_text() == ROBOT
        assert files(workspace / "out") == ["r.urdf"]
        with pytest.raises(kt.KinetreeError, match="MuJoCo reads"):
            kt.save(load(workspace), workspace / "out" / "r.xml", assets="keep")

    def test_keep_names_references_that_lead_nowhere_from_there(self, workspace):
        path = workspace / "src/arm/urdf/r.urdf"
        path.write_text(ROBOT.replace("package://arm/", "../").replace("../look.png", "look.png"))
        put(workspace / "out/look.png", "")
        (note,) = kt.save(kt.load(path), workspace / "out/r.urdf", assets="keep")
        assert (note.code, note.severity) == ("missing-file", "warning")
        assert note.message.endswith("/out: '../meshes/visual/base.dae', '../meshes/collision/base.stl'")
        assert kt.save(kt.load(path), workspace / "out/bare.urdf", assets="keep", without=("geometry",)) == ()
        assert kt.save(kt.load(path), path.with_name("s.urdf"), assets="keep") == ()

    def test_other_words_are_errors(self, workspace):
        with pytest.raises(kt.KinetreeError, match="expected 'bring' or 'keep'"):
            kt.save(load(workspace), workspace / "out" / "r.xml", assets="take")

    def test_packages_that_load_was_given_are_found(self, workspace):
        (workspace / "build").mkdir()
        shutil.move(workspace / "src/hand", workspace / "build" / "mine")
        with pytest.raises(kt.KinetreeError, match="package 'hand'"):
            kt.save(load(workspace), workspace / "out" / "r.urdf")
        kt.save(load(workspace, packages={"hand": workspace / "build" / "mine"}), workspace / "out" / "r.urdf")
        assert "assets/mine/meshes/base.stl" in files(workspace / "out")

    def test_a_scene_of_an_edit_is_brought_too(self, workspace):
        robot = kt.edit.rename(load(workspace, packages={"hand": workspace / "src/hand"}), {"a": "c"})
        kt.save(robot, workspace / "out" / "r.urdf")
        assert "assets/hand/meshes/base.stl" in files(workspace / "out")

    def test_a_part_from_another_folder_keeps_its_meshes(self, workspace):
        """A relative reference of an attached robot starts at the file of that robot."""
        shape = '<visual><geometry><mesh filename="{1}"/></geometry></visual>'
        link = '<robot name="{0}"><link name="{0}">' + shape + "</link></robot>"
        arm = put(workspace / "arm.urdf", link.format("arm", "package://gone/a.stl"))
        hand = put(workspace / "src/hand/urdf/hand.urdf", link.format("hand", "../meshes/base.stl"))
        both = kt.edit.attach(kt.load(arm), kt.load(hand), "arm")
        kt.save(both, workspace / "both.urdf")
        assert names(kt.load(workspace / "both.urdf")) == ["package://gone/a.stl", "src/hand/meshes/base.stl"]
        with pytest.raises(kt.KinetreeError, match="package://gone"):
            kt.save(both, workspace / "out/both.urdf")


class TestNames:
    @pytest.mark.parametrize("order", ["aAa", "AaA"])
    def test_names_that_differ_in_case_alone_do_not_clash(self, order, workspace):
        (workspace / "src/arm/meshes/a.stl").write_bytes(meshes.stl())
        (workspace / "src/arm/meshes/A.stl").write_bytes(meshes.stl(meshes.CORNERS * 2))
        path = workspace / "src/arm/urdf/two.urdf"
        shapes = "".join(f'<visual><geometry><mesh filename="../meshes/{x}.stl"/></geometry></visual>' for x in order)
        put(path, f'<robot name="r"><link name="a">{shapes}</link></robot>')
        kt.save(kt.load(path), workspace / "out/r.urdf")
        found = names(kt.load(workspace / "out/r.urdf"))
        assert found == [f"assets/arm/meshes/{x}.stl" for x in (order[0], f"{order[1]}_2", order[0])]
        for name, original in zip(found, order, strict=True):
            assert (workspace / "out" / name).read_bytes() == meshes.stl(meshes.CORNERS * (2 if original == "A" else 1))

    def test_what_another_robot_uses_is_never_overwritten(self, workspace):
        kt.save(load(workspace), workspace / "out/r.urdf")
        (workspace / "src/hand/meshes/base.stl").write_bytes(meshes.stl(meshes.CORNERS * 2))
        kt.save(load(workspace), workspace / "out/second.urdf")
        assert names(kt.load(workspace / "out/second.urdf"))[2] == "assets/hand/meshes/base_2.stl"
        assert (workspace / "out/assets/hand/meshes/base.stl").read_bytes() == meshes.stl()

    def test_a_converted_file_does_not_take_the_name_of_another(self, workspace):
        (workspace / "src/arm/meshes/collision/base.dae").write_bytes(meshes.dae(unit="0.5"))
        path = workspace / "src/arm/urdf/r.urdf"
        path.write_text(ROBOT.replace("visual/base.dae", "collision/base.dae"))
        kt.save(kt.load(path), workspace / "out/r.xml")
        assert {*files(workspace / "out")} >= {f"assets/arm/meshes/collision/base{x}.stl" for x in ("", "_2")}


class TestMissing:
    def test_all_missing_files_are_listed_and_nothing_is_written(self, workspace):
        (workspace / "src/arm/meshes/visual/base.dae").unlink()
        (workspace / "src/hand/meshes/base.stl").write_text("version https://git-lfs.github.com/spec/v1\n")
        with pytest.raises(kt.KinetreeError) as error:
            kt.save(load(workspace), workspace / "out/r.urdf")
        found = [(f.code, f.element, f.source.line, f.severity) for f in error.value.findings]
        assert found == [("missing-mesh", "link 'a'", 2, "error"), ("missing-mesh", "link 'b'", 4, "error")]
        assert "git lfs pull" in error.value.findings[1].fix
        assert ["restore the file" in f.fix for f in error.value.findings] == [True, False]
        assert all("--assets keep" in f.fix and "--without geometry" in f.fix for f in error.value.findings)
        assert not files(workspace / "out")
        kt.save(load(workspace), workspace / "out/r.urdf", without=("geometry",))
        assert files(workspace / "out") == ["r.urdf"]

    def test_a_text_has_no_folder(self, tmp_path):
        shape = '<visual><geometry><mesh filename="a.stl"/></geometry></visual>'
        text = f'<robot name="r"><link name="a">{shape}</link></robot>'
        with pytest.raises(kt.KinetreeError, match="relative to the folder of a file, and a text has none"):
            kt.save(kt.load(text, format="urdf"), tmp_path / "r.urdf")
        kt.save(kt.load(text, format="urdf"), tmp_path / "r.urdf", assets="keep")

    def test_a_failure_leaves_no_folder(self, workspace, monkeypatch):
        monkeypatch.setattr("os.fsync", lambda handle: (_ for _ in ()).throw(OSError(28, "No space left on device")))
        with pytest.raises(kt.KinetreeError, match="No space left"):
            kt.save(load(workspace), workspace / "out/r.urdf")
        assert not os.listdir(workspace / "out")

    def test_no_folder_is_made_for_the_file_itself(self, workspace):
        with pytest.raises(kt.KinetreeError, match="does not exist"):
            kt.save(load(workspace), workspace / "nowhere/r.urdf")
        assert not (workspace / "nowhere").exists()


class TestSafety:
    @pytest.mark.parametrize("name", ["../../../secret.txt", "file:///etc/passwd", "/etc/passwd"])
    def test_only_meshes_are_copied(self, name, workspace):
        put(workspace / "secret.txt", "secret")
        path = workspace / "src/arm/urdf/r.urdf"
        path.write_text(ROBOT.replace("package://arm/meshes/visual/base.dae", name))
        with pytest.raises(kt.KinetreeError, match="such files end in") as error:
            kt.save(kt.load(path), workspace / "out/r.urdf")
        assert "restore" not in error.value.findings[0].fix

    def test_a_confined_robot_brings_nothing_from_elsewhere(self, workspace):
        (workspace / "outside.stl").write_bytes(meshes.stl())
        put(workspace / "src/arm/kinetree.toml", "")
        path = workspace / "src/arm/urdf/r.urdf"
        path.write_text(ROBOT.replace("package://arm/meshes/visual/base.dae", f"file://{workspace}/outside.stl"))
        with pytest.raises(kt.KinetreeError, match="outside of the workspace"):
            kt.save(kt.load(path, confined=True), workspace / "out/r.urdf")
        kt.save(kt.load(path), workspace / "out/r.urdf")

    def test_a_mesh_refers_to_textures_of_its_package_alone(self, workspace):
        data = meshes.dae().replace(b"look.png", b"../../../../secret.png")
        (workspace / "secret.png").write_bytes(meshes.png())
        (workspace / "src/arm/meshes/visual/base.dae").write_bytes(data)
        with pytest.raises(kt.KinetreeError, match="which is not a texture in"):
            kt.save(load(workspace), workspace / "out/r.urdf")

    def test_what_a_mesh_names_and_nobody_has_stays_away(self, workspace):
        (workspace / "src/arm/meshes/visual/look.png").unlink()
        kt.save(load(workspace), workspace / "out/r.urdf")
        assert "assets/arm/meshes/visual/look.png" not in files(workspace / "out")


def test_materials_and_buffers_of_a_mesh_go_with_it(workspace):
    folder = workspace / "src/arm/meshes"
    (folder / "a.obj").write_bytes(meshes.obj())
    (folder / "look.mtl").write_text("newmtl red\nmap_Kd -s 1 1 1 textures/red.png\n")
    (folder / "textures").mkdir()
    (folder / "textures/red.png").write_bytes(meshes.png())
    (folder / "b.gltf").write_text(json.dumps(meshes.gltf("b.bin")))
    (folder / "b.bin").write_bytes(meshes.gltf_buffer())
    shapes = "".join(
        f'<visual><geometry><mesh filename="../meshes/{x}"/></geometry></visual>' for x in ("a.obj", "b.gltf")
    )
    path = put(workspace / "src/arm/urdf/r.urdf", f'<robot name="r"><link name="a">{shapes}</link></robot>')
    kt.save(kt.load(path), workspace / "out/r.urdf")
    expected = ("a.obj", "b.bin", "b.gltf", "look.mtl", "textures/red.png")
    assert files(workspace / "out") == [*(f"assets/arm/meshes/{name}" for name in expected), "r.urdf"]
    kt.save(kt.load(path), workspace / "out/r.xml")
    assert "assets/arm/meshes/b.stl" in files(workspace / "out")


def test_vertices_of_no_triangle_do_not_reach_mujoco(tmp_path):
    """MuJoCo counts them in the convex hull."""
    (tmp_path / "out").mkdir()
    for name, more in {"a": b"", "b": b"\nv 9 9 9\n"}.items():
        (tmp_path / f"{name}.obj").write_bytes(meshes.obj() + more)
    shapes = "".join(f'<collision><geometry><mesh filename="{x}.obj"/></geometry></collision>' for x in "ab")
    path = put(tmp_path / "r.urdf", f'<robot name="r"><link name="a">{shapes}</link></robot>')
    kt.save(kt.load(path), tmp_path / "out/r.xml")
    assert [name.rpartition("/")[2] for name in files(tmp_path / "out")] == ["a.obj", "b.stl", "r.xml"]


def test_flat_and_small_meshes_in_mujoco(tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "flat.stl").write_bytes(meshes.stl(faces=meshes.FACES[:1]))
    (tmp_path / "line.stl").write_bytes(meshes.stl(faces=np.array([(0, 1, 1)])))
    text = '<robot name="r"><link name="a"><{0}><geometry><mesh filename="{1}.stl"/></geometry></{0}></link></robot>'
    seen = put(tmp_path / "seen.urdf", text.format("visual", "flat"))
    kt.save(kt.load(seen), tmp_path / "out/r.xml")
    (written,) = (tmp_path / "out").rglob("*.stl")
    made = read_mesh(written.read_bytes(), "flat.stl")
    assert len(made.merged.vertices) == 4  # MuJoCo wants four
    assert np.array_equal(made.bounds, [(0, 0, 0), (1, 2, 0)])
    for tag, name, message in (("collision", "flat", "it is flat"), ("visual", "line", "lie in points and edges")):
        path = put(tmp_path / "felt.urdf", text.format(tag, name))
        with pytest.raises(kt.KinetreeError, match=message):
            kt.save(kt.load(path), tmp_path / "out/no.xml")


def test_what_a_format_keeps_goes_with_it(tmp_path):
    (tmp_path / "in/tex").mkdir(parents=True)
    (tmp_path / "in/tex/a.png").write_bytes(meshes.png())
    (tmp_path / "in/m.stl").write_bytes(meshes.stl())
    (tmp_path / "out").mkdir()
    path = put(
        tmp_path / "in/r.xml",
        '<mujoco><compiler texturedir="tex"/><asset><texture name="a.png" type="2d" file="a.png"/>'
        '<material name="m" texture="a.png"/><mesh name="m" file="m.stl"/>'
        '<hfield name="h" file="tex/a.png" size="1 1 1 1"/></asset>'
        '<worldbody><geom type="mesh" mesh="m" material="m"/><geom type="hfield" hfield="h"/></worldbody></mujoco>',
    )
    kt.save(kt.load(path), tmp_path / "out/r.xml")
    assert files(tmp_path / "out") == ["assets/in/m.stl", "assets/tex/a.png", "r.xml"]
    text = (tmp_path / "out/r.xml").read_text()
    assert text.count('file="assets/tex/a.png"') == 2
    assert 'name="a.png"' in text
    sdf = (
        '<sdf version="1.9"><model name="m"><link name="a"><visual name="v"><geometry><box><size>1 1 1</size></box>'
        "</geometry><material><pbr><metal><albedo_map> tex/{}.png </albedo_map></metal></pbr></material></visual>"
        "</link></model></sdf>"
    )
    kt.save(kt.load(put(tmp_path / "in/r.sdf", sdf.format("a"))), tmp_path / "out/r.sdf")
    assert "<albedo_map>assets/tex/a.png</albedo_map>" in (tmp_path / "out/r.sdf").read_text()
    with pytest.raises(kt.KinetreeError, match="--without extension") as error:
        kt.save(kt.load(put(tmp_path / "in/r.sdf", sdf.format("b"))), tmp_path / "out/b.sdf")
    assert error.value.findings[0].code == "missing-file"


class TestSubmeshes:
    """`<submesh>` of SDF: the node of that name; with <center> the middle of its bounds is its origin."""

    WHEEL = '<node id="w" name="wheel"><translate>10 0 0</translate><instance_geometry url="#g"/></node>'

    def load(self, folder, submesh):
        folder = folder / "a" / "b" / "c" / "d"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "car.dae").write_bytes(meshes.dae(nodes=self.WHEEL))
        mesh = f"<mesh><uri>car.dae</uri><scale>2 2 2</scale>{submesh}</mesh>"
        shapes = "".join(f'<{tag} name="v"><geometry>{mesh}</geometry></{tag}>' for tag in ("visual", "collision"))
        text = f'<sdf version="1.9"><model name="m"><link name="l">{shapes}</link></model></sdf>'
        return kt.load(put(folder / "m.sdf", text))

    def saved(self, robot, target):
        kt.save(robot, target)
        again = kt.load(target)
        made = {
            shape.shape.parameters["filename"] for shape in (*again.links["l"].visuals, *again.links["l"].collisions)
        }
        return again, [read_mesh((target.parent / name).read_bytes(), name).bounds for name in sorted(made)]

    @pytest.mark.parametrize("target", ["out.xml", "out.urdf"])
    @pytest.mark.parametrize(
        ("submesh", "corner"),
        [
            ("<name>wheel</name>", (10, 0, 0)),
            ("<name>wheel</name><center>true</center>", (-0.5, -1, -1.5)),
            ("<name>n</name><center>false</center>", (0, 0, 0)),
        ],
    )
    def test_only_the_part_is_written(self, tmp_path, target, submesh, corner):
        robot = self.load(tmp_path, f"<submesh>{submesh}</submesh>")
        again, bounds = self.saved(robot, tmp_path / target)
        for found in bounds:
            assert np.allclose(found, np.array([(0, 0, 0), (1, 2, 3)]) + corner)
        shape = again.links["l"].visuals[0].shape
        assert "submesh" not in shape.parameters
        assert shape.parameters["scale"] == (2.0, 2.0, 2.0)

    def test_sdf_keeps_it_where_the_mesh_is_copied(self, tmp_path):
        robot = self.load(tmp_path, "<submesh><name>wheel</name><center>1</center></submesh>")
        again, bounds = self.saved(robot, tmp_path / "out.sdf")
        visual, collision = again.links["l"].visuals[0].shape, again.links["l"].collisions[0].shape
        assert visual.parameters == {**robot.links["l"].visuals[0].shape.parameters, "filename": "assets/d/car.dae"}
        assert (visual.parameters["submesh"], visual.parameters["center"]) == ("wheel", "true")
        assert "submesh" not in collision.parameters  # of which Gazebo would find no part in the OBJ file
        assert [np.allclose(found[0], (-0.5, -1, -1.5)) for found in bounds] == [False, True]
        home = tmp_path / "a" / "b" / "c" / "d" / "again.sdf"
        kt.save(kt.edit.prefix(robot, "x_"), home)
        assert kt.load(home).links["x_l"].collisions[0].shape.parameters["submesh"] == "wheel"

    @pytest.mark.parametrize("format", ["mjcf", "urdf"])
    def test_a_text_alone_cannot_have_it(self, tmp_path, format):
        robot = self.load(tmp_path, "<submesh><name>wheel</name></submesh>")
        with pytest.raises(kt.KinetreeError, match=r"cannot express submesh 'wheel' of the mesh 'car\.dae'"):
            kt.text(robot, format)
        assert "car" not in kt.text(robot, format, without=("geometry",))

    def test_an_unknown_part_is_named(self, tmp_path):
        robot = self.load(tmp_path, "<submesh><name>weel</name></submesh>")
        with pytest.raises(kt.KinetreeError, match="has no part 'weel'; did you mean 'wheel'"):
            kt.save(robot, tmp_path / "out.xml")
        with pytest.raises(kt.KinetreeError, match="its part 'x' is unknown"):
            read_mesh(meshes.stl(), "a.stl", part="x")

    def test_a_submesh_without_a_name_leaves_the_shape_out(self, tmp_path):
        robot = self.load(tmp_path, "<submesh><center>1</center></submesh>")
        assert not robot.links["l"].visuals
        assert "left-out" in [note.code for note in robot.notes]
