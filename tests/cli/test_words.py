"""What commands print, to the letter: tables, headings, units, notes and errors."""

import re

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
    "pose --from kuka --to fanuc 10,20,30,40,50,60",
    "pose --from ros --to ur 1,2,3,0,0,0,1",
    "pose --from kuka --to ros 10,20,30",
    "limits small.urdf --limits rows.toml",
    "limits small.urdf",
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
    "nothing",
]


@pytest.fixture
def folder(tmp_path, monkeypatch, mixed):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    other = (
        SMALL.replace('xyz="0.5 0 0"', 'xyz="0.75 0 0"').replace('upper="1.25"', 'upper="1.5"').replace("j2", "slide")
    )
    files = {
        "small.urdf": SMALL,
        "other.urdf": other,
        "arm.urdf": urdf(name="arm"),
        "rows.toml": ROWS,
        "motion.csv": MOTION,
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")


def test_every_word_that_is_printed(folder, run, golden):
    """Read the difference before you update the file."""
    said = []
    for command in COMMANDS:
        result = run(*(word.replace(",", " ") if word[0].isdigit() else word for word in command.split()))
        said.append(f"$ kinetree {command}\n{result.stdout}{result.stderr}exit status {result.exit_code}\n")
    golden("words.txt", re.sub(r"deviation  \S+e-1[5-9]", "deviation  tiny", "\n".join(said)))
