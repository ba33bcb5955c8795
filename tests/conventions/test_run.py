"""Many files checked, and what becomes of the others when one of them is too much."""

import os
import pickle
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import kinetree as kt
from kinetree.checker import in_child, pool
from kinetree.checker.check import deduplicate
from kinetree.checker.job import CheckReport, Job, check_job
from kinetree.checker.pool import check_all
from kinetree.errors import Source
from kinetree.formats.registry import ReadOptions
from kinetree.isolated.child import Answer
from kinetree.rules.examples import ARM
from kinetree.rules.facts import document, poses
from kinetree.rules.options import CheckOptions
from support import all_frames, shared

posix = pytest.mark.skipif(os.name != "posix", reason="signals and limits of POSIX")
BAD = ARM.replace('<origin xyz="0.09 0 0" rpy="0 0 0"/>', '<origin xyz="0.09 0 0" rpy="0 1 0"/>')


class Trap:
    """Does in the child what it is told, when it gets there: the mistakes of which we know are repaired."""

    def __init__(self, *call):
        self.call = call

    def __reduce__(self):
        return self.call[0], self.call[1:]


def industrial(**read) -> CheckOptions:
    """The options of a check of an industrial arm, which is read so."""
    return CheckOptions("industrial", read=ReadOptions(**read))


@pytest.fixture
def arms(tmp_path) -> list[Job]:
    """Jobs for arms, good and bad by turns."""
    for i in range(6):
        (tmp_path / f"{i}.urdf").write_text(BAD if i % 2 else ARM)
    return [Job(str(tmp_path / f"{i}.urdf"), industrial()) for i in range(6)]


def in_children(jobs, monkeypatch, **options):
    """`check_all` with children, though the jobs are small."""
    monkeypatch.setattr(pool, "SMALL", -1)
    return list(check_all(jobs, **options))


def codes(checked: CheckReport) -> list[str]:
    return [finding.code for finding in checked.findings]


@pytest.mark.slow
def test_results_come_in_order_and_are_those_of_one_file(arms, monkeypatch):
    expected = [check_job(job) for job in arms]
    assert [len(checked.findings) > 0 for checked in expected] == [False, True] * 3
    assert list(check_all(arms)) == expected
    assert in_children(arms, monkeypatch, processes=2) == expected
    assert list(check_all([])) == []


def test_small_files_are_checked_here_and_xacro_in_children(arms, tmp_path):
    assert not pool.needs_children(arms)
    xacro = tmp_path / "arm.urdf.XACRO"
    xacro.write_text(ARM)
    assert pool.needs_children([Job(str(xacro), industrial())])
    assert pool.needs_children([*arms, Job(arms[0].file, industrial(format="xacro"))])


@pytest.mark.slow
@posix
@pytest.mark.nightly
def test_the_trouble_of_one_file_is_not_that_of_others(arms, tmp_path, monkeypatch):
    trouble = [
        Job(arms[0].file, industrial(srdf=Trap(os.abort))),
        Job(arms[0].file, industrial(srdf=Trap(time.sleep, 60))),
        Job(arms[0].file, industrial(srdf=Trap(os._exit, 3))),
        Job(str(tmp_path / "nowhere.urdf"), industrial()),
        Job(str(tmp_path), industrial(format="urdf")),
        Job("no-such-robot", industrial()),
    ]
    jobs = [job for pair in zip(trouble, arms, strict=True) for job in pair]
    found = in_children(jobs, monkeypatch, processes=1, seconds=4)
    assert [checked.file for checked in found] == [job.file for job in jobs]
    assert found[1::2] == [check_job(job) for job in arms]
    assert [codes(checked)[0] for checked in found[:6:2]] == ["check-crashed", "check-timeout", "check-crashed"]
    assert "SIGABRT" in str(found[0].findings[0])
    assert "exit status 3" in str(found[4].findings[0])
    for checked in found[6::2]:
        (finding,) = checked.findings
        assert finding.severity == "error"
        assert finding.source.file == checked.file


@posix
def test_a_child_writes_into_no_file(arms, tmp_path, monkeypatch):
    written = tmp_path / "written"
    trap = Trap(Path.write_text, written, "x")
    (checked,) = in_children([Job(arms[0].file, industrial(srdf=trap))], monkeypatch, processes=1)
    assert codes(checked) == ["check-crashed"]
    assert not written.exists() or written.read_text() == ""


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (MemoryError(), "check-memory"),
        (RuntimeError("can't start new thread"), "check-memory"),
        (ImportError("x.so: failed to map segment from shared object"), "check-memory"),
        (OSError(12, "Cannot allocate memory"), "check-memory"),
        (ValueError("odd"), "check-crashed"),
        (RecursionError(), None),
    ],
)
def test_mistakes_of_ours_are_findings(arms, monkeypatch, error, code):
    def stumble(_job):
        raise error

    monkeypatch.setattr(in_child, "examine_job", stumble)
    for checked in check_all(arms[:2]):
        assert codes(checked) == [code or "check-crashed"]


