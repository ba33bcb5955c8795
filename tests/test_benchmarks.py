"""The harness of the benchmarks: what it checks, marks and counts. No figure is asserted."""

import ast
import re
from datetime import date
from functools import partial
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import all as all_of_them
import cases
import compile_time
import conversions
import hostile
import ik
import ik_peers
import kernels
import kinetree as kt
import parsers
import peers
import showing
import showing_peers
import works
import works_dynamics
from each import each
from report import Measured, Results, report
from support import put
from works import TARGETS, WORKS, Work

FK = Work("fk", "UR5", "into", 10_000)
HELLO = {"versions": "x 1", "about": "it is called", "python": "3.11", "unit": "pinocchio"}

ARM = """
name = "arm"
convention = "dh"
units = { length = "m", angle = "rad" }
rows = [
  { joint = "b", a = 0.1, d = 0.2, alpha = 0.3, theta = "-1 -> 1" },
  { joint = "a", a = 0.4, d = 0.1, alpha = 0.5, theta = "-2 -> 2" },
]
"""


SCRIPTS = sorted(Path(kernels.__file__).parent.rglob("*.py"))


@each("script", SCRIPTS)
def test_what_a_script_takes_from_kinetree_is_there(script):
    """Every script runs in `.ci/nightly` alone, most of them beside libraries that are not installed here."""
    for node in ast.walk(ast.parse(script.read_text(encoding="utf-8"))):
        match node:
            case ast.ImportFrom(module=str() as module) if re.match(r"kinetree\b(?!\.bridges)", module):
                for name in (part.name for part in node.names):
                    assert hasattr(import_module(module), name) or import_module(f"{module}.{name}")
            case ast.Attribute() if re.fullmatch(r"kt(\.\w+)+", text := ast.unparse(node)):
                assert attrgetter(text.removeprefix("kt."))(kt) is not None


def test_every_work_is_named_once_and_every_target_is_measured():
    every = (*WORKS, *works_dynamics.WORKS)
    assert len(set(every)) == len(every)
    assert len({(work.query, work.label) for work in every}) == len(every)
    for page in kernels.PAGES.values():
        sides = [side for target in page.targets for side in (target.slow, target.fast)]
        assert {work for _, work in sides} <= set(page.works)
        assert {peer for peer, _ in sides} <= set(page.peers)
    assert {peer for page in kernels.PAGES.values() for peer in page.peers} == set(peers.names())
    assert {work.robot for work in every} == set(cases.ROBOTS)
    assert {work.query for work in works_dynamics.WORKS} == set(peers.INPUTS)


def test_kinetree_comes_first_and_every_file_is_a_peer():
    assert peers.names()[:2] == ["kinetree", "pinocchio"]
    assert not {"__init__", "__main__"} & set(peers.names())


def test_a_ratio_is_of_minima_and_the_median_is_of_ratios():
    measured = Measured()
    for work, unit in ((6.0, 2.0), (2.0, 1.0), (9.0, 1.5)):
        measured.add(work, unit)
    assert measured.minimum == 2.0 / 1.0
    assert measured.median == 3.0


def test_a_target_divides_and_is_judged():
    results = results_of(kinetree=Measured(work=[0.04], unit=[1.0]), pinocchio_cpp=Measured(work=[1.65], unit=[2.0]))
    target = next(t for t in TARGETS if (t.fast, t.slow) == (("kinetree", FK), ("pinocchio_cpp", FK)))
    assert target.value(results.ratio) == pytest.approx(0.825 / 0.04)
    assert target.reached(20.6)
    assert not target.reached(19.9)
    at_most = next(t for t in TARGETS if t.at_most)
    assert at_most.reached(at_most.goal)
    assert not at_most.reached(at_most.goal * 1.01)
    assert at_most.value(results.ratio) is None


def test_a_stand_in_is_changed_into_units():
    results = results_of(frax=Measured(work=[3.0], unit=[1.5]))
    results.hello["frax"] = {**HELLO, "unit": "stand-in"}
    results.stand_in = 0.5
    assert results.ratio("frax", FK) == 2.0 * 0.5
    assert "Estimated, since Pinocchio is not in their environment: frax." in report(results, "Speed", TARGETS)


