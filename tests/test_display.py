"""What objects show in a terminal and in a notebook."""

import inspect
import pickle
import re
import subprocess
import sys
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.display import counted, number, numbers
from kinetree.errors import Finding, Findings, Source
from kinetree.model.assemble import Parts, build
from kinetree.model.limits import Limits
from kinetree.model.robot import Joint, Limit, Link
from kinetree.solvers.ik.result import IKResult
from kinetree.solvers.ik.step import IKStep
from kinetree.viewing.parts import last_frames
from linkages import fourbar
from pendants import ARM, shown
from support import soon
from svg_figures import NS, camera_of, parsed, seen

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(1)>&\"'\x1b[2J\r\n\u202e\ud800" + "long " * 2000


@pytest.fixture(scope="module")
def things(icub_file):
    """One object of each public class, of a real iCub where it is of a robot."""
    robot, built_in = kt.load(icub_file), kt.load("icub")
    fk, ik = kt.fk(robot, "l_hand"), kt.ik(robot, "l_hand")
    some = robot.limits.sample(40)
    guard = kt.guard(robot)
    calibration = kt.calibrate(ARM, "kuka", *shown("kuka", np.random.default_rng(1), k=200))
    contact = kt.icub.SkinContact(center_of_pressure=np.zeros((99, 3)), force=np.ones((99, 3)), skin_part="l_hand")
    poses = np.array(kt.fk(ARM, "tool0")(np.random.default_rng(0).uniform(-1, 1, (40, 6))))
    poses[:, :3, 3] = -poses[:, :3, :3] @ [0.1, 0.0, 0.2]
    q = np.random.default_rng(0).uniform(-1, 1, (20, 6))
    verified = kt.verify(ARM, q, poses={"tool0": kt.fk(ARM, "tool0")(q + 0.1 * np.eye(6)[2])})
    faults = [Finding("c", "error", "wrong " * 300, Source("a.urdf", i), f"joint '{i}'") for i in range(3000)]
    bars = kt.load(fourbar(), format="mjcf")
    close, closed = kt.kinematics.close(bars, ["crank"]), kt.ik(bars, "rocker", goal="position", driven=["crank"])
    reach = kt.reach_map(ARM, "tool0", voxel=2.0, directions=2, rolls=1)
    return [
        robot,
        built_in,
        *(reach, reach.grid, reach - reach),
        *(robot.links, robot.joints, robot.frames, robot.sensors, robot.materials, robot.loops, built_in.groups),
        *(
            robot.links["root_link"],
            robot.joints["l_elbow"],
            robot.frames["l_hand"],
            next(iter(robot.sensors.values())),
        ),
        *(close, close([0.5]), close(np.linspace(0, 1, 50)[:, None]), kt.fk(bars, "rocker", driven=["crank"])),
        *(closed, closed(np.zeros((50, 3)))),
        *(robot.text, robot.source, robot.places, built_in.coupled_limits[0], robot.limits, built_in.limits),
        *(fk, kt.fk(robot, list(robot.frames)), kt.margin(robot), kt.kinematics.manipulability(robot, "l_hand")),
        *(fk.inputs[0], fk.output, kt.kinematics.manipulability(robot, "l_hand", method="condition"), fk.c_source()),
        *(ik, ik(fk(some[0])), ik(fk(some)), ik.solutions(fk(some[0])), kt.kinematics.IKInterrupted(ik(fk(some)))),
        *(
            ik.follow(fk(some[:2]), q0=some[0]),
            ik.step(some[0], fk(some[1]), dt=0.1),
            ik.step(some, fk(some[1]), dt=0.1),
        ),
        *(guard, guard.kernel, guard(some, some, 0.1), kt.limits.GuardRun(1, 2, 3), kt.limits.GuardState.FREE),
        kt.limits.GuardEvent(0.0, kt.limits.GuardState.NEAR, "x", 0.0, some[0], some[1]),
        *(kt.limits.LinearLimits("a", ("b",), np.ones((90, 1)), np.ones(90), ("c",) * 90), built_in.limits.volume()),
        kt.limits.widen(built_in, dict.fromkeys(built_in.limits.row_names[:1], 0.1)),
        *(kt.compare(robot, built_in), kt.compare(robot, robot), kt.compare(robot, robot).differences),
        *(verified, *verified.faults, calibration, kt.tcp_from_points(poses), kt.frame_from_points(*np.eye(3))),
        *(kt.check(icub_file), Findings(), Findings(faults), faults[0], kt.KinetreeError(faults)),
        *(kt.controllers, *kt.controllers.values(), kt.kinematics.joint_table(robot)[5]),
        kt.icub.from_board(built_in, "left_arm", np.zeros((99, 7)), unit="deg"),
        kt.icub.to_board(built_in, "left_arm", np.zeros((99, built_in.nq)), unit="deg"),
        *(*kt.icub.couplings(), contact, kt.icub.contact_torques(built_in, np.zeros((99, built_in.nq)), [])),
        *(
            kt.motion.Path(ARM, [0, 1], np.zeros((4, 1, ARM.nq))),
            kt.motion.Motion([*map(str, range(99))], None, np.ones((9, 99))),
            kt.motion.plot(kt.motion.Motion(ARM.coordinate_names, range(9), np.zeros((9, ARM.nq)), robot=ARM)),
        ),
        kt.icub.Taxels("a", np.zeros((999, 3)), np.zeros((999, 3)), np.ones(999), None, "taxel"),
    ]


