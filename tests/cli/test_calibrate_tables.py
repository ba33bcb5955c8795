"""`kinetree calibrate` reads the tables that spreadsheets export, and refuses what may be read in two ways."""

import json

import numpy as np
import pytest

import kinetree as kt
from kinetree.controllers import controllers

pytestmark = pytest.mark.slow

J = [f"J{i}" for i in range(1, 7)]
KUKA = [*J, "X", "Y", "Z", "A", "B", "C"]
UR = [*J, "X", "Y", "Z", "RX", "RY", "RZ"]
AGREE = "the model and the controller of"


@pytest.fixture
def shown(arm):
    """Joints, deg, and poses as a controller shows them, (5, 12)."""

    def shown(controller="kuka", tool0="tool0"):
        robot = kt.load(arm)
        q = robot.limits.sample(5, seed=3)
        return np.hstack([np.rad2deg(q), controllers[controller].from_pose(kt.fk(robot, tool0, "base").interpret(q))])

    return shown


@pytest.fixture
def calibrate(run, arm, tmp_path):
    """Run the command on a text, or bytes."""

    def calibrate(text, *options, controller="kuka", model=arm):
        file = tmp_path / "poses.csv"
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return run("calibrate", model, file, "--controller", controller, *options)

    return calibrate


def table(head, rows, separator=",", end="\n"):
    cells = [head, *([f"{x:.5f}" if isinstance(x, float) else x for x in row] for row in rows)]
    return end.join(separator.join(line) for line in cells) + end


def agrees(result):
    return result.exit_code == 0 and result.stderr == "" and result.stdout.startswith(AGREE)


def refused(result, *said):
    assert (result.exit_code, result.stdout) == (2, "")
    assert "poses.csv" in result.stderr
    for words in said:
        assert words in result.stderr
    return True


# files


@pytest.mark.parametrize("separator", ";\t")
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_decimal_commas(calibrate, shown, separator, end):
    text = table(KUKA, shown(), separator, end)
    assert agrees(calibrate(text.replace(".", ",")))
    assert agrees(calibrate(text))
    in_quotes = [[f'"{x:.5f}"'.replace(".", ",") for x in row] for row in shown()]
    assert agrees(calibrate(table(KUKA, in_quotes, ",", end)))


def test_a_point_and_a_comma_in_one_file_are_refused(calibrate, shown):
    lines = table(KUKA, shown(), ";").replace(".", ",").splitlines()
    lines[2] = lines[2].replace(",", ".", 1)
    assert refused(calibrate("\n".join(lines)), "poses.csv:6: error", "has a comma, and '", "' in line 3 a point")
    for number in ("1.234,5", "1,234,567", "1 234", "1'234"):
        text = table(KUKA, shown().round(), ";").replace(".00000", "").splitlines()
        text[1] = number + text[1][text[1].index(";") :]
        assert refused(calibrate("\n".join(text)), "poses.csv:2: error")


def test_a_point_and_a_comma_in_one_line_name_both_cells(calibrate, shown):
    lines = table(KUKA, shown().round(), ";").replace(".00000", "").splitlines()
    others = lines[3].split(";")[2:]
    lines[3] = ";".join(["1.5", "2,5", *others])
    said = "poses.csv:4: error: column 'J2', '2,5', has a comma, and '1.5' in line 4 a point"
    assert refused(calibrate("\n".join(lines)), said)
    lines[3] = ";".join(["1", "1.234,5", *others])
    assert refused(calibrate("\n".join(lines)), "poses.csv:4: error: column 'J2', '1.234,5', has both")


@pytest.mark.parametrize(("angle", "length"), [("deg", "mm"), ("[deg]", "(mm)"), ("(deg)", "")])
def test_a_row_of_units_is_refused(calibrate, shown, angle, length):
    head, _, rows = table(["name", *KUKA], [["P", *row] for row in shown().tolist()], ";").partition("\n")
    units = ["unit", *[angle] * 6, *[length] * 3, *[angle] * 3]
    said = "a row of units stands below the names; expected units in the line of names, as 'J1 [deg]'"
    assert refused(calibrate("\n".join([head, ";".join(units), rows])), f"poses.csv:2: error: {said}")


