"""Tables of poses, read alone: what each column becomes, and the whole message about each fault."""

import numpy as np

from each import each
from kinetree.cli._poses import LONGEST, read_poses
from kinetree.controllers import controllers
from kinetree.errors import KinetreeError

NAMES = ("wrist_1", "slide", "x")
TURNING = (True, False, True)
HEAD = "J1,J2,J3,X,Y,Z,A,B,C"
ROW = "90,250,-45,100,200,300,10,20,30"
JOINTS, POSE = [90, 250, -45], [100, 200, 300, 10, 20, 30]


def read(folder, text, maker="kuka", names=NAMES):
    file = folder / "poses.csv"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    try:
        return read_poses(file, controllers[maker], names, TURNING)
    except KinetreeError as error:
        (finding,) = error.findings
        assert (finding.code, finding.source.file) == ("table", str(file))
        return f"{finding.source.line}: {finding.message}"


LAST = f"\n{ROW}\n"


@each(
    "text, notes",
    [
        (HEAD + LAST, []),
        (HEAD.lower() + LAST, []),
        (f"wrist_1,slide,J3,X,Y,Z,A,B,C{LAST}".replace("J3", "x"), []),
        (f"Wrist1,SLIDE,x,X,Y,Z,A,B,C{LAST}", []),
        (f"A1,A2,A3,X,Y,Z,A,B,C{LAST}", []),
        (f"name,{HEAD},#,Comment,note\nP1,{ROW},x,y,z\n", []),
        (f"C,B,A,Z,Y,X,J3,J2,J1\n{','.join(reversed(ROW.split(',')))}\n", []),
        (f"{HEAD}{LAST}".replace(",", ";"), []),
        (f"{HEAD}{LAST}".replace(",", "\t"), []),
        (f"# a\n\n{HEAD}\n# b\n{ROW} # c\n", []),
        (f"{HEAD},,\n{ROW},,\n", []),
        (f"J1 [deg],J2 [mm],J3 (°),X (mm),Y/mm,Z_mm,A deg,Bº,C [DEGREES]{LAST}", []),
        (HEAD + LAST.replace("90,", "90°,").replace("250", "250 mm").replace("-45", "\u221245"), []),
        ('J1,J2,J3,pose\n90,250,-45,"{X 100, Y 200, Z 300, A 10, B 20, C 30}"\n', []),
        (
            f"J1,J2 [m],J3,X [m],Y,Z,A,B,C{LAST}".replace("250", "0.25").replace(",100", ",0.1"),
            ["column 'J2 [m]' is converted from m to mm", "column 'X [m]' is converted from m to mm"],
        ),
        (
            f"J1 [rad],J2,J3,X,Y,Z,A,B,C (radians){LAST}".replace("90", repr(np.pi / 2)).replace(
                ",30\n", f",{np.pi / 6!r}\n"
            ),
            ["column 'J1 [rad]' is converted from rad to deg", "column 'C (radians)' is converted from rad to deg"],
        ),
    ],
)
def test_tables_with_the_same_pose(text, notes, tmp_path):
    joints, poses, said = read(tmp_path, text)
    np.testing.assert_allclose(joints, [JOINTS], rtol=1e-15)
    np.testing.assert_allclose(poses, [POSE], rtol=1e-15)
    assert said == notes


def test_decimal_commas_and_several_rows(tmp_path):
    text = f"{HEAD}\n{ROW}\n{ROW}\n".replace(",", ";").replace("90", "90,5").replace("300", "3,5e2")
    joints, poses, _ = read(tmp_path, text)
    assert joints.tolist() == [[90.5, 250, -45]] * 2
    assert poses.tolist() == [[100, 200, 350, 10, 20, 30]] * 2
    abb = "J1,J2,J3,X,Y,Z,q1,q2 [-],q3 (1),q4 []\n1,2,3,4,5,6,1,0,0,0\n"
    assert read(tmp_path, abb, "abb")[1].tolist() == [[4, 5, 6, 1, 0, 0, 0]]


LEGAL = (
    "; expected wrist_1, slide, x or J1, J2, J3 or A1, A2, A3, and X, Y, Z, A, B, C or pose; "
    "name, comment, note and what begins with # are left out"
)
MARKS = "; expected one of them in all of a file, and nothing between thousands"
WIDE = "; a number with a decimal comma stands in quotation marks, or semicolons separate the cells"


