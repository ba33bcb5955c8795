"""Tables and claims of docs/migrating: both sides of each row run, and their values agree as the last column says.

The ```py blocks of a page run first, from top to bottom, in one namespace and an empty folder; the cells of each row
run in a copy of it. A cell has statements with ";" between them, and its value is that of the last. The last column is

- a tolerance, such as `1e-12`, times the largest number of the library if that is above 1;
- a tolerance and a function of the page, such as `1e-6 after fk`, for values that differ but mean the same;
- `exactly`, for names, counts and verdicts; sequences of any type count as lists;
- `shape`, for random values;
- `not run`, for what opens a window.
"""

from __future__ import annotations

import ast
import importlib
import io
import threading
import urllib.request
import warnings
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import pytest

import kinetree as kt
import pages

pytestmark = pytest.mark.crosscheck

FOLDER = pages.ROOT / "docs" / "migrating"
LIBRARIES = {
    "robotics-toolbox": "roboticstoolbox",
    "pinocchio": "pinocchio",
    "yourdfpy": "yourdfpy",
    "ikpy": "ikpy",
    "mink": "mink",
    "pink": "pink",
}
NOT_RUN = "not run"


class Row(NamedTuple):
    """A row of a table: the cells of code, and how their values agree."""

    page: str
    line: int
    task: str
    theirs: str
    ours: str
    agrees: str


def rows(page: str) -> list[Row]:
    """Return the rows of the tables whose last column says how two cells of code agree."""
    found, inside = [], False
    lines = (FOLDER / f"{page}.md").read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines, 1):
        cells = [cell.strip() for cell in line.strip("|").split(" | ")] if line.startswith("|") else []
        inside = bool(cells) and (inside or cells[-1] == "agrees")
        if inside and cells[-1] != "agrees" and not line.startswith("|-"):
            task, theirs, ours, agrees = cells
            found.append(Row(page, number, task, theirs.strip("`"), ours.strip("`"), agrees.replace("`", "")))
    return found


ROWS = [row for page in LIBRARIES for row in rows(page)]


@cache
def library(page: str) -> tuple[ModuleType, tuple[str, ...]]:
    """Return the library of a page, and the addresses that it asks for when it is imported; no network is used."""
    name, asked = LIBRARIES[page], []

    def refused(request: Any, *_: object, **__: object) -> None:
        asked.append(getattr(request, "full_url", request))
        raise OSError("no network in tests")

    before, urlopen = {*threading.enumerate()}, urllib.request.urlopen
    urllib.request.urlopen = refused  # type: ignore[assignment]
    try:
        module = pytest.importorskip(name)
        for thread in {*threading.enumerate()} - before:
            thread.join(5)
    finally:
        urllib.request.urlopen = urlopen
    return module, tuple(asked)


@cache
def names(page: str, folder: Path) -> dict[str, Any]:
    """Return the names that the blocks of a page define, run in a folder that is current."""
    defined: dict[str, Any] = {"__name__": "page"}
    path = FOLDER / f"{page}.md"
    for block in pages.blocks(path):
        if block.language == "py":
            exec(compile("\n" * (block.line - 1) + block.text, str(path), "exec"), defined)
    return defined


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return {page: tmp_path_factory.mktemp(page) for page in LIBRARIES}


def value(cell: str, defined: dict[str, Any]) -> Any:
    """Return the value of the last statement of a cell."""
    *before, last = ast.parse(cell).body
    assert isinstance(last, ast.Expr), f"{cell} has no value"
    there = dict(defined)
    exec(compile(ast.Module(before, []), cell, "exec"), there)
    return eval(compile(ast.Expression(last.value), cell, "eval"), there)


def listed(x: Any) -> Any:
    """Return arrays and sequences as lists, and everything else as it is."""
    if isinstance(x, np.ndarray | np.generic):
        return x.tolist()
    return [listed(each) for each in x] if isinstance(x, list | tuple) or hasattr(x, "__next__") else x


def assert_agree(theirs: Any, ours: Any, agrees: str, defined: dict[str, Any]) -> None:
    if agrees == "exactly":
        assert listed(theirs) == listed(ours)
        return
    tolerance, _, after = agrees.partition(" after ")
    a, b = (np.asarray(defined[after](x) if after else x, dtype=float) for x in (theirs, ours))
    assert a.shape == b.shape
    assert a.size
    if agrees != "shape":
        assert np.isfinite(a).all()
        assert np.abs(a - b).max() <= float(tolerance) * max(1, np.abs(a).max())


