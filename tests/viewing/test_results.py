"""How results show themselves: the text of each on one line, and its tables in notebooks, to the letter."""

import re
from dataclasses import dataclass, replace

import numpy as np

import kinetree as kt
from each import each
from kinetree.display import brief, listed, shortened, some, visible
from kinetree.errors import Finding, Findings, Source
from kinetree.lab.calibrate.calibration import Calibration
from kinetree.lab.calibrate.readings import Fault
from kinetree.lab.reach.grid import Grid, sphere
from kinetree.lab.reach.map import ReachMap
from kinetree.solvers.ik.result import IKResult
from kinetree.solvers.ik.step import IKStep

ARM = kt.load(
    """<robot name="arm"><link name="a"/><link name="b"/><link name="c"/>
  <joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="2" velocity="1" effort="1"/></joint>
  <joint name="k" type="prismatic"><origin xyz="0.5 0 0"/><parent link="b"/><child link="c"/><axis xyz="1 0 0"/>
    <limit lower="0" upper="0.25" velocity="1" effort="1"/></joint></robot>""",
    format="urdf",
)


def reach(count):
    """A map of as many voxels, with so many of four orientations each."""
    shape = (len(count), 1, 1)
    grid = Grid(np.zeros(3), 0.5, shape, (False,) * 3, sphere(2), 2, None)
    bits = np.packbits(np.arange(4) < np.reshape(count, shape)[..., None], axis=-1)
    return ReachMap("arm", "c", "a", grid, bits, np.ones(shape), np.ones(shape), {})


def things():
    limits, T = ARM.limits, np.eye(4)
    q, off = np.array([[0.5, 0.1], [2.0, 0.25], [0.0, 0.0]]), np.array([[0.0, 0.0], [0.25, 0.5], [1e-3, 0.0]])
    done, stuck = np.array([True, False, False]), np.array([False, True, False])
    cells = [("error", "a.urdf", 3, "joint 'j'", "wrong <b>", "do this"), ("error", "a.urdf", 4, None, "bad", None)]
    cells += [("warning", "b.urdf", None, "link 'b'", "odd", None)]
    findings = [
        Finding("c", severity, text, Source(file, line), name, fix) for severity, file, line, name, text, fix in cells
    ]
    fault = Fault("tool0-frame", "is elsewhere")
    one = Calibration(False, (fault,), (), T, T, off, off, ("k",), ("it is unknown",), "KUKA", "base_link", "flange")
    few, more = reach([0, 1, 4]), reach([2, 0, 4])
    return {
        "reached": IKResult(q[0], True, off[0], 3, limits, np.arange(2)),
        "not reached": IKResult(q[1], False, off[1], 50, limits, np.arange(2)),
        "several": IKResult(q, done, off, np.array([1, 50, 7]), limits, np.arange(2)),
        "step": IKStep(q[0], True, False, off[0], limits, np.arange(2)),
        "stuck": IKStep(q[1], False, True, off[1], limits, np.arange(2)),
        "on the way": IKStep(q[2], False, False, off[2], limits, np.arange(2)),
        "steps": IKStep(q, done, stuck, off, limits, np.arange(2)),
        "findings": Findings(findings),
        "no findings": Findings(),
        "many findings": Findings(findings[2:] * 13),
        "same": kt.compare(ARM, ARM),
        "other": kt.compare(ARM, kt.edit.lock(ARM, {"k": 0.1})),
        "calibration": one,
        "two explanations": replace(one, alternatives=(replace(one, faults=(Fault("base-frame", "turned"),)),)),
        "agrees": replace(one, agrees=True, faults=(), remarks=()),
        "reach": few,
        "difference": more - few,
        "limits": limits,
    }


def test_all_results(golden):
    """Read the difference before you update the file."""
    lines = []
    for name, thing in things().items():
        html = re.sub(r' style="[^"]*"', "", thing._repr_html_())
        html = re.sub(r'base64,[^"]*"', 'base64,…"', html)  # a picture depends on the version of Matplotlib
        lines.append(f"== {name}\n{thing!r}\n" + html.replace("<tr>", "\n<tr>").replace("<details", "\n<details"))
    golden("results.txt", "\n".join(lines) + "\n")


@dataclass(repr=False)
class Some:
    """A thing with fields of all kinds."""

    name: str
    many: tuple = ()
    array: object = None
    same: int = 3
    names: list = None
    _hidden: int = 1


@each(
    "thing, text",
    [
        (Some("a"), "Some(name='a')"),
        (Some("a", same=4), "Some(name='a', same=4)"),
        (Some("a", same=3.0), "Some(name='a', same=3.0)"),
        (Some("a", _hidden=2), "Some(name='a')"),
        (Some("a" * 80), "Some(name='" + "a" * 58 + "…)"),
        (Some("a", tuple("abcdefg")), "Some(name='a', many=('a', 'b', 'c', 'd', 'e', 'f', 'g'))"),
        (Some("a", tuple("abcdefgh")), "Some(name='a', many=<8 entries>)"),
        (Some("a", names=dict.fromkeys("abcdefgh")), "Some(name='a', names=<8 entries>)"),
        (Some("a", array=np.arange(7.0)), "Some(name='a', array=[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0])"),
        (Some("a", array=np.arange(8.0)), "Some(name='a', array=array (8,))"),
        (Some("a", array=np.eye(2)), "Some(name='a', array=array (2, 2))"),
        (Some("a", array=np.array(3.0)), "Some(name='a', array=3.0)"),
        (Some("a", names=["x" * 200]), "Some(name='a', names=['" + "x" * 117 + "…)"),
        (Source("a.urdf", 3), "Source(file='a.urdf', line=3)"),
    ],
)
def test_brief(thing, text):
    assert brief(thing) == text


def test_names_are_listed_and_texts_cut():
    assert shortened("abcd", 4) == "abcd"
    assert shortened("abcde", 4) == "abc…"
    assert len(brief(Some("a", names=["x" * 30] * 7, many=tuple(["y" * 40] * 7), array=["z" * 40] * 7))) < 600
    assert listed("abab") == "a, b"
    assert listed("abc") == "a, b, c"
    assert listed("abcd") == "a, b, c and 1 more"
    assert listed("abcde", 2) == "a, b and 3 more"
    assert some(["a", "b\n"]) == "a, b\\n"
    assert some(["a" * 10, "b" * 10, "c"], 25) == "aaaaaaaaaa, bbbbbbbbbb, c"
    assert some(["a" * 10, "b" * 10, "cc"], 25) == "aaaaaaaaaa, bbbbbbbbbb, … 3 in all"
    assert some(["a" * 10, "b" * 10, "ccc"], 22) == "aaaaaaaaaa, … 3 in all"
    assert some(["a" * 10, "b"], 5) == "aaaa…, … 2 in all"
    assert visible("a\x1b[2Jb\tä\u202e") == "a\\x1b[2Jb\\tä\\u202e"
    assert visible("a\x1bb\n", one_for_one=True) == "a?b?"
