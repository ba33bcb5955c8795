"""What commands print, to the letter: tables, headings, units, notes and errors."""

import json
import re
import shlex

import pytest

from pendants import urdf

SMALL = """<robot name="small"><link name="l0"/><link name="l1"/><link name="l2"/><link name="l3"/>
  <joint name="j0" type="revolute"><parent link="l0"/><child link="l1"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" velocity="2" effort="1"/></joint>
  <joint name="j1" type="revolute"><parent link="l1"/><child link="l2"/><origin xyz="0.5 0 0"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1.25" velocity="2" effort="1"/></joint>
  <joint name="j2" type="prismatic"><parent link="l2"/><child link="l3"/><origin xyz="0.25 0 0"/><axis xyz="1 0 0"/>
    <limit lower="0" upper="0.5" velocity="2" effort="1"/></joint></robot>"""
ROWS = """[[limits]]
name = "cable"
unit = "deg"
joints = ["j0", "j1"]
G = [[3, 4], [-1, -1], [1, 0]]
h = [200, 100, 400]
"""
MOTION = """time, j0, j1, j2
0.0, 0, 0, 0
0.5, 50, 50, 0
1.0, 57, 70, 0.2
1.5, 0, 0, 0.6
"""

COMMANDS = [
    "inspect small.urdf",
    "inspect small.urdf --all --limits rows.toml",
    "inspect mixed.urdf",
    "inspect mixed.urdf --all",
    "inspect arm.urdf --format sdf",
    "inspect mixed.urdf --joint-table",
    "inspect drone.urdf --joint-table --json",
    "inspect drone.urdf --json",
    "inspect drone.urdf --frame hand --joint shoulder -o a.svg",
    "inspect drone.urdf --frame hand",
    "inspect drone.urdf -o a.svg --deg",
    "inspect drone.urdf --frame hand --all -o a.svg",
    "inspect drone.urdf --frame hand -o a.png",
    "inspect drone.urdf --frame hand --q shoulder=1 -o drone.svg",
    "inspect drone.urdf --frame hand -o drone.svg",
    "inspect drone.urdf --force",
    "fk mixed.urdf tool",
    "fk mixed.urdf tool finger --base cart --q drive=1,2,90 --q lift=0.1 --deg",
    "fk mixed.urdf tool --q drive=1,2",
    "fk mixed.urdf tool --q nowhere=1",
    "fk mixed.urdf tol",
    "fk arm.urdf flange --base base --controller kuka --q joint_1=30 --deg",
    "fk arm.urdf flange --base base --controller all",
    "fk arm.urdf tool0 --controller nobody",
    "dynamics mixed.urdf --q lift=0.1",
    "dynamics mixed.urdf --tau lift=10",
    "dynamics small.urdf",
    "dynamics drone.urdf --q shoulder=30 --qd shoulder=90 --friction --deg",
    "dynamics drone.urdf --tau shoulder=10 --gravity 0 0 -1.62",
    "dynamics drone.urdf --qdd shoulder=1 --qd free=1,2,3,0,0,0.5 --json",
    "dynamics drone.urdf --tau shoulder=10 --qdd shoulder=1",
    "dynamics drone.urdf --friction",
    "dynamics drone.urdf --qd free=1,2,3",
    "dynamics drone.urdf --qd wrist=1",
    "dynamics drone.urdf --tau shoulder=x",
    "dynamics drone.urdf --q free=1,2,3,0,0,0,0",
    "pose --from kuka --to fanuc '10 20 30 40 50 60'",
    "pose --from ros --to ur '1 2 3 0 0 0 1'",
    "pose --from kuka --to ros '10 20 30'",
    "pose --from kuka --to fanuc '10 20 30 40 50 60' --json",
    "pose --from kuka --to kuka '10 20 30 0 0 0' --tool '1 2 3 0 0 0' --user-frame '100 0 0 90 0 0'",
    "pose --from kuka --to kuka '10 20 30 0 0 0' --tool nowhere",
    "pose --from kuka --to kuka '10 20 30 0 0 0' --user-frame '1 2'",
    "pose --from all --to ur '1 2 3'",
    "pose --from ros --to ur '1 2 3 0 0 0 1.00001'",
    "pose --from ros --to ur '1 2 3 0 0 0 2'",
    "pose --from ros --to ur '1 2 3 0 0 0 0'",
    "pose --from kuka --to epson '{X 1, Y 2, Z 3, A 4, B 5, C 6, S 2, T 35}'",
    "pose --to ur '1 2 3'",
    "pose --from ur '1 2 3'",
    "attach small.urdf other.urdf -o cell.urdf",
    "attach small.urdf other.urdf --at l3",
    "calibrate arm.urdf poses.csv",
    "reach small.urdf",
    "codegen small.urdf --write 'fk(l3)'",
    "ik arm.urdf --frame flange",
    "limits widen small.urdf --by '*=1'",
    "fk mixed.urdf tool --base cart --q lift=0.1 --json",
    "fk mixed.urdf tool --q lift=0.5 --q grip=1",
    "fk mixed.urdf tool --q lift=0.5 --q drive=1,2,300",
    "fk mixed.urdf tool --q spin=300 --deg --tool '1 2 3'",
    "fk mixed.urdf tool --q spin=7",
    "fk mixed.urdf tool --q lift=0.5 --q drive=1,2,7",
    "fk mixed.urdf tool --q lift=0.1 --joints spin,lift --at '{\"drive\": [1, 2, 0.5]}'",
    "fk mixed.urdf tool --joints lift --at '1 2 0.5 0.1 0'",
    "fk mixed.urdf tool --joints lift --at '1 2 0.5 0.1'",
    "fk mixed.urdf tool --joints lift --at true",
    "fk mixed.urdf tool --joints lift --at input",
    "fk mixed.urdf tool --joints lift --at neutral",
    "fk mixed.urdf tool --joints lift,lift",
    "fk mixed.urdf tool --at neutral",
    "fk mixed.urdf",
    "fk mixed.urdf tool --arg a=1",
    "fk mixed.urdf tool --version 2",
    "fk icub l_hand --format urdf",
    "fk arm.urdf flange --base base --controller kuka --q A1=30 --json",
    "fk arm.urdf flange --base base --controller kuka --q A1=30 --q joint_1=0.5",
    "fk arm.urdf flange --base base --controller kuka --q A1=30 --q A1=40",
    "fk arm.urdf flange --base base --controller kuka --q A1=30,2",
    "fk arm.urdf flange --base base --controller kuka --q A9=30",
    "fk arm.urdf flange --base base --controller fanuc --q 'axis 3=30' --q J2=200",
    "fk arm.urdf flange --base base --controller fanuc --q joint_3=0.5 --joints J3,joint_2 --at '{\"J1\": 10}'",
    "fk arm.urdf flange --base base --controller kuka --q A1=30 --joints A2,A3",
    "fk arm.urdf flange --base base --controller ros --robot-model x",
    "fk arm.urdf flange --base base --controller kuka --tool flange",
    "ik arm.urdf --frame flange --pose '1 2'",
    "ik arm.urdf --pose '1 2 3'",
    "ik arm.urdf --frame flange --pose '0.7 0.1 0.5 0 0 0 2'",
    "ik arm.urdf --frame flange --pose '1 2 3' --tool '1 2 3'",
    "limits small.urdf --limits rows.toml",
    "limits small.urdf",
    "limits small.urdf --limits rows.toml --json",
    "limits small.urdf --plot a.svg",
    "limits widen small.urdf --limits rows.toml --unit deg --by 'cable 1=20' --by 'cable 2=10' --total 15 --radius 10",
    "limits widen small.urdf --limits rows.toml --unit rad --by 'cable 1=0.2' --by 'cable 3=0.1'",
    "limits widen small.urdf --limits rows.toml --unit deg",
    "limits widen small.urdf --limits rows.toml --unit deg --by cable",
    "limits widen small.urdf --limits rows.toml --unit deg --by 'rope=1'",
    "limits widen small.urdf --limits rows.toml --unit deg --by 'cable 1=1' --by 'cable*=2'",
    "limits widen small.urdf --limits rows.toml --unit deg --by 'cable 1=1' --base l0",
    "limits widen small.urdf --limits rows.toml --unit deg --by 'cable 1=1' --total -1",
    "limits widen small.urdf --limits rows.toml --unit deg --by 'cable 1=1' --radius 0",
    "limits check small.urdf motion.csv --limits rows.toml",
    "limits check small.urdf motion.csv --limits rows.toml --unit deg",
    "limits check small.urdf nowhere.csv --unit deg",
    "compare small.urdf small.urdf",
    "compare small.urdf other.urdf",
    "compare small.urdf other.urdf --any-base --tolerance 0.5",
    "compare small.urdf arm.urdf",
    "convert mixed.urdf out.sdf",
    "convert mixed.urdf out.ets",
    "convert small.urdf out.toml",
    "convert small.urdf out.odd",
    "dh arm.urdf --tip flange",
    "dh small.urdf --convention mdh --units m,rad",
    "dh small.urdf --units yard,rad",
    "dh mixed.urdf",
    "dh arm.urdf --tip flange --json",
    "dh arm.urdf --tip flange --base base --units m,rad",
    "dh arm.urdf --tip flange --format matlab",
    "dh arm.urdf --tip flange -o arm.csv",
    "dh arm.urdf --tip flange -o arm.odd",
    "dh arm.urdf --tip flange --force",
    "dh arm.urdf --tip flange --parallel 0",
    "dh tilted.urdf --tip l3",
    "nothing",
    "rule limit",
    "rule nothing",
    "rule --all LIM",
    "rule JNT-001 no-limit --json",
    "attach small.urdf other.urdf --at l3 --prefix b_ --xyz '0 0 0.1' -o cell.urdf",
    "attach small.urdf other.urdf --at l3 --prefix b_ --xyz '0 0 0.1' --rpy '0 0 1' -o cell.xacro",
    "attach small.urdf hand.xacro --at l3 --prefix b_ --xyz '0 0 0.1' --rpy '0 0 1' -o cell.xacro",
    "cat cell.xacro",
    "attach small.urdf hand.xacro --at l3 --joint wrist -o new.xacro --assets keep",
    "attach small.urdf hand.xacro --at l3 --joint wrist -o new.xacro",
    "cat new.xacro",
    "attach small.urdf small.xacro --at l3 --prefix b_ -o other.xacro",
    "attach icub hand.xacro --at chest -o other.xacro",
    "attach small.urdf other.urdf --at l3 --xyz '0 0' -o cell.urdf",
    "attach small.urdf other.urdf --at l3 -o small.urdf --force",
    "check small.urdf mixed.urdf",
    "check small.urdf --json --statistics",
    "check small.urdf --justifications --json",
    "check small.urdf --output-format sarif --show-all",
    "check small.urdf --output-format html",
    "check small.urdf --baseline a --write-baseline b",
    "check small.urdf --write-baseline -",
    "check small.urdf -o small.urdf",
    "check small.urdf --config ''",
    "check mixed.urdf --statistics",
    "check mixed.urdf --select JNT --exit-zero",
    "check mixed.urdf --write-baseline known.json",
    "check mixed.urdf --baseline known.json",
    "fix mixed.urdf --diff",
    "fix mixed.urdf --json",
    "fix mixed.urdf",
    "fix icub",
    "fix motion.csv",
    "fix mixed.urdf --also a.srdf",
    "fix mixed.urdf --add-tool tcp=kuka",
    "fix mixed.urdf small.urdf --add-tool tcp=kuka:1,2,3,0,0,0",
    "codegen small.urdf -o a.c --write 'fk(l3)' --write 'hand = fk(l2, base=l1)' --json",
    "codegen small.urdf -o b.c --write 'fk(l3)' --write 'fk(l3)'",
    "codegen small.urdf -o b.js --float --write 'fk(l3)'",
    "codegen small.urdf -o b.py --write 'fk(l3)'",
    "codegen small.urdf -o b.c --fk l3 --gravity 0 0 1",
    "codegen small.urdf -o b.c --fk l3 --base l1 --name small_fk_l3_in_l1=tip",
    "codegen small.urdf -o c.c --write 'fk(l3, l9)' --write 'jacobian(l3)'",
    "codegen small.urdf -o c.c --write 'fk(l3, 1, 2, 3, 4)'",
    "codegen small.urdf -o c.c --write 'fk(l3, bse=l1)'",
    "codegen small.urdf -o c.c --write 'fk(l3, at=l1)'",
    "codegen small.urdf -o c.c --write 'kf(l3)'",
    "codegen small.urdf -o c.c --write 'fk('",
    "codegen small.urdf -o c.c --write 'fk(l3+1)'",
    "codegen small.urdf -o c.c --write 'fk'",
    "codegen small.urdf -o c.c",
    "codegen small.urdf -o a.c --write 'fk(l3)'",
    "show small.urdf -o a.odd",
    "show small.urdf -o a.html --size 20 20 --from 1 0 0",
    "show small.urdf -o a.gif --faces 3 --size 20 20",
    "show small.urdf -o a.gif",
    "tf small.urdf motion.csv",
    "reach small.urdf --frame l9",
    "reach small.urdf --frame l3 --voxel 0.25 --directions 0",
    "reach small.urdf --frame l3 --voxel 0.25 --directions 0 --json",
    "ik small.urdf --frame l3 --pose '0.6 0.1 0' --json",
    "ik small.urdf --frame l3 --pose '0.6 0.1 0'",
    "ik boxes.urdf --frame l3 --pose '0.6 0.1 0' --clearance 0.01 --json",
    "contact boxes.urdf",
    "contact boxes.urdf --q j0=0.5 --samples 2",
    "contact boxes.urdf --json",
    "contact small.urdf",
    "inspect boxes.urdf --cover",
    "calibrate arm.urdf poses.csv --controller kuka --tool0 flange",
    "calibrate arm.urdf poses.csv --controller kuka --tool0 flange --json",
    "calibrate arm.urdf poses.csv --controller kuka --tool0 flange --tool '0 0 50 0 0 0'",
    "calibrate arm.urdf bad.csv --controller kuka --tool0 flange",
    "calibrate arm.urdf poses.csv --controller kuka --tool0 flange --force",
    "calibrate arm.urdf poses.csv --controller kuka --tool0 flnge",
    "calibrate arm.urdf poses.csv --controller kuka --tool0 flange --tolerance 0 1",
    "calibrate arm.urdf poses.csv --controller kuka --tool0 flange --tolerance 500 1",
    "verify small.urdf motion.csv",
    "verify small.urdf motion.csv --pose l9",
    "verify small.urdf motion.csv --pose l3=motion.csv",
    "verify arm.urdf poses.csv --controller kuka --tool0 flange",
    "verify arm.urdf poses.csv --base base",
    "models --fetch nothing:nobody",
    "convert small.urdf -",
    "convert small.urdf - --to ets --without limit",
    "convert mixed.urdf out.urdf",
    "convert mixed.urdf out.urdf",
    "compare small.urdf other.urdf --json",
    "compare small.urdf other.urdf --faces 3",
    "compare small.urdf other.urdf -o a.svg",
]


