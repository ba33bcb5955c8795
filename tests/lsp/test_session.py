"""The server in this process: all that an editor gets from it, and when documents are checked."""

import asyncio
import json
import os
import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from each import each
from kinetree.errors import Finding, Source
from kinetree.lsp import child, protocol, server, session
from kinetree.lsp.answers import Look, Mark, Refusal
from kinetree.lsp.session import Document, Session, is_description, look_of
from kinetree.lsp.text import Text
from lsp_texts import ARM, MACRO, MADE, SRDF

types = pytest.importorskip("lsprotocol.types")
CONVERTER = pytest.importorskip("lsprotocol.converters").get_converter()

SDF = """<sdf version="1.9"><model name="m"><link name="a"><inertial><mass>2.5</mass></inertial></link><link name="b"/>
<frame name="f" attached_to="b"><pose>0 0 1 0 0 1.5</pose></frame>
<joint name="j" type="prismatic"><pose relative_to="a">0 0.5 0 0 0 0</pose><parent>a</parent><child>b</child>
<axis><xyz>0 0 1</xyz><limit><lower>-0.1</lower><upper>1</upper><effort>30</effort>
<velocity>0.5</velocity></limit></axis>
</joint></model></sdf>
"""
MJCF = """<mujoco><worldbody><body name="a" pos="0 0 1"><joint name="j" range="-90 90"/><geom name="g" size="1"/>
<site name="s"/></body></worldbody><actuator><motor name="m" joint="j"/></actuator>
<sensor><framepos objtype="site" objname="s"/></sensor></mujoco>
"""
MORE = """<robot name="more">
  <link name="a"><inertial><mass value="2"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <link name="b"/><link name="c"/>
  <joint name="k" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
    <limit effort="3" velocity="2"/></joint>
  <joint name="l" type="prismatic"><parent link="b"/><child link="c"/><axis xyz="1 0 0"/>
    <mimic joint="k" multiplier="0.5" offset="0.25"/><limit lower="0" upper="0.3" effort="0" velocity="1"/></joint>
  <transmission name="t"><joint name="k"/><actuator name="b"/></transmission>
</robot>
"""
FILES = {
    "segment.xacro": MACRO,
    "made.urdf.xacro": MADE,
    "arm.urdf": ARM,
    "arm.srdf": SRDF,
    "more.urdf": MORE,
    "m.sdf": SDF,
    "m.xml": MJCF,
}


class Here:
    """Answers of this process in the place of child processes. instead: an answer that is given instead."""

    def __init__(self):
        self.asked, self.dropped, self.ended, self.instead = [], [], False, None

    def of(self, jobs):
        return self

    async def ask(self, question, path, *arguments):
        self.asked.append((question, Path(path).name))
        return self.instead or child.answer(question, path, *arguments)

    def drop(self, path):
        self.dropped.append(Path(path).name)

    def end(self):
        self.ended = True


def capable():
    """An editor that knows all that the server asks for."""
    return SimpleNamespace(
        workspace=SimpleNamespace(workspace_edit=SimpleNamespace(document_changes=True)),
        window=SimpleNamespace(show_document=SimpleNamespace(support=True)),
        text_document=SimpleNamespace(
            completion=SimpleNamespace(completion_item=SimpleNamespace(snippet_support=True)),
            code_action=SimpleNamespace(resolve_support=SimpleNamespace(properties=["edit"])),
        ),
    )


class Editor(server.Server):
    """A server, and what it tells its editor."""

    client_capabilities = None

    def __init__(self, folder, capabilities=None):
        self.folder, self.client_capabilities, self.told = folder, capabilities, []
        self.session = Session(self.publish, [str(folder)])
        self.session.workers = self.here = Here()

    def text_document_publish_diagnostics(self, params):
        self.told.append((Path(protocol.path_of(params.uri)).name, params.version, len(params.diagnostics)))

    def window_show_message(self, params):
        self.told.append(params.message)

    def window_show_document(self, params):
        self.told.append(params)

    def document(self, name, text=None, version=1):
        path = self.folder / name
        text = Text(path.read_text(encoding="utf-8") if text is None else text, "utf-16")
        return Document(path.as_uri(), str(path), text, version)

    async def checked(self):
        """Wait until nothing is checked any more."""
        while self.session._checks:
            await asyncio.gather(*self.session._checks.values(), return_exceptions=True)
            await asyncio.sleep(0)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    child._models.clear()
    monkeypatch.setattr(session, "WAIT", 0.02)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return Path(os.path.realpath(tmp_path))