def test_a_cell_with_a_comment_sign(calibrate, shown):
    head, *rows = table(["name", *KUKA], [["P 1", *row] for row in shown().tolist()]).splitlines()
    assert agrees(calibrate("\n".join([head, *rows]).replace("P 1", '"P #1"')))
    rows[1] = rows[1].replace("P 1", "P #1")
    said = "poses.csv:3: error: has 1 cells under 13 names; what # begins is a comment, unless in quotation marks"
    assert refused(calibrate("\n".join([head, *rows])), said)
    rows = [row.replace("P", "#") for row in rows]
    assert refused(
        calibrate("\n".join([head, *rows])), "no poses below the names; lines that begin with # are comments"
    )


def test_a_file_with_nothing_in_it_says_what_names_are_legal(calibrate):
    said = (
        "poses.csv:1: error: there is nothing in it; expected a line of names, such as J1, J2, J3, J4, J5, J6, X, Y, Z"
    )
    assert refused(calibrate(""), said, "and one for each pose")


def test_decimal_commas_between_commas_are_refused(calibrate, shown):
    text = table(KUKA, shown()).replace(".", ",")
    assert refused(calibrate(text), "poses.csv:2: error: has 24 cells under 12 names; a number with a decimal comma")


@pytest.mark.parametrize("separator", ",;\t")
def test_empty_cells_at_the_end(calibrate, shown, separator):
    text = table(KUKA, shown(), separator)
    assert agrees(calibrate(text.replace("\n", f"{separator}\n")))
    assert agrees(calibrate(text.replace("\n", f"{separator} {separator}\n") + separator * 13 + "\n"))
    lines = text.splitlines()
    assert agrees(calibrate("\n".join([lines[0] + separator, *lines[1:]])))
    lines[2] += f"{separator}0.5"
    assert refused(calibrate("\n".join(lines)), "poses.csv:3: error: has 13 cells under 12 names")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
def test_encodings(calibrate, shown, encoding):
    head = [f"{name} [°]" if name not in "XYZ" else name for name in KUKA]
    comment = "# Überprüft: größte Abweichung\n"
    text = comment + table(head, shown(), ";").replace("\n", "\r\n")
    assert agrees(calibrate(text.encode(encoding)))
    big = "\ufeff".encode("utf-16-be") + text.encode("utf-16-be")
    assert agrees(calibrate(big))


def test_minus_signs_and_blanks_that_look_alike(calibrate, shown):
    text = table(KUKA, shown(), ";").replace("-", "−").replace(";", "\u00a0; ")
    assert agrees(calibrate(text))


def test_excels_own_first_line(calibrate, shown):
    assert agrees(calibrate("sep=;\n" + table(KUKA, shown(), ";")))


# names


def test_the_head_may_be_a_comment(calibrate, shown):
    rows = shown()
    assert agrees(calibrate("# KR 10\n\n# " + table(KUKA, rows)))
    assert agrees(calibrate("#" + table([f"{name} (deg)" for name in J] + KUKA[6:], rows, ";").replace(".", ",")))
    numbered = [[str(i), *(f"{x:.5f}" for x in row)] for i, row in enumerate(rows, 1)]
    assert agrees(calibrate(table(["#", *KUKA], numbered)))
    assert agrees(calibrate(table(["# name", *KUKA], [["P1", *row[1:]] for row in numbered])))
    # the last of as many cells is the head; before other names it is a comment
    assert refused(calibrate("# " + table([*KUKA[:-1], "D"], rows)), "poses.csv:1: error: column 'D' is neither")
    assert agrees(calibrate("# 1, 2, 3\n# a, b, c\n" + table(KUKA, rows)))


def test_no_head(calibrate, shown):
    text = table(KUKA, shown()).partition("\n")[2]
    legal = "there is no line of names above the numbers; expected for example J1, J2, J3, J4, J5, J6, X, Y, Z, A, B, C"
    assert refused(calibrate(text), f"poses.csv:1: error: {legal}")
    assert refused(calibrate("# measured by me, yesterday\n" + text), f"poses.csv:2: error: {legal}")
    assert refused(calibrate("# nothing\n"), "poses.csv:1: error: there is nothing in it")


def test_names_of_joints_on_the_pendant(calibrate, shown):
    a = [f"A{i}" for i in range(1, 7)]
    assert agrees(calibrate(table([*a, *KUKA[6:]], shown())))
    assert agrees(calibrate(table([*a, *KUKA[6:]], shown()).lower()))
    rows = shown("universal_robots")
    for joints in ("Base,Shoulder,Elbow,Wrist 1,Wrist 2,Wrist 3", "base,shoulder,elbow,wrist_1,wrist_2,wrist_3"):
        assert agrees(calibrate(table([*joints.split(","), *UR[6:]], rows), controller="ur"))
    assert refused(calibrate(table([*a, *UR[6:]], rows), controller="ur"), "'A1' is neither", "Base, Shoulder, Elbow")