OTHER = SMALL.replace('"0.5 0 0"', '"0.75 0 0"').replace('"1.25"', '"1.5"').replace("j2", "slide")
BOX = r'<link name="\1"><collision><geometry><box size="0.125 0.0625 0.03125"/></geometry></collision></link>'
HAND = """<robot name="hand" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:arg name="tf_prefix" default=""/>
  <link name="$(arg tf_prefix)palm"/><link name="$(arg tf_prefix)thumb"/>
  <joint name="$(arg tf_prefix)bend" type="continuous"><parent link="$(arg tf_prefix)palm"/>
    <child link="$(arg tf_prefix)thumb"/><axis xyz="0 1 0"/></joint></robot>"""
POSES = """J1,J2,J3,J4,J5,J6,X [m],Y,Z,A,B,C
10,20,-30,40,50,60,0.2104742,-1013.5198,748.2348,-46.1776,27.7937,105.6905
-20,10,30,-40,70,-60,-0.3535160,-729.7233,187.8700,141.6193,50.4690,170.6799
30,-40,50,10,-20,90,0.2366970,-446.4904,481.7854,-63.4543,-9.7024,99.9909
-5,60,20,80,40,-10,-0.0356380,-895.0545,-396.6662,-7.0898,50.6954,154.3376
"""  # as Pinocchio has them
FILES = {
    "small.urdf": SMALL,
    "small.xacro": SMALL.replace("<robot", "<!-- prefix --><robot"),
    "tilted.urdf": SMALL.replace('xyz="0.5 0 0"', 'xyz="0.5 0 0" rpy="1e-5 0 0"'),
    "other.urdf": OTHER,
    "hand.xacro": HAND,
    "arm.urdf": urdf(name="arm"),
    "boxes.urdf": re.sub(r'<link name="(l[0-3])"/>', BOX, SMALL),
    "rows.toml": ROWS,
    "motion.csv": MOTION,
    "poses.csv": POSES,
    "bad.csv": POSES.replace("Y,Z", "Z,Z"),
}


