"""The server: requests of the protocol to questions of a session. It writes no file but pages of `Show robot`."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import Any
from zlib import crc32

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams, JsonRpcInvalidRequest
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol

from kinetree import __version__
from kinetree.lsp import protocol
from kinetree.lsp.answers import Action, Mark, Refusal, actions
from kinetree.lsp.protocol import path_of
from kinetree.lsp.reader import Reader
from kinetree.lsp.session import Document, Session, real
from kinetree.lsp.text import Text

SHOW = "kinetree.showRobot"
"""Command with a URI and a position, or none, that opens the page of the viewer."""
WATCHED = "**/*.{urdf,xacro,srdf,sdf,world,mjcf,xml,yaml,yml,toml}"
WATCH = 2.0
"""Seconds between two looks whether the editor still runs."""
REFUSED = -32803
"""The protocol's code for a request that failed although it was right."""
NOT_INITIALIZED = -32002
"""The protocol's code for a request before the first."""


class Protocol(LanguageServerProtocol):
    """Protocol that forgets a message once it was handled; pygls 2.1 keeps something of every notification. Refusals
    are answers, and leave no traceback in the log."""

    def structure_message(self, data: dict[str, Any]) -> Any:
        """Return a message; one whose parameters are wrong is answered."""
        try:
            return super().structure_message(data)
        except JsonRpcException:
            if "method" in data and type(data.get("id")) in (int, str):
                self._refuse(data["id"], JsonRpcInvalidParams("the parameters are not those of the protocol"))
            raise

    def _handle_request(self, msg_id: Any, method_name: str, params: Any) -> None:
        begun = self._workspace is not None
        if begun != (method_name == types.INITIALIZE):
            super()._handle_request(msg_id, method_name, params)
        elif begun:
            self._refuse(msg_id, JsonRpcInvalidRequest("the server was initialized already"))
        else:
            self._refuse(msg_id, JsonRpcException("the server was not initialized", NOT_INITIALIZED))

    def _handle_notification(self, method_name: str, params: Any) -> None:
        if self._workspace is not None or method_name == types.EXIT:
            super()._handle_notification(method_name, params)

    def _send_handler_result(self, future: Any, *, msg_id: Any) -> None:
        error = None if future.cancelled() else future.exception()
        if isinstance(error, JsonRpcException):
            self._refuse(msg_id, error)
        else:
            super()._send_handler_result(future, msg_id=msg_id)

    def _refuse(self, msg_id: Any, error: JsonRpcException) -> None:
        self._request_futures.pop(msg_id, None)
        self._send_response(msg_id, error=error.to_response_error())

    def _execute_handler(self, msg_id: Any, handler: Any, callback: Any, args: Any = None, kwargs: Any = None) -> None:
        def done(future: Any) -> None:
            self._request_futures.pop(msg_id, None)
            callback(future)

        super()._execute_handler(msg_id, handler, done, args, kwargs)


class Server(LanguageServer):
    """A language server with a session, which begins when an editor introduces itself.

    pages: folder of the pages of robots, if there are any. ending: the task that watches the editor.
    """

    session: Session
    pages: str | None = None
    ending: asyncio.Task[None] | None = None

    def uri_of(self, path: str) -> str:
        """Return the URI of a file, as the editor writes it if it is open."""
        document = self.session.documents.get(real(path))
        return document.uri if document else protocol.uri_of(path)

    def version_of(self, path: str) -> int | None:
        """Return the version of an open file, else None."""
        document = self.session.documents.get(real(path))
        return document.version if document else None

    def publish(self, path: str, marks: tuple[Mark, ...]) -> None:
        """Show the marks of a file."""
        found = [protocol.diagnostic(mark) for mark in marks]
        params = types.PublishDiagnosticsParams(self.uri_of(path), found, self.version_of(path))
        self.text_document_publish_diagnostics(params)

    async def ask(self, question: str, uri: str, *arguments: object) -> Any:
        """Return an answer about a document; None if there is none."""
        path = path_of(uri)
        found = await self.session.ask(question, path, *arguments) if path else None
        return None if isinstance(found, Refusal) else found

    async def ask_or_raise(self, question: str, uri: str, *arguments: object) -> Any:
        """Return an answer about a document. Raises JsonRpcException with the reason if there is none."""
        path = path_of(uri)
        found = await self.session.ask(question, path, *arguments) if path else None
        if found is None or isinstance(found, Refusal):
            raise JsonRpcException(found.why if found else f"{uri} is no open robot description", REFUSED)
        return found

    def edit(self, changes: Any) -> types.WorkspaceEdit:
        """Return changes as an edit of the editor."""
        versioned = protocol.capable(self.client_capabilities, "workspace.workspace_edit.document_changes")
        return protocol.edit(changes, self.uri_of, self.version_of, bool(versioned))


