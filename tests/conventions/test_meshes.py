"""Files of meshes: where they are looked for, and names that lead to none."""

import os
from typing import ClassVar

import pytest

import kinetree as kt
import mesh_files
from kinetree.checker.check import check
from kinetree.checker.job import Job
from kinetree.checker.pool import check_all
from kinetree.rules.shapes import mesh_facts as facts, meshes
from physics import everything
from support import put

MESH = '<visual><geometry><mesh filename="{}"/></geometry></visual>'
MODEL = '<robot name="arm">\n<link name="a">{}</link></robot>'


def found(robot: kt.Robot) -> list[kt.Finding]:
    return check(robot, profile="sim", select=("MSH",))


class TestMeshes:
    def model(self, folder, *files: str) -> kt.Robot:
        path = folder / "arm.urdf"
        path.write_text(MODEL.format("".join(map(MESH.format, files))))
        return kt.load(path)

    def test_beside_the_model_and_in_its_package(self, tmp_path):
        (tmp_path / "package.xml").write_text("<package><name>mine</name><depend>not_here</depend></package>")
        (tmp_path / "meshes").mkdir()
        (tmp_path / "meshes" / "a.stl").write_text("solid")
        (tmp_path / "urdf").mkdir()
        robot = self.model(
            tmp_path / "urdf",
            "../meshes/a.stl",
            "../meshes/b.stl",
            "package://mine/meshes/a.stl",
            "package://mine/meshes/b.stl",
            "package://not_here/meshes/c.stl",
            "package://mine/../../secret.stl",
            "package://mine/urdf/../meshes/a.stl",
            "package://mine//etc/passwd",
            "http://example.org/e.stl",
        )
        assert [f.message for f in found(robot)] == [
            "the mesh file '../meshes/b.stl' does not exist",
            "the mesh file 'package://mine/meshes/b.stl' does not exist",
            "the mesh 'package://mine/../../secret.stl' leads out of its package, "
            "but every package may be installed in its own folder",
            "the mesh file 'package://mine//etc/passwd' does not exist",
            "the package 'not_here' is not found, so its meshes were not checked",
            "the name 'package://mine//etc/passwd' has two slashes in a row; write one",
        ]

    def test_a_package_that_nothing_declares(self, tmp_path):
        (tmp_path / "package.xml").write_text(
            "<package><name>mine</name><depend>named</depend><description>a strange one</description></package>"
        )
        robot = self.model(tmp_path, "package://strange/a.stl", "package://strange/b.stl", "package://named/c.stl")
        strange, named = found(robot)
        message = "the mesh 'package://strange/a.stl' is in a package that is not found, and not named in package.xml"
        assert strange.message == message
        assert (named.message, named.severity) == (
            "the package 'named' is not found, so its meshes were not checked",
            "info",
        )

    @pytest.mark.skipif(os.name == "nt", reason="the top of a disk is a drive")
    def test_from_the_top_of_the_disk(self, tmp_path):
        (tmp_path / "a b.stl").write_text("solid")
        top = tmp_path.as_posix()
        names = [
            f"{top}/a b.stl",
            f"file://{top}/a%20b.stl",
            f"file:////{top}/a b.stl",
            f"file://localhost{top}/a b.stl",
        ]
        wrong = [f"{top}/c.stl", f"file://{top}/c.stl", "file://meshes/c.stl", r"package://mine\meshes\c.stl"]
        others = ["file://C:/c.stl", "//computer/c.stl", r"\\computer\c.stl"]
        there = found(self.model(tmp_path, *names, *wrong, *others))
        messages = [finding.message for finding in there if finding.code == "MSH-002"]
        assert len(messages) == len(wrong)
        assert all(any(repr(name) in message for message in messages) for name in wrong)

    def test_in_the_media_of_gazebo_classic(self, tmp_path):
        """In its worlds file://walls/wall.dae is media/models/walls/wall.dae in the folders that it knows, and
        model://wall.dae may be a file in a folder of models."""
        mesh = "<geometry><mesh><uri>file://walls/{}.dae</uri></mesh></geometry>"
        shapes = "".join(f"<visual name='{name}'>{mesh.format(name)}</visual>" for name in ("there", "lost"))
        shapes += f"<visual name='m'>{mesh.format('').replace('file://walls/', 'model://in')}</visual>"
        shapes += f"<visual name='n'>{mesh.format('').replace('file://walls/', 'model://out')}</visual>"
        put(tmp_path / "models" / "in.dae", "")
        text = f"<sdf version='1.6'><model name='m'><link name='a'>{shapes}</link></model></sdf>"
        put(tmp_path / "media" / "models" / "walls" / "there.dae", "")
        there = {f.message.split("'")[1]: f.severity for f in found(kt.load(put(tmp_path / "a" / "b" / "m.sdf", text)))}
        assert there == {
            "file://walls/there.dae": "info",
            "file://walls/lost.dae": "warning",
            "model://in.dae": "info",
            "model://out.dae": "warning",
        }

    def test_where_none_is_there_it_is_a_remark(self, tmp_path):
        (finding,) = found(self.model(tmp_path, "a.stl", "b.stl", "b.stl"))
        assert (finding.code, finding.severity) == ("MSH-002", "info")
        assert finding.message == "none of the 2 mesh files exists; the first is 'a.stl'"

    def test_where_none_is_there_what_is_nearly_there_is_named(self, tmp_path):
        put(tmp_path / "B.stl", "solid")
        (finding,) = found(self.model(tmp_path, "a.stl", "b.stl"))
        there = f"; there is one at {tmp_path / 'B.stl'}, with other capitals"
        assert finding.message == f"none of the 2 mesh files exists; the first is 'b.stl'{there}"
        assert finding.severity == "warning"
        put(tmp_path / "package.xml", "<package><name>mine</name></package>")
        put(tmp_path / "meshes" / "c.stl", "solid")
        (finding,) = found(self.model(tmp_path, "c.stl", "d.stl"))
        assert finding.message == "none of the 2 mesh files exists; the first is 'c.stl'; there is 'meshes/c.stl'"
        assert finding.severity == "warning"

    def test_a_folder_or_a_null_character_is_no_mesh(self, tmp_path):
        (tmp_path / "a.stl").mkdir()
        (tmp_path / "b.stl").write_text("solid")
        assert [f.code for f in found(self.model(tmp_path, "a.stl", "b.stl"))] == ["MSH-002"]

    def test_a_path_in_an_included_file_is_not_looked_for(self, tmp_path):
        (tmp_path / "part.xacro").write_text(
            '<robot xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:macro name="part">'
            '<link name="a"><visual><geometry><mesh filename="a.stl"/></geometry></visual></link>'
            "</xacro:macro></robot>"
        )
        path = tmp_path / "arm.xacro"
        include = f'<xacro:include filename="{tmp_path / "part.xacro"}"/><xacro:part/>'
        path.write_text(f'<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">{include}</robot>')
        assert found(kt.load(path)) == []

    def test_a_text_has_no_files(self):
        assert found(kt.load(MODEL.format(MESH.format("x.stl")), format="urdf")) == []


