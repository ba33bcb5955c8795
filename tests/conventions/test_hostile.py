"""Files made to do harm: they are refused or checked in time, and nothing is written, run, or read."""

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from kinetree.checker.job import CheckReport, Job
from kinetree.checker.pool import check_all
from kinetree.checker.report import formats, report
from kinetree.formats.registry import FORMATS
from kinetree.load import load
from kinetree.rules.examples import ARM
from kinetree.rules.options import CheckOptions
from support import at_length, shared

pytestmark = pytest.mark.slow

posix = pytest.mark.skipif(os.name != "posix", reason="pipes and devices of POSIX")
MANY = 100_000
OPENED: list[str] = []
"""What was opened to be read since it was last cleared."""
XACRO = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">{}<link name="a"/></robot>'


@pytest.fixture(scope="session", autouse=True)
def _hook():
    def hear(event, arguments):
        if event == "open" and isinstance(arguments[0], (str, os.PathLike)):
            OPENED.append(os.path.realpath(arguments[0]))

    sys.addaudithook(hear)


def checked(path: Path, content: str | bytes | None = None, **options) -> CheckReport:
    """What `check_all` finds in a file."""
    if content is not None:
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    OPENED.clear()
    (found,) = check_all([Job(str(path), CheckOptions("industrial"))], **options)
    return found


def code_of(found: CheckReport) -> str:
    """Of the first finding."""
    assert all(finding.source.file for finding in found.findings)
    return found.findings[0].code


LAUGHS = "".join(f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in zip("abcdefghi", "bcdefghij", strict=True))
TEXTS = {
    "laughs": (f'<!DOCTYPE r [<!ENTITY a "ha">{LAUGHS}]><robot name="&j;"><link name="a"/></robot>', "xml-doctype"),
    "external": ('<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><robot name="&x;"/>', "xml-doctype"),
    "DTD": ('<!DOCTYPE robot SYSTEM "file:///etc/passwd"><robot name="r"/>', "xml-doctype"),
    "parameter": ('<!DOCTYPE r [<!ENTITY % x SYSTEM "file:///etc/passwd"> %x;]><robot name="r"/>', "xml-doctype"),
    "unknown entity": ('<robot name="&x;"/>', "xml-syntax"),
    "depth": ("<a>" * 60_000, "xml-depth"),
    "attributes": ("<robot " + " ".join(f'a{i}=""' for i in range(5000)) + "/>", "xml-size"),
    "NUL": ('<robot name="r"><link name="a\0b"/></robot>', "xml-syntax"),
    "NUL reference": ('<robot name="r"><link name="a&#0;b"/></robot>', "xml-syntax"),
    "encoding": (b"\xff\xfe" + '<robot name="r"/>'.encode("utf-16-le")[:-1], "xml-encoding"),
    "nothing": ("", "xml-syntax"),
}


@pytest.mark.parametrize("suffix", [".urdf", ".sdf", ".mjcf"])
@pytest.mark.parametrize("name", TEXTS)
def test_xml_that_is_refused(name, suffix, tmp_path):
    text, code = TEXTS[name]
    found = checked(tmp_path / f"robot{suffix}", text)
    assert code_of(found) == code
    assert str(found.findings[0]).isascii() or "…" in str(found.findings[0])
    assert {path for path in OPENED if path.startswith(("/etc", "/proc"))} == set()


@pytest.mark.slow
def test_a_hundred_megabytes_of_nesting(tmp_path):
    assert code_of(checked(tmp_path / "deep.urdf", b"<a>" * 33_000_000)) == "file-size"
    assert code_of(checked(tmp_path / "deeper.urdf", b"<a>" * 21_000_000)) == "xml-depth"


def tree(joint: str) -> str:
    """Very many joints; `joint` is one of them, of {i} and {j}, the one behind it."""
    parts = "".join(f'<link name="l{i + 1}"/>{joint.format(i=i, j=i + 1)}' for i in range(MANY))
    return f'<robot name="r"><link name="l0"/>{parts}</robot>'