@pytest.fixture(scope="module")
def icub_file():
    import icub_models

    return icub_models.get_model_file("iCubGazeboV2_7")


@pytest.mark.slow
def test_no_repr_has_more_than_ten_lines(things):
    for thing in things:
        text = repr(thing)
        assert text.count("\n") < 10, text
        assert max(map(len, text.split("\n"))) <= 2500, text
        assert text.isprintable() or all(line.isprintable() for line in text.split("\n")), text
    modules = (kt, kt.kinematics, kt.dynamics, kt.limits, kt.icub, kt.motion)
    classes = {
        thing for module in modules for name in module.__all__ if inspect.isclass(thing := getattr(module, name))
    }
    assert classes <= {type(thing) for thing in things}


@pytest.mark.slow
def test_kernels_name_their_robot_frames_and_units(things):
    fk = next(thing for thing in things if isinstance(thing, kt.Kernel))
    expected = "Kernel fk of robot 'iCub': q (…, 32) [m, rad] → T (…, 4, 4) [poses of l_hand in root_link; m]"
    assert repr(fk) == repr(pickle.loads(pickle.dumps(fk))) == expected


@pytest.mark.slow
def test_results_say_what_was_found():
    robot = kt.load("icub")
    fk, ik = kt.fk(robot, "l_hand"), kt.ik(robot, "l_hand")
    q = robot.limits.sample(10)
    assert re.fullmatch(r"IKResult: reached in \d+ steps, \S+ m and \S+ rad off(, at .*)?", repr(ik(fk(q[0]))))
    T = fk(q)
    T[3, 0, 3] += 5.0
    assert repr(ik(T)).startswith("IKResult of 10 targets: 9 reached, up to ")
    assert repr(ik(T[3])).startswith("IKResult: not reached in ")
    assert re.fullmatch(r"IKSolutions: [1-3] of at most 3", repr(ik.solutions(T[0], most=3, starts=8)))
    assert repr(ik.solutions(T[2:4], most=1, starts=8)) == "IKSolutions of 2 targets: 0 to 1 each"
    stuck = q[0]
    for _ in range(300):
        stuck = ik.step(stuck, T[3], dt=0.1).q
    shown = repr(ik.step(stuck, T[3], dt=0.1))
    assert re.fullmatch(r"IKStep: stuck, \S+ m and \S+ rad off, at .*(upper|lower|tendon).*", shown)
    assert repr(ik.step(q[1], T[1], dt=0.1)).startswith("IKStep: reached, ")
    assert repr(ik.step(q[1], T[2], dt=0.1)).startswith("IKStep: on the way, ")
    assert repr(ik.step(q, T, dt=0.1)).startswith("IKStep of 10 targets: 9 reached, 0 stuck, up to ")
    assert repr(kt.compare(robot, robot)) == "Comparison: the same robot; 0 differences, 0 remarks"
    assert repr(Findings()) == "0 findings"
    two = Findings([Finding("c", "error", "wrong"), Finding("d", "info", "so")])
    assert repr(two) == "2 findings: 1 error, 1 info\n  error: wrong [c]\n  info: so [d]"
    assert two == list(two)


