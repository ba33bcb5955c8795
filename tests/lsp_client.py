"""Client of the language server protocol over stdio, as small as tests and benchmarks need."""

import json
import os
import queue
import subprocess
import sys
import threading
from pathlib import Path
from time import monotonic

CAPABILITIES = {
    "textDocument": {
        "codeAction": {"resolveSupport": {"properties": ["edit"]}},
        "publishDiagnostics": {"versionSupport": True},
    },
    "workspace": {"workspaceEdit": {"documentChanges": True}},
    "window": {"showDocument": {"support": True}},
}


class RequestError(Exception):
    """Error that the server has answered."""


class Client:
    """An editor: it starts `kinetree lsp`, sends requests, and keeps the latest diagnostics by path."""

    def __init__(self, folder=None, capabilities=CAPABILITIES, parent=None, environment=None, begin=True, log=None):
        command = [sys.executable, "-m", "kinetree", "lsp"]
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            cwd=folder,
            env={**os.environ, **(environment or {})},
        )
        self.inbox = queue.Queue()
        self.asked = []  # requests of the server, and what it shows
        self.published = {}  # path: (version, diagnostics, time)
        self.texts = {}
        self.versions = {}
        self.number = 0
        threading.Thread(target=self._listen, daemon=True).start()
        if begin:
            self.begin(folder, capabilities, parent)

    def begin(self, folder=None, capabilities=CAPABILITIES, parent=None):
        folders = [{"uri": Path(folder).as_uri(), "name": "test"}] if folder else None
        self.initialized = self.request(
            "initialize",
            processId=os.getpid() if parent is None else parent,
            capabilities=capabilities,
            workspaceFolders=folders,
            rootUri=None,
        )
        self.notify("initialized")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.request("shutdown")
            self.notify("exit")
            self.process.stdin.close()
        self.process.wait(10)
        self.process.stdout.close()

    def _listen(self):
        stream = self.process.stdout
        while line := stream.readline():
            length = int(line.split(b":")[1])
            while stream.readline().strip():
                pass
            self.inbox.put((json.loads(stream.read(length)), monotonic()))
        self.inbox.put((None, monotonic()))

    def send(self, **message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def notify(self, method, **params):
        self.send(method=method, params=params)

    def receive(self, seconds=20):
        """Take one message; answer requests of the server."""
        message, time = self.inbox.get(timeout=seconds)
        if message is None:
            raise EOFError("the server has ended")
        if message.get("method") == "textDocument/publishDiagnostics":
            params = message["params"]
            self.published[path_of(params["uri"])] = params.get("version"), params["diagnostics"], time
        elif "method" in message:
            self.asked.append(message)
            if "id" in message:
                self.send(id=message["id"], result={"success": True} if "show" in message["method"] else None)
        return message

    def request(self, method, seconds=30, **params):
        self.number += 1
        number = self.number
        self.send(id=number, method=method, params=params)
        while True:
            message = self.receive(seconds)
            if "method" not in message and message.get("id") == number:
                if "error" in message:
                    raise RequestError(message["error"]["message"])
                return message["result"]

    def open(self, path, text=None):
        path = Path(path)
        text = path.read_bytes().decode() if text is None else text
        self.texts[path], self.versions[path] = text, 1
        document = {"uri": path.as_uri(), "languageId": "xml", "version": 1, "text": text}
        self.notify("textDocument/didOpen", textDocument=document)

    def replace(self, path, old, new, count=1):
        """Type over a text, as an incremental change."""
        text = self.texts[path]
        at = text.index(old)
        self.versions[path] += 1
        span = {"start": position(text, at), "end": position(text, at + len(old))}
        self.texts[path] = text[:at] + new + text[at + len(old) :]
        document = {"uri": path.as_uri(), "version": self.versions[path]}
        self.notify("textDocument/didChange", textDocument=document, contentChanges=[{"range": span, "text": new}])

    def close(self, path):
        self.notify("textDocument/didClose", textDocument={"uri": path.as_uri()})

    def diagnostics(self, path, seconds=30):
        """Return the diagnostics of the present text of a file."""
        path = Path(path)
        until = monotonic() + seconds
        while self.published.get(path, (None,))[0] != self.versions.get(path):
            self.receive(until - monotonic())
        return self.published[path][1]

    def wait_for(self, path, condition, seconds=30):
        """Return the diagnostics of a file once they satisfy a condition."""
        until = monotonic() + seconds
        while path not in self.published or not condition(self.published[path][1]):
            self.receive(until - monotonic())
        return self.published[path][1]

    def at(self, path, text, after=0):
        """Return the arguments of a request about the place of a text."""
        place = position(self.texts[path], self.texts[path].index(text) + after)
        return {"textDocument": {"uri": path.as_uri()}, "position": place}

    def fix(self, path, code, title=""):
        """Return the edit of the first action for a code."""
        found = [d for d in self.diagnostics(path) if d["code"] == code]
        actions = self.request(
            "textDocument/codeAction",
            textDocument={"uri": path.as_uri()},
            range=found[0]["range"],
            context={"diagnostics": found},
        )
        action = next(a for a in actions if code in a["title"] and title in a["title"])
        return self.request("codeAction/resolve", **action)

    def apply(self, edit):
        """Return the texts of open files after an edit, by path, as an editor makes it."""
        after = {}
        for one in edit["documentChanges"]:
            path = path_of(one["textDocument"]["uri"])
            text = self.texts.get(path) or path.read_bytes().decode()
            after[path] = applied(text, one["edits"])
        return after


def applied(text, edits):
    """Return a text after text edits."""
    for edit in sorted(edits, key=lambda e: (-e["range"]["start"]["line"], -e["range"]["start"]["character"])):
        start, stop = (offset(text, edit["range"][end]) for end in ("start", "end"))
        text = text[:start] + edit["newText"] + text[stop:]
    return text


def position(text, at):
    """Return the position of an offset, in UTF-16, in a text whose lines end with \\n or \\r\\n."""
    before = text[:at]
    start = before.rfind("\n") + 1
    return {"line": before.count("\n"), "character": len(before[start:].encode("utf-16-le")) // 2}


def offset(text, place):
    """Return the offset of a position."""
    start = 0
    for _ in range(place["line"]):
        start = text.index("\n", start) + 1
    count = place["character"]
    line = text[start:].split("\n")[0].encode("utf-16-le")
    return start + len(line[: 2 * count].decode("utf-16-le"))


def path_of(uri):
    """Return the path of a URI."""
    from urllib.parse import unquote, urlparse

    return Path(unquote(urlparse(uri).path))
