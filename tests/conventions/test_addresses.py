"""Meshes of packages that are not found, whose siblings lie near the model, and paths of one computer."""

from pathlib import Path
from tempfile import mkdtemp

import kinetree as kt
from each import each
from kinetree.confine import Confinement
from kinetree.rules.shapes.addresses import in_media, lost_siblings
from kinetree.rules.shapes.portable import Portable
from support import ask

NAMES = ("package://p/meshes/a.stl", "package://p/meshes/b.stl", "package://p/meshes/c.stl")


def lost(tmp_path: Path, *files: str, names: tuple[str, ...] = NAMES, within: str = "") -> list[tuple[str, str]]:
    """What is lost of a model in the folder x/urdf, beside some files."""
    for file in files:
        path = tmp_path / "x" / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    (tmp_path / "x" / "urdf").mkdir(parents=True, exist_ok=True)
    confined = Confinement((str(tmp_path / within),)) if within else False
    return list(lost_siblings(names, str(tmp_path / "x" / "urdf" / "m.urdf"), confined))


def test_one_of_several_is_lost(tmp_path):
    assert lost(tmp_path, "assets/a.stl", "assets/c.stl") == [("package://p/meshes/b.stl", "assets")]


def test_in_the_folder_of_the_model_and_as_in_the_package(tmp_path):
    assert lost(tmp_path / "1", "urdf/a.stl", "urdf/b.stl") == [("package://p/meshes/c.stl", "urdf")]
    deep = tuple(name.replace("meshes", "meshes/visual") for name in NAMES)
    assert lost(tmp_path / "2", "meshes/visual/a.stl", "meshes/visual/b.stl", names=deep) == [(deep[2], "visual")]


def test_half_of_two_and_less_than_half_of_three(tmp_path):
    assert lost(tmp_path / "1", "assets/a.stl", names=NAMES[:2]) == [(NAMES[1], "assets")]
    assert lost(tmp_path / "2", "assets/a.stl") == []


def test_all_none_and_one_alone(tmp_path):
    assert lost(tmp_path / "1", "assets/a.stl", "assets/b.stl", "assets/c.stl") == []
    assert lost(tmp_path / "2", "assets/d.stl") == []
    assert lost(tmp_path / "3", "assets/d.stl", names=NAMES[:1]) == []


def test_each_folder_of_the_package_by_itself(tmp_path):
    names = tuple(f"package://p/{kind}/{name}" for kind in ("seen", "felt") for name in ("a.stl", "b.stl"))
    other = (*names[:2], "package://p/felt/b.stl", "package://p/felt/c.stl")
    assert lost(tmp_path / "1", "seen/a.stl", "seen/b.stl", names=other) == []  # seen is no place of what is felt
    assert lost(tmp_path / "2", "seen/a.stl", "seen/b.stl", "felt/a.stl", "felt/b.stl", names=names) == []


def test_not_above_a_package_nor_outside_of_the_workspace(tmp_path):
    found = ("assets/a.stl", "assets/c.stl")
    assert lost(tmp_path / "1", *found, "urdf/package.xml") == []
    assert lost(tmp_path / "2", *found, within="x/urdf") == []
    assert lost(tmp_path / "2", *found, within="x") != []


def test_a_text_has_no_folder():
    assert list(lost_siblings(NAMES, "<text>", False)) == []


