"""What files ask for: packages, models, paths."""

import os
import socket
import sys
from pathlib import Path

import pytest

import kinetree as kt
from each import each
from kinetree.files.nearby import offer
from kinetree.files.opener import Files, read_file, snapshot


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    for file, text in {
        "src/arm/package.xml": "<package><name>arm_description</name></package>",
        "src/arm/urdf/arm.urdf": "<robot/>",
        "src/group/hand/package.xml": "<package><name>hand</name></package>",
        "src/group/hand/hand.txt": "hand",
        "src/ignored/COLCON_IGNORE": "",
        "src/ignored/hand/package.xml": "<package><name>hand</name></package>",
        "src/arm/models/box/model.config": """<model>
            <sdf version="1.4">old.sdf</sdf><sdf version="1.10">new.sdf</sdf><sdf version="1.6">older.sdf</sdf>
            </model>""",
        "src/arm/models/box/new.sdf": "1.10",
        "src/arm/models/box/older.sdf": "1.6",
        "src/arm/models/plain/model.sdf": "plain",
    }.items():
        path = tmp_path / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


@pytest.mark.parametrize(
    ("wanted", "content"),
    [
        ("package://hand/hand.txt", b"hand"),
        ("$(find hand)/hand.txt", b"hand"),
        ("package://arm_description/models/plain/model.sdf", b"plain"),
        ("model://plain/model.sdf", b"plain"),
        ("model://plain", b"plain"),
        ("model://box", b"1.10"),
        ("model://hand/hand.txt", b"hand"),  # a package serves as a model
        ("arm.urdf", b"<robot/>"),
        ("../models/plain", b"plain"),
    ],
)
def test_what_is_found_around_a_file(workspace, wanted, content):
    files = Files({})
    assert files(wanted, str(workspace / "src/arm/urdf/arm.urdf"))[0] == content
    assert files.missed == {}


def test_absolute_paths_and_file_uris(workspace):
    path = workspace / "src/group/hand/hand.txt"
    assert Files({})(str(path), "<text>") == (b"hand", str(path))
    assert Files({})(path.as_uri(), "<text>") == (b"hand", str(path))


@pytest.mark.parametrize("variable", ["SDF_PATH", "GZ_SIM_RESOURCE_PATH", "GAZEBO_MODEL_PATH"])
def test_model_paths(workspace, monkeypatch, variable):
    assert Files({})("model://box", "<text>") is None
    monkeypatch.setenv(variable, str(workspace / "src/arm/models"))
    assert Files({})("model://box", "<text>")[0] == b"1.10"


@pytest.mark.parametrize(
    ("wanted", "asking", "reason"),
    [
        ("arm.urdf", "<text>", "a text has none"),
        ("https://example.org/model", "arm.urdf", "nothing is downloaded"),
        ("package://no_such_package_at_all/x", "<text>", "cannot be found; looked in nothing"),
        ("gone.sdf", "src/arm/urdf/arm.urdf", "there is no file"),
        ("..", "src/arm/urdf/arm.urdf", "there is no file"),  # a folder without model.sdf
        ("a\0b", "src/arm/urdf/arm.urdf", ""),
    ],
)
def test_what_is_missed_has_a_reason(workspace, wanted, asking, reason):
    files = Files({})
    assert files(wanted, asking if asking.startswith("<") else str(workspace / asking)) is None
    assert reason in files.missed[wanted]