def plain(answer, folder):
    """An answer as JSON, with short places."""
    text = json.dumps(CONVERTER.unstructure(answer), ensure_ascii=False)
    place = r'\{"start": \{"line": (\d+), "character": (\d+)\}, "end": \{"line": (\d+), "character": (\d+)\}\}'
    text = re.sub(place, r"\1:\2-\3:\4", text).replace(folder.as_uri() + "/", "").replace(str(folder) + "/", "")
    return re.sub(r"\d+\.\d{9,}", lambda match: f"{float(match[0]):.6f}", text)


def test_every_answer_about_every_name(folder, golden):
    """To the letter, through the types of the protocol. Read the difference before you update the file."""
    ls = Editor(folder, capable())
    lines = []

    async def ask(name):
        ls.session.open(ls.document(name))
        await ls.checked()
        text, uri = (
            ls.session.documents[str(folder / name)].text,
            types.TextDocumentIdentifier((folder / name).as_uri()),
        )
        lines.append(f"== {name}")
        marks = ls.session.looks[str(folder / name)].marks.get(str(folder / name), ())
        lines.extend(f"mark {plain(protocol.diagnostic(mark), folder)}" for mark in marks)
        lines.append(f"outline {plain(await server.symbols(ls, types.DocumentSymbolParams(uri)), folder)}")
        lines.append(f"lens {plain(await server.code_lenses(ls, types.CodeLensParams(uri)), folder)}")
        for match in re.finditer(r"""(?<=[ <:])[\w:]+="[^"]*"|<[\w:]+|>[^<>\s][^<>]*""", text.content):
            at = match.start() + max(match[0].find('"'), 0) + 1
            place = types.Position(*text.position(at))
            where = (uri, place)
            lines.append(f"- {place.line}:{place.character} {match[0]}")
            answers = {
                "hover": await server.hover(ls, types.HoverParams(*where)),
                "defined": await server.definition(ls, types.DefinitionParams(*where)),
                "used": await server.references(ls, types.ReferenceParams(types.ReferenceContext(False), *where)),
                "may be": (await server.completion(ls, types.CompletionParams(*where))).items,
            }
            shown = {key: plain(answer, folder) for key, answer in answers.items() if answer}
            shown["may be"] = ", ".join(item.label for item in answers["may be"])
            lines.extend(f"    {key}: {value}" for key, value in shown.items() if value)

    async def play():
        for name in FILES:
            await ask(name)

    asyncio.run(play())
    golden("answers.txt", "\n".join(lines) + "\n")


def play(folder, steps, capabilities=None):
    """Run a coroutine function of an editor."""

    async def run():
        ls = Editor(folder, capabilities or capable())
        await steps(ls)
        await ls.checked()
        return ls

    return asyncio.run(run())