@each(
    "files, names, expected",
    (
        (["mine/package.xml", "mine/a.stl"], ["package://theirs/a.stl"], ("warning", "the file is in 'mine'")),
        (["mine/a.stl"], ["package://theirs/a.stl"], ("info", "the file is in 'mine'")),
        (["mine/model.config", "mine/a.stl"], ["model://theirs/a.stl"], ("warning", "the file is in 'mine'")),
        (["arm_parts/a.stl"], ["model://arm_part/a.stl"], ("warning", "the file is in 'arm_parts'")),
        (["arm_parts/a.stl"], ["package://arm_part/a.stl"], ("warning", "the file is in 'arm_parts'")),
        (["arm_parts_descriptionab/a.stl"], ["model://arm_parts_description/a.stl"], ("warning", "descriptionab'")),
        (["arm_parts_descriptionabc/a.stl"], ["model://arm_parts_description/a.stl"], ("info", "is not found")),
        (["Parts/a.stl"], ["package://parts/a.stl"], ("warning", "the file is in 'Parts'")),
        (["arm_parts/b.stl"], ["model://arm_part/a.stl"], ("info", "the model 'arm_part' is not found")),
        (["arm_parts2/a.stl"], ["model://arm_parts3/a.stl"], ("info", "the model 'arm_parts3' is not found")),
        (["arm_parts/a.stl"], ["model://leg_parts/a.stl"], ("info", "the model 'leg_parts' is not found")),
        (["mine/package.xml", "mine/b/a.stl"], ["a.stl", "c.stl"], ("warning", "there is 'b/a.stl'")),
        (["mine/A.stl"], ["a.stl", "c.stl"], ("warning", "A.stl, with other capitals")),
        (["mine/c.stl", "mine/A.stl"], ["a.stl", "c.stl"], ("warning", "'a.stl' does not exist; there is one at")),
        (["mine/package.xml", "mine/b/d.stl"], ["a.stl", "c.stl"], ("info", "the first is 'a.stl'")),
        (["mine/b/a.stl"], ["a.stl", "c.stl"], ("info", "the first is 'a.stl'")),
        (["arm/package.xml", "arm/a.stl"], ["package://arm/a.stl"], ("warning", "the file is in 'arm'")),
        (["mine/package.xml", "mine/a.stl"], ["package://mine/a.stl"], None),
        ([".git/a", "arm/a.stl"], ["package://arm/a.stl"], None),
    ),
)
def test_the_right_place_of_a_mesh(
    files: list[str], names: list[str], expected: tuple[str, str] | None, tmp_path: Path
) -> None:
    folder = Path(mkdtemp(dir=tmp_path))
    for file in files:
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text("<package><name>mine</name><depend>theirs</depend></package>")
    (folder / "mine").mkdir(exist_ok=True)
    is_sdf = names[0].startswith("model")
    place = "<mesh><uri>{}</uri></mesh>" if is_sdf else '<mesh filename="{}"/>'
    shapes = "".join(f'<visual name="v"><geometry>{place.format(name)}</geometry></visual>' for name in names)
    body = f'<link name="a">{shapes}</link>'
    text = f'<sdf version="1.9"><model name="m">{body}</model></sdf>' if is_sdf else f'<robot name="m">{body}</robot>'
    (model := folder / "mine" / ("model.sdf" if is_sdf else "m.urdf")).write_text(text)
    found = kt.check(model, select=["MSH-002"])
    severity, words = expected or ("", "")
    assert [(one.severity, words in one.message) for one in found] == [(severity, True)] * (expected is not None)


@each("named, is_found", ((None, False), ("arm", False), ("arm_description", True)))
def test_a_package_whose_folder_has_its_name(named: str | None, is_found: bool, tmp_path: Path) -> None:
    folder = Path(mkdtemp(dir=tmp_path), "arm")
    folder.mkdir()
    (folder / "a.stl").write_text("solid")
    if named:
        (folder / "package.xml").write_text(f"<package><name>{named}</name></package>")
    mesh = '<visual><geometry><mesh filename="package://arm/a.stl"/></geometry></visual>'
    (model := folder / "m.urdf").write_text(f'<robot name="m"><link name="a">{mesh}</link></robot>')
    message = "ROS finds no package 'arm': the package.xml of this folder has the name 'arm_description'"
    assert [(one.severity, one.message) for one in kt.check(model, select=["MSH-002"])] == [
        ("warning", message)
    ] * is_found


def test_the_place_of_a_path_of_one_computer():
    text = '<robot name="r">\n<!-- "/home/a/b"\n-->\n<link name="a"/>\n <gazebo><a b="/home/c/d"/></gazebo>\n</robot>'
    (finding,) = ask(kt.load(text, format="urdf"), [Portable])
    assert finding.message == "the path '/home/c/d' exists on one computer only"
    assert (finding.source.line, finding.source.column) == (5, text.splitlines()[4].index("/home") + 1)


def test_media_of_gazebo_lie_near_the_file(tmp_path):
    (tmp_path / "media/models").mkdir(parents=True)
    (tmp_path / "media/models/a.stl").touch()
    (tmp_path / "models").mkdir()
    (tmp_path / "models/b.stl").touch()
    file = str(tmp_path / "worlds" / "w.world")
    found = [in_media(rest, file) for rest in ("a.stl", "b.stl", "c.stl", "x" * 5000, "a\0b")]
    assert found == [True, True, False, False, False]


def test_a_sibling_that_is_lost_is_named_with_the_folder_of_the_others(tmp_path):
    mesh = '<visual><geometry><mesh filename="{}"/></geometry></visual>'
    (tmp_path / "urdf").mkdir()
    (tmp_path / "assets").mkdir()
    for name in ("a.stl", "c.stl"):
        (tmp_path / "assets" / name).touch()
    path = tmp_path / "urdf" / "m.urdf"
    path.write_text(f'<robot name="m"><link name="l">{"".join(map(mesh.format, NAMES))}</link></robot>')
    said = [one.message for one in kt.check(path, select=["MSH-002"])]
    assert "the mesh 'package://p/meshes/b.stl' is not in 'assets', which has others of its folder" in said
