"""Files that a server gives to clients: the meshes and textures of the robot, and nothing else."""

import os

import numpy as np
import pytest

import kinetree as kt
from kinetree.serving.content import content_of

STL = bytes(80) + b"\x01\0\0\0" + np.arange(12, dtype="<f4").tobytes() + b"\0\0"
SECRET = b"the key of somebody"
DAE = """<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><library_images>
<image id="i"><init_from>../textures/skin%201.png</init_from></image></library_images></COLLADA>"""


@pytest.fixture
def arm(tmp_path):
    """Make a robot with these references, in a package `arm` beside other folders."""
    files = {
        "ws/arm/package.xml": b"<package><name>arm</name></package>",
        "ws/arm/meshes/a.stl": STL,
        "ws/arm/meshes/b.dae": DAE.encode(),
        "ws/arm/textures/skin 1.png": b"PNG",
        "ws/arm/notes.txt": SECRET,
        "ws/other/package.xml": b"<package><name>other</name></package>",
        "ws/other/c.stl": STL,
        "home/key": SECRET,
        "home/key.stl": SECRET,
    }
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)

    def arm(*references, **options):
        shapes = "".join(f'<visual><geometry><mesh filename="{name}"/></geometry></visual>' for name in references)
        path = tmp_path / "ws/arm/urdf/arm.urdf"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f'<robot name="arm"><link name="base">{shapes}</link></robot>')
        return kt.load(path, **options)

    return arm


def test_meshes_and_their_textures_have_the_addresses_that_are_written(arm):
    robot = arm("package://arm/meshes/a.stl", "package://arm/meshes/b.dae", "package://other/c.stl")
    content = content_of(robot)
    assert content.notes == ()
    assert content.description == robot.text.text
    assert content.files == {
        "package://arm/meshes/a.stl": STL,
        "package://arm/meshes/b.dae": DAE.encode(),
        "package://arm/textures/skin 1.png": b"PNG",
        "package://other/c.stl": STL,
    }
    for address in ("arm/textures/skin 1.png", "arm/meshes/../textures/skin%201.png", "arm/./textures/skin 1.png"):
        assert content.file(f"package://{address}") == b"PNG"


def test_packages_of_parts_of_other_files_have_their_addresses(tmp_path):
    """A part that was attached names packages that lie beside its own file, and only there."""
    robots = []
    for name in ("one", "two"):
        folder = tmp_path / name / f"{name}_arm"
        folder.mkdir(parents=True)
        (folder / "package.xml").write_text(f"<package><name>{name}_arm</name></package>")
        (folder / "a.stl").write_bytes(STL)
        mesh = f'<visual><geometry><mesh filename="package://{name}_arm/a.stl"/></geometry></visual>'
        gone = '<visual><geometry><mesh filename="package://gone/a.stl"/></geometry></visual>' * (name == "two")
        (folder / "arm.urdf").write_text(f'<robot name="{name}"><link name="{name}">{gone}{mesh}</link></robot>')
        robots.append(kt.load(folder / "arm.urdf"))
    content = content_of(kt.edit.attach(*robots, "one"))
    assert content.files == {"package://one_arm/a.stl": STL, "package://two_arm/a.stl": STL}
    assert [note.severity for note in content.notes] == ["warning"]
    assert "package://gone/a.stl" in content.notes[0].message + content.notes[0].element


def test_packages_are_found_by_their_name_and_models_by_their_folder(tmp_path):
    """A package's folder may have another name, and no model has the package's."""
    folder = tmp_path / "arm-1.2"
    folder.mkdir()
    (folder / "package.xml").write_text("<package><name>arm</name></package>")
    (folder / "a.stl").write_bytes(STL)
    (tmp_path / "box").mkdir()
    (tmp_path / "box" / "model.config").write_text("<model><name>a box</name></model>")
    (tmp_path / "box" / "b.stl").write_bytes(STL)
    names = ("package://arm/a.stl", "model://box/b.stl")
    shapes = "".join(f'<visual><geometry><mesh filename="{name}"/></geometry></visual>' for name in names)
    (folder / "arm.urdf").write_text(f'<robot name="arm"><link name="base">{shapes}</link></robot>')
    content = content_of(kt.load(folder / "arm.urdf"))
    assert content.notes == ()
    assert content.files == dict.fromkeys(["package://arm/a.stl", "package://box/b.stl"], STL)


@pytest.mark.parametrize("reference", ["../meshes/a.stl", "file://{}/ws/arm/meshes/a.stl", "{}/ws/arm/meshes/a.stl"])
def test_other_references_get_an_address(arm, tmp_path, reference):
    content = content_of(arm(reference.format(tmp_path)))
    assert content.files == {"package://arm/meshes/a.stl": STL}
    assert 'filename="package://arm/meshes/a.stl"' in content.description
    assert str(tmp_path) not in content.description


def test_no_other_file_has_an_address(arm, tmp_path):
    content = content_of(arm("package://arm/meshes/a.stl"))
    for address in (
        "package://arm/meshes/b.dae",
        "package://arm/notes.txt",
        "package://arm/urdf/arm.urdf",
        "package://arm/../../home/key.stl",
        "package://arm/%2e%2e/%2e%2e/home/key.stl",
        "package://other/c.stl",
        f"file://{tmp_path}/home/key.stl",
        f"{tmp_path}/home/key.stl",
        "package://../arm/meshes/a.stl/../../../home/key",
        "package://arm/meshes/a.stl\0",
        "http://arm/meshes/a.stl",
        "/etc/passwd",
        "",
        "://",
    ):
        assert content.file(address) is None, address


@pytest.mark.parametrize(
    "reference",
    [
        "package://arm/../../home/key.stl",
        "package://arm/meshes/../../../home/key.stl",
        "../../../home/key.stl",
        "{}/home/key.stl",
        "file://{}/home/key.stl",
        "package://arm/notes.txt",
        "package://home/../home/key",
        "package://arm/meshes/none.stl",
        "package://arm/meshes",
        "package://../home/key.stl",
        "http://localhost/key.stl",
    ],
)
def test_references_that_lead_elsewhere_are_named_and_not_served(arm, tmp_path, reference):
    reference = reference.format(tmp_path)
    content = content_of(arm(reference, "package://arm/meshes/a.stl"))
    assert [*content.files] == ["package://arm/meshes/a.stl"]
    (note,) = content.notes
    assert (note.severity, note.code, note.element) == ("warning", "missing-mesh", "link 'base'")
    assert note.message.startswith(f"the mesh {reference!r} is not served: ")


@pytest.mark.skipif(os.name != "posix", reason="links of POSIX")
def test_links_are_followed_before_a_file_is_served(arm, tmp_path):
    meshes = tmp_path / "ws/arm/meshes"
    for name, target in (("out", "home/key.stl"), ("kind", "ws/arm/notes.txt"), ("good", "ws/arm/meshes/a.stl")):
        (meshes / f"{name}.stl").symlink_to(tmp_path / target)
    (tmp_path / "ws/arm/folder").symlink_to(tmp_path / "home")
    references = [f"package://arm/{x}.stl" for x in ("meshes/out", "meshes/kind", "meshes/good", "folder/key")]
    content = content_of(arm(*references))
    assert content.files == {"package://arm/meshes/good.stl": STL}
    assert [note.message.split("'")[1] for note in content.notes] == [references[0], references[1], references[3]]


def test_files_that_change_later_are_not_read_again(arm, tmp_path):
    content = content_of(arm("package://arm/meshes/a.stl"))
    (tmp_path / "ws/arm/meshes/a.stl").write_bytes(SECRET)
    assert content.file("package://arm/meshes/a.stl") == STL