@pytest.fixture
def folder(tmp_path, monkeypatch, mixed, drone):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")


def printed(run, folder, command):
    """What a command prints, with numbers of JSON to nine decimals; `cat FILE` prints a file."""
    first, *rest = shlex.split(command)
    if first == "cat":
        return (folder / rest[0]).read_text(encoding="utf-8")
    result = run(first, *rest)
    lines = [rounded(json.loads(line)) if line.startswith('{"') else line for line in result.stdout.splitlines()]
    return "".join(f"{line}\n" for line in lines) + f"{result.stderr}exit status {result.exit_code}\n"


def rounded(data):
    """JSON with a line for each value that has several."""
    text = json.dumps(json.loads(json.dumps(data), parse_float=lambda x: round(float(x), 9) + 0.0))
    return re.sub(r'(, |(?<=\{))(?="\w+": [{\[])', "\n  ", text)


def of(name):
    """The command lines of a command, and those that print what it has written."""
    names = [command.split()[0] for command in COMMANDS]
    owners = [one if one != "cat" else names[i - 1] for i, one in enumerate(names)]
    return [command for command, owner in zip(COMMANDS, owners, strict=True) if owner == name]


@pytest.mark.parametrize("name", sorted({command.split()[0] for command in COMMANDS} - {"cat"}))
def test_every_word_that_is_printed(folder, run, golden, tmp_path, name):
    """Read the difference before you update the files."""
    said = "\n".join(f"$ kinetree {command}\n{printed(run, tmp_path, command)}" for command in of(name))
    golden(f"words/{name}.txt", re.sub(r"deviation  \S+e-1[5-9]", "deviation  tiny", said))