HUGE = {
    "children of a link": f'<robot name="r"><link name="a">{"<odd/>" * MANY}</link></robot>',
    "visuals": f'<robot name="r"><link name="a">{"<visual/>" * MANY}</link></robot>',
    "names": '<robot name="r">' + '<link name="a"/>' * MANY + "</robot>",
    "types": '<robot name="r"><link name="a"/>' + '<joint name="j" type="odd"/>' * MANY + "</robot>",
    "a star": tree('<joint name="j{i}" type="fixed"><parent link="l0"/><child link="l{j}"/></joint>'),
    "a chain": tree('<joint name="j{i}" type="fixed"><parent link="l{i}"/><child link="l{j}"/></joint>'),
    "a chain that moves": tree(
        '<joint name="j{i}" type="continuous"><parent link="l{i}"/><child link="l{j}"/><axis xyz="1 0 0"/></joint>'
    ),
    "orphans": tree('<joint name="j{i}" type="fixed"><parent link="x{i}"/><child link="l{j}"/></joint>'),
    "letters": f'<robot name="{"é" * 1_000_000}"><link name="{"b" * 1_000_000}"/></robot>',
}


@pytest.mark.slow
@pytest.mark.parametrize("name", HUGE)
@pytest.mark.sampled
def test_very_much_of_one_thing(name, tmp_path):
    found = checked(tmp_path / "huge.urdf", HUGE[name], seconds=40)
    assert "check-crashed" not in [finding.code for finding in found.findings]


WRONG = {
    ".urdf": (
        '<robot name="r"><link name="l0"/>{}</robot>',
        '<link name="l{i}"><inertial><origin rpy="1.57 0 0"/><mass value="1"/><inertia ixx="0.0{i}" ixy="0" ixz="0" '
        'iyy="0.0{i}" iyz="0" izz="0.9"/></inertial><visual><geometry><mesh filename="/gone/{i}.stl"/></geometry>'
        '</visual></link><joint name="j{i}" type="prismatic"><parent link="l0"/><child link="l{i}"/><axis xyz="0 0 2"/>'
        '<limit lower="0" upper="500" effort="0" velocity="0"/></joint>',
    ),
    ".sdf": (
        '<sdf version="1.9"><model name="r"><link name="l0"/>{}</model></sdf>',
        '<link name="l{i}"><inertial><mass>1</mass><inertia><ixx>0.0{i}</ixx><iyy>0.0{i}</iyy><izz>0.9</izz></inertia>'
        '</inertial></link><joint name="j{i}" type="prismatic"><pose>0 0 0 0 0 1.57</pose><parent>l0</parent>'
        "<child>l{i}</child><axis><xyz>0 0 1</xyz><limit><lower>0</lower><upper>500</upper></limit></axis></joint>",
    ),
}
"""Each of many links and joints breaks many rules: what one finding costs must not grow with their number."""


@pytest.mark.slow
@pytest.mark.parametrize("suffix", WRONG)
@pytest.mark.sampled(1)
def test_very_many_faults(suffix, tmp_path):
    text, part = WRONG[suffix]
    parts = "".join(part.replace("{i}", str(i)) for i in range(1, 3000))
    found = checked(tmp_path / f"wrong{suffix}", text.format(parts), seconds=30)
    codes = [finding.code for finding in found.findings]
    assert {"INR-002", "R103-002"} <= set(codes)
    assert len(codes) > 3000


def test_ten_thousand_times_the_same_fault_is_said_so_often_and_no_more(tmp_path):
    found = checked(tmp_path / "odd.urdf", f'<robot name="r"><link name="a">{"<odd/>" * 11_000}</link></robot>')
    assert [finding.code for finding in found.findings].count("not-understood") == 9_999
    assert [finding.severity for finding in found.findings if finding.code == "too-many"] == ["warning"]


NAMES = ["a\nb", "a\tb", "a\u202eb", "a\x9b31mb", "a\u2028b", "%0A::error::", "<script>&\"'", "../../x", "a\u200bb", "‮"]


@pytest.mark.parametrize("name", NAMES)
def test_names_are_said_so_that_no_terminal_obeys_them(name, tmp_path):
    said = _quoted(name)
    text = f'<robot name="{said}">\n<link name="{said}"><odd name="{said}"/>\n<odd x="{said}"/></link></robot>'
    for finding in checked(tmp_path / "names.urdf", text).findings:
        lines = str(finding).split("\n")
        assert all(line.isprintable() for line in lines)
        assert len(lines) <= 4


