"""How the language server begins and ends with its editor, in this process."""

import asyncio
import io
import signal
import sys
from types import SimpleNamespace

import pytest

from each import each
from kinetree.lsp import protocol, server
from kinetree.lsp.answers import Item
from kinetree.lsp.session import Session
from kinetree.lsp.text import Text

types = pytest.importorskip("lsprotocol.types")


def test_a_process_that_runs_is_known(monkeypatch):
    for error, runs in ((None, True), (ProcessLookupError(), False), (PermissionError(), True)):

        def kill(process, number, error=error):
            assert (process, number) == (42, 0)
            if error:
                raise error

        monkeypatch.setattr(server.os, "kill", kill)
        assert server._runs(42) is runs


def test_the_server_ends_after_its_editor(monkeypatch):
    done, runs = [], iter((True, True, False))

    async def sleep(seconds):
        done.append(seconds)

    monkeypatch.setattr(server, "_runs", lambda process: next(runs))
    monkeypatch.setattr(server.asyncio, "sleep", sleep)
    monkeypatch.setattr(server, "end", done.append)
    monkeypatch.setattr(server.os, "_exit", done.append)
    asyncio.run(server._end_with("server", 42))
    assert done == [server.WATCH, server.WATCH, "server", 1]


@pytest.mark.parametrize(("system", "watched"), [("posix", True), ("nt", False)])
def test_an_editor_is_watched_by_its_number(monkeypatch, system, watched):
    ls = SimpleNamespace(workspace=SimpleNamespace(position_encoding=None), publish=None, ending=None)
    seen = []

    async def end_with(ls, process):
        seen.append((ls, process))

    async def begin():
        params = types.InitializeParams(capabilities=types.ClientCapabilities(), process_id=42)
        monkeypatch.setattr(server, "os", SimpleNamespace(name=system))
        server.initialize(ls, params)
        if ls.ending:
            await ls.ending

    monkeypatch.setattr(server, "_end_with", end_with)
    asyncio.run(begin())
    assert (seen, ls.session.encoding) == ([(ls, 42)] * watched, "utf-16")


@each("able", [True, False])
def test_files_are_watched_if_the_editor_can(able):
    asked = []

    async def register(params):
        asked.append(params)

    watching = SimpleNamespace(dynamic_registration=able)
    capabilities = SimpleNamespace(workspace=SimpleNamespace(did_change_watched_files=watching))
    ls = SimpleNamespace(client_capabilities=capabilities, client_register_capability_async=register)
    asyncio.run(server.initialized(ls, None))
    assert len(asked) == able
    for params in asked:
        (one,) = params.registrations
        assert (one.id, one.method) == ("kinetree-files", "workspace/didChangeWatchedFiles")
        (watcher,) = one.register_options.watchers
        assert watcher.glob_pattern == server.WATCHED


def test_printed_text_is_no_message(monkeypatch):
    """The messages go to the standard output, and what is printed to that of errors."""
    done, out, errors = [], SimpleNamespace(buffer="out"), io.StringIO()

    def start(asked, answers):
        done.append((type(asked).__name__, answers, sys.stdout is errors))
        raise RuntimeError

    there = SimpleNamespace(
        dup=lambda number: done.append(("dup", number)) or 7,
        fdopen=lambda number, mode: done.append((number, mode)) or io.BytesIO(),
        dup2=lambda number, to: done.append(("dup2", to)),
        devnull=server.os.devnull,
    )
    monkeypatch.setattr(server, "os", there)
    monkeypatch.setattr(server.signal, "signal", lambda number, handler: done.append((number, handler)))
    monkeypatch.setattr(server.server, "start_io", start)
    monkeypatch.setattr(server, "end", lambda ls: done.append(ls is server.server))
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", errors)
    with pytest.raises(RuntimeError):
        server.serve()
    assert done == [
        (signal.SIGTERM, server._terminated),
        ("dup", 0),
        (7, "rb"),
        ("dup2", 0),
        ("Reader", "out", True),
        True,
    ]


def test_a_request_that_is_answered_is_forgotten(monkeypatch):
    spoken, answered = server.Server("test", "1", protocol_cls=server.Protocol).protocol, []

    def execute(self, number, handler, callback, args, kwargs):
        answered.append((number, handler, args, kwargs))
        callback("future")

    monkeypatch.setattr(server.LanguageServerProtocol, "_execute_handler", execute)
    spoken._request_futures[3] = "future"
    spoken._execute_handler(3, "handler", answered.append, (1,), {"a": 2})
    assert answered == [(3, "handler", (1,), {"a": 2}), "future"]
    assert 3 not in spoken._request_futures


def test_checks_end_with_the_session():
    async def play():
        session = Session(None, [])
        session.workers = SimpleNamespace(end=lambda: None)
        task = session._checks["a"] = asyncio.get_running_loop().create_task(asyncio.sleep(10))
        session.end()
        await asyncio.gather(task, return_exceptions=True)
        return task.cancelled()

    assert asyncio.run(play())


def test_a_check_that_fails_is_an_error():
    async def play(work):
        session = Session(None, [])
        task = session._checks["a"] = asyncio.get_running_loop().create_task(work)
        await asyncio.gather(task, return_exceptions=True)
        session._done("a", task)
        return session._checks

    async def failing():
        raise ValueError("broken")

    assert asyncio.run(play(asyncio.sleep(0))) == {}
    with pytest.raises(ValueError, match="broken"):
        asyncio.run(play(failing()))


def test_a_document_that_is_closed_while_it_waits_has_no_marks():
    published = []

    async def play():
        session = Session(lambda path, marks: published.append((path, marks)), [])
        session.looks["a.urdf"] = SimpleNamespace(marks={"b.xacro": ("mark",)}, read=())
        await session._check("a.urdf", 0)
        return session.looks

    assert asyncio.run(play()) == {}
    assert published == [("b.xacro", ()), ("a.urdf", ())]


def test_the_end_of_an_older_check_leaves_the_newer_one():
    async def play():
        session = Session(None, [])
        older, newer = (asyncio.get_running_loop().create_task(asyncio.sleep(0)) for _ in range(2))
        session._checks["a"] = newer
        await asyncio.gather(older, newer)
        session._done("a", older)
        kept = dict(session._checks)
        session._done("a", newer)
        return kept == {"a": newer}, session._checks

    assert asyncio.run(play()) == (True, {})


@each(
    "kind, snippets, new, is_snippet",
    [
        ("attribute", True, 'name="$1"', True),
        ("attribute", False, 'name=""', False),
        ("tag", True, "name", False),
        ("anything", False, "name", False),
    ],
)
def test_what_a_completion_inserts(kind, snippets, new, is_snippet):
    item = Item("name", kind, "", Text("<a na").span(3, 5))
    found = protocol.completion(item, snippets)
    assert (found.label, found.filter_text, found.detail, found.text_edit.new_text) == ("name", "name", None, new)
    assert found.text_edit.range == types.Range(types.Position(0, 3), types.Position(0, 5))
    assert found.insert_text_format == (types.InsertTextFormat.Snippet if is_snippet else None)
    assert found.kind == protocol.ITEMS.get(kind, types.CompletionItemKind.Value)
    assert protocol.completion(item._replace(detail="of a link"), snippets).detail == "of a link"