@pytest.mark.slow
@posix
@pytest.mark.skipif(sys.platform == "darwin", reason="macOS does not limit memory")
@pytest.mark.parametrize(
    "deed", ["bytes(3 << 30)", "open('written', 'wb', 0).write(b'x')", "child._set('RLIMIT_CPU', 1)\nwhile True: pass"]
)
def test_limits_of_a_child(deed, tmp_path):
    code = f"from kinetree.isolated import worker as child\nchild._limit(1500)\n{deed}"
    ended = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, check=False)
    assert ended.returncode != 0
    assert not (tmp_path / "written").exists() or not (tmp_path / "written").read_text()
    assert b"MemoryError" in ended.stderr or b"File too large" in ended.stderr or ended.returncode == -signal.SIGXCPU


def test_what_a_child_says_is_findings_or_nothing():
    checked = CheckReport("a", (kt.Finding("x", "error", "m", kt.Source("f", 1, 2, kt.Source("g"))),))
    known = pool._child(1, 1, None).known
    assert Answer(pickle.dumps(checked), known).load() == checked
    for other in (os.system, Trap(print, "taken over"), Path("a")):
        with pytest.raises(pickle.UnpicklingError, match="is not an answer"):
            Answer(pickle.dumps(other), known).load()


def test_what_is_unknown_is_said_before_anything_is_checked(arms):
    with pytest.raises(kt.KinetreeError, match="no profile 'industry'"):
        check_all([*arms, Job(arms[0].file, CheckOptions("industry"))])
    with pytest.raises(kt.KinetreeError, match="no rule begins with 'R999'"):
        check_all([Job(arms[0].file, CheckOptions("industrial", select=("R999",)))])


SCRIPT = """
import sys, time
from kinetree.checker import pool
from kinetree.checker.job import Job
from kinetree.rules.options import CheckOptions
from kinetree.formats.registry import ReadOptions
pool.SMALL = -1
job = Job(sys.argv[1], CheckOptions('industrial'))
for checked in pool.check_all([job] * 3, processes=2):
    print(len(checked.findings), flush=True)
"""


