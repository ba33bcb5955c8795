"""Packages that nobody named, found in the folders of another project."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

import kinetree as kt
from each import each
from kinetree.confine import Confinement
from kinetree.errors import Source
from kinetree.files import packages as packages_file
from kinetree.files.packages import MODEL_PATHS, Packages, searched
from kinetree.model.robot import Extension
from kinetree.shapes.copy_assets import _with_references
from kinetree.shapes.resolve import files_of, path_of
from support import put

ROBOT = """<robot name="r"><link name="a"><visual><geometry><mesh filename="package://b/a.stl"/></geometry></visual>
</link></robot>"""
MESH = (
    "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid\n"
)


def laid_out(top, own, package, *marks):
    """Write a robot into the folder `own`, and the package b; marks: files that make folders projects."""
    for folder in (own, package, *map(os.path.dirname, marks)):
        (top / folder).mkdir(parents=True, exist_ok=True)
    for mark in marks:
        (top / mark).touch()
    (top / package / "package.xml").write_text("<package><name>b</name></package>")
    (top / package / "a.stl").write_text(MESH)
    (top / own / "r.urdf").write_text(ROBOT)
    return top / own / "r.urdf"


@pytest.mark.parametrize(
    ("own", "package", "marks", "elsewhere"),
    [
        ("w/one/urdf", "w/two/deep/deeper/b", (), True),
        ("w/one/urdf", "w/two/b", (), True),
        ("w/one", "w/b", ("w/b/.git",), True),
        ("w/one/urdf", "w/two/src/b", ("w/two/.git", "w/one/.git"), True),
        ("w/one/urdf", "w/b", (), False),  # beside a folder of the file
        ("w/b/urdf", "w/b", ("w/b/.git",), False),  # around it
        ("w/one/urdf", "w/two/deep/b", ("w/.git",), False),  # one project
        ("src/one/a/urdf", "src/two/b", ("src/one/.git", "src/two/.git"), False),  # one ROS workspace
    ],
)
def test_a_package_of_another_project_is_noted_and_not_copied(tmp_path, own, package, marks, elsewhere):
    file, folder = laid_out(tmp_path, own, package, *marks), tmp_path / package
    robot = kt.load(file)
    (tmp_path / "out").mkdir()
    out, notes = tmp_path / "out" / "o.urdf", [f for f in kt.check(file) if "another project" in f.message]
    if not elsewhere:
        kt.save(robot, out)
        assert (notes, next((tmp_path / "out").rglob("a.stl")).read_text()) == ([], MESH)
        return
    assert [(f.code, f.severity, str(folder) in f.message) for f in notes] == [("MSH-002", "info", True)]
    with pytest.raises(kt.KinetreeError, match="its package is in another project") as error:
        kt.save(robot, out)
    assert str(folder) in str(error.value)
    assert not [*(tmp_path / "out").iterdir()]
    kt.save(robot, out, assets="keep")
    kt.save(robot, file.with_name("again.urdf"))  # refers to it as before
    kt.save(kt.load(file, packages={"b": folder}), out)
    assert next((tmp_path / "out").rglob("a.stl")).read_text() == MESH
    assert not [f for f in kt.check(file, packages={"b": folder}) if "another project" in f.message]


def test_a_package_that_the_environment_names(tmp_path, monkeypatch):
    file = laid_out(tmp_path, "w/one/urdf", "w/two/b")
    packages = Packages({})
    packages.package("b", file.parent)
    assert [*packages.elsewhere] == ["b"]
    monkeypatch.setenv("ROS_PACKAGE_PATH", str(tmp_path / "w" / "two"))
    packages = Packages({})
    packages.package("b", file.parent)
    assert not packages.elsewhere


def test_where_packages_and_models_are_looked_for(tmp_path, monkeypatch):
    """A child process may read these folders: below the top folder of the file, and what each variable names."""
    variables = ("ROS_PACKAGE_PATH", *MODEL_PATHS, "AMENT_PREFIX_PATH")
    for variable in variables:
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(packages_file, "is_shared", lambda place: Path(place) == tmp_path)
    top = [str(tmp_path / "w")]
    assert [*searched(str(tmp_path / "w" / "arm" / "urdf"))] == top
    for variable in variables:
        names = [str(tmp_path / f"{variable} {i}") for i in range(2)]
        monkeypatch.setenv(variable, os.pathsep.join(["", *names, ""]))
        assert [*searched(str(tmp_path / "w" / "arm"))] == [*top, *names]
        monkeypatch.delenv(variable)
    put(tmp_path / "source" / "arm" / "package.xml", "")
    for name, target in {"linked": tmp_path / "source" / "arm" / "package.xml", "copied": None}.items():
        put(tmp_path / "install" / "share" / name / "other.txt", "")
        mark = tmp_path / "install" / "share" / name / "package.xml"
        mark.symlink_to(target) if target else mark.write_text("")
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path / "install"))
    found = [*searched(str(tmp_path / "w"))]
    assert found == [*top, str(tmp_path / "install"), os.path.realpath(tmp_path / "source" / "arm")]


def test_files_that_are_read_with_the_model_give_a_note(tmp_path):
    file = laid_out(tmp_path, "w/one/urdf", "w/two/b").with_name("r.urdf.xacro")
    (tmp_path / "w/two/b/part.xacro").write_text('<robot><link name="a"/></robot>')
    file.write_text(
        '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">'
        '<xacro:include filename="$(find b)/part.xacro"/></robot>'
    )
    (note,) = kt.load(file).notes
    assert (note.code, note.severity, note.source.file) == ("package-elsewhere", "info", str(file))
    assert note.message == f"package 'b' is taken from another project: {tmp_path / 'w/two/b'}"


def test_folders_are_listed_once(tmp_path, monkeypatch):
    """However many files are looked for beside them, and for whichever confinement."""
    laid_out(tmp_path, "w/one/urdf", "w/two/b", "w/one/package.xml")
    seen, children = [], packages_file._children
    monkeypatch.setattr(packages_file, "_children", lambda folder: seen.append(folder) or children(folder))
    known, near = Packages({}), tmp_path / "w" / "one" / "urdf"
    counts = []
    for own in (known, known, known.within(Confinement([tmp_path]))):
        assert own.package("b", near) == tmp_path / "w" / "two" / "b"
        for name in ("nowhere", "no_other"):
            with pytest.raises(kt.KinetreeError):
                own.package(name, near)
        counts.append(len(seen))
    assert tmp_path / "w" in seen
    assert counts == [counts[0]] * 3


@each(
    "own, expected",
    [
        ("deep/part.sdf", "deep/a.stl"),  # in SDF beside the file that contains it
        ("deep/part.world", "deep/a.stl"),
        ("deep/part.SDF", "deep/a.stl"),
        ("deep/part.urdf", "a.stl"),  # else beside the file of the robot
        ("deep/part.xacro", "a.stl"),
        (None, "a.stl"),
        ("deep/deeper/part.sdf", "a.stl"),  # where there is none, beside the other
        ("deep/deeper/part.xacro", "a.stl"),
    ],
)
def test_where_a_relative_path_starts(own, expected, tmp_path_factory):
    folder = tmp_path_factory.mktemp("robot")
    (folder / "deep" / "deeper").mkdir(parents=True)
    for name in ("a.stl", "deep/a.stl"):
        (folder / name).write_text(MESH)
    (folder / "r.urdf").write_text('<robot name="r"><link name="a"/></robot>')
    robot = kt.load(folder / "r.urdf")
    found = path_of(robot, "a.stl", Source(str(folder / own)) if own else None, files_of(robot))
    assert found == folder / expected


def test_references_of_an_extension_are_renamed_where_it_can_be_read():
    own = Extension("mjcf", "asset", '<asset><texture file="a&amp;.png"/><mesh file="b.stl"/></asset>')
    new = {"a&.png": 'c".png', "b.stl": "b.stl"}.__getitem__
    assert _with_references(own, "mjcf", new).text == own.text.replace("a&amp;.png", "c&quot;.png")
    assert _with_references(own, "sdf", new) is own
    for other in (replace(own, text="<asset"), replace(own, tag="option")):
        assert _with_references(other, "mjcf", new) is other