def test_new_names_and_repairs_are_edits_of_the_protocol(folder):
    async def steps(ls):
        for name in ("arm.urdf", "more.urdf"):
            ls.session.open(ls.document(name, version=7))
        await ls.checked()
        where = types.TextDocumentIdentifier((folder / "arm.urdf").as_uri()), types.Position(6, 18)
        assert plain(await server.prepare_rename(ls, types.PrepareRenameParams(*where)), folder) == "6:17-6:24"
        edit = await server.rename(ls, types.RenameParams(*where, "fore"))
        changes = '[{"range": 6:17-6:24, "newText": "fore"}, {"range": 11:14-11:21, "newText": "fore"}, '
        changes += '{"range": 12:21-12:28, "newText": "fore"}]'
        document = '{"textDocument": {"uri": "arm.urdf", "version": 7}, "edits": '
        assert plain(edit, folder) == f'{{"documentChanges": [{document}{changes}}}]}}'
        for position, new, why in (
            (where[1], "base_link", "'base_link' exists already"),
            (types.Position(4, 48), "fore", "there is no name here that can be changed; expected names of parts"),
        ):
            with pytest.raises(server.JsonRpcException, match=why) as error:
                await server.rename(ls, types.RenameParams(where[0], position, new))
            assert error.value.code == -32803
        closed = types.TextDocumentIdentifier((folder / "closed.urdf").as_uri())
        with pytest.raises(server.JsonRpcException, match=r"closed\.urdf is no open robot description"):
            await server.rename(ls, types.RenameParams(closed, where[1], "fore"))
        ls.client_capabilities = None  # an editor that knows nothing
        edit = await server.rename(ls, types.RenameParams(*where, "fore"))
        assert plain(edit, folder) == f'{{"changes": {{"arm.urdf": {changes}}}}}'

        context = types.CodeActionContext([])
        at = types.Range(types.Position(8, 4), types.Position(8, 10))
        asked = types.CodeActionParams(where[0], at, context)
        one, every = await server.code_actions(ls, asked)
        assert (one.title, one.kind, one.is_preferred) == ("Fix JNT-001 of joint 'schulter_ü'", "quickfix", True)
        assert (every.title, every.kind, every.is_preferred) == (
            "Fix all that is safe to fix (kinetree fix)",
            "source.fixAll.kinetree",
            None,
        )
        made = '{"changes": {"arm.urdf": [{"range": 8:19-8:20, "newText": "1"}]}}'
        assert [plain(action.edit, folder) for action in (one, every)] == [made, made]
        assert [mark.code for mark in one.diagnostics] == ["JNT-001"]
        ls.client_capabilities = capable()  # which asks for the edit of an action once it is chosen
        lazy, _ = await server.code_actions(ls, asked)
        assert (lazy.edit, lazy.data) == (None, [str(folder / "arm.urdf"), "JNT-001", "joint 'schulter_ü'", False])
        assert (await server.resolve_action(ls, lazy)).edit is not None
        outside = types.Range(types.Position(0, 0), types.Position(1, 0))
        (only,) = await server.code_actions(ls, types.CodeActionParams(where[0], outside, context))
        assert only.kind == "source.fixAll.kinetree"
        context = types.CodeActionContext([], only=["quickfix"])
        assert await server.code_actions(ls, types.CodeActionParams(where[0], outside, context)) == []
        assert (
            await server.code_actions(ls, types.CodeActionParams(types.TextDocumentIdentifier("x:y"), at, context))
            == []
        )
        for wrong in (None, [], ["", "", "", 1], ["\0", "", "", True], ["", "", "", True, 1]):
            lazy.data = wrong
            with pytest.raises(server.JsonRpcInvalidParams, match="this is no action that was offered here"):
                await server.resolve_action(ls, lazy)
        lazy.data = [str(folder / "more.urdf"), "JNT-001", "", False]
        assert (await server.resolve_action(ls, lazy)).disabled.reason == "JNT-001: no repair is known"
        lazy.data = [str(folder / "closed.urdf"), "JNT-001", "", False]
        assert (await server.resolve_action(ls, lazy)).disabled.reason == "the document was closed"
        assert ls.told[-2:] == ["Not repaired: JNT-001: no repair is known", "Not repaired: the document was closed"]

    play(folder, steps)


def test_what_is_typed_is_taken_and_checked_once(folder):
    async def steps(ls):
        uri = (folder / "arm.urdf").as_uri()
        item = types.TextDocumentItem(uri, "xml", 1, ARM)
        server.did_open(ls, types.DidOpenTextDocumentParams(item))
        await ls.checked()
        assert ls.told == [("arm.urdf", 1, 2)]
        for version, (column, new) in enumerate(((19, ""), (19, "1")), 2):
            span = types.Range(types.Position(8, column), types.Position(8, column + (not new)))
            change = types.TextDocumentContentChangePartial(span, new)
            document = types.VersionedTextDocumentIdentifier(version, uri)
            server.did_change(ls, types.DidChangeTextDocumentParams(document, [change]))
        assert ls.here.asked == [("check", "arm.urdf")]
        await ls.checked()
        assert ls.here.asked == [("check", "arm.urdf")] * 2
        assert ls.told == [("arm.urdf", 1, 2), ("arm.urdf", 3, 1)]
        assert ls.session.documents[str(folder / "arm.urdf")].text.content == ARM.replace("0 0 2", "0 0 1")
        whole = types.TextDocumentContentChangeWholeDocument("<robot")
        server.did_change(ls, types.DidChangeTextDocumentParams(document, [whole]))
        assert ls.session.documents[str(folder / "arm.urdf")].text.content == "<robot"
        other = types.VersionedTextDocumentIdentifier(1, (folder / "other.urdf").as_uri())
        server.did_change(ls, types.DidChangeTextDocumentParams(other, [whole]))
        assert len(ls.session.documents) == 1
        server.did_close(ls, types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri)))
        assert (ls.told[-1], ls.session.documents, ls.session.looks) == (("arm.urdf", 3, 0), {}, {})
        server.did_open(ls, types.DidOpenTextDocumentParams(item))  # at once: the check of before has ended
        await ls.checked()
        await asyncio.sleep(2 * session.WAIT)
        assert ls.here.asked == [("check", "arm.urdf")] * 3
        before = len(ls.told)
        for untitled in (types.TextDocumentItem("untitled:1", "xml", 1, ARM),):
            server.did_open(ls, types.DidOpenTextDocumentParams(untitled))
        await ls.checked()
        assert len(ls.told) == before
        server.shutdown(ls, None)
        assert ls.here.ended

    play(folder, steps)