@posix
@pytest.mark.slow
def test_a_script_without_a_guard_in_a_folder_of_traps(arms, tmp_path):
    (tmp_path / "home").mkdir()
    script = tmp_path / "home" / "script.py"
    script.write_text(SCRIPT)
    for module in ("numpy", "json", "pickle", "kinetree"):
        (tmp_path / f"{module}.py").write_text("raise SystemExit('imported from where we stand')")
    ended = subprocess.run([sys.executable, script, arms[1].file], cwd=tmp_path, capture_output=True, check=True)
    assert ended.stdout.split() == [str(len(check_job(arms[1]).findings)).encode()] * 3
    assert ended.stderr == b""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs to see the children of a process")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_no_orphans(how, tmp_path):
    """A child works on a pipe that never says anything; its parent is ended."""
    code = SCRIPT.replace(
        "[job]",
        "[job, Job(sys.argv[1], CheckOptions('industrial', read=ReadOptions(srdf=Sleep()))), job]",
    ).replace("pool.SMALL", "class Sleep:\n    def __reduce__(self): return time.sleep, (100,)\npool.SMALL")
    (tmp_path / "arm.urdf").write_text(ARM)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    parent = subprocess.Popen(
        [sys.executable, "-c", code, tmp_path / "arm.urdf"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    signal.signal(signal.SIGINT, before)
    children = soon(lambda: children_of(parent.pid))
    assert parent.stdout.readline()  # one of them has worked, so both are there
    parent.send_signal(how)
    parent.communicate(timeout=10)
    assert children
    assert soon(lambda: not any(map(runs, children)))


def children_of(pid: int) -> list[str]:
    """Of all threads of a process."""
    return [c for task in Path(f"/proc/{pid}/task").iterdir() for c in (task / "children").read_text().split()]


def runs(pid: str) -> bool:
    """Whether there is such a process; one that nobody asks how it ended does no longer run."""
    status = Path(f"/proc/{pid}/status")
    return status.exists() and "\nState:\tZ" not in status.read_text()


def soon(what):
    """What becomes true within some seconds."""
    for _ in range(200):
        if value := what():
            return value
        time.sleep(0.05)
    return what()


def test_poses_are_those_of_forward_kinematics():
    text = ARM.replace('<axis xyz="1 0 0"/>', '<axis xyz="1 0 0"/><mimic joint="joint_1" multiplier="2" offset="0.3"/>')
    for robot in (kt.load(text, format="urdf"), kt.load("icub")):
        expected = all_frames(robot, robot.zero)
        found = poses(robot)
        assert list(found) == list(expected)
        assert max(np.abs(found[name] - T).max() for name, T in expected.items()) < 1e-12


def test_the_document_is_that_of_the_robot():
    first, second = (kt.load(text, format="urdf") for text in (ARM, BAD))
    assert document(second) is document(second)
    for robot, rpy in ((first, "0 0 0"), (second, "0 1 0"), (first, "0 0 0")):
        origins = [e for e in document(robot).walk() if e.tag == "origin" and e.get("xyz") == "0.09 0 0"]
        assert [origin.get("rpy") for origin in origins] == [rpy]


TIMES = """
import gc, sys, time
from contextlib import suppress
from xml.parsers import expat
from kinetree.checker.in_child import check_alone
from kinetree.checker.job import Job
from kinetree.rules.options import CheckOptions

texts = [open(path, "rb").read() for path in sys.argv[1:]]
jobs = [Job(path, CheckOptions("industrial")) for path in sys.argv[1:]]

gc.freeze()  # as the process of the command that checks
gc.disable()

def seconds(work):
    start = time.process_time()
    work()
    return time.process_time() - start

def parse(text):  # as often as takes about as long as the check: a short time may fall into a faster moment
    for _ in range(15):
        parser = expat.ParserCreate()
        parser.StartElementHandler = lambda tag, attributes: None
        with suppress(expat.ExpatError):
            parser.Parse(text, True)

# the least of each file, as others take the processor for a while
bare = [min(seconds(lambda: parse(text)) for _ in range(8)) for text in texts]
check = [min(times) for times in zip(*[[seconds(lambda: check_alone(job)) for job in jobs] for _ in range(5)])]
print(15 * sum(check) / sum(bare))
"""


@pytest.mark.slow
def test_the_corpus_is_checked_in_time():
    """At most 40 times what expat alone takes, in one process that has done nothing before, set up as the command's."""
    files = sorted(shared("corpus").rglob("*.urdf"))[::10]
    ratios = []
    while len(ratios) < 3 and not (ratios and ratios[-1] < 40):  # the least of three, as other programs run
        ended = subprocess.run([sys.executable, "-c", TIMES, *files], capture_output=True, text=True, check=True)
        ratios.append(float(ended.stdout))
    assert min(ratios) < 40


def test_findings_of_copies_of_an_element_count_once():
    """A model that is included twice has each finding twice, with another scope in its names, at the same place."""
    first = kt.Finding("c", "warning", "link 'cell::one::a' is wrong", Source("f.sdf", 3, 5), "link 'one::a'")
    same = [
        replace(first, message="link 'cell::two::a' is wrong", element="link 'two::a'"),
        replace(first, source=Source("./f.sdf", 3, 5)),
        replace(first, severity="error"),
    ]
    others = [
        replace(first, code="d"),
        replace(first, source=Source("f.sdf", 4, 5)),
        replace(first, source=Source("f.sdf", 3, 9)),
        replace(first, source=Source("folder/f.sdf", 3, 5)),
        replace(first, source=Source("f.sdf")),
        replace(first, source=None),
        replace(first, message="link 'cell::one::b' is wrong"),
    ]
    assert deduplicate([first, *same, *others, *same]) == [first, *others]
    unplaced = [replace(first, source=source) for source in (None, Source("f.sdf"))]
    assert deduplicate([*unplaced, *unplaced]) == [*unplaced, *unplaced]  # nobody knows whether they are one


def test_one_finding_names_all_elements_of_which_a_place_says_the_same():
    """Without a column the place may be that of a whole line; other words or advice are another finding."""
    first = kt.Finding("c", "warning", "the range is wrong", Source("f.xml", 3, 5), "joint 'a'")
    more = [replace(first, element=f"joint {name!r}") for name in "bcd"]
    others = [replace(first, source=Source("f.xml", 3, 9)), replace(first, code="d")]
    joined = replace(first, message="the range is wrong (also 'b', 'c', 'd')")
    assert deduplicate([first, more[0], *others, *more[1:]]) == [joined, *others]
    assert deduplicate([first, replace(first, element=None), more[0]])[0].message == "the range is wrong (also 'b')"
    unplaced = [replace(one, source=Source("f.xml", 3)) for one in (first, *more)]
    assert deduplicate(unplaced) == unplaced


TURNING = '<body><joint name="j" range="-9 9"/><geom size="1"/></body>'
ENDS = '<site name="s"/><site name="t" pos="1 0 0"/>'
SPATIAL = '<tendon><spatial range="0 1"><site site="s"/><site site="t"/></spatial></tendon>'
HELD = '<equality><joint joint1="j" polycoef="0.5 0 0 0 0"/></equality>'
RIGHT = {
    "camera-mode": '<worldbody><body><geom size="1"/><camera name="c" mode="track"/></body></worldbody>',
    "mocap": '<worldbody><body mocap="true"><geom size="1"/></body></worldbody>',
    "held-joint": f"<worldbody>{TURNING}</worldbody>{HELD}",
    "tendon": f"<worldbody>{TURNING}{ENDS}</worldbody>{SPATIAL}",
    "not-computed": f'<option gravity="0 0 -1"/><worldbody>{TURNING}</worldbody>',
}


@pytest.mark.parametrize("code", RIGHT)
def test_what_is_made_of_a_right_file_is_a_remark(code: str):
    """It is a warning of the reader, for whoever uses the robot, and no fault of the file."""
    robot = kt.load(f"<mujoco>{RIGHT[code]}</mujoco>", format="mjcf")
    assert [note.severity for note in robot.notes if note.code == code] == ["warning"]
    assert [finding.severity for finding in kt.check(robot) if finding.code == code] == ["info"]
