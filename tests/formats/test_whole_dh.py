"""DH tables as robots, in full: everything that is read, said and written of small tables."""

# ruff: noqa: E501

import pytest

import kinetree as kt
from kinetree.formats import dh
from kinetree.model.assemble import build, parts_of
from whole import reading, written

HEAD = 'convention = "dh"\nunits = { length = "m", angle = "deg" }\n'
ROW = 'rows = [{ joint = "j", a = 1, d = 2, alpha = 90, theta = 30 }]\n'
TWO = '[[chain]]\nname = "one"\n{}[[chain]]\nname = "two"\n{}'
CELLS = "a = 0, d = 0, alpha = 0, theta = 0"
FORCE_TORQUE = 'name = "s"\ntype = "force_torque"\nframe = "tip"\n'
MEASURES = 'frame = "sensor", measure_direction = "parent_to_child"'


def rows(*cells: str) -> str:
    return "rows = [\n" + "".join(f"  {{ {one} }},\n" for one in cells) + "]\n"


def shared(more: str, other: str = "") -> str:
    """Two chains with a joint, and what the row of each says besides."""
    return HEAD + TWO.format(*(rows(f'joint = "j", {CELLS}{one}') for one in (more, other)))


TABLES = {
    "everything": """name = "arm"
root = "foot"
convention = "mdh"
units = { length = "cm", angle = "deg", d = "mm", alpha = "rad" }
order = ["lift", "turn"]
[[chain]]
name = "left"
base = { xyz = [10, 20, 30], rpy = [0, 90, 0] }
tool = { matrix = [[0, -1, 0, 1], [1, 0, 0, 2], [0, 0, 1, 3], [0, 0, 0, 1]] }
tip = "hand"
rows = [
  { joint = "turn", a = 1, d = 20, alpha = "pi/2", theta = "30 + (-40 -> 50)", offset = 5, velocity = 90, effort = 7, acceleration = 180, jerk = 360, link = "upper", frame = "shoulder", link_frame = { xyz = [1, 0, 0] } },
  { joint = "lift", type = "prismatic", a = 2, d = "−10 → 30", alpha = 0.5, theta = -90, flip = true, velocity = 4, damping = 3, friction = 2, stiffness = 5, reference = 6, armature = 8, acceleration = 50, deceleration = 60 },
  { type = "fixed", a = 3, d = 0, alpha = 0, theta = 15, frame = "wrist" },
]
[[chain]]
name = "right"
on = "shoulder"
convention = "dh"
frames = false
units = { length = "m", angle = "rad" }
rows = [
  { joint = "spin", type = "continuous", a = 0.5, d = 0.25, alpha = 1, theta = 2, effort = 3, mimic = { joint = "turn", multiplier = -2, offset = 0.5 } },
  { joint = "slide", type = "prismatic", a = 0, d = 0, alpha = 0, theta = 0, limits = [-0.5, inf], mimic = { joint = "lift" } },
]
[[fixed]]
joint = "weld"
on = "upper"
link = "outer"
xyz = [1, 2, 3]
rpy = [90, 0, 0]
[[inertial]]
on = "outer"
mass = 2
xyz = [1, 0, 0]
inertia = [1, 0.1, 0.2, 2, 0.3, 3]
[[inertial]]
on = "wrist"
mass = 3
[[frame]]
name = "eye"
on = "wrist"
xyz = [0, 0, 4]
[[frame]]
name = "unseen"
unplaced = "nobody knows"
[[frame]]
name = "behind"
on = "unseen"
rpy = [0, 0, 90]
[[sensor]]
name = "gauge"
type = "force_torque"
frame = "outer"
joint = "weld"
force_torque = { frame = "sensor", measure_direction = "parent_to_child", point = "joint" }
[[sensor]]
name = "imu"
type = "imu"
frame = "eye"
xyz = [5, 0, 0]
[[coupled_limit]]
coefficients = { turn = 1, lift = -2.5 }
upper = 3
[[coupled_limit]]
name = "low"
coefficients = { turn = 1 }
lower = -1
[groups]
both = ["turn", "lift"]
none = []
[shapes]
rows = [
  { on = "hand", radius = 2, to = "wrist" },
  { on = "foot", radius = 1, to = [0, 0, 5], from = [1, 0, 0], type = "cylinder" },
  { on = "foot", radius = 3 },
  { on = "foot", radius = 3, to = [0, 0, 0] },
]
""",
    "keys of a chain beside chains": HEAD + TWO.format(ROW, ROW) + "\n[units2]\nrows = 1\n[base]\nx = 1\n",
    "keys of a chain": HEAD + f"[[chain]]\nodd = 1\n{ROW}",
    "one chain of a list": HEAD + "[[chain]]\n" + ROW,
    "chains without a name": HEAD + f"[[chain]]\n{ROW}[[chain]]\n{ROW}",
    "chains of one name": HEAD + f'[[chain]]\nname = "c"\n{ROW}[[chain]]\nname = "c"\n{ROW}',
    "names that are no texts": HEAD + "name = 1\nroot = []\ntip = 2\non = 3\n" + ROW,
    "no rows": HEAD,
    "rows that are no list": HEAD + "rows = 3\n",
    "rows that are no tables": HEAD + "rows = [3, []]\n",
    "lists that are none": HEAD + ROW + "frame = 3\nsensor = [1]\nfixed = {}\n",
    "units that are none": 'convention = "dh"\nunits = 3\n' + ROW,
    "units of nothing": 'convention = "dh"\nunits = { a = "km", b = "m", angle = 1, length = "m" }\n' + ROW,
    "units of a chain": HEAD + '[[chain]]\nunits = { a = "mm", theta = "rad" }\ntool = { xyz = [1, 0, 0] }\n' + ROW,
    "no units outside of the rows": 'convention = "dh"\nunits = { a = "m", d = "mm", alpha = "deg", theta = "rad" }\n'
    "base = { xyz = [0, 1, 0], rpy = [1, 0, 0] }\n" + ROW,
    "units of both columns": 'convention = "dh"\nunits = { a = "mm", d = "mm", alpha = "deg", theta = "deg" }\n'
    "base = { xyz = [0, 1, 0], rpy = [90, 0, 0] }\n" + ROW,
    "a convention of a chain": HEAD + TWO.format('convention = "mdh"\n' + ROW, 'convention = "x"\n' + ROW),
    "keys of tables": HEAD
    + ROW
    + "".join(f"[[{name}]]\nodd = 1\n" for name in ("frame", "fixed", "inertial", "sensor"))
    + "[[coupled_limit]]\nodd = 1\n[shapes]\nodd = 1\n",
    "masses that are none": HEAD + ROW + '[[inertial]]\non = "tip"\nmass = "1"\ninertia = [1, 2]\n'
    '[[inertial]]\non = "j_lnk"\nmass = 1\n[[inertial]]\non = "dh_1"\nmass = 1\n',
    "coupled limits": HEAD
    + ROW
    + "".join(
        f"[[coupled_limit]]\n{text}\n"
        for text in (
            "coefficients = {}",
            "coefficients = { j = true }",
            "coefficients = { j = nan }",
            "coefficients = 3",
            "coefficients = { j = 1 }\nlower = nan",
            "coefficients = { j = 1 }\nupper = '1'",
            "coefficients = { nobody = 1 }",
        )
    ),
    "groups and order": HEAD + 'order = "j"\n' + ROW + "[groups]\na = 1\n",
    "an order": HEAD + 'order = ["j", "j"]\n' + ROW,
    "shapes that are none": HEAD
    + ROW
    + "[shapes]\n"
    + rows(
        *('on = "tip", radius = 0', 'on = "tip", radius = true', 'on = "tip", radius = inf', "on = 3, radius = 1"),
        *('on = "tip", radius = 1, type = "box"', 'on = "tip", radius = 1, odd = 1', 'on = "tip", radius = 1, to = 3'),
        *('on = "tip", radius = 1, to = [1]', 'on = "tip", radius = 1, from = ["x", 0, 0]'),
    ),
    "shapes of nothing": HEAD
    + ROW
    + "[shapes]\n"
    + rows(
        *('on = "tpi", radius = 1', 'on = "tip", radius = 1, to = "dh_9"', 'on = "tip", radius = 1, to = "base_link"'),
        *('on = "tip", radius = 1e60', 'on = "tip", radius = 1, to = [1e60, 0, 0]'),
    ),
    "shapes of no list": HEAD + ROW + "[shapes]\nrows = 3\n",
    "shapes that are no table": HEAD + "shapes = 3\n" + ROW,
    "sensors": HEAD
    + ROW
    + '[[sensor]]\nname = "s"\n'
    + "".join(
        f"[[sensor]]\n{FORCE_TORQUE}force_torque = {text}\n"
        for text in (
            "3",
            f"{{ {MEASURES}, odd = 1 }}",
            '{ frame = "sensor" }',
            f'{{ {MEASURES}, point = "tip" }}',
        )
    ),
    "a sensor of a frame": HEAD + ROW + f"[[sensor]]\n{FORCE_TORQUE}rpy = [0, 0, 90]\njoint = 'j'\n"
    f"force_torque = {{ {MEASURES} }}\n",
    "fixed joints": HEAD + ROW + '[[fixed]]\njoint = "f"\n[[fixed]]\njoint = "g"\non = "tip"\nlink = "x"\n',
    "frames of nothing": HEAD + ROW + '[[frame]]\nname = "f"\non = "tpi"\nxyz = [1]\n[[frame]]\non = 3\n',
    "a base on nothing": HEAD + 'on = "nobody"\n' + ROW,
    "a base on a frame": HEAD + TWO.format(ROW, 'on = "one_tip"\nrows = []\n'),
    "types of rows": HEAD
    + rows(
        *(
            f"{CELLS}, joint = 'b', type = 'ball'",
            f"{CELLS}, type = 3, joint = 4",
            f"{CELLS}, type = 'fixed', joint = 'f'",
        ),
        f"{CELLS}, type = 'fixed', offset = 1, flip = true, limits = [0, 1], velocity = 1, effort = 1, jerk = 1, link = 'l'",
        "a = 0, d = '0 -> 1', alpha = 0, theta = 0, type = 'fixed'",
        f"{CELLS}, joint = 'c', type = 'continuous', limits = [0, 1]",
        f"{CELLS}, joint = 'v', type = 'continuous', velocity = 1",
    ),
    "ranges": HEAD
    + rows(
        "joint = 'a', a = 0, d = '0 -> 1', alpha = 0, theta = 0",
        "joint = 'b', a = 0, d = 0, alpha = '0 -> 1', theta = '0 -> 1', type = 'prismatic'",
        "joint = 'c', a = 0, d = 0, alpha = 0, theta = '0 -> 1', limits = [0, 1]",
        "joint = 'd', a = 0, d = 0, alpha = 0, theta = '1 + (0 -> 1'",
        "joint = 'e', a = 0, d = 0, alpha = 0, theta = 0, offset = '0 -> 1', stiffness = '0 -> 1', velocity = '0 -> 1'",
        "joint = 'f', a = 0, d = 0, alpha = 0, theta = '2 + (-inf -> 3)'",
    ),
    "limits": HEAD
    + rows(
        *(f"joint = 'a', {CELLS}, limits = '1 + (0 -> 1)'", f"joint = 'b', {CELLS}, limits = [0, 1, 2]"),
        *(f"joint = 'c', {CELLS}, limits = ['pi', 1]", f"joint = 'd', {CELLS}, limits = [0, '1 -> 2']"),
        *(f"joint = 'e', {CELLS}, limits = 3", f"joint = 'f', {CELLS}, limits = [0, true]"),
    ),
    "open limits": HEAD
    + rows(
        *(f"joint = 'a', {CELLS}, limits = [-inf, 90]", f"joint = 'b', {CELLS}, limits = '-90 -> inf'"),
        *(
            f"joint = 'o', {CELLS}, limits = '-inf -> 90'",
            f"joint = 'c', {CELLS}, velocity = 0",
            f"joint = 'd', {CELLS}, effort = 0, deceleration = 90",
        ),
        f"joint = 'e', {CELLS}, acceleration = 90",
    ),
    "numbers": HEAD
    + rows(
        f"joint = 'a', a = 1000000000000001, d = 1000000000000000, alpha = ' 1e1 ', theta = '{'1' * 201}'",
        *("joint = 'b', a = true, d = 'nan', alpha = [], theta = inf", "joint = 'c', a = 1"),
        f"joint = 'd', {CELLS}, velocity = -0.5, effort = 'x', armature = 'pi', reference = 'pi'",
    ),
    "more than a turn": HEAD.replace("deg", "rad")
    + rows(
        "joint = 'a', a = 0, d = 7, alpha = 6.28, theta = -6.28",
        "joint = 'b', a = 0, d = 0, alpha = -6.29, theta = '2 pi'",
    ),
    "a flag": HEAD + rows(f"joint = 'a', {CELLS}, flip = 'TRUE'", f"joint = 'b', {CELLS}, flip = 'False'"),
    "no flag": HEAD + rows(f"joint = 'a', {CELLS}, flip = 'yes'", f"joint = 'b', {CELLS}, flip = 1"),
    "followers": HEAD
    + rows(
        f"joint = 'a', {CELLS}",
        f"joint = 'b', {CELLS}, type = 'prismatic', mimic = {{ joint = 'a', offset = 2 }}",
        f"joint = 'c', {CELLS}, mimic = {{ joint = 'a', offset = 90, multiplier = '2' }}",
    ),
    "no followers": HEAD
    + rows(
        f"joint = 'a', {CELLS}, mimic = {{ multiplier = 1 }}",
        f"joint = 'b', {CELLS}, mimic = {{ joint = 1 }}",
        f"joint = 'c', {CELLS}, mimic = {{ joint = 'a', offset = true }}",
    ),
    "poses": HEAD + "base = 3\ntool = { matrix = [[1, 0, 0, 0]], xyz = [0, 0, 0] }\n" + ROW,
    "more poses": HEAD + "base = { matrix = [1, 2, 3, 4] }\ntool = { rpy = ['pi', 0, 0] }\n" + ROW,
    "poses with pi": HEAD.replace("deg", "rad")
    + "base = { rpy = ['pi/2', 0, 0] }\ntool = { xyz = ['pi', 0, 0] }\n"
    + ROW,
    "a frame of a row": HEAD
    + rows(f"joint = 'a', {CELLS}, link_frame = {{ odd = 1 }}", f"joint = 'b', {CELLS}, link_fram = 3"),
    "the same axis": shared(", velocity = 1, jerk = 2", ", velocity = 1, jerk = 2"),
    "a later row that says less": shared(
        ", velocity = 1, effort = 2, jerk = 3, limits = [0, 1], damping = 1, link = 'l', link_frame = { xyz = [1, 0, 0] }"
    ),
    **{
        f"a later row that says another {key}": shared(f", {key} = {one}", f", {key} = {other}")
        for key, one, other in (
            *(("type", "'prismatic'", "'revolute'"), ("flip", "true", "false"), ("acceleration", 1, 2), ("jerk", 1, 2)),
            *(("link", "'l'", "'m'"), ("mimic", "{ joint = 'k' }", "{ joint = 'k', offset = 1 }"), ("damping", 1, 2)),
            ("link_frame", "{ xyz = [1, 0, 0] }", "{ xyz = [2, 0, 0] }"),
            ("limits", "[0, 1]", "[0, 2]"),
        )
    },
    "a later row of another place": HEAD
    + TWO.format(
        rows(f"joint = 'i', {CELLS}", f"joint = 'j', {CELLS}"),
        rows(f"joint = 'j', {CELLS}").replace("rows", "on='base_link'\nrows"),
    ),
    "a later row of another axis": HEAD
    + TWO.format(
        rows(f"joint = 'j', {CELLS}"),
        rows(f"joint = 'j', {CELLS}").replace("rows", "base = { xyz = [0.25, 0, 0], rpy = [10, 0, 0] }\nrows"),
    ),
    "a later slide beside": HEAD
    + TWO.format(
        rows(f"joint = 'j', type = 'prismatic', {CELLS}"),
        rows(f"joint = 'j', type = 'prismatic', {CELLS}", f"joint = 'k', {CELLS}").replace(
            "rows", "base = { xyz = [0.25, 0, 0] }\nrows"
        ),
    ),
}
COLUMNS = "# convention: dh\njoint, type, a (m), d (m), alpha (deg), theta (deg)"
CSV = {
    "everything": """# name: arm
# root = "the foot"
# convention: mdh
# base: 0 -1 0 10; 1 0 0 20; 0 0 1 30; 0 0 0 1
# tool: [1,0,0,1],[0,1,0,2],[0,0,1,3],[0,0,0,1]
# tip: hand
#
joint; type; a_i [cm]; d (cm); α (rad); θ (deg); limits; velocity; effort; flip; offset; damping; link; frame
turn; ; 1; 2; pi/2; 30 + (-40 -> 50); ; 90; 7; ; 5; ; upper; shoulder
# a comment
lift; prismatic; 2; ; 0.5; -90; -10 → 30; 4; ; true; ; 3; ; ; ;
; fixed; 3; 0; 0; 15
""".replace("2; ; 0.5", "2; 0; 0.5"),
    "nothing": "# convention: dh\n\n  # more\n",
    "headings": "# convention: dh\njoint, A (m), d (mm), alpha, theta (m), theta (deg), odd (m), (a)\n",
    "no convention": COLUMNS.split("\n")[1] + "\nj, , 1, 2, 90, 30\n",
    "settings": '# convention: dh\n# name: "a\n# ROOT: x\n# tip: y,,;\n# odd: 1\n'
    + COLUMNS.split("\n")[1]
    + "\nj, , 1, 2, 90, 30\n",
    "poses": COLUMNS.replace("\n", "\n# base: 1 0 0\n# tool: 1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 2\n")
    + "\nj, , 1, 2, 90, 30\n",
    "units of lengths that differ": COLUMNS.replace("d (m)", "d (mm)").replace(
        "\n", "\n# base: 1 0 0 1 0 1 0 0 0 0 1 0 0 0 0 1\n"
    ),
    "cells": COLUMNS + "\nj, , 1, 2, 90, 30, , \nk, , 1, 2, 90, 30, 4\nl, , 1\n, , x, 2, 90, 30\n",
    "one cell too many": "# convention: dh\na (m)\n1, 2\n",
    "units of other columns": COLUMNS + ", limits (rad), velocity (deg), offset (mm), effort (Nm)\nj, , 1, 2, 90, 30\n",
    "units as they are": COLUMNS + ", limits (deg), velocity (m), effort (Nm)\nj, , 1, 2, 90, 30, -1 -> 1, 2, 3\n",
    "pi in a column with a unit": COLUMNS.replace("deg", "rad") + ", velocity (rad)\nj, , 1, 2, 0, 0, pi\n",
    "texts of numbers": COLUMNS + ", velocity, flip\n4, , 1, 2, 90, 30, -1, maybe\n",
}