def _quoted(name: str) -> str:
    for character, said in {"&": "&amp;", "<": "&lt;", '"': "&quot;", "\n": "&#10;", "\t": "&#9;"}.items():
        name = name.replace(character, said)
    return name


MESH = '<robot name="r"><link name="a"><visual><geometry><mesh filename="{}"/></geometry></visual></link></robot>'
SDF = '<sdf version="1.7"><model name="m"><link name="a"/><include><uri>{}</uri></include></model></sdf>'
MJCF = '<mujoco><include file="{}"/><worldbody><body><geom size="1"/></body></worldbody></mujoco>'


@posix
@pytest.mark.parametrize("path", ["package://r/../../../../../../etc/passwd", "file:///etc/passwd", "/dev/zero"])
def test_meshes_are_not_read(path, tmp_path):
    (tmp_path / "package.xml").write_text("<package><name>r</name></package>")
    checked(tmp_path / "mesh.urdf", MESH.format(path))
    assert not {"/etc/passwd", "/dev/zero"} & set(OPENED)


@posix
@pytest.mark.parametrize(("suffix", "text"), [(".sdf", SDF), (".mjcf", MJCF)])
@pytest.mark.parametrize("path", ["/dev/zero", "pipe", "loop", "/dev/stdin", "folder", "gone", "http://example.org/a"])
def test_what_is_no_file_is_not_included(path, suffix, text, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "folder").mkdir()
    found = checked(tmp_path / f"robot{suffix}", text.format(path))
    assert any(finding.severity == "error" for finding in found.findings)
    assert code_of(found) not in ("check-timeout", "check-crashed")
    passed = (".py", ".pyc", "package.xml")  # modules that nobody has imported before, and names of packages around
    others = {file for file in OPENED if not file.endswith(passed)}
    assert others <= {os.path.realpath(tmp_path / f"robot{suffix}")}


@pytest.mark.parametrize(("suffix", "text"), [(".sdf", SDF), (".mjcf", MJCF)])
def test_what_includes_itself_is_refused(suffix, text, tmp_path):
    (tmp_path / f"b{suffix}").write_text(text.format(f"a{suffix}"))
    for other in ("a", "b"):
        found = checked(tmp_path / f"a{suffix}", text.format(f"{other}{suffix}"))
        assert any(finding.severity == "error" for finding in found.findings)
        assert not code_of(found).startswith("check-")


@posix
def test_what_is_no_file_is_not_checked(tmp_path):
    os.mkfifo(tmp_path / "pipe.urdf")
    (tmp_path / "loop.urdf").symlink_to(tmp_path / "loop.urdf")
    (tmp_path / "zero.urdf").symlink_to("/dev/zero")
    (tmp_path / "folder.urdf").mkdir()
    (tmp_path / "arm.urdf").write_text(ARM)
    names = ("pipe", "loop", "zero", "folder", "nul\0", "arm")
    found = list(check_all([Job(str(tmp_path / f"{name}.urdf"), CheckOptions("industrial")) for name in names]))
    assert [[finding.code for finding in one.findings] for one in found] == [["file"]] * 5 + [[]]


EXPRESSIONS = [
    "[[[i * j * k for i in range(1000)] for j in range(1000)] for k in range(1000)]",
    "(lambda f: f(f))(lambda f: f(f))",
    "9 ** 9 ** 9",
    "'a' * 10 ** 10",
    "__import__('os').system('touch written')",
    "().__class__.__base__.__subclasses__()",
    "open('/etc/passwd').read()",
    "'{0.__class__}'.format(1)",
    "load_yaml('/dev/zero')",
    "xacro.load_yaml('pipe')",
    "xacro.load_yaml('gone.yaml')",
    "str(max(range(10 ** 9)))",
    "sorted([i for i in range(10 ** 7)])",
]
BODIES = [
    *(f'<xacro:property name="p" value="${{{text}}}"/><link name="${{p}}"/>' for text in EXPRESSIONS),
    "<link name=\"$(eval __import__('os').system('touch written'))\"/>",
    '<link name="$(eval 9 ** 9 ** 9)"/>',
    '<xacro:macro name="m" params=""><xacro:m/></xacro:macro><xacro:m/>',
    '<xacro:macro name="m" params=""><link name="b"/><xacro:m/><xacro:m/></xacro:macro><xacro:m/>',
    '<xacro:include filename="{self}"/>',
    '<xacro:include filename="pipe"/>',
    '<xacro:include filename="/dev/zero"/>',
    '<xacro:include filename="/**/*"/>',
    '<xacro:property name="a" value="${b}"/><xacro:property name="b" value="${a}"/><link name="${a}"/>',
]