@each(
    "text, message",
    [
        (HEAD, "1: there are no poses below the names; lines that begin with # are comments"),
        (f"{HEAD},D{LAST}", f"1: column 'D' is neither a joint nor of a pose of KUKA{LEGAL}"),
        (f"{HEAD},X [m]{LAST}", f"1: column 'X [m]' stands twice: it is X of the pose{LEGAL}"),
        (f"J1,J2,X,Y,Z,A,B,C{LAST}", f"1: there is no column 'J3'{LEGAL}"),
        (f"{HEAD},pose{LAST}", f"1: column 'X', beside 'pose', is neither a joint nor of a pose of KUKA{LEGAL}"),
        (
            f"{HEAD.replace('X', 'X [inch]')}{LAST}",
            f"1: column 'X [inch]' has the unit 'inch', where m or mm is legal{LEGAL}",
        ),
        (
            f"{HEAD.replace('J1', 'J1 []')}{LAST}",
            f"1: column 'J1 []' has the unit 'none', where deg or rad is legal{LEGAL}",
        ),
        (f"{HEAD}{LAST}{ROW},1\n", f"3: has 10 cells under 9 names{WIDE}"),
        (
            "J1,J2,J3,pose\n1,2,3,1,2\n",
            f"2: has 5 cells under 4 names{WIDE}".replace("number with a decimal comma", "pose that has commas"),
        ),
        (f"{HEAD}\n1,2 # 3\n", "2: has 2 cells under 9 names; what # begins is a comment, unless in quotation marks"),
        (f"{HEAD}\n1,2\n", "2: has 2 cells under 9 names"),
        (f",{HEAD}\nP,{ROW}\n", "2: 'P' stands in column 1, which has no name; expected a name"),
        (
            f"{HEAD}\ndeg,mm,deg,mm,mm,mm,deg,deg,deg{LAST}",
            "2: a row of units stands below the names; expected units in the line of names, as 'J1 [deg]'",
        ),
        (
            f"{HEAD}{LAST}".replace(",", ";").replace("90", "9,5").replace("20;", "2.5;"),
            f"2: column 'J1', '9,5', has a comma, and '2.5' in line 2 a point{MARKS}",
        ),
        (
            f"{HEAD}{LAST}".replace(",", ";").replace("90", "1.009,5"),
            f"2: column 'J1', '1.009,5', has both{MARKS}",
        ),
        (f"{HEAD}{LAST.replace('90', 'x')}", "2: column 'J1' is 'x'; expected a finite number, as 12.5 or 12,5"),
        (
            f"{HEAD}{LAST.replace('90', '1e999')}",
            "2: column 'J1' is '1e999'; expected a finite number, as 12.5 or 12,5",
        ),
        (f"{HEAD}{LAST.replace('90', '')}", "2: column 'J1' is ''; expected a finite number, as 12.5 or 12,5"),
        (
            f"{HEAD}{LAST.replace('100', '0.1 m')}",
            "2: column 'X' is in mm, and has '0.1 m'; legal units, in brackets in the line of names: m, mm",
        ),
        ("J1,J2,J3,pose\n1,2,3,1 2 3\n", None),
        (
            f"{HEAD}{LAST.replace(',10,', ',200,')}",
            f"2: A is 200 deg, beyond ±180; a pose of KUKA is {controllers['kuka'].format}",
        ),
    ],
)
def test_the_whole_message_about_each_fault(text, message, tmp_path):
    found = read(tmp_path, text)
    assert message is None or found == message


def test_names_that_may_be_several_things(tmp_path):
    found = read(tmp_path, f"A,E,F,X,Y,Z,A,B,C{LAST}", names=("A", "E", "F"))
    assert found.startswith(
        "1: column 'A' may be joint 'A' or A of the pose; expected A, E, F or J1, J2, J3 or A1, A2, A3"
    )
    found = read(tmp_path, HEAD + LAST, names=("J3", "J2", "J1"))
    assert found.startswith(
        "1: joint 'J3' may be column 'J3' or, as joint 'J3', 'J1'; expected J3, J2, J1 or J1, J2, J3 or"
    )
    assert read(tmp_path, HEAD + LAST, names=("J1", "J2", "J3"))[0].tolist() == [JOINTS]
    for length, is_read in ((LONGEST, True), (LONGEST + 1, False)):  # of a heading with a unit
        name = "a" * (length - len(" [deg]"))
        found = read(tmp_path, f"{name} [deg],{HEAD[3:]}{LAST}", names=(name, "J2", "J3"))
        assert is_read or found.startswith(f"1: column '{'a' * 60}…' is neither a joint")
        assert isinstance(found, tuple) == is_read


def test_a_unit_of_a_joint_that_is_named_with_it(tmp_path):
    names = ("axis1_deg", "left/2", "c mm")
    joints, *_ = read(tmp_path, f"axis1_deg,left/2 [m],c mm,X,Y,Z,A,B,C{LAST}", names=names)
    assert joints.tolist() == [[90, 250000, -45]]


def test_what_is_wrong_with_all_poses_is_said_of_the_file(run, arm, tmp_path):
    """Faults of no single line, by the command that has read the table."""
    file = tmp_path / "poses.csv"
    joints = ["1,2,3,4,5,6", "11,-12,13,14,15,16", "-21,22,23,-24,25,26"]
    poses = ["100,200,300,10,20,30", "110,210,310,11,-21,31", "120,230,340,-15,26,37"]
    same = "there is 1 different row of {}; expected 3 or more"
    for moved, shown, message in (
        (joints[:1], poses[:1], f"{same.format('joints')}, better 10"),
        (joints[:1] * 3, poses, f"{same.format('joints')}, better 10"),
        (joints, poses[:1] * 3, f"{same.format('poses')}, better 10"),
        (
            joints,
            [poses[0], "1e60,2,3,4,5,6", "9e60,2,3,4,5,6"],
            "row 2 of poses has a number that is not finite, or above 1e+09",
        ),
        ([joints[0], "1,2,3,-2e9,5,6"], poses[:2], "row 2 of joints has a number that is not finite, or above 1e+09"),
    ):
        lines = ["J1,J2,J3,J4,J5,J6,X,Y,Z,A,B,C", *map(",".join, zip(moved, shown, strict=True))]
        file.write_text("\n".join(lines))
        result = run("calibrate", arm, file, "--controller", "kuka")
        code = "joints" if "row 2 of joints" in message else "poses"
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr.splitlines()[0] == f"{file}: error: {message} [{code}]"