def renamed(arm, names):
    text = arm.read_text()
    for i, name in enumerate(names, 1):
        text = text.replace(f'name="axis_{i}"', f'name="{name}"')
    path = arm.with_name("renamed.urdf")
    path.write_text(text)
    return path


def test_joints_that_are_called_like_numbers_of_a_pose(calibrate, shown, arm):
    rows, clashing = shown(), ["A", "B", "C", "D", "E", "F"]
    model = renamed(arm, clashing)
    assert agrees(calibrate(table(KUKA, rows), model=model))
    said = ("column 'A' may be joint 'A' or A of the pose", "J1, J2, J3, J4, J5, J6 or A1")
    assert refused(calibrate(table([*clashing, *KUKA[6:]], rows), model=model), *said)
    model = renamed(arm, "xyzabc")
    assert agrees(calibrate(table([*"xyzabc", *"XYZABC"], rows), model=model))
    assert agrees(calibrate(table([*J, *"xyzabc"], rows), model=model))
    assert refused(calibrate(table([*"xyzabc", *"xyzabc"], rows), model=model), "column 'x' stands twice")


def test_joints_whose_numbers_are_others(calibrate, shown, arm):
    rows = shown()
    from_zero = renamed(arm, [f"j{i}" for i in range(6)])
    assert agrees(calibrate(table(KUKA, rows), model=from_zero))
    assert agrees(calibrate(table([f"J{i}" for i in range(6)] + KUKA[6:], rows), model=from_zero))
    backwards = renamed(arm, J[::-1])
    said = "joint 'J6' may be column 'J6' or, as joint 'J6', 'J1'"
    assert refused(calibrate(table(KUKA, rows), model=backwards), said)


def test_columns_that_are_left_out(calibrate, shown):
    rows = [["P 1", *(f"{x:.5f}" for x in row), "#ok" if i else "", f"3 # {i}"] for i, row in enumerate(shown())]
    assert agrees(calibrate(table(["Name", *KUKA, "note", "#try"], rows)))
    assert agrees(calibrate(table(["Comment", *KUKA, "# a", "# b"], rows)))
    legal = (
        "expected axis_1, axis_2, axis_3, axis_4, axis_5, axis_6 or J1, J2, J3, J4, J5, J6 or A1, A2, A3, A4, A5, A6"
    )
    legal += ", and X, Y, Z, A, B, C or pose; name, comment, note and what begins with # are left out"
    assert refused(calibrate(table(["Who", *KUKA, "note", "#try"], rows)), "column 'Who' is neither a joint", legal)
    said = "poses.csv:2: error: 'P 1' stands in column 1, which has no name"
    assert refused(calibrate(table(["", *KUKA, "note", "#try"], rows)), said)
    rows = [[*row[1:7], "", *row[7:13]] for row in rows]
    assert agrees(calibrate(table([*J, "", *KUKA[6:]], rows)))  # an empty column between


def test_a_pose_beside_its_numbers(calibrate, shown):
    assert refused(calibrate(table(["pose", *KUKA], shown())), "column 'X', beside 'pose', is neither")


def test_comments(calibrate, shown):
    lines = table(KUKA, shown()).splitlines()
    assert agrees(calibrate("\n".join([lines[0], "# so", *(f'{line} # "so' for line in lines[1:]), "", "  # end"])))
    poses = (dict(zip("XYZABC", row[6:].round(5), strict=True)) for row in shown())
    texts = [", ".join(f"{name} {value}" for name, value in pose.items()) for pose in poses]
    rows = [[*row[:6], f'"{{{text}, S 2}}"'] for row, text in zip(shown(), texts, strict=True)]
    assert agrees(calibrate(table([*J, "pose"], rows)))
    rows[0][6] = rows[0][6].replace("S 2", "S #2")
    assert agrees(calibrate(table([*J, "pose"], rows)))  # the rest of a pose that is left out, not a comment
    split = table([*J, "pose"], rows).replace(", A", ",\n A").replace("J1", '"J1\n(deg)"')
    assert agrees(calibrate(split))
    assert refused(calibrate(split + "1,2,3,4,5,6,pose\n"), "poses.csv:13: error: 'pose' is no pose of KUKA")


