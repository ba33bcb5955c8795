"""DH tables in TOML with two of everything: each fault has the line, the name and the reason of the wrong one."""

from __future__ import annotations

import numpy as np

from each import each
from kinetree.formats import dh

TEXT = """\
name = "r"
convention = "dh"
units = { length = "mm", angle = "deg" }
[[chain]]
name = "one"
rows = [
  { joint = "p", a = 1, d = 2, alpha = 90, theta = 0 },
]
[[chain]]
name = "two"
on = "p_link"
rows = [
  { joint = "q", a = 1, d = 2, alpha = 90, theta = 0 },
  { joint = "s", a = 1, d = 2, alpha = 90, theta = 0 },
]
[[frame]]
name = "f"
on = "p_link"
xyz = [1, 2, 3]
[[frame]]
name = "g"
on = "q_link"
[[sensor]]
name = "t"
type = "imu"
frame = "f"
[[fixed]]
joint = "x"
on = "q_link"
link = "l"
[[inertial]]
on = "q_link"
mass = 2
inertia = [1, 0, 0, 1, 0, 1]
[[coupled_limit]]
coefficients = { p = 1, q = 2 }
upper = 1
[shapes]
rows = [
  { on = "p_link", radius = 10 },
  { on = "q_link", radius = 20, to = [0, 0, 100] },
]
[groups]
arm = ["p", "q"]
"""
FAULTS = [  # what is changed in this text, and the line, code, element and beginning of the message of the first error
    (
        'length = "mm", angle = "deg"',
        'length = "mm"',
        3,
        "unit",
        "chain 'one'",
        "the unit of alpha, theta is not declared",
    ),
    (
        'units = { length = "mm", angle = "deg" }\n',
        "",
        3,
        "unit",
        "chain 'one'",
        "the unit of a, d, alpha, theta is not declared",
    ),
    (
        'name = "two"\n',
        'name = "two"\nunits = { length = "cubit" }\n',
        11,
        "unit",
        "chain 'two'",
        "the unit of length is 'cubit'; expected m, cm, mm",
    ),
    (
        'name = "two"\n',
        'name = "two"\nunits = { b = "mm" }\n',
        11,
        "unit",
        "chain 'two'",
        "units has 'b', which is not a column; there are 'length',",
    ),
    ('name = "two"\n', "", 9, "no-name", "chain 2", "needs a name, as there are several chains"),
    ('name = "two"', 'name = "one"', 5, "duplicate-name", "chain 'one'", "there are two chains of this name"),
    (
        'name = "two"\n',
        'name = "two"\nconvention = "x"\n',
        11,
        "convention",
        "chain 'two'",
        "convention is 'x'; expected 'dh' (standard, distal) or",
    ),
    (
        'convention = "dh"',
        'convention = "x"',
        2,
        "convention",
        "chain 'one'",
        "convention is 'x'; expected 'dh' (standard, distal) or",
    ),
    (
        'convention = "dh"\n',
        "",
        None,
        "convention",
        "chain 'one'",
        "the convention is not declared; expected 'dh' (standard,",
    ),
    (
        'name = "two"\n',
        'name = "two"\nlength = 3\n',
        11,
        "unknown-key",
        "chain 'two'",
        "the key 'length' is unknown; there are 'base',",
    ),
    (
        'on = "p_link"\nrows = [',
        'on = "z"\nrows = [',
        10,
        "unknown-frame",
        "chain 'two'",
        "on='z' is not a link or frame before it; there are",
    ),
    (
        'on = "p_link"\nrows = [',
        'on = "p_link"\nrowss = [',
        12,
        "unknown-key",
        "chain 'two'",
        "the key 'rowss' is unknown; did you mean 'rows'?",
    ),
    (
        'joint = "s", a = 1',
        'joint = "s", a = "x"',
        14,
        "number",
        "row 2 of chain 'two', joint 's'",
        "a is 'x'; expected a number, a multiple of pi such as pi/2,",
    ),
    (
        '  { joint = "s", a = 1, d = 2, alpha = 90, theta = 0 },',
        "  3,",
        None,
        "rows",
        "row 2 of chain 'two'",
        "is 3; expected { joint = …, a = …, d = …, alpha = …, theta = … }",
    ),
    (
        'name = "two"\n',
        'name = "two"\nbase = { xyz = [1, 2] }\n',
        11,
        "pose",
        "base of chain 'two'",
        "xyz and rpy take three numbers each; expected { matrix =",
    ),
    ('name = "two"\n', 'name = "two"\nframes = 1\n', 11, "flag", None, "frames is 1; expected true or false"),
    (
        'name = "g"\non = "q_link"',
        'name = "g"\non = "z"',
        20,
        "unknown-frame",
        "frame 'g'",
        "on='z' is not a link or frame before it; there are",
    ),
    (
        'name = "g"\n',
        'name = "g"\nat = 1\n',
        22,
        "unknown-key",
        "frame 2",
        "the key 'at' is unknown; did you mean 'matrix'?",
    ),
    (
        'name = "g"\n',
        'name = "g"\nrpy = [1, 2]\n',
        20,
        "pose",
        "frame 2",
        "xyz and rpy take three numbers each; expected { matrix =",
    ),
    ('type = "imu"\n', "", 23, "missing-key", "sensor 1", "needs type = …, which is missing"),
    ('frame = "f"\n', "", 23, "missing-key", "sensor 1", "needs frame = …, which is missing"),
    (
        'frame = "f"',
        'frame = "z"',
        23,
        "unknown-frame",
        "sensor 't'",
        "its frame 'z' does not exist; there are 'base_link', 'f',",
    ),
    (
        'frame = "f"',
        'frame = "f"\njoint = "z"',
        23,
        "unknown-joint",
        "sensor 't'",
        "its joint 'z' does not exist; there are 'p', 'q', 's', 'x'",
    ),
    (
        'frame = "f"',
        'frame = "f"\nforce_torque = { frame = "x" }',
        27,
        "force-torque",
        "sensor 1",
        "force_torque is {'frame': 'x'}; expected { frame = 'child'",
    ),
    ('joint = "x"\n', "", 27, "missing-key", "fixed joint 1", "needs joint = …, which is missing"),
    ('link = "l"\n', "", 27, "missing-key", "fixed joint 1", "needs link = …, which is missing"),
    (
        'joint = "x"\non = "q_link"',
        'joint = "x"\non = "z"',
        27,
        "unknown-link",
        "fixed joint 'x'",
        "on='z' is not a link; there are 'base_link', 'p_link',",
    ),
    ("mass = 2\n", "", 31, "missing-key", "inertial 1", "needs mass = …, which is missing"),
    ("mass = 2", 'mass = "x"', 33, "number", "inertial 1", "mass is 'x'; expected a number, in kg"),
    (
        "inertia = [1, 0, 0, 1, 0, 1]",
        "inertia = [1, 0, 0, 1, 0]",
        34,
        "number",
        "inertial 1",
        "inertia is [1, 0, 0, 1, 0]; expected [ixx, ixy, ixz, iyy,",
    ),
    (
        '[[inertial]]\non = "q_link"',
        '[[inertial]]\non = "z"',
        31,
        "unknown-frame",
        "inertial on 'z'",
        "on='z' is not a link or frame; there are 'base_link',",
    ),
    (
        "coefficients = { p = 1, q = 2 }",
        'coefficients = { p = 1, q = "x" }',
        35,
        "coupled-limit",
        "coupled limit 1",
        "needs coefficients = { joint = number, … }; lower and upper",
    ),
    (
        "coefficients = { p = 1, q = 2 }",
        "coefficients = { p = 1, z = 2 }",
        35,
        "coupled-limit",
        "coupled limit 'limit_1'",
        "names 'z', which is not a joint of one coordinate",
    ),
    (
        "upper = 1\n",
        "upper = 1\nuper = 1\n",
        38,
        "unknown-key",
        "coupled limit 1",
        "the key 'uper' is unknown; did you mean 'upper'?",
    ),
    ("radius = 20", "radius = 0", 41, "shape", "shape 2", "is {'on': 'q_link', 'radius': 0, 'to': [0, 0, 100]};"),
    ("radius = 20", "radiu = 20", 41, "shape", "shape 2", "is {'on': 'q_link', 'radiu': 20, 'to': [0, 0, 100]};"),
    (
        'on = "q_link", radius',
        'on = "z", radius',
        41,
        "unknown-frame",
        "shape on 'z'",
        "'z' is not a link or frame; there are 'base_link',",
    ),
    (
        "to = [0, 0, 100]",
        "to = [0, 0]",
        41,
        "pose",
        "shape 2",
        "xyz and rpy take three numbers each; expected { matrix =",
    ),
    (
        "to = [0, 0, 100]",
        'to = [0, 0, 100], type = "x"',
        41,
        "shape",
        "shape 2",
        "is {'on': 'q_link', 'radius': 20, 'to': [0, 0, 100],",
    ),
    (
        "[shapes]\nrows = [",
        "[shapes]\nrows = 1\nx = [",
        40,
        "unknown-key",
        "shapes",
        "the key 'x' is unknown; there is only 'rows'",
    ),
    (
        '[groups]\narm = ["p", "q"]',
        '[groups]\narm = ["p", 1]',
        43,
        "groups",
        None,
        "groups is not a table of lists of joint names",
    ),
    (
        '[groups]\narm = ["p", "q"]',
        '[groups]\narm = ["p", "z"]',
        1,
        "unknown-joint",
        "group 'arm'",
        "its joint 'z' does not exist; there are 'p', 'q', 's', 'x'",
    ),
    (
        'units = { length = "mm", angle = "deg" }\n',
        'units = { length = "mm", angle = "deg" }\nroot = 3\n',
        4,
        "text",
        None,
        "root is 3; expected a text",
    ),
    (
        '[[frame]]\nname = "f"\non = "p_link"\nxyz = [1, 2, 3]\n[[frame]]',
        "[frame]",
        16,
        "table",
        None,
        "frame is not a list of tables; expected [[frame]], once for each",
    ),
]


@each("old, new, line, code, element, message", FAULTS)
def test_a_fault_says_where_it_is(old, new, line, code, element, message):
    assert TEXT.count(old) == 1
    robot, findings = dh.read(TEXT.replace(old, new), "t.toml")
    error = next(one for one in findings if one.severity == "error")
    assert robot is None
    assert (error.source and error.source.line, error.code, error.element) == (line, code, element)
    assert error.message.startswith(message)


def test_the_whole_text_has_no_fault():
    robot, findings = dh.read(TEXT, "t.toml")
    assert findings == []
    assert robot.links["q_link"].inertial.inertia.tolist() == np.eye(3).tolist()
    assert [limit.name for limit in robot.coupled_limits] == ["limit_1"]


def test_a_fault_of_the_file_is_said_once():
    text = TEXT.replace('name = "r"', 'name = "r"\nroot = 3')
    errors = [one for one in dh.read(text, "t.toml")[1] if one.severity == "error"]
    assert [(one.message, one.source.line) for one in errors] == [("root is 3; expected a text", 2)]
