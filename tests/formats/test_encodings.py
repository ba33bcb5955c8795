"""Files whose bytes are not in the encoding that they declare: tinyxml2 reads them, and so do we, with a warning."""

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.fixer.fix import fix
from kinetree.formats.urdf import read
from kinetree.syntax.xml.encoding import strays, text_of, to_utf8

URDF = (
    '{}<robot name="grün">\n<!-- Größe -->\n<link name="a"/><link name="b"/><joint name="jö" type="continuous">'
    '<parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint></robot>'
)
SDF = '{}<sdf version="1.9">\n<!-- é -->\n<model name="grün"><link name="a"/></model></sdf>'
MJCF = '{}<mujoco model="grün">\n<!-- é -->\n<worldbody><body name="ä"/></worldbody></mujoco>'
SRDF = '{}<robot name="r">\n<!-- é -->\n<group name="grün"><link name="a"/></group></robot>'
TEXTS = {"urdf": URDF, "xacro": URDF, "sdf": SDF, "mjcf": MJCF}


def lenient(notes: object) -> list[object]:
    return [note for note in notes if note.code == "xml-lenient"]  # type: ignore[attr-defined]


def declared(name: str) -> str:
    return f'<?xml version="1.0" encoding="{name}"?>' if name else ""


@pytest.mark.slow
@pytest.mark.parametrize("format", TEXTS)
@pytest.mark.parametrize(
    ("declaration", "encoding", "place"),
    [
        ("", "latin-1", (1, None)),
        ("utf-8", "latin-1", (1, None)),
        ("us-ascii", "utf-8", (1, 31)),
        ("us-ascii", "latin-1", (1, 31)),
        ("utf8mb4", "utf-8", (1, 31)),
        ("utf-16", "utf-8", (1, 31)),
        ("iso-8859-1", "utf-8", (1, 31)),
        ("windows-1252", "utf-8", (1, 31)),
        ("shift_jis", "latin-1", (1, 31)),
    ],
)
def test_they_are_read_with_a_warning(format, declaration, encoding, place, tmp_path):
    path = tmp_path / f"r.{'xml' if format == 'mjcf' else format}"
    path.write_bytes(TEXTS[format].format(declared(declaration)).encode(encoding))
    robot = kt.load(path)
    notes = lenient(robot.notes)
    assert notes
    source = notes[0].source
    assert source.file == str(path)
    line = 1 if declaration not in ("", "utf-8") or format in ("urdf", "xacro", "mjcf") else 2
    assert source.line == line
    if place[1]:
        assert source.column == place[1]
    assert "grün" in robot.name
    assert all("XML" not in note.message or format != "xacro" for note in notes)


@pytest.mark.parametrize("encoding", ["latin-1", "iso-8859-15", "windows-1252", "utf-8", "utf-16"])
def test_a_right_declaration_is_believed(encoding, tmp_path):
    path = tmp_path / "r.urdf"
    path.write_bytes(URDF.format(declared(encoding)).encode(encoding))
    robot = kt.load(path)
    assert robot.name == "grün"
    assert not lenient(robot.notes)


def test_srdf(tmp_path):
    path = tmp_path / "r.srdf"
    path.write_bytes(SRDF.format("").encode("latin-1"))
    robot = kt.load('<robot name="r"><link name="a"/></robot>', format="urdf", srdf=path)
    assert lenient(robot.notes)
    assert [group.name for group in robot.semantic.groups] == ["grün"]


def test_the_place_is_counted_in_letters():
    text = '<robot name="é é">'.encode() + b'<link name="a"><c>\xff</c></link></robot>'
    (note,) = read(text, "r.urdf")[1][:1]
    assert (note.code, note.source.column) == ("xml-lenient", text.decode("utf-8", "replace").index("\ufffd") + 1)


def test_two_letters_stay_two_names():
    text = '<robot name="r"><material name="grün"><color rgba="0 1 0 1"/></material>'
    text += '<material name="grön"><color rgba="1 1 0 1"/></material><link name="a"/></robot>'
    robot, findings = read(text.encode("latin-1"), "r.urdf")
    assert robot is not None
    assert [*robot.materials] == ["grün", "grön"]
    assert [finding.code for finding in findings] == ["xml-lenient"]


def test_every_byte_is_a_letter():
    text = bytes(range(0x80, 0x100))
    assert len({*strays().values()}) == 128
    assert to_utf8(text)[0].decode() == "".join(strays().values()) == text_of(text)[2]
    assert strays()[0xDC80 + 0x00] == "€"
    assert strays()[0xDC00 + 0x81] == "\x81"


def test_a_secret_that_is_not_xml_is_not_shown():
    robot, findings = read("ro\xf6t:$6$secret:".encode("latin-1"), "shadow.urdf")
    assert robot is None
    assert "secret" not in str(findings)
    assert "not UTF-8" in findings[0].message


@each("control", ["\x01", "\x0b", "\x0c", "\x1f", "\ufffe", "\uffff"])
@each("place", ["<!-- @ -->", "<!-- -- @ -->", "<c>1@2</c>", '<c d="1@2"/>', "<c><![CDATA[@]]></c>"])
def test_control_characters(place, control):
    text = f'<robot name="r"><link name="a">{place}</link></robot>'
    robot, findings = read(text.replace("@", control), "r.urdf")
    assert robot is not None
    (note, *_) = lenient(findings)
    assert (note.source.line, robot.root) == (1, "a")
    if "--" not in place[4:-3] or "<c" in place:
        assert note.source.column == text.index("@") + 1
        assert "control character" in note.message
    assert read(kt.text(robot, "urdf", without=["material"]), "again.urdf")[0] is not None


def test_a_repair_writes_utf8(tmp_path):
    path = tmp_path / "r.urdf"
    text = URDF.format("").replace('xyz="0 0 1"', 'xyz="0 0 2"')
    path.write_bytes(text.encode("latin-1"))
    result = fix(path, profile="ros")
    assert result.after[path].decode() == text.replace('xyz="0 0 2"', 'xyz="0 0 1"')


@pytest.mark.crosscheck
@pytest.mark.parametrize("name", ["", "us-ascii", "utf8mb4", "utf-16", "iso-8859-1", "windows-1252"])
@pytest.mark.parametrize("encoding", ["latin-1", "utf-8"])
def test_mujoco_reads_them_too(name, encoding, tmp_path):
    import mujoco

    path = tmp_path / "r.xml"
    path.write_bytes(MJCF.format(declared(name)).encode(encoding))
    assert mujoco.MjModel.from_xml_path(str(path)).nbody == 2
    assert len(kt.load(path).links) == 2
    assert np.allclose(kt.fk(kt.load(path), kt.load(path).root)([]), np.eye(4))