QUICK = [body for body in BODIES if "__import__" in body or "{self}" in body or "9 **" in body]


@posix
@pytest.mark.parametrize("bodies", [QUICK, pytest.param(BODIES, marks=pytest.mark.slow)], ids=["quick", "all"])
def test_xacro_is_refused_in_time_and_does_nothing(bodies, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    paths = [tmp_path / f"{i}.xacro" for i in range(len(bodies))]
    for path, body in zip(paths, bodies, strict=True):
        path.write_text(XACRO.replace("{}", body.replace("{self}", path.name)))
    before = sorted(os.listdir(tmp_path))
    found = list(check_all([Job(str(path), CheckOptions("industrial")) for path in paths], seconds=60))
    for body, one in zip(bodies, found, strict=True):
        assert [f.code for f in one.findings if f.severity == "error"], body
        assert not [f.code for f in one.findings if f.code.startswith("check-")], body
        assert "root:" not in str(one), body
    assert sorted(os.listdir(tmp_path)) == before


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".urdf", ".sdf", ".xacro", ".mjcf"])
def test_damaged_files_are_refused_or_checked(suffix, tmp_path):
    rng = random.Random(suffix)
    real = [path.read_bytes() for path in sorted(shared("corpus").rglob(f"*{suffix}")) if path.stat().st_size < 100_000]
    if suffix == ".mjcf":
        real = [FORMATS["mjcf"].write(load("icub"), ("extension", "group", "sensor", "velocity_limit")).encode()]
    jobs = []
    for i in range(at_length(100, 300)):
        data = bytearray(rng.choice(list(filter(None, real))))
        for _ in range(rng.randint(1, 20)):
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        path = tmp_path / f"{i}{suffix}"
        path.write_bytes(data)
        jobs.append(Job(str(path), CheckOptions("industrial")))
    found = list(check_all(jobs, seconds=60))
    assert [one.file for one in found] == [job.file for job in jobs]
    assert [str(f) for one in found for f in one.findings if f.code.startswith("check-")] == []
    assert len(os.listdir(tmp_path)) == len(jobs)


@posix
@pytest.mark.parametrize("name", ["pipe.urdf", "pipe.xml"])
def test_a_pipe_that_is_named_is_said_to_be_one(name, tmp_path):
    os.mkfifo(tmp_path / name)
    command = [sys.executable, "-m", "kinetree", "check", str(tmp_path / name)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, "is a named pipe" in ended.stdout) == (2, True)


@posix
def test_a_name_with_an_end_of_line_is_a_name(tmp_path):
    (tmp_path / "a\nb.urdf").write_text('<robot name="r"><link name="a"/></robot>')
    (checked_one,) = check_all([Job(str(tmp_path / "a\nb.urdf"), CheckOptions("ros"))])
    assert not [finding for finding in checked_one.findings if finding.severity == "error"]


def test_a_line_of_a_file_that_is_no_xml_is_not_shown(tmp_path):
    (tmp_path / "secret.txt").write_text("password = swordfish\n")
    include = '<xacro:include filename="secret.txt"/>'
    (tmp_path / "arm.xacro").write_text(f'<robot name="a" xmlns:xacro="http://ros.org/wiki/xacro">{include}</robot>')
    (found,) = check_all([Job(str(tmp_path / "arm.xacro"), CheckOptions("ros"))])
    assert [finding.code for finding in found.findings] == ["xml-syntax"]
    for form in formats():
        assert "swordfish" not in "\n".join(report(form, [found]))
