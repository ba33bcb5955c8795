"""Files of meshes: where they are looked for, and names that lead to none."""

import os

import pytest

import kinetree as kt
from kinetree.checker.check import check

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
        (tmp_path / "package.xml").write_text("<package><name>mine</name></package>")
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
            "there is no mesh file '../meshes/b.stl'",
            "there is no mesh file 'package://mine/meshes/b.stl'",
            "'package://mine/../../secret.stl' leads out of its package, which may be installed in a folder of its own",
            "there is no mesh file 'package://mine//etc/passwd'",
        ]

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
        messages = [finding.message for finding in found(self.model(tmp_path, *names, *wrong, *others))]
        assert len(messages) == len(wrong)
        assert all(any(repr(name) in message for message in messages) for name in wrong)

    def test_where_none_is_there_it_is_a_remark(self, tmp_path):
        (finding,) = found(self.model(tmp_path, "a.stl", "b.stl", "b.stl"))
        assert (finding.code, finding.severity) == ("MSH-002", "info")
        assert finding.message == "none of its 2 meshes is there; the first is 'a.stl'"

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