def test_the_callers_packages_come_first(workspace, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    (other / "hand.txt").write_text("other")
    asking = str(workspace / "src/arm/urdf/arm.urdf")
    assert Files({"hand": other})("package://hand/hand.txt", asking)[0] == b"other"
    with pytest.raises(kt.KinetreeError, match=r"packages=\{'hand': …\}: there is no folder .*gone"):
        kt.load(asking, packages={"hand": tmp_path / "gone"})


@pytest.mark.skipif(os.name != "posix", reason="pipes, devices and sockets of POSIX")
class TestWhatIsNoFile:
    def test_devices_and_folders(self, tmp_path):
        for path, kind in (("/dev/zero", "a device"), ("/dev/null", "a device"), (tmp_path, "a folder")):
            with pytest.raises(kt.KinetreeError, match=f"cannot be read: it is {kind}, not a file"):
                read_file(Path(path))

    @pytest.mark.parametrize("argument", ["source", "srdf", "limits", "packages"])
    def test_a_pipe_is_not_waited_for(self, tmp_path, argument):
        asking = tmp_path / "arm.urdf"
        asking.write_text("<robot name='r'><link name='a'/></robot>")
        pipe = tmp_path / "pipe.toml"
        os.mkfifo(pipe)
        (tmp_path / "link.toml").symlink_to(pipe)
        for path in (pipe, tmp_path / "link.toml"):
            given = {"packages": {"hand": path}} if argument == "packages" else {argument: path}
            with pytest.raises(kt.KinetreeError, match=r"it is a named pipe, not a file|there is no folder"):
                kt.load(**{"source": asking, **given})

    def test_a_socket_is_not_read(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)  # the names of sockets are short
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind("socket.urdf")
            with pytest.raises(kt.KinetreeError, match="cannot be read"):
                kt.load("socket.urdf")

    @pytest.mark.skipif(not Path("/dev/fd").exists(), reason="no names for open files here")
    def test_what_the_caller_has_opened_is_read(self):
        reading, writing = os.pipe()
        with os.fdopen(reading), os.fdopen(writing, "wb") as given:
            given.write(b"content")
            given.close()
            assert read_file(Path(f"/dev/fd/{reading}")) == b"content"


def test_a_snapshot_holds_what_was_read_first(workspace):
    file, other = workspace / "src/group/hand/hand.txt", workspace / "src/arm/urdf/arm.urdf"
    with snapshot({other: b"said"}) as held:
        assert read_file(file) == b"hand"
        file.write_text("foot")
        assert Files({})(str(file), "<text>") == (b"hand", str(file))
        assert read_file(workspace / "src/arm/urdf/../urdf/arm.urdf") == b"said"
        with pytest.raises(kt.KinetreeError, match="cannot be read"):
            read_file(Path("a\0b"))
        assert held == {file: b"hand", other: b"said"}
    assert (read_file(file), read_file(other)) == (b"foot", b"<robot/>")


def test_a_folder_that_may_not_be_entered_holds_nothing_and_that_is_said(workspace, monkeypatch):
    def denied(path):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "is_dir", denied)
    files = Files({})
    assert files("../../group/hand/hand.txt", str(workspace / "src/arm/urdf/arm.urdf")) is None
    assert files.missed == {"../../group/hand/hand.txt": "cannot be read: Permission denied"}


MODEL = '<sdf version="1.9"><model name="m"><link name="a"/></model></sdf>'
SPACE = 'xmlns:xacro="http://www.ros.org/wiki/xacro"'
XACRO = f'<robot name="r" {SPACE}>{{}}</robot>'
LOADED = '<xacro:property name="p" value="${{xacro.load_yaml(\'{}\')}}"/><link name="${{p}}"/>'
INCLUDES = {
    "a.sdf": ('<sdf version="1.9"><model name="m"><link name="b"/><include><uri>{}</uri></include></model></sdf>', ""),
    "a.world": ('<sdf version="1.9"><world name="w"><include><uri>{}</uri></include></world></sdf>', "model://"),
    "a.xacro": (XACRO.format('<link name="a"/><xacro:include filename="{}"/>'), ""),
    "b.xacro": (XACRO.format(LOADED), ""),
    "c.xacro": (XACRO.format('<xacro:include filename="$(find top)/{}"/>'), ""),
    "a.xml": ('<mujoco><include file="{}"/><worldbody/></mujoco>', ""),
}