def test_a_file_behind_a_link_has_no_findings_once_it_is_closed(folder):
    """Under the name by which the editor knows it, also while it is open."""
    (folder / "link").symlink_to(folder)
    published = []

    async def steps(ls):
        ls.text_document_publish_diagnostics = lambda params: published.append((params.uri, len(params.diagnostics)))
        document = ls.document("link/arm.urdf")
        ls.session.open(document)
        await ls.checked()
        assert published == [(document.uri, 2)]
        (actions,) = {one.data[0] for one in await server.code_actions(ls, asked(document.uri))}
        assert actions == str(folder / "arm.urdf")
        ls.session.close(document.path)
        assert published[1:] == [(document.uri, 0)]

    def asked(uri):
        whole = types.Range(types.Position(0, 0), types.Position(99, 0))
        return types.CodeActionParams(types.TextDocumentIdentifier(uri), whole, types.CodeActionContext([]))

    play(folder, steps)


def test_documents_are_checked_when_a_file_changes_that_they_read(folder):
    async def steps(ls):
        for name in ("made.urdf.xacro", "arm.urdf"):
            ls.session.open(ls.document(name))
        await ls.checked()

        async def checks(act):
            ls.here.asked.clear()
            act()
            await ls.checked()
            return sorted(name for question, name in ls.here.asked if question == "check")

        def saved(name, kind=types.FileChangeType.Changed):
            event = types.FileEvent((folder / name).as_uri(), kind)
            return lambda: server.did_change_files(ls, types.DidChangeWatchedFilesParams([event]))

        def save(name):
            document = types.TextDocumentIdentifier((folder / name).as_uri())
            return lambda: server.did_save(ls, types.DidSaveTextDocumentParams(document))

        both = ["arm.urdf", "made.urdf.xacro"]
        assert await checks(saved("segment.xacro")) == ["made.urdf.xacro"]
        assert await checks(save("segment.xacro")) == ["made.urdf.xacro"]
        assert await checks(save("more.urdf")) == []
        assert await checks(save("arm.urdf")) == []  # its text in the editor is what counts
        for name in ("kinetree.toml", "pyproject.toml", "package.xml"):
            assert await checks(save(name)) == both
        assert await checks(saved("more.urdf", types.FileChangeType.Created)) == both
        assert await checks(saved("more.urdf", types.FileChangeType.Deleted)) == both
        broken = MACRO.replace('upper="1"', 'upper="-2"')
        assert await checks(lambda: ls.session.open(ls.document("segment.xacro", broken))) == [
            "made.urdf.xacro",
            "segment.xacro",
        ]
        assert ("segment.xacro", 1, 1) in ls.told
        assert ls.here.dropped[-1] == "segment.xacro"
        assert await checks(lambda: ls.session.close(str(folder / "segment.xacro"))) == ["made.urdf.xacro"]
        assert ls.told[-2][0] == "segment.xacro"
        assert ls.told[-2][2] == 0
        assert await checks(lambda: ls.session.open(ls.document("new.urdf", ARM))) == [*both, "new.urdf"]

    play(folder, steps)


def test_what_cannot_be_checked_is_marked(folder):
    async def steps(ls):
        ls.session.open(ls.document("made.urdf.xacro"))
        await ls.checked()
        read = ls.session.looks[str(folder / "made.urdf.xacro")].read
        assert set(read) == {str(folder / "made.urdf.xacro"), str(folder / "segment.xacro")}
        ls.here.instead = Refusal("it took too long", "check-timeout")
        ls.session.change(ls.document("made.urdf.xacro", version=2))
        await ls.checked()
        (look,) = ls.session.looks.values()
        (mark,) = look.marks[str(folder / "made.urdf.xacro")]
        assert (mark.code, mark.message, mark.span, look.read) == (
            "check-timeout",
            "it took too long",
            ((0, 0), (0, 1000)),
            read,
        )
        (folder / "kinetree.toml").write_text("[check]\nprofil = 1\n")
        ls.session.change(ls.document("made.urdf.xacro", version=3))
        await ls.checked()
        assert {Path(file).name for file in ls.session.looks[str(folder / "made.urdf.xacro")].marks} == {
            "kinetree.toml",
            "made.urdf.xacro",
        }
        refused = await ls.session.ask("hover", str(folder / "made.urdf.xacro"), (0, 0))
        assert isinstance(refused, Refusal)
        assert await ls.ask("hover", (folder / "made.urdf.xacro").as_uri(), (0, 0)) is None
        assert await ls.ask("hover", "untitled:1", (0, 0)) is None
        assert await ls.session.ask("hover", str(folder / "arm.urdf"), (0, 0)) is None

    play(folder, steps)


