"""Names of a file that a terminal would obey or hide: every command escapes them, whatever it prints."""

import ast
import json
from pathlib import Path

import pytest

import kinetree.cli
from each import each
from kinetree.cli import group
from kinetree.cli._page import print_page
from kinetree.viewing.section import Section

PACKAGE = Path(kinetree.cli.__file__).parent
BAD = "\x9b31m\x9d0;t\x9c\u202e\x7f"
NAME = f"{BAD}\nINJECTED\t"
"""C1 controls, a change of the direction, DEL, a line feed and a tab; XML allows all of them."""
IN_XML = NAME.replace("\n", "&#10;").replace("\t", "&#9;")
INERTIA = '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
AXES = ["0 0 1", "0 1 0", "0 1 0", "1 0 0", "0 1 0", "1 0 0"]


def text(axes=AXES, speed=1):
    """A URDF whose names are all hostile, with meshes that are missing, elements that are unknown, and a sensor."""
    n = IN_XML
    parts = [f'<robot name="{n}"><{"odd"} name="{n}"/>']
    for i in range(len(axes) + 1):
        shape = f'<geometry><mesh filename="{n}{i}.stl"/></geometry>'
        parts.append(
            f'<link name="{n}l{i}"><inertial><mass value="1"/>{INERTIA}<visual name="{n}">{shape}</visual></link>'
        )
    for i, axis in enumerate(axes):
        parts.append(
            f'<joint name="{n}j{i}" type="revolute"><parent link="{n}l{i}"/><child link="{n}l{i + 1}"/>'
            f'<origin xyz="{0.1 * i} 0 0.2"/><axis xyz="{axis}"/>'
            f'<limit lower="-2" upper="2" velocity="{speed}" effort="1"/></joint>'
        )
    parts += [
        f'<joint name="{n}f" type="revolute"><parent link="{n}l1"/><child link="{n}leaf"/>'
        f'<axis xyz="1 0 0"/><limit lower="-1" upper="1" velocity="1" effort="1"/><mimic joint="{n}j0"/></joint>',
        f'<link name="{n}leaf"/><joint name="plain" type="revolute"><parent link="{n}leaf"/><child link="{n}end"/>'
        f'<axis xyz="1 0 0"/><limit lower="-1" upper="1" velocity="1" effort="1"/></joint><link name="{n}end"/>',
        f'<sensor name="{n}imu" type="imu"><parent link="{n}l1"/></sensor>',
    ]
    return "".join([*parts, "</robot>"])


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with two robots, a DH table, a motion and rows of limits."""
    monkeypatch.chdir(tmp_path)
    Path("a.urdf").write_text(text())
    Path("b.urdf").write_text(text(["1 0 0", *AXES[1:]], 2).replace("l6", "l7"))
    Path("small.urdf").write_text(text(AXES[:1]))
    escaped = NAME.encode("unicode_escape").decode().replace("\\x", "\\u00")
    Path("dh.toml").write_text(
        f'name = "{escaped}\\u001b[2J"\nconvention = "mdh"\nunits = {{ length = "m", angle = "rad" }}\n'
        f'rows = [{{ joint = "{escaped}j\\u001b[33m", a = 0.1, alpha = 0, d = 0, theta = "-1 -> 1", '
        f'frame = "{escaped}f\\u001b[2J" }}]\n'
    )
    Path("m.csv").write_text("time,plain\n0,0\n1,3\n")
    Path("poses.csv").write_text("plain,x\n0,1\n")
    Path("log.csv").write_text("plain\n" + "0.1\n" * 12)
    Path("T.csv").write_text("x,y,z,roll,pitch,yaw\n" + "1.5,0,1.2,0,0,0\n" * 11 + "9,0,1.2,0,0,0\n")
    rows = f'[[limits]]\nname = "{escaped}"\nunit = "deg"\njoints = ["{escaped}j0", "{escaped}j1"]\n'
    Path("rows.toml").write_text(rows + "G = [[1, 1]]\nh = [90]\n")


TIP = f"{NAME}l6"
QUOTED = json.dumps(TIP)
COMMANDS = {
    "attach": [["a.urdf", "small.urdf", "--at", TIP, "--prefix", "p", "--assets", "keep", "-o", "at.urdf"]],
    "calibrate": [["a.urdf", "poses.csv", "--controller", "kuka", "--base", TIP]],
    "check": [["a.urdf"], ["a.urdf", "--show-all"]],
    "codegen": [["a.urdf", "--write", f"fk({QUOTED})", "-o", "o.c"], ["small.urdf", "--write", "fk(x)", "-o", "m.c"]],
    "compare": [["a.urdf", "b.urdf"], ["a.urdf", "small.urdf"]],
    "srdf": [["a.urdf"], ["a.urdf", "--group", f"g={TIP}:{TIP}"], ["a.urdf", "--skip", TIP]],
    "contact": [["a.urdf"], ["a.urdf", "--touch", TIP, "--touch", "x"], ["a.urdf", "--skip", TIP]],
    "convert": [["a.urdf", "o.sdf"], ["a.urdf", "o.xml", "--assets", "keep", "--actuators", "position"]],
    "dh": [["a.urdf"], ["a.urdf", "--tip", TIP], ["dh.toml"], ["dh.toml", "--format", "matlab"]],
    "dynamics": [["a.urdf"], ["small.urdf", "--tau", f"{NAME}j0=1"]],
    "fix": [["a.urdf"], ["a.urdf", "--unsafe"]],
    "fk": [["a.urdf", TIP], ["a.urdf", TIP, "--q", f"{NAME}j0=3"], ["dh.toml", "tool0"], ["a.urdf", "x"]],
    "ik": [["a.urdf", "--frame", TIP, "--pose", "0.5 0.1 0.9"], ["a.urdf", "--frame", TIP, "--pose", "9 9 9"]],
    "inspect": [["a.urdf"], ["a.urdf", "--all"], ["a.urdf", "--joint-table"], ["a.urdf", "--cover"], ["dh.toml"]],
    "limits": [["a.urdf", "--limits", "rows.toml"], ["check", "a.urdf", "m.csv", "--unit", "rad"]],
    "models": [[]],
    "motion": [
        ["check", "a.urdf", "m.csv"],
        *(["check", "a.urdf", "m.csv", "--frame", TIP, f"--{name}", f"{TIP}=x"] for name in ("velocity", "payload")),
        ["check", "a.urdf", "m.csv", "--frame", TIP, "--touch", TIP, "--torque", f"{TIP}=1"],
    ],
    "excite": [["a.urdf", "-o", "m.csv", "--force", *more] for more in ((), ("--of", "geometry", "--frame", TIP))],
    "move": [["a.urdf", "--frame", TIP, "--to", xyz, "--acceleration", "1"] for xyz in ("0.5 0.1 0.9", "9 9 9")],
    "pose": [[f"{NAME}", "--from", "kuka", "--to", "ros"]],
    "reach": [["small.urdf", "--frame", f"{NAME}l1", "--directions", "0", "--rolls", "0", "--voxel", "0.2"]],
    "rule": [[NAME]],
    "serve": [["a.urdf", "--host", "256.0.0.1"]],
    "show": [["a.urdf", "-o", "o.html"], ["a.urdf", "-o", "p.html", "--q", f"{NAME}j0=3"]],
    "tf": [["a.urdf", "m.csv", "-o", "o.mcap"]],
    "verify": [["a.urdf", "log.csv", "--pose", f"{TIP}=T.csv"], ["a.urdf", "m.csv", "--pose", TIP]],
}
"""Arguments of every command that prints; the language server prints nothing about a robot."""


def test_every_command_is_there():
    assert {*COMMANDS} == {*group.list_commands(None)} - {"lsp"}


@each("arguments", [[name, *one] for name, several in COMMANDS.items() for one in several])
def test_nothing_reaches_the_terminal_as_it_is(run, folder, arguments):
    result = run(*arguments)
    assert result.stdout + result.stderr
    for line in (result.stdout + result.stderr).split("\n"):
        assert line.isprintable(), line
        assert not line.startswith("INJECTED"), line


@each("arguments", [["inspect", "a.urdf"], ["dh", "dh.toml"], ["fk", "a.urdf", TIP], ["compare", "a.urdf", "b.urdf"]])
def test_the_name_stays_legible(run, folder, arguments):
    assert r"\x9b31m" in run(*arguments).stdout


def test_the_command_line_itself(run, folder):
    """A file's name may come from a pattern of the shell, and be hostile."""
    for arguments in (["inspect", f"--{BAD}"], ["inspect", "a.urdf", BAD], ["inspect", f"{BAD}.urdf"], [BAD]):
        result = run(*arguments)
        assert result.exit_code == 2
        assert all(line.isprintable() for line in result.stderr.split("\n")), result.stderr


def test_a_line_feed_in_a_table(capsys):
    print_page([Section("a\nb", ("", ""), [("c\nd", "\u202e")], "e\nf")])
    assert capsys.readouterr().out == "a\\nb  (e\\nf)\n  c\\nd  \\u202e\n"


def test_one_place_prints():
    """Commands print by `say`, findings that are escaped already by `write_lines`, and JSON by `print_json`."""
    trees = {file.name: ast.parse(file.read_text(encoding="utf-8")) for file in PACKAGE.rglob("*.py")}
    calls = [(name, node.func) for name, tree in trees.items() for node in ast.walk(tree) if isinstance(node, ast.Call)]
    found = [name for name, called in calls if ast.unparse(called) in ("print", "click.echo", "click.secho")]
    assert sorted(found) == ["_findings.py", "_findings.py", "_output.py", "_say.py"]