def table(text: str, file: str) -> str:
    robot, findings = dh.read(text, file)
    return "".join(f"{finding}\n" for finding in findings) + reading(robot, [])


@pytest.mark.parametrize(("name", "texts"), [("toml", TABLES), ("csv", CSV)])
def test_what_is_read_and_said(name, texts, golden):
    golden(f"whole_dh_{name}.txt", "\n".join(f"# {what}\n{table(text, f't.{name}')}" for what, text in texts.items()))


ARM = HEAD + rows(
    "joint = 'a', a = 1, d = 0, alpha = 90, theta = '-90 -> inf', velocity = 90, effort = 2, acceleration = 90",
    "joint = 'b', a = 1, d = 2, alpha = 0, theta = 0, deceleration = 90, jerk = 180, damping = 1, stiffness = 2",
    "joint = 'c', type = 'prismatic', a = 0.5, d = 1, alpha = 90, theta = 0, reference = 3, armature = 4, friction = 5",
    "joint = 'd', type = 'continuous', a = 0, d = 0.25, alpha = 0, theta = 0, flip = true, frame = 'hand'",
)


LOST = ("frame", "sensor", "geometry", "inertial", "mimic", "group", "coupled_limit")


@pytest.mark.parametrize("format", ["dh", "dh-csv"])
def test_what_is_written(format, golden):
    texts = {"everything": TABLES["everything"], "arm": ARM.replace("rows", "name = 'a#'\nrows", 1)}
    robots = {name: build(parts_of(kt.load(text, format="dh"))) for name, text in texts.items()}
    golden(
        f"written_{format}.txt",
        "\n".join(
            f"# {name} without {', '.join(parts)}\n{written(robot, format, parts)}"
            for name, robot in robots.items()
            for parts in ((), ("limit",), LOST)
        ),
    )


def test_whether_a_text_is_csv():
    texts = {
        ("a.txt", CSV["everything"]): "dh-csv",
        ("<text>", f"\n  # x\n{CSV['no convention']}"): ["convention"],
        ("<text>", TABLES["everything"]): "dh",
        ("a", "# x\n[[chain]]\n"): ["convention", "rows", "unit"],
        ("a", "'odd' = 1\n"): ["convention", "rows", "unit", "unknown-key"],
        ("a.CSV", HEAD): ["missing-column"] * 4 + ["unknown-column"],
        ("a.toml", CSV["everything"]): ["toml-syntax"],
        ("a", "# only\n"): ["no-heading"],
    }
    found = {}
    for file, text in texts:
        robot, findings = dh.read(text, file)
        found[file, text] = robot.text.format if robot else sorted(finding.code for finding in findings)
    assert found == texts