def test_the_page_is_written_and_shown_as_the_editor_can(folder, monkeypatch):
    monkeypatch.setattr("kinetree.viewing.show.viewer", lambda: "")  # which may not be built
    monkeypatch.setattr("kinetree.lsp.page.page_of", lambda scene: json.dumps(scene.content["selected"]))

    async def steps(ls):
        ls.session.open(ls.document("arm.urdf"))
        uri = (folder / "arm.urdf").as_uri()
        shown = await server.show_robot(ls, uri, {"line": 6, "character": 18})
        page = Path(protocol.path_of(shown))
        assert re.fullmatch(r"arm-[0-9a-f]{8}\.html", page.name)
        assert json.loads(page.read_text("utf-8")) == {"kind": "joint", "index": 0}
        assert (ls.told[-1].uri, ls.told[-1].external) == (shown, True)
        ls.client_capabilities = None
        assert await server.show_robot(ls, uri) == shown
        assert json.loads(page.read_text("utf-8")) is None
        assert await server.show_robot(ls, uri, types.Position(11, 5)) == shown
        assert json.loads(page.read_text("utf-8")) == {"kind": "link", "index": 1}
        assert ls.told[-1] == f"The robot is shown by {page}"
        for arguments, why in (
            ((), "there is no document; expected the URI of an open robot description"),
            (("untitled:1",), "there is no document; expected the URI of an open robot description"),
            ((uri, {"line": "x"}), 'the position is wrong; expected {"line": 0, "character": 0}'),
            ((uri, 3), 'the position is wrong; expected {"line": 0, "character": 0}'),
        ):
            with pytest.raises(server.JsonRpcInvalidParams, match=re.escape(why)):
                await server.show_robot(ls, *arguments)
        server.end(ls)
        assert (page.parent.exists(), ls.pages, ls.here.ended) == (False, None, True)

    play(folder, steps)


def test_a_session_begins_in_the_folders_of_the_editor(folder, monkeypatch):
    monkeypatch.setattr(Editor, "workspace", SimpleNamespace(position_encoding="utf-8", folders={}), raising=False)
    a, b = folder / "a", folder / "b"
    several = [types.WorkspaceFolder(one.as_uri(), "") for one in (a, b)]
    for given, folders in (
        ({"workspace_folders": several, "root_path": str(folder)}, [str(a), str(b)]),
        ({"root_path": str(a), "root_uri": b.as_uri()}, [str(a)]),
        ({"root_uri": b.as_uri()}, [str(b)]),
        ({}, []),
        ({"root_uri": "file:///"}, []),  # which contains everything
    ):
        ls = Editor(folder)
        server.initialize(ls, types.InitializeParams(capabilities=types.ClientCapabilities(), **given))
        assert (ls.session.folders, ls.session.encoding, ls.ending) == (folders, "utf-8", None)
    ls.workspace.folders = {b.as_uri(): None, "untitled:1": None}
    server.did_change_folders(ls, None)
    assert ls.session.folders == [str(b)]


@each(
    "name, text, is_one",
    [
        ("a.urdf", "", True),
        ("A.URDF", "", True),
        ("a.xacro", "", True),
        ("a.srdf", "", True),
        ("a.sdf", "", True),
        ("a.world", "", True),
        ("a.mjcf", "", True),
        ("a.xml", "<mujoco/>", True),
        ("a.xml", "<robot/>", True),
        ("a.xml", "<launch/>", False),
        ("a.xml", "<", False),
        ("a.yaml", "<robot/>", False),
        ("a.txt", "<robot/>", False),
        ("a.toml", "", False),
    ],
)
def test_robot_descriptions_are_known_by_their_names_and_roots(name, text, is_one):
    assert is_description(Document("", f"/{name}", Text(text), 1)) == is_one