server = Server("kinetree", __version__, types.TextDocumentSyncKind.Incremental, protocol_cls=Protocol)


@server.feature(types.INITIALIZE)
def initialize(ls: Server, params: types.InitializeParams) -> None:
    """Begin a session in the folders of the editor, which ends with it."""
    folders = [path_of(folder.uri) for folder in params.workspace_folders or ()]
    folders = folders or [params.root_path or (path_of(params.root_uri) if params.root_uri else None)]
    encoding = str(getattr(ls.workspace.position_encoding, "value", ls.workspace.position_encoding) or "utf-16")
    ls.session = Session(ls.publish, [folder for folder in folders if folder], encoding)
    if params.process_id is not None and os.name == "posix":
        ls.ending = asyncio.get_running_loop().create_task(_end_with(ls, params.process_id))


async def _end_with(ls: Server, editor: int) -> None:
    """End this process once the editor has ended without saying so."""
    while _runs(editor):
        await asyncio.sleep(WATCH)
    end(ls)
    os._exit(1)


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def end(ls: Server) -> None:
    """End the child processes, and remove the pages."""
    if hasattr(ls, "session"):
        ls.session.end()
    if ls.pages:
        shutil.rmtree(ls.pages, ignore_errors=True)
        ls.pages = None


@server.feature(types.INITIALIZED)
async def initialized(ls: Server, params: types.InitializedParams) -> None:
    """Let the editor report files that change on the disk, if it does."""
    if protocol.capable(ls.client_capabilities, "workspace.did_change_watched_files.dynamic_registration"):
        method = types.WORKSPACE_DID_CHANGE_WATCHED_FILES
        options = types.DidChangeWatchedFilesRegistrationOptions([types.FileSystemWatcher(WATCHED)])
        registration = types.Registration("kinetree-files", method, options)
        await ls.client_register_capability_async(types.RegistrationParams([registration]))


@server.feature(types.SHUTDOWN)
def shutdown(ls: Server, params: None) -> None:
    """End what the session runs."""
    end(ls)


@server.feature(types.TEXT_DOCUMENT_DID_OPEN)
def did_open(ls: Server, params: types.DidOpenTextDocumentParams) -> None:
    """Check a document that was opened."""
    one = params.text_document
    if path := path_of(one.uri):
        ls.session.open(Document(one.uri, path, Text(one.text, ls.session.encoding), one.version))


@server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
def did_change(ls: Server, params: types.DidChangeTextDocumentParams) -> None:
    """Take what was typed."""
    one = params.text_document
    path = path_of(one.uri)
    document = ls.session.documents.get(real(path)) if path else None
    if document is None:
        return
    text = document.text
    for change in params.content_changes:
        span = getattr(change, "range", None)
        text = text.changed(protocol.span_of(span) if span else None, change.text)
    ls.session.change(Document(document.uri, document.path, text, one.version))


@server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
def did_close(ls: Server, params: types.DidCloseTextDocumentParams) -> None:
    """Forget a document."""
    if path := path_of(params.text_document.uri):
        ls.session.close(path)