def test_disagreement_and_errors_are_shown():
    results = results_of(
        kinetree=Measured(work=[1.0], unit=[1.0]),
        mujoco=Measured(difference=0.25, agrees=False, work=[3.0], unit=[1.0]),
        drake=Measured(error="RuntimeError: no"),
    )
    results.missing["frax"] = "No module named 'frax'"
    text = report(results, "Speed", TARGETS)
    assert "| UR5, 10,000, `out=` | 1.00 / 1.00 | 3.00 / 3.00 [3.00] † | error |" in text
    assert "- mujoco, fk UR5, 10,000, `out=`: differs by 2.5e-01" in text
    assert "- drake, fk UR5, 10,000, `out=`: RuntimeError: no" in text
    assert "- frax: not installed (No module named 'frax')" in text
    assert len(results.faults()) == 2
    assert results.ratio("drake", FK) is None


def results_of(**measured):
    return Results({peer: dict(HELLO) for peer in measured}, {FK: measured}, stand_in=1.0)


@pytest.fixture
def folder(tmp_path):
    cases.write_case("UR5", kt.load(ARM, format="dh"), ("a_link",), tmp_path)
    return tmp_path


@pytest.mark.slow
def test_a_process_checks_and_times_kinetree(folder):
    process = kernels.Process("kinetree", folder)
    try:
        assert "kinetree" in process.hello["versions"]
        found = kernels.measure([process], Work("fk", "UR5", "batch", 10_000), kernels.QUICK)["kinetree"]
        assert (found.error, found.agrees, len(found.work)) == ("", True, kernels.QUICK.rounds)
        assert found.minimum > 0
        assert process.ask("prepare", {"query": "fk", "robot": "gone", "form": "one", "n": 1, "size": 1})["error"]
        assert kernels.measure([process], Work("poem", "UR5", "one"), kernels.QUICK) == {}
    finally:
        process.close()


@pytest.mark.slow
def test_a_wrong_answer_is_seen(folder):
    known = dict(np.load(folder / "UR5.npz"))
    known["fk"][7, 0, 3] += 1e-6
    np.savez(folder / "UR5.npz", **known)
    process = kernels.Process("kinetree", folder)
    try:
        found = kernels.measure([process], Work("fk", "UR5", "one"), kernels.QUICK)["kinetree"]
        assert not found.agrees
        assert found.difference == pytest.approx(1e-6, rel=1e-3)
    finally:
        process.close()


@pytest.mark.slow
def test_a_peer_that_is_not_there_says_so(folder):
    process = kernels.Process("nobody", folder)
    process.close()
    assert process.hello == {"missing": "No module named 'peers.nobody'"}


@pytest.mark.slow
def test_a_process_that_dies_is_an_error(folder):
    process = kernels.Process("kinetree", folder)
    process.child.kill()
    assert "the process ended with" in process.ask("prepare", {})["error"]
    process.close()


@pytest.mark.slow
def test_answers_are_put_in_the_order_of_the_peer(folder):
    from peers.__main__ import in_order_of, reordered

    case = peers.Case.read(folder / "UR5.json")
    assert case.joints == ("b", "a")
    peer = peers.Peer(case, {})
    peer.joints = ("a", "b")
    np.testing.assert_array_equal(in_order_of(peer, np.array([[1.0, 2.0]])), [[2.0, 1.0]])
    H = np.random.default_rng(0).normal(size=(3, 2, 6, 2))
    np.testing.assert_array_equal(reordered("hessian", H, peer)[:, 0, :, 1], H[:, 1, :, 0])
    np.testing.assert_array_equal(reordered("jacobian", H[0], peer), H[0][..., ::-1])
    np.testing.assert_array_equal(reordered("fk", H, peer), H)


def test_inputs_and_answers_of_dynamics_are_put_in_the_order_of_the_peer():
    from peers.__main__ import in_order_of, reordered

    limits = ((-1.0,) * 9, (1.0,) * 9)
    case = peers.Case("r", "r.urdf", "ground", (), ("free", "b", "a"), *limits, free="free")
    peer = peers.Peer(case, {})
    peer.joints = ("free", "a", "b")
    q = case.sample(np.random.default_rng(0), 3)
    np.testing.assert_allclose(np.linalg.norm(q[:, 3:7], axis=1), 1, rtol=1e-15)
    np.testing.assert_array_equal(in_order_of(peer, q), q[:, [*range(7), 8, 7]])
    order = [*range(6), 7, 6]
    H = np.random.default_rng(0).normal(size=(3, 2, 8, 8))
    np.testing.assert_array_equal(in_order_of(peer, H[0, 0], "qd"), H[0, 0][:, order])
    np.testing.assert_array_equal(reordered("rnea", H[0, 0], peer), H[0, 0][:, order])
    np.testing.assert_array_equal(reordered("rnea_derivatives", H, peer), H[..., order, :][..., order])