# units


@pytest.mark.parametrize("form", ["{} [{}]", "{} ({})", "{}/{}", "{}_{}", "{}[{}]", "{} {}"])
def test_units_in_the_head(calibrate, shown, form):
    rows = shown()
    units = [*["deg"] * 6, *["mm"] * 3, *["deg"] * 3]
    head = [form.format(name, unit) for name, unit in zip(KUKA, units, strict=True)]
    assert agrees(calibrate(table(head, rows)))
    assert agrees(calibrate(table([name.lower() for name in head], rows)))
    scale = [*[np.pi / 180] * 6, *[1e-3] * 3, *[np.pi / 180] * 3]
    other = {"deg": "rad", "mm": "m"}
    head = [form.format(name, other[unit]) for name, unit in zip(KUKA, units, strict=True)]
    text = "\n".join([",".join(head), *(",".join(map(repr, row.tolist())) for row in rows * scale)])
    result = calibrate(text)
    assert (result.exit_code, result.stdout) == (0, calibrate(table(KUKA, rows)).stdout)
    assert f"note: column {head[6]!r} is converted from m to mm" in result.stderr.splitlines()
    assert len(result.stderr.splitlines()) == 12


def test_units_of_other_controllers(calibrate, shown):
    rows = shown("universal_robots") * [*[1] * 6, *[1000] * 3, *[180 / np.pi] * 3]
    head = [*J, "X (mm)", "Y (mm)", "Z (mm)", "RX °", "RY°", "RZ [degrees]"]
    assert calibrate(table(head, rows), controller="ur").exit_code == 0
    rows = [[f"{x:.9f}" for x in row] for row in shown("abb")]
    assert agrees(calibrate(table([*J, *"XYZ", "q1 [-]", "q2 []", "q3 (1)", "q4"], rows), controller="abb"))
    said = "column 'q1 [deg]' has the unit 'deg', where none is legal"
    assert refused(calibrate(table([*J, *"XYZ", "q1 [deg]", "q2", "q3", "q4"], rows), controller="abb"), said)


@pytest.mark.parametrize("sign", ["°", "º", "DEG", "Degree", "degrees"])
@pytest.mark.parametrize("form", ["{} [{}]", "{} ({})", "{} {}", "{}{}"])
def test_signs_and_words_for_degrees(calibrate, shown, sign, form):
    """Keyboards have two signs that look alike: the degree, and the ordinal of Spanish."""
    if form == "{}{}" and sign.isalpha() and sign != "º":
        return  # a longer name
    head = [name if name in "XYZ" else form.format(name, sign) for name in KUKA]
    result = calibrate(table(head, shown()))
    assert agrees(result)
    assert "is converted" not in result.stderr


@pytest.mark.parametrize("unit", ["inch", "grad", "deg", "in", "none", ""])
def test_units_that_are_none_of_ours(calibrate, shown, unit):
    head = [f"X [{unit}]" if name == "X" else name for name in KUKA]
    said = f"column 'X [{unit}]' has the unit {unit or 'none'!r}, where m or mm is legal"
    assert refused(calibrate(table(head, shown())), f"poses.csv:1: error: {said}")


def test_units_in_cells(calibrate, shown):
    units = [*["°"] * 3, *["º"] * 3, *[" mm"] * 3, *[" deg"] * 3]
    rows = [[f"{x:.5f}{unit}" for x, unit in zip(row, units, strict=True)] for row in shown()]
    assert agrees(calibrate(table(KUKA, rows)))
    rows[1][6] = "0.5 m"
    assert refused(calibrate(table(KUKA, rows)), "poses.csv:3: error: column 'X' is in mm, and has '0.5 m'")


def test_joints_with_units_in_their_names(calibrate, shown, arm):
    names = [f"axis{i}_deg" for i in range(1, 7)]
    assert agrees(calibrate(table([*names, *KUKA[6:]], shown()), model=renamed(arm, names)))
    names = [f"left/{i}" for i in range(1, 7)]
    head = [*(f"{name} [deg]" for name in names), *KUKA[6:]]
    assert agrees(calibrate(table(head, shown()), model=renamed(arm, names)))


# options