class TestOtherFormats:
    """OBJ, DAE and glTF files, which are read with trimesh."""

    FILES: ClassVar = {
        "a.dae": mesh_files.dae(unit="1000"),
        "b.dae": mesh_files.dae(unit="0.001"),
        "c.obj": mesh_files.obj(),
    }

    @pytest.fixture
    def model(self, tmp_path):
        for name, content in self.FILES.items():
            (tmp_path / name).write_bytes(content)
        (tmp_path / "large.stl").write_bytes(mesh_files.stl(mesh_files.CORNERS * 1000))
        path = tmp_path / "arm.urdf"
        path.write_text(MODEL.format("".join(map(MESH.format, (*self.FILES, "large.stl")))))
        meshes._facts.cache_clear()
        yield path
        meshes._facts.cache_clear()

    LARGE = (
        "the size of the mesh 'a.dae' is 1000 by 2000 by 3000 m; is it in millimetres?",
        "the size of the mesh 'large.stl' is 1000 by 2000 by 3000 m; is it in millimetres?",
    )

    @pytest.mark.slow
    def test_their_sizes_are_judged(self, model):
        assert tuple(f.message for f in kt.check(model) if f.code == "MSH-006") == self.LARGE
        assert "not-asked" not in {f.code for f in kt.check(model)}

    def test_in_a_process_that_may_read_little(self, model):
        xacro = model.with_suffix(".xacro")
        xacro.write_text(model.read_text())
        (checked,) = check_all([Job(str(xacro))])
        assert tuple(f.message for f in checked.findings if f.code == "MSH-006") == self.LARGE

    def test_large_files_are_not_read(self, model, monkeypatch):
        monkeypatch.setattr(facts, "MOST_BYTES", 100)
        assert tuple(f.message for f in kt.check(model) if f.code == "MSH-006") == self.LARGE[1:]
        meshes._facts.cache_clear()
        monkeypatch.setattr(facts, "MOST_BYTES", 10_000)
        monkeypatch.setattr(meshes, "MOST_READ", 100)
        assert tuple(f.message for f in kt.check(model) if f.code == "MSH-006") == self.LARGE[1:]

    def test_a_file_that_cannot_be_read_is_judged_by_no_rule(self, model):
        model.with_name("a.dae").write_bytes(b"<COLLADA/>")
        assert tuple(f.message for f in kt.check(model) if f.code == "MSH-006") == self.LARGE[1:]


def test_a_robot_without_a_file_has_no_findings_about_files():
    assert found(everything(0)) == []


def test_a_robot_from_no_file_is_checked_without_its_meshes():
    assert not [finding for finding in kt.check(everything(0)) if finding.code.startswith("MSH")]
