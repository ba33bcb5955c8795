"""Child processes of the server: which documents share one, and what becomes of stale work."""

import asyncio
import pickle
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from kinetree.checker import pool
from kinetree.checker.plan import jobs
from kinetree.isolated import ChildError
from kinetree.lsp import workers
from kinetree.lsp.answers import Look, Mark, Refusal
from kinetree.lsp.session import Document, Session
from kinetree.lsp.text import Text
from lsp_texts import ARM

SLOW = ARM.replace("</robot>", "".join(f'<link name="l{n}"/>' for n in range(40_000)) + "</robot>")
"""A text that takes seconds to check: none of its links has a parent."""


@pytest.fixture
def session():
    published = []
    made = Session(lambda path, marks: published.append((Path(path), marks)))
    made.published = published
    yield made
    made.end()


def test_documents_with_the_same_folders_share_a_process(tmp_path):
    files = []
    for name in ("a/a.urdf", "b/b.urdf"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(ARM)
        files.append(str(tmp_path / name))
    known = workers.Workers()
    first, second = (known.of(jobs([file], within=[str(tmp_path)])) for file in files)
    known.end()
    assert first is second
    assert first.child.process is None  # it starts with the first question


class Answering:
    """A child in this process."""

    def __init__(self, answers):
        self.answers, self.killed, self.process, self.sent = answers, 0, None, []

    def send(self, content):
        self.sent.append(pickle.loads(content))

    def answer(self):
        answer = self.answers.pop(0)
        return answer() if callable(answer) else answer

    def kill(self):
        self.killed += 1


def raising(error):
    def fail():
        raise error

    return fail


def test_answers_and_failures_of_a_child(monkeypatch):
    """A child that may be out of memory, or has ended by itself, is replaced; failures have a code."""
    mark = Mark(((0, 0), (0, 1)), "error", "a", "x")
    full = Look({"/a": (mark, replace(mark, code="check-memory"))}, ("/a",))
    plain = Look({"/a": (mark,)}, ("/a",))
    late, crashed = ChildError("takes more than 30 s", late=True), ChildError("ended with SIGSEGV")
    worker = workers.Worker([])
    worker.child = found = Answering(
        [plain, full, (1,), raising(late), raising(crashed), raising(BrokenPipeError("no"))]
    )
    asked = [asyncio.run(worker.ask("check", "/a", n)) for n in range(6)]
    assert found.sent == [("check", "/a", n) for n in range(6)]
    assert asked == [
        plain,
        full,
        (1,),
        Refusal("the process that reads it takes more than 30 s", "check-timeout"),
        Refusal("the process that reads it ended with SIGSEGV", "check-crashed"),
        Refusal("the process that reads it no", "check-crashed"),
    ]
    assert found.killed == 1
    found.answers, found.process = [plain, plain], SimpleNamespace(poll=lambda: None)
    worker._ask("check", "/a", pickle.dumps(1))
    assert found.killed == 1
    found.process = SimpleNamespace(poll=lambda: 0)
    worker._ask("check", "/a", pickle.dumps(1))
    assert found.killed == 2
    worker.end()


def test_only_an_outdated_check_of_a_document_is_dropped(tmp_path, monkeypatch):
    now = [0.0]
    monkeypatch.setattr(workers, "monotonic", lambda: now[0])
    (tmp_path / "a.urdf").write_text(ARM)
    known = workers.Workers()
    worker = known.of(jobs([str(tmp_path / "a.urdf")], within=[str(tmp_path)]))
    dropped = []

    def drop(path, seconds):
        now[0] = seconds
        known.drop(path)
        return worker.child.killed

    for question, expected in (("check", [0, 0, 0, 1]), ("hover", [0, 0, 0, 0])):
        now[0], worker.child = 0.0, Answering([])
        worker.child.answers = [
            lambda: dropped.append([drop(*one) for one in (("/b", 9), ("/a", 0.5), ("/a", 1.0), ("/a", 1.1))])
        ]
        worker._ask(question, "/a", pickle.dumps(1))
        assert dropped.pop() == expected
        assert drop("/a", 100) == expected[-1]  # nothing runs any more
    known.end()


def test_at_most_four_processes_and_the_latest_stay(monkeypatch):
    monkeypatch.setattr(workers, "readable", lambda folders: folders)
    known = workers.Workers()
    made = {name: known.of([f"/{name}"]) for name in "abcd"}
    assert known.of(["/a"]) is made["a"]
    assert known.of(["/c/deeper", "/c"]) is made["c"]  # which may read them
    assert len({id(known.of(folders)) for folders in (["/e"], ["/e"])}) == 1
    assert [made[name].child.ended for name in "abcd"] == [False, True, False, False]
    free = known.of(None)  # which may read everything, and is for those alone that need it
    assert [made[name].child.ended for name in "abcd"] == [False, True, False, True]
    assert known.of(None) is free
    assert known.of(["/a"]) is made["a"]
    assert known.of(["/a", "/x"]) is not made["a"]
    known.end()
    assert free.child.ended


@pytest.mark.slow
def test_a_stale_check_is_given_up(session, tmp_path, monkeypatch):
    monkeypatch.setattr(workers, "PATIENCE", 0.2)  # less than a check of SLOW takes on a fast machine
    path = tmp_path / "arm.urdf"
    path.write_text(ARM)

    async def play():
        session.open(Document(path.as_uri(), str(path), Text(ARM), 1))
        while not session.published:
            await asyncio.sleep(0.01)
        session.published.clear()
        session.change(Document(path.as_uri(), str(path), Text(SLOW), 2))
        await asyncio.sleep(workers.PATIENCE + 0.3)
        assert not session.published
        (worker,) = session.workers._known.values()
        before = worker.child.process.pid
        session.change(Document(path.as_uri(), str(path), Text(ARM), 3))
        start = time.monotonic()
        while not session.published:
            await asyncio.sleep(0.01)
        assert worker.child.process.pid != before
        return time.monotonic() - start

    assert asyncio.run(play()) < 10
    ((_, marks),) = session.published
    assert {mark.code for mark in marks} == {"JNT-001", "NAM-003"}


@pytest.mark.parametrize(
    "start", [lambda folders: workers.Worker(folders).child, lambda folders: pool._child(1, 1, folders)]
)
def test_a_child_that_reads_only_some_folders_gets_no_secrets_of_the_environment(start, tmp_path, monkeypatch):
    monkeypatch.setenv("TOKEN_OF_SOMEBODY", "secret")
    monkeypatch.setenv("ROS_PACKAGE_PATH", str(tmp_path))
    confined, free = start([str(tmp_path)]).environment, start(None).environment
    assert "TOKEN_OF_SOMEBODY" not in confined
    assert confined["ROS_PACKAGE_PATH"] == str(tmp_path)  # by which packages are found
    assert free["TOKEN_OF_SOMEBODY"] == "secret"


def test_a_signal_ends_the_children_and_then_the_process_as_it_would(monkeypatch):
    from kinetree.lsp import server

    done = []
    monkeypatch.setattr(server, "end", lambda ls: done.append(("end", ls)))
    monkeypatch.setattr(server.signal, "signal", lambda number, action: done.append((number, action)))
    monkeypatch.setattr(server.signal, "raise_signal", lambda number: done.append(("raised", number)))
    server._terminated(15, None)
    assert done == [("end", server.server), (15, server.signal.SIG_DFL), ("raised", 15)]


def test_pages_are_removed_and_the_session_ends(tmp_path):
    from kinetree.lsp import server

    (pages := tmp_path / "pages").mkdir()
    (pages / "arm.html").touch()
    ended = []
    ls = SimpleNamespace(session=SimpleNamespace(end=lambda: ended.append(True)), pages=str(pages))
    server.end(ls)
    assert (ended, ls.pages, pages.exists()) == ([True], None, False)
    server.end(SimpleNamespace(pages=None))  # before it was asked for anything