@pytest.mark.slow
def test_tolerance(calibrate, shown):
    rows = shown()
    rows[1, 6] += 2
    text = table(KUKA, rows)
    assert calibrate(text).exit_code == 1
    assert calibrate(text, "--tolerance", 3, 0.1).exit_code == 0
    for bad in ((0, 1), (1, -1), ("nan", 1), (1, "inf")):
        result = calibrate(text, "--tolerance", *bad)
        assert result.exit_code == 2
        assert "--tolerance: is " in result.stderr
        assert "expected two finite numbers above 0, mm and deg" in result.stderr


def test_a_robot_model_that_nobody_knows(calibrate, shown):
    head = [*J, *controllers["abb"].components]
    text = table(head, [[f"{x:.9f}" for x in row] for row in shown("abb")])
    result = calibrate(text, "--robot-model", "nonsense", controller="abb")
    assert result.exit_code == 2
    assert "no model 'nonsense' among those whose joints ABB is known to couple or not" in result.stderr
    result = calibrate(table(KUKA, shown()), "--robot-model", "KR 10")
    assert (result.exit_code, result.stderr) == (0, "")


@pytest.mark.parametrize("role", ["base", "tool0", "base-link", "flange"])
def test_frames_that_are_misspelt(calibrate, shown, role):
    text = table(KUKA, shown())
    name = role.replace("-", "_")
    result = calibrate(text, f"--{role}", f"{name}x")
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"--{role}: no frame '{name}x'; did you mean '{name}'" in result.stderr
    assert agrees(calibrate(text, f"--{role}", name))


def test_json_has_no_negative_zero(calibrate, shown):
    text = table(KUKA, shown(tool0="flange"))
    result = calibrate(text, "--json", "--tool0", "flange", "--flange", "l6")
    assert json.loads(result.stdout)["agrees"]
    assert "-0.0," not in result.stdout
    assert "-0.0]" not in result.stdout


# what is no table


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "poses.csv:1: error: there is nothing in it"),
        (b"\xef\xbb\xbf", "poses.csv:1: error: there is nothing in it"),
        (b"\xff\xfe", "poses.csv:1: error: there is nothing in it"),
        (b"\xff\xfeJ\x00\x00", "poses.csv:1: error: the text is not utf-16, as its first bytes say"),
        (b"PK\x03\x04\x14\x00", r"poses.csv:1: error: has the character '\x03', which is not a text; expected"),
        ("\n".join(KUKA).encode("utf-16-le"), r"poses.csv:1: error: has the character '\x00'"),
        (bytes(range(256)), r"poses.csv:1: error: has the character '\x00'"),
        (b"J1,J2\n1,\x1b[31m2\n", r"poses.csv:2: error: has the character '\x1b'"),
        ("J1,\u202eJ2\n1,2\n".encode(), r"column '\u202eJ2' is neither"),
        (b"J1,\x9b31mJ2\n1,2\n", r"column '\x9b31mJ2' is neither"),
        (b"a" * 900_000, "poses.csv:1: error: cannot be split into cells: field larger than field limit"),
        (b"a" * 70_000, "column '" + 60 * "a" + "…' is neither"),
        (b"a," * 100_000, "poses.csv:1: error: there are 100000 columns; at most 100"),
        (b"a" * 5_000_000, "poses.csv: error: has 5000000 bytes; at most 1000000 are read"),
        (",".join(KUKA).encode() + b'\n1,"2\n3\n', "poses.csv:2: error: a quotation mark is not closed"),
        (",".join(KUKA).encode() + b'\n"1"2,3\n', "poses.csv:2: error: cannot be split into cells"),
        (",".join(KUKA).encode() + b"\n1,2\n" * 1001, "poses.csv:2002: error: there are 1001 rows; at most 1000"),
        (" ".join(KUKA).encode() + b"\n1 2\n", "column 'J1 J2 J3"),
    ],
)
def test_what_is_no_table(calibrate, content, said):
    result = calibrate(content)
    assert refused(result, said)
    assert not set(result.stderr) & set("\x1b\x9b\u202e\x00")
    assert len(result.stderr) < 1000


def test_errors_of_all_poses_name_the_file_and_of_one_its_line(calibrate, shown):
    rows = shown()
    assert refused(calibrate(table(KUKA, rows[:2])), "poses.csv: error: there are 2 different rows of joints")
    rows[:, 9] = 0
    rows[2, 9] = 200
    assert refused(calibrate(table(KUKA, rows)), "poses.csv:4: error: A is 200 deg, beyond ±180")