@each("file, wanted", [(file, "part" if file.startswith("a.sdf") else "part.x") for file in INCLUDES])
def test_what_lies_one_folder_deeper_is_offered(file, wanted, tmp_path):
    text, scheme = INCLUDES[file]
    top = tmp_path / file / "top"
    (top / "nested").mkdir(parents=True)
    (top / "package.xml").write_text("<package><name>top</name></package>")
    (top / file).write_text(text.format(scheme + wanted))
    with pytest.raises(kt.KinetreeError) as without:
        kt.load(top / file)
    assert "nested" not in str(without.value.findings)
    place = top / "nested" / wanted
    if file.endswith(("sdf", "world")):
        place.mkdir()
        (place / "model.sdf").write_text(MODEL)
    else:
        place.write_text("a: 1")
    for confined in (False, True):
        with pytest.raises(kt.KinetreeError) as offered:
            kt.load(top / file, confined=confined)
        fixes = [finding.fix for finding in offered.value.findings]
        assert fixes == [f"did you mean {place}?"]
        assert "there is one at" not in str(offered.value.findings[0].message)


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="its disk ignores capitals")
@each("confined", [False, True])
@each("file", INCLUDES)
def test_a_name_with_other_capitals_is_offered(file, confined, tmp_path):
    text, scheme = INCLUDES[file]
    top = tmp_path / f"{file}-{confined}"
    top.mkdir()
    (top / "package.xml").write_text("<package><name>top</name></package>")
    wanted = "SUB/Part" if scheme != "model://" else "Part"
    place = top / ("sub/PART" if scheme != "model://" else "PART")
    place.parent.mkdir(exist_ok=True)
    if file.endswith(("sdf", "world")):
        place.mkdir()
        (place / "model.sdf").write_text(MODEL)
    else:
        place.write_text("a: 1")
    (top / file).write_text(text.format(scheme + wanted))
    with pytest.raises(kt.KinetreeError) as offered:
        kt.load(top / file, confined=confined)
    assert [finding.fix for finding in offered.value.findings] == [f"did you mean {place}?"]


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
@each("confined", [False, True])
@each("file", INCLUDES)
def test_a_link_to_nothing_is_named(file, confined, tmp_path):
    """A link out of the workspace with nothing at its end is no attempt to read what is there."""
    text, scheme = INCLUDES[file]
    top = tmp_path / f"{file}-{confined}"
    top.mkdir()
    (top / "part").symlink_to("/nowhere/part")
    (top / "package.xml").write_text("<package><name>top</name></package>")
    (top / file).write_text(text.format(scheme + "part"))
    with pytest.raises(kt.KinetreeError) as caught:
        kt.load(top / file, confined=confined)
    (found,) = caught.value.findings
    assert found.code != "confined"
    assert "'/nowhere/part', where nothing is" in f"{found.message} {found.fix}"


def test_nothing_outside_is_offered(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "PART.STL").touch()
    path = tmp_path / "in" / ".." / "part.stl"
    assert offer([path], lambda path: True).endswith("PART.STL, with other capitals")
    assert offer([path], lambda path: False) == offer([Path("/part.stl")], lambda path: True) == ""
    assert offer([tmp_path / "IN" / "none.stl"], lambda path: True) == ""
    (tmp_path / "linked").symlink_to(tmp_path)  # a link that leads somewhere
    assert offer([tmp_path / "linked" / "part.stl"], lambda path: True).endswith("PART.STL, with other capitals")


def test_nothing_outside_of_the_workspace_is_offered(tmp_path):
    for place in ("top/a", "other/nested"):
        (tmp_path / place).mkdir(parents=True)
    (tmp_path / "other/nested/part.xml").write_text("<mujoco/>")
    file = tmp_path / "top/a/a.xml"
    file.write_text(INCLUDES["a.xml"][0].format("../../other/part.xml"))
    (tmp_path / "top/package.xml").write_text("<package><name>top</name></package>")
    with pytest.raises(kt.KinetreeError) as refused:
        kt.load(file, confined=True)
    assert "nested" not in str(refused.value.findings)
    (tmp_path / "other/part").mkdir()
    (tmp_path / "other/part/model.sdf").write_text(MODEL)
    (tmp_path / "top/a/a.world").write_text(INCLUDES["a.world"][0].format("model://part"))
    for confined, offers in ((True, False), (False, True)):
        with pytest.raises(kt.KinetreeError) as refused:
            kt.load(tmp_path / "top/a/a.world", confined=confined)
        assert ("did you mean" in str(refused.value.findings)) == offers
