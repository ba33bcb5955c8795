"""Child processes of the server: which documents share one, and what becomes of stale work."""

import asyncio
import time
from pathlib import Path

import pytest

from kinetree.checker import pool
from kinetree.checker.plan import jobs
from kinetree.lsp import workers
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