def test_marks_of_findings_whose_files_were_not_read():
    finding = Finding("a", "error", "one", Source("/x/a.urdf", 3, 7))
    other, nowhere = Finding("b", "info", "two", Source("/x/b.toml")), Finding("c", "warning", "three")
    whole = ((0, 0), (0, 1000))

    def shown(look):
        return {file: [(m.code, m.severity, m.message, m.span) for m in marks] for file, marks in look.marks.items()}

    here = [("a", "error", "one", ((2, 0), (2, 1000)))]
    look = look_of([finding, other, nowhere], "/x/a.urdf")
    assert shown(look) == {
        "/x/a.urdf": [*here, ("c", "warning", "three", whole)],
        "/x/b.toml": [("b", "info", "two", whole)],
    }
    assert look.read == ("/x/a.urdf",)
    everywhere = shown(look_of([finding, other], "/x/a.urdf", everywhere=True))
    assert everywhere["/x/a.urdf"] == [*here, ("b", "info", "this file is not checked: /x/b.toml, line 1: two", whole)]


@each(
    "uri, path",
    [
        ("file:///a/b%20c.urdf", "/a/b c.urdf"),
        ("FILE:///a", "/a"),
        ("untitled:1", None),
        ("file:///a%00b", None),
        ("file:", None),
        (None, None),
        (3, None),
    ],
)
def test_paths_of_uris(uri, path):
    assert protocol.path_of(uri) == path


def test_marks_of_several_documents_in_one_file_are_published_together(folder):
    published = []
    mark = Mark(((0, 0), (0, 1)), "error", "a", "x")
    made = Session(lambda path, marks: published.append((path, marks)))
    made._show("/a", Look({"/a": (mark,), "/c": (mark,)}, ("/a", "/c")))
    made._show("/b", Look({"/b": (), "/c": (mark, mark)}, ("/b",)))
    assert published == [("/c", (mark,)), ("/a", (mark,)), ("/c", (mark,)), ("/b", ())]
    published.clear()
    made._show("/a", None)
    assert published == [("/c", (mark,)), ("/a", ())]
    made.end()


def test_requests_out_of_order_are_answered(monkeypatch):
    """Before the first, after it, with wrong parameters, and refused by their functions."""
    spoken = server.Server("test", "1", protocol_cls=server.Protocol).protocol
    sent, passed = [], []
    monkeypatch.setattr(spoken, "_send_response", lambda number, error=None, result=None: sent.append((number, error)))
    base = server.LanguageServerProtocol
    monkeypatch.setattr(base, "_handle_request", lambda self, number, name, given: passed.append((number, name)))
    monkeypatch.setattr(base, "_handle_notification", lambda self, name, given: passed.append(name))
    monkeypatch.setattr(base, "_send_handler_result", lambda self, future, msg_id: passed.append((msg_id, "result")))

    def said():
        found = [(number, error.code, error.message) for number, error in sent]
        sent.clear()
        return found

    spoken._handle_request(1, "textDocument/hover", None)
    spoken._handle_notification("textDocument/didOpen", None)
    spoken._handle_notification("exit", None)
    spoken._handle_request(2, "initialize", None)
    assert said() == [(1, -32002, "the server was not initialized")]
    assert passed == ["exit", (2, "initialize")]
    passed.clear()
    spoken._workspace = SimpleNamespace()
    spoken._handle_request(3, "textDocument/hover", None)
    spoken._handle_notification("textDocument/didOpen", None)
    spoken._handle_request(4, "initialize", None)
    assert said() == [(4, -32600, "the server was initialized already")]
    assert passed == [(3, "textDocument/hover"), "textDocument/didOpen"]
    for number in (5, "a", None, True):
        with pytest.raises(server.JsonRpcException):
            spoken.structure_message({"jsonrpc": "2.0", "method": "textDocument/hover", "id": number, "params": {}})
    assert said() == [(number, -32602, "the parameters are not those of the protocol") for number in (5, "a")]
    passed.clear()

    async def answered(error=None, cancelled=False):
        future = asyncio.get_running_loop().create_future()
        future.cancel() if cancelled else future.set_exception(error) if error else future.set_result(1)
        spoken._request_futures[6] = future
        spoken._send_handler_result(future, msg_id=6)
        return 6 in spoken._request_futures

    assert not asyncio.run(answered(server.JsonRpcException("no", -1)))
    assert (said(), passed) == ([(6, -1, "no")], [])
    for more in ({}, {"error": ValueError("x")}, {"cancelled": True}):
        assert asyncio.run(answered(**more))
    assert (said(), passed) == ([], [(6, "result")] * 3)