def test_names_complete_in_mappings():
    robot = kt.load("icub")
    for mapping in (robot.links, robot.joints, robot.frames, robot.sensors, robot.groups, robot.loops):
        assert mapping._ipython_key_completions_() == list(mapping)
    makers = kt.controllers._ipython_key_completions_()
    assert {*kt.controllers, *kt.controllers.forms} == {*makers}
    assert all(kt.controllers[name] for name in makers)


class Page(HTMLParser):
    """Tags and texts of HTML, with errors for tags that are not closed."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.texts = [], [], []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


HTML = {
    "div",
    "p",
    "b",
    "details",
    "summary",
    "table",
    "tr",
    "td",
    "th",
    "svg",
    "title",
    "path",
    "polyline",
    "circle",
    "img",
}


def page_of(thing):
    page = Page(thing._repr_html_())
    assert {tag for tag, _ in page.tags} <= HTML
    assert not [name for _, attributes in page.tags for name in attributes if name.startswith("on") or name == "href"]
    return page


@pytest.mark.slow
def test_html_has_tables_and_no_scripts(things):
    shown_as_html = [thing for thing in things if hasattr(thing, "_repr_html_")]
    kinds = {type(thing).__name__ for thing in shown_as_html}
    assert kinds == {
        "Robot",
        "Limits",
        "IKResult",
        "ClosedIKResult",
        "IKPath",
        "IKStep",
        "Findings",
        "Comparison",
        "Calibration",
        "ReachMap",
        "ReachDifference",
    }
    for thing in shown_as_html:
        page = page_of(thing)
        assert len(thing._repr_html_()) < 500_000
        assert page.texts[0]


def table_of(columns, *rows, tag="td"):
    """The HTML of a table; columns: names with ">" in front of those that are aligned to the right."""
    styles = ["text-align:" + ("right" if column[0] == ">" else "left") for column in columns]

    def line(tag, cells):
        return "".join(f'<{tag} style="{s}">{cell}</{tag}>' for s, cell in zip(styles, cells, strict=True))

    lines = [line("th", [column.strip("<>") for column in columns]), *(line("td", row) for row in rows)]
    return f"<table>{''.join(f'<tr>{one}</tr>' for one in lines)}</table>"


def test_html_of_small_objects():
    """To the letter: up to twelve rows are unfolded; of more than 500 some are left out, and the end of long cells."""
    columns = ["<code", "place", "element", "message"]

    def found(count, severity, **more):
        return [Finding(f"c{i}", severity, "<wrong>", Source("a.urdf", i + 1), **more) for i in range(count)]

    def rows(count, *more):
        return [(f"c{i}", f"a.urdf:{i + 1}", "", "&lt;wrong&gt;", *more) for i in range(count)]

    for severity, count, is_open in (("warning", 12, True), ("warning", 13, False), ("error", 13, True)):
        text = Findings(found(count, severity))._repr_html_()
        opened = "<details open>" if is_open else "<details>"
        whole = f"{opened}<summary>{severity}: {count}</summary>{table_of(columns, *rows(count))}</details>"
        assert text == f"<div><p><b>{count} findings: {count} {severity}s</b></p>{whole}</div>"
    text = Findings(found(1, "error", fix="x" * 301, element="joint 'j'"))._repr_html_()
    row = ("c0", "a.urdf:1", "joint &#x27;j&#x27;", "&lt;wrong&gt;", "x" * 299 + "…")
    assert table_of([*columns, "fix"], row) in text
    many = Findings(found(502, "info"))._repr_html_()
    assert table_of(columns, *rows(500)).removesuffix("</table>") + "<tr><td>and 2 more</td></tr></table>" in many
    assert "more</td>" not in Findings(found(500, "info"))._repr_html_()
    G = np.array([[1.0, -2.0], [0.0, 0.5], [0.0, 0.0]])
    names = ("one", "two", "none")
    limits = Limits(("a", "b"), np.array([-1.0, 0.0]), np.array([1.0, np.inf]), G, np.array([3.0, 4.5, 1.0]), names)
    assert limits._repr_html_() == (
        "<div><p><b>Limits on 2 coordinates</b> (rad, m)</p><details open><summary>Ranges: 2</summary>"
        f"{table_of(['coordinate', '>from', '>to'], ('a', '-1', '1'), ('b', '0', '-'))}</details>"
        "<details open><summary>Rows: 3</summary>"
        + table_of(
            ["row", "sum", "<at most"],
            ("one", "a - 2 b", "≤ 3"),
            ("two", "0.5 b", "≤ 4.5"),
            ("none", "0", "≤ 1"),
        )
        + "</details></div>"
    )
    columns = np.array([0, 1])
    one = IKResult(np.array([0.5, -2.0]), True, np.array([1e-7, 0.0]), 4, limits, columns)
    assert one._repr_html_() == (
        f"<div><p><b>IKResult</b> (reached in 4 steps, 1e-7 m and 0 rad off, at b lower, one)</p>"
        "<details open><summary>q: 2</summary>"
        f"{table_of(['coordinate', '>rad, m'], ('a', '0.5'), ('b', '-2'))}</details></div>"
    )
    q, away = np.zeros((2, 2)), np.array([[0.25, 0.5], [0.0, 0.0]])
    several = IKResult(q, np.array([False, True]), away, np.array([9, 1]), limits, columns)
    table = table_of([">index", "<reached", ">m", ">rad", ">steps"], (0, "no", 0.25, 0.5, 9), (1, "yes", 0, 0, 1))
    assert several._repr_html_().endswith(f"<details open><summary>Targets: 2</summary>{table}</details></div>")
    stepped = IKStep(q, np.array([False, True]), np.array([True, False]), away, limits, columns)
    table = table_of([">index", "<state", ">m", ">rad"], (0, "stuck", 0.25, 0.5), (1, "reached", 0, 0))
    assert stepped._repr_html_().endswith(f"<details open><summary>Targets: 2</summary>{table}</details></div>")
    stepped = IKStep(q[0], False, False, away[0], limits, columns)
    assert "on the way" in stepped._repr_html_()
    assert table_of(["coordinate", ">rad, m"], ("a", "0"), ("b", "0")) in stepped._repr_html_()


@pytest.mark.slow
def test_html_says_what_the_object_has():
    robot = kt.load("icub")
    fk, ik = kt.fk(robot, "head", "chest"), kt.ik(robot, "head", "chest")
    words = page_of(robot).texts
    assert {"Robot icub", *robot.joint_names, *robot.groups} <= {*words}
    cells = page_of(robot.limits).texts
    upper = robot.limits.upper[robot.coordinate_names.index("l_elbow")]
    assert f"{upper:.4g}" in cells[cells.index("l_elbow") :][:3]
    assert {*robot.limits.row_names} <= {*cells}
    result = ik(fk(robot.limits.sample(1)[0]))
    cells = page_of(result).texts
    found = dict(pairwise(cells))
    assert [float(found[name]) for name in robot.coordinate_names] == pytest.approx(result.q, rel=1e-5)
    other = page_of(kt.compare(robot, kt.edit.lock(robot, {"l_elbow": 0.5}))).texts
    assert "joint 'l_elbow'" in other
    calibration = kt.calibrate(
        ARM, "kuka", *(lambda j, p: (np.deg2rad(j), p))(*shown("kuka", np.random.default_rng(1)))
    )
    assert "joint-unit" in page_of(calibration).texts


def hostile_robot():
    joint = Joint(
        HOSTILE, "revolute", "base", f"{HOSTILE}!", axes=np.eye(3)[2:], limits=(Limit(-1.0, 1.0),), origin=np.eye(4)
    )
    return replace(build(Parts(HOSTILE, [Link("base"), Link(f"{HOSTILE}!")], [joint])), name=HOSTILE)


@pytest.mark.slow
def test_hostile_names_change_nothing():
    robot = hostile_robot()
    frame = f"{HOSTILE}!"
    fk, ik = kt.fk(robot, frame), kt.ik(robot, frame, goal="orientation")
    result = ik(fk(robot.q())[:3, :3])
    finding = Finding("c", "error", HOSTILE, Source(HOSTILE, 1, 1), HOSTILE, HOSTILE, HOSTILE)
    moved = kt.compare(robot, kt.edit.lock(robot, {HOSTILE: 0.5}))
    for thing in (robot, robot.limits, result, Findings([finding] * 2000), moved):
        page = page_of(thing)
        assert len(thing._repr_html_()) < 2_000_000
        assert all(text.replace("\n", "").isprintable() for text in page.texts)
    for thing in (
        robot,
        robot.links,
        robot.joints[HOSTILE],
        fk,
        ik,
        result,
        robot.limits,
        Findings([finding] * 20),
        moved,
    ):
        text = repr(thing)
        assert text.count("\n") < 10
        assert len(text) < 3000
        assert all(line.isprintable() for line in text.split("\n"))


@pytest.mark.slow
def test_the_stick_figure_shows_the_poses():
    robot = kt.load("icub")
    root = parsed(re.search(r"<svg.*</svg>", robot._repr_html_(), re.DOTALL)[0])
    moving = [joint.child for joint in robot.joints.values() if joint.kind.nq]
    points = seen(camera_of(root), kt.fk(robot, moving)(robot.q()))
    dots = [(float(dot.attrib["cx"]), float(dot.attrib["cy"])) for dot in root.iter(f"{NS}circle")]
    assert {(round(float(x), 1), round(float(y), 1)) for x, y in points} == {*dots}
    assert (points > 0).all()
    assert (points < 240).all()
    strong = root.findall(f"{NS}path")[1].attrib["d"]
    lines = re.findall(r"M\S+ \S+L([^M ]+) ([^M ]+)", strong)
    to = np.array([(float(x), float(y)) for x, y in lines])
    tips = [*last_frames(robot).values()]
    places = seen(camera_of(root), kt.fk(robot, [*robot.links, *tips])(robot.q()))
    apart = np.abs(to[:, None] - places).max(axis=-1)
    assert (apart.min(axis=1) < 0.06).all()
    hands = [len(robot.links) + tips.index(f"{side}_hand_dh_frame") for side in "lr"]
    assert (apart.min(axis=0)[hands] < 0.06).all()


def test_robots_without_a_picture_have_their_tables():
    links = [Link(f"l{i}") for i in range(1200)]
    joints = [Joint(f"j{i}", "fixed", f"l{i}", f"l{i + 1}") for i in range(1199)]
    far = build(Parts("far", links, joints))
    assert "<svg" not in far._repr_html_()
    assert "Tree" in far._repr_html_()
    assert "<svg" in build(Parts("point", [Link("base")], []))._repr_html_()


@pytest.mark.slow
def test_a_picture_and_tables_are_made_at_once(icub_file):
    robot = kt.load(icub_file)
    robot._repr_html_()
    soon(0.5, robot._repr_html_)  # 9 ms on a quiet machine


@pytest.mark.slow
def test_html_is_imported_when_a_notebook_asks_for_it():
    program = (
        "import sys, kinetree as kt; robot = kt.load('icub'); before = 'kinetree.viewing.html' in sys.modules; "
        "robot._repr_html_(); print(before, 'kinetree.viewing.html' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]


@each(
    "value, text",
    [
        (0, "0"),
        (-0.0, "0"),
        (1.05e-16, "0"),
        (-1.2e-14, "0"),
        (90.0, "90"),
        (-0.6666, "-0.667"),
        (0.00012, "0.00012"),
        (1.2e-7, "1.2e-7"),
        (9.999e-5, "0.0001"),
        (999.9, "1000"),
        (1234, "1230"),
        (80000, "80,000"),
        (-1.5e9, "-1,500,000,000"),
        (1e15, "1e15"),
        (-np.inf, "-inf"),
        (np.float64(2.5), "2.5"),
    ],
)
def test_a_number_is_written_as_a_person_writes_it(value, text):
    assert number(value) == text


def test_different_numbers_look_different():
    assert number(2.9671, 5) == "2.9671"
    assert numbers([1.23456, 1.23459, 7]) == ["1.23456", "1.23459", "7"]
    assert numbers([1.0, 1.0]) == ["1", "1"]
    assert numbers([0.0, 1e-15]) == ["0", "0"]


def test_one_thing_is_not_several():
    """Also where a count is a number of NumPy."""
    assert [counted(n, "joint") for n in (0, 1, 2, np.int64(1))] == ["0 joints", "1 joint", "2 joints", "1 joint"]
    arm = kt.chain("Rz(a) tx(0.4)")
    assert repr(arm) == "Robot('robot', 2 links, 1 joint, 3 frames, nq=1)"
    ik = kt.ik(arm, "tip", goal="position")
    result = ik([0.4 * np.cos(0.3), 0.4 * np.sin(0.3), 0])
    assert " in 1 step" in repr(replace(result, iterations=np.int64(1)))
    assert " steps" not in repr(replace(result, iterations=np.int64(1)))