def test_robots_are_measured_without_damping_and_followers(tmp_path):
    joint = "<joint name='{0}' type='continuous'><parent link='a'/><child link='{0}_link'/>{1}</joint>"
    links = "<link name='a'/><link name='b_link'/><link name='c_link'/>"
    rest = "<mimic joint='b' multiplier='2'/>", "<dynamics damping='1'><!-- worn --></dynamics>"
    text = f"<robot name='r'>{links}{joint.format('c', rest[0])}{joint.format('b', rest[1])}</robot>"
    put(tmp_path / "r.urdf", text)
    robot = cases.Source(lambda: tmp_path / "r.urdf", "ground", floating="a").load()
    assert robot.root == "ground"
    assert set(robot.joint_names) == {"free", "b", "c"}
    assert not any(joint.dynamics for joint in robot.joints.values())


@pytest.mark.slow
def test_chains_are_robots_whose_programs_grow_evenly():
    counts = []
    for n in (5, 10, 20):
        robot = kt.load(compile_time.chain(n), format="dh")
        assert robot.nq == n
        counts.append(sum(kt.fk(robot, "tip").operations.values()))
    _, per_joint, off = compile_time.line((5, 10, 20), counts)
    assert per_joint > 10
    assert off < 0.05


def test_the_line_is_the_one_that_the_points_are_on():
    a, b, off = compile_time.line((1, 2, 4), (5.0, 7.0, 11.0))
    assert (a, b, off) == pytest.approx((3.0, 2.0, 0.0), abs=1e-9)


def test_works_say_what_they_are():
    assert works.Work("fk", "UR5", "one").label == "UR5, one call"
    assert FK.label == "UR5, 10,000, `out=`"


def test_every_peer_of_inverse_kinematics_says_what_it_needs():
    files = ik_peers.files()
    assert {"eaik", "ssik", "trac_ik"} <= set(files)
    assert all(file.PACKAGES and callable(file.make) for file in files.values())


@pytest.mark.slow
def test_a_chain_is_the_way_to_the_frame_and_moves_as_the_arm(tmp_path):
    arm = kt.load(ARM, format="dh")
    whole = ik_peers.chain(arm, arm.root, "a_link", tmp_path)
    assert whole.names == ("b", "a")
    assert kt.load(whole.urdf).coordinate_names == ("b", "a")
    np.testing.assert_allclose(whole.pose([0.1, 0.2]), kt.fk(arm, "a_link", arm.root)([0.1, 0.2]), atol=1e-15)
    np.testing.assert_array_equal(whole.middle, [0.0, 0.0])
    assert ik_peers.chain(arm, "b_link", "a_link", tmp_path).names == ("a",)


def test_a_peer_that_refuses_is_a_line(tmp_path, capsys, monkeypatch):
    def make(chain):
        raise ik_peers.RefusedError("too short")

    monkeypatch.setattr(ik_peers, "files", lambda: {"fussy": SimpleNamespace(make=make)})
    arm = kt.load(ARM, format="dh")
    assert ik_peers.rows("arm", arm, arm.root, "a_link", tmp_path) == []
    assert capsys.readouterr().err == "arm: fussy is not measured, RefusedError: too short\n"


def test_answers_are_right_outside_or_wrong(tmp_path):
    arm = kt.load(ARM, format="dh")
    chain = ik_peers.chain(arm, arm.root, "a_link", tmp_path)
    q = np.random.default_rng(0).uniform(-1, 1, (10, 2))
    answers = [q[0], None, q[2] + [0, 2 * np.pi], q[3] + 1e-3, *q[4:]]
    T = kt.fk(arm, "a_link", arm.root)(q)
    peer = chain.peer("peer", lambda target: answers[np.abs(T - target).max((1, 2)).argmin()], most=8)
    ik.take_turns([peer], T, runs=2)
    ik.judge(peer, ik.Arm("arm", tmp_path, "a_link", arm.root), arm, T)
    assert (peer.targets, len(peer.seconds)) == (8, 2)
    assert (peer.solved, peer.outside) == (62.5, 1)


def test_the_fastest_that_solves_enough_is_compared():
    def row(name, each, solved=100.0, in_batch=False):
        found = [np.zeros((10, 6))]
        return ik_peers.Peer(name, lambda T: T, (), 10, in_batch, seconds=[each * 1e-5], found=found, solved=solved)

    ours = [row("batch", 2.0, in_batch=True), row("one by one", 10.0)]
    theirs = [row("many", 4.0, in_batch=True), row("one", 5.0), row("wrong", 1.0, solved=94.9)]
    assert ik.comparison(ours, theirs) == (
        "in batch many takes 2.0 times as long; one by one one takes 0.5 times as long"
    )
    assert ik.comparison(ours, theirs[2:]) == "no peer solves 95 %"
    assert ik.comparison(ours, []) == "no peer takes it"