@server.feature(types.TEXT_DOCUMENT_DID_SAVE)
def did_save(ls: Server, params: types.DidSaveTextDocumentParams) -> None:
    """Check what depends on a file that was saved."""
    ls.session.saved(filter(None, [path_of(params.text_document.uri)]))


@server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
def did_change_files(ls: Server, params: types.DidChangeWatchedFilesParams) -> None:
    """Check what depends on files that have changed on the disk."""
    new = any(change.type != types.FileChangeType.Changed for change in params.changes)
    ls.session.saved(filter(None, [path_of(change.uri) for change in params.changes]), new)


@server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
def did_change_folders(ls: Server, params: types.DidChangeWorkspaceFoldersParams) -> None:
    """Take other folders of the editor."""
    ls.session.enter(filter(None, map(path_of, ls.workspace.folders)))


@server.feature(types.TEXT_DOCUMENT_HOVER)
async def hover(ls: Server, params: types.HoverParams) -> types.Hover | None:
    """Return what is known about a place."""
    found = await ls.ask("hover", params.text_document.uri, protocol.position_of(params.position))
    return protocol.markdown(found) if found else None


@server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
async def symbols(ls: Server, params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
    """Return the outline of a document."""
    return [protocol.symbol(one) for one in await ls.ask("outline", params.text_document.uri) or ()]


@server.feature(types.TEXT_DOCUMENT_DEFINITION)
async def definition(ls: Server, params: types.DefinitionParams) -> list[types.Location]:
    """Return where the thing at a place is made."""
    found = await ls.ask("definition", params.text_document.uri, protocol.position_of(params.position))
    return protocol.locations(found or (), ls.uri_of)


@server.feature(types.TEXT_DOCUMENT_REFERENCES)
async def references(ls: Server, params: types.ReferenceParams) -> list[types.Location]:
    """Return all places of the thing at a place."""
    declared = params.context.include_declaration
    found = await ls.ask("references", params.text_document.uri, protocol.position_of(params.position), declared)
    return protocol.locations(found or (), ls.uri_of)


@server.feature(
    types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(trigger_characters=["<", '"', "'", " ", "{", ":"])
)
async def completion(ls: Server, params: types.CompletionParams) -> types.CompletionList:
    """Return what may stand at a place."""
    found = await ls.ask("completions", params.text_document.uri, protocol.position_of(params.position))
    path = "text_document.completion.completion_item.snippet_support"
    snippets = bool(protocol.capable(ls.client_capabilities, path))
    return types.CompletionList(False, [protocol.completion(item, snippets) for item in found or ()])


@server.feature(types.TEXT_DOCUMENT_PREPARE_RENAME)
async def prepare_rename(ls: Server, params: types.PrepareRenameParams) -> types.Range:
    """Return the name at a place that can be changed."""
    found = await ls.ask_or_raise("renamable", params.text_document.uri, protocol.position_of(params.position))
    return protocol.range_of(found.span)


@server.feature(types.TEXT_DOCUMENT_RENAME, types.RenameOptions(prepare_provider=True))
async def rename(ls: Server, params: types.RenameParams) -> types.WorkspaceEdit:
    """Return the edit that gives the thing at a place another name."""
    position = protocol.position_of(params.position)
    return ls.edit(await ls.ask_or_raise("rename", params.text_document.uri, position, params.new_name))


@server.feature(
    types.TEXT_DOCUMENT_CODE_ACTION,
    types.CodeActionOptions(
        code_action_kinds=[types.CodeActionKind.QuickFix, types.CodeActionKind.SourceFixAll], resolve_provider=True
    ),
)
async def code_actions(ls: Server, params: types.CodeActionParams) -> list[types.CodeAction]:
    """Return the repairs of the findings in a range; their edits are made when one is chosen."""
    path = path_of(params.text_document.uri)
    if not path:
        return []
    found = actions(ls.session.looks, real(path), protocol.span_of(params.range), params.context.only)
    lazy = "edit" in (
        protocol.capable(ls.client_capabilities, "text_document.code_action.resolve_support.properties") or ()
    )
    made = [_code_action(action) for action in found]
    return made if lazy else [await resolve_action(ls, one) for one in made]


def _code_action(action: Action) -> types.CodeAction:
    return types.CodeAction(
        action.title,
        action.kind,
        [protocol.diagnostic(mark) for mark in action.marks],
        is_preferred=action.preferred or None,
        data=[action.root, action.code, action.element, action.unsafe],
    )


@server.feature(types.CODE_ACTION_RESOLVE)
async def resolve_action(ls: Server, params: types.CodeAction) -> types.CodeAction:
    """Return an action with its edit, or disabled with the reason why there is none."""
    data: Any = params.data
    if not isinstance(data, list) or [*map(type, data)] != [str, str, str, bool] or "\0" in data[0]:
        raise JsonRpcInvalidParams("this is no action that was offered here")
    root, *arguments = data
    found = await ls.session.ask("fixes", root, *arguments)
    if found is None or isinstance(found, Refusal):
        why = found.why if found else "the document was closed"
        params.disabled = types.CodeActionDisabled(why)
        ls.window_show_message(types.ShowMessageParams(types.MessageType.Warning, f"Not repaired: {why}"))
    else:
        params.edit = ls.edit(found)
    return params


@server.feature(types.TEXT_DOCUMENT_CODE_LENS)
async def code_lenses(ls: Server, params: types.CodeLensParams) -> list[types.CodeLens]:
    """Return `Show robot` above the root element."""
    found = await ls.ask("outline", params.text_document.uri)
    uri = params.text_document.uri
    return [
        types.CodeLens(protocol.range_of(one.name_span), types.Command("Show robot", SHOW, arguments=[uri]))
        for one in (found or ())[:1]
    ]


@server.command(SHOW)
async def show_robot(ls: Server, *arguments: Any) -> str:
    """Write the page of a document's robot to the folder of temporary files, open it, and return its URI. arguments:
    the URI of the document, and {"line": …, "character": …} in the element that is selected."""
    path = path_of(arguments[0]) if arguments else None
    if not path:
        raise JsonRpcInvalidParams("there is no document; expected the URI of an open robot description")
    at: Any = arguments[1] if len(arguments) > 1 else None
    read: Any = at.get if isinstance(at, dict) else partial(getattr, at)
    try:
        position = None if at is None else (int(read("line")), int(read("character")))
    except (AttributeError, TypeError, ValueError):
        raise JsonRpcInvalidParams('the position is wrong; expected {"line": 0, "character": 0}') from None
    html = await ls.ask_or_raise("page", arguments[0], position)
    ls.pages = ls.pages or tempfile.mkdtemp(prefix="kinetree-lsp-")
    page = Path(ls.pages) / f"{Path(path).stem}-{crc32(path.encode()):08x}.html"
    page.write_text(html, encoding="utf-8")
    uri = page.as_uri()
    if protocol.capable(ls.client_capabilities, "window.show_document.support"):
        ls.window_show_document(types.ShowDocumentParams(uri, external=True))
    else:
        ls.window_show_message(types.ShowMessageParams(types.MessageType.Info, f"The robot is shown by {page}"))
    return uri


def _terminated(number: int, _frame: object) -> None:
    """End all, and then this process as the signal does."""
    end(server)
    signal.signal(number, signal.SIG_DFL)
    signal.raise_signal(number)


def serve() -> None:
    """Serve the editor that has started this process, over its standard input and output, until it ends."""
    signal.signal(signal.SIGTERM, _terminated)
    stdout, sys.stdout = sys.stdout, sys.stderr  # printed text is no message
    asked = os.fdopen(os.dup(0), "rb")
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)  # a library of Windows that looks at it would wait for the thread that reads
    try:
        server.start_io(Reader(asked), stdout.buffer)  # type: ignore[arg-type]
    finally:
        end(server)