@pytest.fixture(autouse=True)
def without_warnings():
    """Leave out the warnings of the other libraries."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.page}-{row.line}-{row.task}")
def test_both_sides_of_a_row_agree(row, folders, monkeypatch):
    library(row.page)
    monkeypatch.chdir(folders[row.page])
    defined = names(row.page, folders[row.page])
    if row.agrees == NOT_RUN:
        assert [len(ast.parse(cell).body) for cell in (row.theirs, row.ours)] == [1, 1]
    else:
        assert_agree(value(row.theirs, defined), value(row.ours, defined), row.agrees, defined)


@pytest.mark.parametrize("page", LIBRARIES)
def test_nearly_all_rows_of_a_page_are_run(page):
    agreements = [row.agrees for row in rows(page)]
    assert len(agreements) >= 15
    assert agreements.count(NOT_RUN) <= 2
    assert agreements.count("shape") <= 1


@pytest.mark.parametrize(
    ("agrees", "theirs", "ours"),
    [("1e-9", [1, 2], [1, 2.1]), ("exactly", ["a"], ("b",)), ("shape", [1, 2], [1]), ("1e-9", [], [])],
)
def test_values_that_differ_do_not_agree(agrees, theirs, ours):
    with pytest.raises(AssertionError):
        assert_agree(theirs, ours, agrees, {})


def urdf(*parts: str) -> str:
    return f"<robot name='r'>{''.join(parts)}</robot>"


def link(name: str) -> str:
    return f"<link name='{name}'/>"


def joint(name: str, parent: str, child: str, axis: str = "0 0 1", type: str = "revolute", more: str = "") -> str:
    return (
        f"<joint name='{name}' type='{type}'><parent link='{parent}'/><child link='{child}'/><axis xyz='{axis}'/>"
        f"<limit lower='-1' upper='1' effort='1' velocity='1'/>{more}</joint>"
    )


LINKS = link("a") + link("b") + link("c")


def test_what_the_toolbox_reads_differently(tmp_path):
    rtb, _ = library("robotics-toolbox")
    read = importlib.import_module("roboticstoolbox.models.URDF.URDFRobot").URDF_read

    def both(text: str) -> tuple[Any, kt.Robot]:
        path = tmp_path / "robot.urdf"
        path.write_text(text)
        links, name, _ = read(path)
        return rtb.Robot(links, name=name), kt.load(path)

    theirs, ours = both(urdf(LINKS, joint("x", "a", "b", axis="0.6 0 0.8"), joint("y", "b", "c")))
    assert np.abs(theirs.fkine([0, 0]).A - kt.fk(ours, "c")([0, 0])).max() > 0.1  # a crooked axis
    follower = joint("y", "b", "c", more="<mimic joint='x'/>")
    theirs, ours = both(urdf(LINKS, joint("x", "a", "b"), follower))
    assert (theirs.n, ours.nq) == (2, 1)
    for type, nq in {"planar": 3, "floating": 7}.items():
        theirs, ours = both(urdf(LINKS, joint("x", "a", "b"), joint("y", "b", "c", type=type)))
        assert (theirs.n, ours.nq) == (1, 1 + nq), type


def test_what_pinocchio_reads_differently():
    pin, _ = library("pinocchio")
    model = pin.buildModelFromXML(urdf(LINKS, joint("x", "a", "b"), joint("y", "b", "c", more="<mimic joint='x'/>")))
    assert model.nq == 2
    assert model.getFrameId("nothing") == model.nframes


def test_pinocchio_leaves_damping_out_of_inverse_dynamics():
    pin, _ = library("pinocchio")
    inertial = "<inertial><mass value='2'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>"
    damped = joint("x", "a", "b", more="<dynamics damping='3'/>")
    text = urdf(link("a"), f"<link name='b'>{inertial}</link>", damped)
    model = pin.buildModelFromXML(text)
    state = [np.array([x]) for x in (0.3, 0.5, 0.7)]
    tau = kt.inverse_dynamics(kt.load(text, format="urdf"))(*state)
    assert tau - pin.rnea(model, model.createData(), *state) == pytest.approx(3 * 0.5, abs=1e-12)
    assert kt.gravity_torques(kt.load(text, format="urdf"))(state[0]) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize(
    ("fault", "text"),
    {
        "cycle": urdf(link("r") + LINKS, joint("w", "r", "c"), joint("x", "a", "b"), joint("y", "b", "a")),
        "several-roots": urdf(LINKS, joint("x", "a", "b")),
        "duplicate-name": urdf(LINKS, joint("x", "a", "b"), joint("x", "b", "c")),
        "zero-axis": urdf(LINKS, joint("x", "a", "b", axis="0 0 0"), joint("y", "b", "c")),
    }.items(),
)
def test_yourdfpy_reads_what_kinetree_refuses(fault, text):
    yourdfpy, _ = library("yourdfpy")
    assert yourdfpy.URDF.load(io.StringIO(text)).validate()
    with pytest.raises(kt.KinetreeError) as caught:
        kt.load(text, format="urdf")
    assert fault in [finding.code for finding in caught.value.findings]


@pytest.mark.parametrize(("type", "counted", "nq"), [("planar", 2, 3), ("floating", 6, 7)])
def test_yourdfpy_counts_joints_that_it_does_not_move(type, counted, nq):
    yourdfpy, _ = library("yourdfpy")
    text = urdf(link("a"), link("b"), joint("x", "a", "b", type=type))
    robot = yourdfpy.URDF.load(io.StringIO(text))
    assert (robot.num_dofs, kt.load(text, format="urdf").nq) == (counted, nq)
    with pytest.raises(ValueError, match="Dimensionality"):
        robot.update_cfg(np.zeros(counted))


def test_yourdfpy_writes_no_mimic():
    yourdfpy, _ = library("yourdfpy")
    text = urdf(LINKS, joint("x", "a", "b"), joint("y", "b", "c", more="<mimic joint='x'/>"))
    assert b"mimic" not in yourdfpy.URDF.load(io.StringIO(text)).write_xml_string()
    assert "mimic" in kt.text(kt.load(text, format="urdf"), "urdf")


def test_ikpy_finds_a_position_alone_and_asks_for_an_image(tmp_path):
    _, asked = library("ikpy")
    path = tmp_path / "robot.urdf"
    path.write_text(urdf(LINKS, joint("x", "a", "b"), joint("y", "b", "c", axis="0 1 0")))
    chain = importlib.import_module("ikpy.chain").Chain.from_urdf_file(str(path), base_elements=["a"])
    T = chain.forward_kinematics([0, 0.5, 0.5])
    assert (
        np.abs(chain.forward_kinematics(chain.inverse_kinematics_frame(T)) - T).max() > 0.1
    )  # every q has the position
    assert any(address.startswith("https://static.scarf.sh/") for address in asked)
