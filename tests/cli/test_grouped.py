"""A cause is printed once, with the places of the others, by every command that prints findings."""

from pathlib import Path

import pytest

import kinetree as kt
from each import each
from kinetree.errors import Finding, KinetreeError, Source, equal, others_like

KEYS = [f"colour_{word}" for word in ("a", "b", "c", "d", "e", "f")]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A URDF with twelve missing meshes, of which six links have a shape, and a DH file with unknown keys."""
    monkeypatch.chdir(tmp_path)
    links = [
        f'<link name="l{i}"><visual><geometry><mesh filename="m{i}.stl"/></geometry></visual></link>\n'
        for i in range(12)
    ]
    joints = [
        f'<joint name="j{i}" type="continuous"><parent link="l{i}"/><child link="l{i + 1}"/><axis xyz="0 0 1"/></joint>'
        for i in range(11)
    ]
    Path("a.urdf").write_text("".join(['<robot name="a">\n', *links, *joints, "</robot>"]))
    keys = "".join(f'{key} = "red"\n' for key in KEYS)
    row = 'rows = [{ joint = "j", a = 0.1, alpha = 0, d = 0, theta = "-1 -> 1" }]\n'
    Path("dh.toml").write_text(
        f'name = "d"\nconvention = "mdh"\nunits = {{ length = "m", angle = "rad" }}\n{keys}{row}'
    )
    Path("m.csv").write_text("time,j0\n0,0\n1,1\n")


@pytest.mark.slow
@each(
    "arguments",
    [
        ["convert", "a.urdf", "o.sdf"],
        ["attach", "a.urdf", "a.urdf", "--at", "l0", "--prefix", "p", "-o", "o.sdf"],
        ["serve", "a.urdf", "--host", "256.0.0.1"],
        ["show", "a.urdf", "-o", "o.html"],
        ["show", "a.urdf", "-o", "o.svg"],
    ],
)
def test_missing_meshes(run, folder, arguments):
    told = run(*arguments).stderr
    assert told.count("the mesh 'm") == 1, told
    assert "findings like it: link 'l" in told
    assert told.count("m3.stl") == 0


def test_keys_of_a_file(run, folder):
    told = run("inspect", "dh.toml").stderr
    assert told.count("is unknown") == 1
    assert "5 findings like it: the file (line 5), the file (line 6), the file (line 7) and 2 more" in told


def test_notes_of_a_file(run, folder):
    Path("odd.urdf").write_text('<robot name="r"><link name="a"/>\n' + "<odd/>\n" * 9 + "</robot>")
    printed = run("inspect", "odd.urdf").stdout
    assert printed.count("is not understood") == 1
    assert "8 findings like it: <odd> (line 3), <odd> (line 4), <odd> (line 5) and 5" in printed
    every = run("inspect", "odd.urdf", "--all").stdout
    assert every.count("is not understood") == 9
    assert "like it" not in every


def test_notes_that_are_left_out_are_counted(run, folder):
    kinds = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta")
    odd = "".join(f"<{kind}/><{kind}/>" for kind in kinds)
    Path("odd.urdf").write_text(f'<robot name="r"><link name="a"/>{odd}</robot>')
    printed = run("inspect", "odd.urdf").stdout
    assert "Notes: 12 not-understood" in printed
    assert printed.count("1 finding like it") == 3
    assert "and 6 more (--all)" in printed


@pytest.mark.slow
def test_notes_of_a_conversion(run, folder):
    told = run("convert", "icub", "o.xml").stderr.splitlines()
    notes = [line for line in told if line.startswith("note: ")]
    assert len(equal([Finding("x", "info", line) for line in notes])) == len(notes), told


def finding(i, message="the mesh 'm{}' is not there", code="mesh"):
    return Finding(code, "error", message.format(i), Source("a.urdf", i + 1), f"link 'l{i}'")


def test_the_text_of_an_error():
    several = [finding(i) for i in range(6)]
    (first, more, tail) = str(KinetreeError(several)).split("\n")
    assert first == "a.urdf:1: error: link 'l0': the mesh 'm0' is not there [mesh]"
    assert more == "    5 findings like it: link 'l1' (line 2), link 'l2' (line 3), link 'l3' (line 4) and 2 more"
    assert tail == "(all in .findings)"
    text = str(KinetreeError([several[0], finding(1, "another fault"), finding(2, code="other")]))
    assert text.split("\n")[1:] == ["(2 more in .findings)"]
    text = str(KinetreeError([*several[:2], finding(1, "another fault")]))
    assert text.split("\n")[1:] == ["    1 finding like it: link 'l1' (line 2)", "(1 more in .findings)"]
    assert str(KinetreeError(several[0])) == str(several[0])
    with pytest.raises(KinetreeError, match=r"1 finding like it: joint 'k'") as caught:
        kt.load(
            '<robot name="r"><link name="a"/><joint name="j" type="bent"><parent link="a"/><child link="a"/></joint>'
            '<joint name="k" type="odd"><parent link="a"/><child link="a"/></joint></robot>',
            format="urdf",
        )
    assert len(caught.value.findings) == 2


def test_equal_findings():
    words = finding(0, "the axis is 3 m long")
    others = [
        finding(1, "the axis is 7 m long"),
        finding(2, "the axis is 'three' long"),
        finding(3, "the axis is short"),
        finding(4, "the axis is 3 m long", code="other"),
        Finding("mesh", "warning", "the axis is 3 m long"),
    ]
    assert [len(group) for group in equal([words, *others])] == [3, 1, 1, 1]
    assert others_like([words, Finding("mesh", "error", "x", Source("b.urdf"))]) == "1 finding like it: b.urdf"
    assert others_like([words, Finding("mesh", "error", "x")]) == "1 finding like it: robot"
    assert others_like([words, Finding("mesh", "error", "x", None, "joint '\n'")]).endswith(r"joint '\n'")


def test_findings_without_a_place_are_known_by_the_name_in_them():
    source = Source("b.xacro")
    group = [Finding("xacro-argument", "error", f"there is no argument {name!r}", source) for name in ("h", "w", "v")]
    assert others_like(group) == "2 findings like it: 'w', 'v'"
    assert others_like([Finding("a", "error", "is wrong", source)] * 2) == "1 finding like it: b.xacro"
