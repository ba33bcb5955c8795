"""What becomes of the jobs of child processes that fail, and which files are left to them."""

import os
import socket
from queue import SimpleQueue

import pytest

from each import each
from kinetree.checker import pool
from kinetree.checker.in_child import _special, examine_alone
from kinetree.checker.job import CheckReport, Job
from kinetree.errors import Finding
from kinetree.formats.registry import ReadOptions
from kinetree.isolated.child import START, ChildError
from kinetree.isolated.protection import Protection
from kinetree.rules.options import CheckOptions


class Child:
    """A child process that gives these answers, and ends with each error."""

    readable, seconds, protection = None, 2.5, Protection(landlock=3)

    def __init__(self, *answers):
        self.answers, self.process, self.ended, self.starts = iter(answers), None, False, 0

    def start(self):
        self.starts, self.process = self.starts + 1, "runs"

    def send(self, _arguments):
        if self.process is None:
            self.start()

    def answer(self):
        answer = next(self.answers)
        if isinstance(answer, ChildError):
            self.process = None
        if isinstance(answer, Exception):
            raise answer
        return answer

    def kill(self):
        self.process = None

    def end(self):
        self.ended = True
        self.kill()


def test_a_job_that_fails_costs_no_other_its_answer():
    much = CheckReport("memory", (Finding("check-memory", "error", "takes more memory"),))
    answers = {
        "late": ChildError("is over time", late=True),
        "ended": ChildError("ended with SIGABRT"),
        "memory": much,
        "none": OSError("no more processes"),
        "good": CheckReport("good", ()),
    }
    todo, done = SimpleQueue(), SimpleQueue()
    order = ["late", "good", "ended", "none", "memory"]  # each second one is sent before it is known that a child ended
    for number, file in enumerate(order):
        todo.put((number, file, b""))
    child = Child(*answers.values())
    pool._work(child, todo, done)
    found = [done.get_nowait() for _ in order]
    assert {order[number] for number, _ in found} == set(order)
    assert [order[number] for number, _ in found] == [report.file for _, report in found] == list(answers)
    said = {report.file: [f"{one.code}: {one.message}" for one in report.findings] for _, report in found}
    assert said == {
        "late": ["check-timeout: takes more than 2.5 s to check, the most that is waited"],
        "ended": ["check-crashed: the process that checked it ended with SIGABRT; please tell us"],
        "memory": ["check-memory: takes more memory"],
        "none": ["check-crashed: no child process can check it: no more processes"],
        "good": [],
    }
    assert done.empty()
    assert (child.starts, child.ended) == (5, True)


def test_the_limits_are_those_of_a_child_that_may_read_nothing(monkeypatch):
    child, asked = Child(), []
    monkeypatch.setattr(pool, "_child", lambda *given: asked.append(given) or child)
    assert pool.protection() is child.protection
    assert asked == [(START, 2048, [])]
    assert (child.starts, child.ended) == (1, True)


@each(
    "read, left",
    [
        (ReadOptions(), False),
        (ReadOptions(srdf="cell.srdf"), False),
        (ReadOptions(srdf="cell.SRDF.Xacro"), True),
        (ReadOptions(expand="mujoco"), True),
        (ReadOptions(format="mjcf"), False),
    ],
)
def test_what_is_expanded_is_left_to_children(tmp_path, read, left):
    (tmp_path / "arm.urdf").write_text("<robot name='arm'><link name='a'/></robot>")
    assert pool.needs_children([Job(str(tmp_path / "arm.urdf"), CheckOptions(read=read))]) is left


@pytest.mark.skipif(os.name != "posix", reason="pipes, sockets and devices of POSIX")
def test_what_is_no_file_is_not_read(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe.urdf")
    (finding,) = examine_alone(Job("pipe.urdf", CheckOptions())).checked.findings
    assert (finding.code, finding.severity, finding.source.file) == ("file", "error", "pipe.urdf")
    assert finding.message == "is a named pipe, not a file; only files are checked"
    with socket.socket(socket.AF_UNIX) as one:
        one.bind("socket.urdf")
        assert _special("socket.urdf") == "a socket"
    assert _special(os.devnull) == "a device"
    (tmp_path / "plain.urdf").write_text("")
    assert [_special(file) for file in ("plain.urdf", ".", "none.urdf", "a\0b")] == [None] * 4