@pytest.mark.slow
def test_conversions_counts_what_became_of_each(tmp_path, capsys):
    limb = '<link name="{0}"/><joint name="j{0}" type="fixed"><parent link="a"/><child link="{0}"/></joint>'
    shape = '<visual><geometry><mesh filename="gone.stl"/></geometry></visual>'
    for name, inside in {"plain": "", "gone": shape}.items():
        links = f'<link name="a">{inside}</link>{limb.format("b")}{limb.format("c")}'
        put(tmp_path / name / "r.urdf", f'<robot name="r">{links}</robot>')
    put(tmp_path / "small" / "r.urdf", '<robot name="r"><link name="a"/></robot>')
    assert conversions.main([str(tmp_path), "--quick", "--to", "urdf", "mjcf"]) == 0
    rows = [line.split(" | ") for line in capsys.readouterr().out.splitlines()[2:]]
    assert [row[:6] for row in rows] == [["| urdf", "2", "1", "1", "0", "0"], ["| mjcf", "2", "1", "1", "0", "0"]]
    assert all(row[7] == "2 of 2 |" for row in rows)


def test_the_large_robot_has_a_ball_at_every_link(tmp_path):
    robot = kt.load(showing.write_large(tmp_path, 4))
    assert (len(robot.links), robot.nq) == (100, 99)
    assert (tmp_path / "99.stl").stat().st_size == 84 + 50 * 2 * 4**2
    corners = showing.ball(np.random.default_rng(0), 20)
    volume = np.linalg.det(corners).sum() / 6  # of a closed surface with its triangles to the outside
    assert volume == pytest.approx(4 / 3 * np.pi * 0.08**3, rel=0.3)
    assert not np.array_equal(corners, showing.ball(np.random.default_rng(1), 20))


def test_the_viewer_is_small_enough():
    if not showing.BUNDLE.exists():
        pytest.skip("the viewer was not built")
    assert showing.within(showing.viewer_sizes(), showing.VIEWER)


@pytest.mark.slow
@pytest.mark.parametrize("name", list(showing.TARGETS))
def test_pages_are_small_enough(name, tmp_path):
    if not showing.BUNDLE.exists():
        pytest.skip("the viewer was not built")
    model = showing.write_large(tmp_path, 103) if name == showing.LARGE else showing.ROBOTS[name].file()
    showing.make(model, tmp_path / "page.html")
    assert (tmp_path / "page.html").stat().st_size / 1e6 <= showing.TARGETS[name][1]


def test_a_figure_is_judged_by_its_limit():
    assert showing.judged(2.8, 2.8) == "2.80 ≤ 2.8 ok"
    assert showing.judged(2.81, 2.8) == "2.81 ≤ 2.8 OVER"
    assert (showing.judged(1.0, None), showing.judged(None, 3.0)) == ("1.00", "–")
    assert not showing.within((1.0, 3.0), (1.0, 2.0))


def test_every_other_viewer_says_what_it_needs():
    files = showing_peers.files()
    assert list(files) == ["meshcat", "rerun", "viser"]
    assert all(file.PACKAGES and callable(file.write) for file in files.values())


REFUSED = '<robot name="r"><link name="a"/><link name="b"/></robot>'
XACRO = """<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"> <xacro:property name="n" value="a"/>
  <link name="${n}"/> </robot>"""


@pytest.mark.slow
def test_parsers_are_compared_file_by_file(tmp_path, monkeypatch):
    """With `check_urdf` where it is installed; the others take seconds to start."""
    monkeypatch.setattr(parsers, "LOADERS", {"urdfdom": parsers.urdfdom})
    for name, text in {
        "good.urdf": '<robot name="r"><link name="a"/></robot>',
        "bad.urdf": REFUSED,
        "made.xacro": XACRO,
        "macros.xacro": '<robot xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:macro name="m"/></robot>',
    }.items():
        (tmp_path / "maker+arm").mkdir(exist_ok=True)
        (tmp_path / "maker+arm" / name).write_text(text)
    rows = {Path(row.file).name: row for row in parsers.compare([tmp_path], ["urdf", "xacro"], 20)}
    assert {name: row.ours for name, row in rows.items()} == {
        "good.urdf": "loaded",
        "bad.urdf": "refused",
        "made.xacro": "loaded",
        "macros.xacro": "macros",
    }
    assert rows["bad.urdf"].reason.startswith("several-roots: ")
    for name, row in rows.items():
        assert row.others in ({}, {"urdfdom": "loaded" if row.ours == "loaded" else "refused"}), name


def test_the_share_is_of_files_that_another_parser_loads():
    rows = [
        parsers.Row("c/a.urdf", "urdf", "loaded", "", {"drake": "loaded", "mujoco": "not compared"}),
        parsers.Row("c/b.urdf", "urdf", "refused", "two-parents: b has two", {"drake": "refused", "mujoco": "loaded"}),
        parsers.Row("c/c.urdf", "urdf", "loaded", "", {"drake": "refused", "mujoco": "empty"}),
        parsers.Row("c/d.urdf", "urdf", "refused", "number: x", {"drake": "crashed", "mujoco": "empty"}),
        parsers.Row("c/e.urdf", "urdf", "loaded", "", {"drake": "not compared", "mujoco": "not compared"}),
    ]
    assert parsers.share(rows) == (2, 1)
    text = parsers.report(rows)
    assert "| urdf | 5 | 3 | 1 of 4 | 1 of 3 | 2 | 1 (50.0 %) |" in text
    assert "- **two-parents** (1)\n    - c/b.urdf (mujoco): b has two" in text
    assert text.endswith("## Loaded here alone\n\n- Files (1)\n    - c/c.urdf\n")


@each(
    "words, is_absent",
    [("Error opening file 'a.stl'", True), ("unknown package: arm", True), ("joint 'a' has no parent link", False)],
)
def test_missing_meshes_and_packages_are_told_from_faults(words, is_absent):
    assert bool(parsers.ABSENT.search(words)) == is_absent


@pytest.mark.slow
def test_hostile_kinds_are_376_and_different():
    kinds = hostile.kinds()
    assert len(set(kinds)) == len(kinds) == 376
    for kind in kinds[::47]:
        found, _, false = hostile.solved(kind, 2)
        assert {*found} == {*hostile.PLACES}
        assert false == 0


read = partial(Path.read_text, encoding="utf-8")


class TestAll:
    def test_every_benchmark_is_among_them_and_every_page_names_one_that_is(self):
        named = set(re.findall(r"benchmarks/(\w+)\.py", "".join(map(read, all_of_them.ROOT.glob("docs/**/*.md")))))
        assert named - {"all", "machine", "report", "cases", "works", "floods", "ik_all"} <= {*all_of_them.names()}
        assert {"kernels", "ik", "retiming", "loading"} <= {*all_of_them.names()}
        assert "all" not in all_of_them.names()
        pages = dict(all_of_them.pages_of("kernels"))
        assert {"README.md", "docs/explanation/benchmarks.md", "benchmarks/dynamics.md"} <= pages.keys()
        assert min(re.findall(r"\d{4}-\d\d-\d\d", read(all_of_them.ROOT / "README.md"))) == pages["README.md"]

    def test_each_is_run_kept_and_judged(self, tmp_path, monkeypatch, capsys):
        scripts = {
            "fine": "import sys\nprint('found', *sys.argv[1:])",
            "wrong": "raise SystemExit(3)",
            "lacks": "import no_such_",
            "corpus": "print(1)",
        }
        for name, text in scripts.items():
            (tmp_path / f"{name}.py").write_text(f"# __main__\n{text}\n")
        (tmp_path / "part.py").write_text("raise SystemExit(1)\n")
        monkeypatch.setattr(all_of_them, "HERE", tmp_path)
        out = tmp_path / "out"
        assert all_of_them.main(["--out", str(out)]) == 1
        found = {line[:14].strip(): line[15:29].strip() for line in capsys.readouterr().out.splitlines()[:-1]}
        assert found == {"corpus": "needs --corpus", "fine": "ran", "lacks": "needs no_such_", "wrong": "failed"}
        assert all_of_them.main(["fine", "lacks", "--quick", "--out", str(out)]) == 0
        assert read(out / "fine.txt").endswith("fine --quick\n\nfound --quick\n")
        assert str(date.today()) in read(out / "fine.txt")
        with pytest.raises(SystemExit):
            all_of_them.main(["part"])
        assert "no benchmark part; expected corpus, fine, lacks, wrong" in capsys.readouterr().err
        assert all_of_them.main(["corpus", "--corpus", str(tmp_path), "--out", str(out)]) == 0
        assert f"corpus {tmp_path}" in read(out / "corpus.txt")
