"""Sessions with `kinetree lsp` over stdio, as an editor plays them."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from kinetree.checker.plan import jobs
from kinetree.checker.pool import check_all
from kinetree.cli import group
from lsp_client import Client, RequestError, position
from lsp_texts import ARM, MACRO, MADE, SRDF
from unpacking import scene_of


@pytest.fixture(scope="module")
def client():
    with Client() as client:
        yield client


@pytest.fixture
def put(tmp_path, client):
    """Write a file and open it; close all at the end."""
    opened = []

    def put(name, text, show=True):
        path = tmp_path / name
        path.write_bytes(text.encode())
        if show:
            client.open(path, text)
            opened.append(path)
        return path

    yield put
    for path in opened:
        client.close(path)
        client.texts.pop(path)
        client.versions.pop(path)


@pytest.mark.slow
def test_a_file_behind_a_link_has_no_findings_once_it_is_closed(client, tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    (tmp_path / "real" / "arm.urdf").write_text(ARM)
    path = tmp_path / "link" / "arm.urdf"
    client.open(path, ARM)
    assert client.diagnostics(path)
    client.close(path)
    assert client.wait_for(path, lambda diagnostics: not diagnostics, 10) == []


def checked(path):
    """Return (line, code, message) of what `kinetree check` finds."""
    results = check_all(jobs([str(path)]))
    return sorted(
        (f.source.line, f.code, f"{f.element}: {f.message}" if f.element else f.message)
        for result in results
        for f in result.findings
    )


def shown(diagnostics):
    return sorted(
        (d["range"]["start"]["line"] + 1, d["code"], d["message"].partition("\nTo correct it")[0]) for d in diagnostics
    )


def of(diagnostics, code):
    return next(d for d in diagnostics if d["code"] == code)


@pytest.mark.slow
@pytest.mark.parametrize("end", [pytest.param("\n", marks=pytest.mark.slow), "\r\n"])
def test_findings_are_those_of_the_check(client, put, end):
    path = put("arm.urdf", ARM.replace("\n", end))
    found = client.diagnostics(path)
    assert shown(found) == checked(path) != []


@pytest.mark.slow
def test_columns_are_those_of_the_editor(client, put):
    path = put("arm.urdf", ARM.replace("\n", "\r\n"))
    found = of(client.diagnostics(path), "NAM-003")
    start, stop = found["range"]["start"], found["range"]["end"]
    at = ARM.index('<joint name="schulter')
    assert start == position(ARM, at)
    assert stop == position(ARM, ARM.index("<!-- turns"))


@pytest.mark.slow
def test_typing_is_checked_once_and_after_the_last_key(client, put):
    path = put("arm.urdf", ARM)
    client.diagnostics(path)
    before = client.published[path][2]
    for old, new in [("0 0 2", "0 0 "), ("0 0 ", "0 0 1"), *[("arm", "arm1"), ("arm1", "arm")] * 5]:
        client.replace(path, old, new)
    last = time.monotonic()
    found = client.diagnostics(path)
    assert client.published[path][2] - last > 0.14
    assert shown(found) != checked(path)  # the disk is as it was
    assert "JNT-001" not in [d["code"] for d in found]
    assert before < last
    assert path.read_text() == ARM


@pytest.mark.slow
def test_a_file_that_is_broken_while_typed(client, put):
    path = put("arm.urdf", ARM)
    client.diagnostics(path)
    client.replace(path, '<child link="oberarm"/>', '<child link="')
    broken = of(client.diagnostics(path), "xml-syntax")
    assert broken["severity"] == 1
    labels = [item["label"] for item in completed(client, path, '<child link="')]
    assert labels == ["base_link", "oberarm"]
    assert "revolute" in client.request("textDocument/hover", **client.at(path, "schulter"))["contents"]["value"]
    outline = client.request("textDocument/documentSymbol", textDocument={"uri": path.as_uri()})
    assert "schulter_ü" in [symbol["name"] for symbol in outline[0]["children"]]
    client.replace(path, '<child link="', '<child link="oberarm"/>')
    assert shown(client.diagnostics(path)) == checked(path)


def completed(client, path, text):
    return client.request("textDocument/completion", **client.at(path, text, len(text)))["items"]


@pytest.mark.slow
def test_a_quick_fix_is_the_edit_of_fix_and_writes_nothing(client, put, tmp_path):
    text = ARM.replace("\n", "\r\n")
    path = put("arm.urdf", text)
    action = client.fix(path, code := "JNT-001")
    edit = action["edit"]["documentChanges"][0]
    assert edit["textDocument"] == {"uri": path.as_uri(), "version": 1}
    assert path.read_bytes() == text.encode()
    after = client.apply(action["edit"])[path]
    done = CliRunner().invoke(group, ["fix", str(path), "--select", code])
    assert done.exit_code == 0
    assert path.read_bytes() == after.encode() != text.encode()


@pytest.mark.slow
def test_all_that_is_safe_is_one_action(client, put):
    path = put("arm.urdf", ARM)
    client.diagnostics(path)
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}
    (action,) = client.request(
        "textDocument/codeAction",
        textDocument={"uri": path.as_uri()},
        range=whole,
        context={"diagnostics": [], "only": ["source.fixAll"]},
    )
    after = client.apply(client.request("codeAction/resolve", **action)["edit"])[path]
    CliRunner().invoke(group, ["fix", str(path)])
    assert path.read_text() == after != ARM


@pytest.mark.slow
def test_hover_says_pose_and_degrees_and_the_rule(client, put):
    path = put("arm.urdf", ARM)
    about = client.request("textDocument/hover", **client.at(path, "<limit", 2))["contents"]["value"]
    assert "from -90° to 180°" in about
    assert "57.3°/s, 10 N m" in about
    about = client.request("textDocument/hover", **client.at(path, '<child link="', 14))["contents"]["value"]
    assert "at 0, 0, 0.5 m" in about
    rule = client.request("textDocument/hover", **client.at(path, 'name="schulter', 8))["contents"]["value"]
    assert "**NAM-003**" in rule
    assert "[more](https://kinetree.github.io/kinetree/latest/e/NAM-003)" in rule


@pytest.mark.slow
def test_definition_and_references(client, put):
    path = put("arm.urdf", ARM)
    (place,) = client.request("textDocument/definition", **client.at(path, '<child link="', 15))
    assert place["range"]["start"] == position(ARM, ARM.index('<link name="oberarm') + 12)
    found = client.request(
        "textDocument/references", **client.at(path, '<link name="oberarm', 14), context={"includeDeclaration": False}
    )
    assert len(found) == 2


@pytest.mark.slow
def test_a_new_name_goes_into_every_open_file(client, put):
    put("package.xml", "<package><name>arm_description</name></package>", show=False)
    path, srdf = put("arm.urdf", ARM), put("arm.srdf", SRDF)
    client.diagnostics(path)
    client.diagnostics(srdf)
    edit = client.request("textDocument/rename", **client.at(path, '<child link="', 15), newName="unterarm")
    after = client.apply(edit)
    assert after == {
        path: ARM.replace('"oberarm"', '"unterarm"'),
        srdf: SRDF.replace('"oberarm"', '"unterarm"'),
    }
    assert path.read_text() == ARM


@pytest.mark.slow
@pytest.mark.parametrize(
    ("new", "why"), [("base_link", "exists already"), ("a b", "not a legal name"), ('"', "not a legal name")]
)
def test_a_wrong_new_name_is_refused(client, put, new, why):
    path = put("arm.urdf", ARM)
    with pytest.raises(RequestError, match=why):
        client.request("textDocument/rename", **client.at(path, '<child link="', 15), newName=new)


@pytest.mark.slow
def test_an_include_that_is_open_and_unsaved(client, put):
    macro, path = put("segment.xacro", MACRO), put("made.urdf.xacro", MADE)
    client.diagnostics(path)
    assert not [d for d in client.wait_for(macro, lambda d: True) if d["severity"] == 1]
    client.replace(macro, 'lower="-1" upper="1"', 'lower="1" upper="-1"')
    found = client.wait_for(macro, lambda found: any(d["severity"] == 1 for d in found))
    error = next(d for d in found if d["severity"] == 1)
    assert error["range"]["start"]["line"] == MACRO[: MACRO.index("<joint")].count("\n") or "limit" in error["message"]
    assert "left_joint" in error["message"]
    client.replace(macro, 'lower="1" upper="-1"', 'lower="-1" upper="1"')
    client.wait_for(macro, lambda found: not any(d["severity"] == 1 for d in found))
    assert macro.read_text() == MACRO


@pytest.mark.slow
def test_an_include_that_is_opened_before_it_is_saved(client, put, tmp_path):
    path = put("made.urdf.xacro", MADE)
    assert "xacro-include" in [d["code"] for d in client.diagnostics(path)]
    macro = tmp_path / "segment.xacro"
    client.open(macro, MACRO)
    client.wait_for(path, lambda found: "xacro-include" not in [d["code"] for d in found])
    client.close(macro)
    client.wait_for(path, lambda found: "xacro-include" in [d["code"] for d in found])


@pytest.mark.slow
def test_names_of_xacro(client, put):
    macro, path = put("segment.xacro", MACRO), put("made.urdf.xacro", MADE)
    client.diagnostics(path)
    (place,) = client.request("textDocument/definition", **client.at(path, "<xacro:segment", 9))
    assert (place["uri"], place["range"]["start"]["line"]) == (macro.as_uri(), 1)
    (place,) = client.request("textDocument/definition", **client.at(path, "segment.xacro"))
    assert place["uri"] == macro.as_uri()
    after = client.apply(client.request("textDocument/rename", **client.at(path, "<xacro:segment", 9), newName="part"))
    assert after == {path: MADE.replace("xacro:segment", "xacro:part"), macro: MACRO.replace('"segment"', '"part"')}
    after = client.apply(client.request("textDocument/rename", **client.at(macro, "{length}", 2), newName="far"))
    assert after == {
        path: MADE.replace(" length=", " far="),
        macro: MACRO.replace("length:", "far:").replace("{length}", "{far}"),
    }
    about = client.request("textDocument/hover", **client.at(macro, '<link name="${prefix}', 22))["contents"]["value"]
    assert "`left_link`" in about
    assert "at 0, 0, 0.7 m" in about


@pytest.mark.slow
def test_completions(client, put):
    macro, path = put("segment.xacro", MACRO), put("made.urdf.xacro", MADE)
    client.diagnostics(path)
    client.replace(path, "</robot>", '<joint name="j" type="fixed"><parent link=""/><child /></joint><xacro:</robot>')
    client.diagnostics(path)

    def labels(text):
        return [item["label"] for item in completed(client, path, text)]

    assert {"base_link", "left_link"} <= set(labels('<joint name="j" type="fixed"><parent link="'))
    assert labels("<child ") == ["link"]
    assert "fixed" in labels('<joint name="j" type="')
    assert "xacro:segment" in labels("</joint><xacro:")
    assert labels('length="${')[:1] == ["reach"]
    client.replace(path, "<xacro:segment prefix", "<xacro:segment  prefix")
    client.diagnostics(path)
    assert labels("<xacro:segment ") == []  # all are given
    assert macro.exists()


@pytest.mark.slow
def test_settings_decide(client, put, tmp_path):
    put("segment.xacro", MACRO, show=False)
    settings = '[[models]]\nfile = "made.urdf.xacro"\nargs = { side = "right" }\nprofile = "industrial"\n'
    put("kinetree.toml", settings, show=False)
    path = put("made.urdf.xacro", MADE)
    found = client.diagnostics(path)
    assert any("tool0" in d["message"] or d["code"].startswith("R199") for d in found)
    about = client.request("textDocument/hover", **client.at(path, "<xacro:segment", 9))["contents"]["value"]
    assert "segment" in about
    (tmp_path / "kinetree.toml").write_text("profile = 3\n")
    client.notify("textDocument/didSave", textDocument={"uri": (tmp_path / "kinetree.toml").as_uri()})
    (fault,) = client.wait_for(tmp_path / "kinetree.toml", len)
    assert "profile" in fault["message"]
    wrong = f"this file is not checked: {tmp_path / 'kinetree.toml'}, line 1: "
    assert client.wait_for(path, lambda found: [d for d in found if d["message"].startswith(wrong)])


@pytest.mark.slow
def test_nothing_is_read_outside_of_the_workspace(client, put, tmp_path_factory):
    secret = tmp_path_factory.mktemp("elsewhere") / "secret.xacro"
    secret.write_text(MACRO)
    path = put("made.urdf.xacro", MADE.replace("segment.xacro", str(secret)))
    assert "outside of the workspace" in of(client.diagnostics(path), "confined")["message"]
    assert client.request("textDocument/definition", **client.at(path, "secret")) == []


@pytest.mark.slow
def test_documents_that_are_no_robots_have_no_findings(client, put):
    path = put("package.xml", "<package><name>a</name></package>")
    assert client.diagnostics(path) == []
    assert client.request("textDocument/hover", **client.at(path, "name")) is None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "text", "of_robot"),
    [
        (
            "a.sdf",
            '<sdf version="1.9"><model name="m"><link name="a"/><frame name="b" attached_to="a"/></model></sdf>',
            "a",
        ),
        ("a.mjcf", '<mujoco><worldbody><body name="a"><geom size="1" mass="2"/></body></worldbody></mujoco>', "a"),
        ("a.xml", '<mujoco><worldbody><body name="a"><geom size="1" mass="2"/></body></worldbody></mujoco>', "a"),
    ],
)
def test_other_formats(client, put, name, text, of_robot):
    path = put(name, text)
    assert shown(client.diagnostics(path)) == checked(path)
    about = client.request("textDocument/hover", **client.at(path, 'name="a"', 6))["contents"]["value"]
    assert "`a`" in about


@pytest.mark.slow
def test_the_page_opens_at_the_element(client, put, tmp_path):
    path = put("arm.urdf", ARM)
    client.diagnostics(path)
    (lens,) = client.request("textDocument/codeLens", textDocument={"uri": path.as_uri()})
    assert lens["command"]["title"] == "Show robot"
    client.asked.clear()
    place = position(ARM, ARM.index("<limit"))
    uri = client.request("workspace/executeCommand", command="kinetree.showRobot", arguments=[path.as_uri(), place])
    page = uri.removeprefix("file://")
    with open(page, encoding="utf-8") as file:
        assert scene_of(file.read())["selected"] == {"kind": "joint", "index": 0}
    assert sorted(p.name for p in tmp_path.iterdir()) == ["arm.urdf"]
    shown = [message for message in client.asked if message["method"] == "window/showDocument"]
    assert shown[0]["params"] == {"uri": uri, "external": True}


@pytest.mark.slow
def test_an_editor_that_counts_bytes(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(ARM)
    with Client(capabilities={"general": {"positionEncodings": ["utf-8"]}}) as client:
        assert client.initialized["capabilities"]["positionEncoding"] == "utf-8"
        client.open(path)
        found = of(client.diagnostics(path), "NAM-003")
    line = ARM.splitlines()[4].encode()
    assert found["range"]["start"]["character"] == line.index(b"<joint")


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="elsewhere the end of the input alone tells")
@pytest.mark.parametrize("how", ["input", "editor"])
@pytest.mark.sampled(1)
def test_it_ends_with_its_editor(tmp_path, how):
    editor = subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE)
    path = tmp_path / "arm.urdf"
    path.write_text(ARM)
    client = Client(parent=editor.pid)
    client.open(path)
    client.diagnostics(path)
    editor.stdin.close()
    editor.wait()
    if how == "input":
        client.process.stdin.close()
    client.process.wait(10)
    client.process.stdin.close()
    client.process.stdout.close()


@pytest.mark.slow
def test_without_pygls_it_says_what_to_install():
    code = (
        "import sys; sys.modules['pygls'] = None; from kinetree.cli import main; sys.argv = ['kinetree', 'lsp']; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert done.returncode == 2
    assert "pip install 'kinetree[lsp]'" in done.stderr


BOMB = """<robot xmlns:xacro="http://ros.org/wiki/xacro" name="r">
  <xacro:macro name="a" params="n">
    <xacro:if value="${n > 0}"><xacro:a n="${n - 1}"/><xacro:a n="${n - 1}"/></xacro:if>
  </xacro:macro>
  <link name="l"/><xacro:a n="60"/>
</robot>
"""


@pytest.mark.slow
def test_hostile_input_ends_nothing(client, put, tmp_path):
    path = put("arm.urdf", ARM)
    client.diagnostics(path)
    far = {"line": 10**6, "character": 10**6}
    document = {"uri": path.as_uri()}
    assert client.request("textDocument/hover", textDocument=document, position=far) is None
    assert client.request("textDocument/hover", textDocument={"uri": "untitled:1"}, position=far) is None
    nothing = {"uri": "file:///nowhere/a.urdf"}
    assert client.request("textDocument/documentSymbol", textDocument=nothing) == []
    with pytest.raises(RequestError, match="no open robot description"):
        client.request("textDocument/rename", textDocument=nothing, position=far, newName="a")
    for arguments in ([], ["file:///nowhere/a.urdf"], [3, 4, 5]):
        with pytest.raises(RequestError):
            client.request("workspace/executeCommand", command="kinetree.showRobot", arguments=arguments)
    client.notify(
        "textDocument/didOpen", textDocument={**nothing, "languageId": "xml", "version": 1, "text": "\ud800<robot>"}
    )
    client.notify(
        "textDocument/didOpen", textDocument={"uri": "file:///a%00b.urdf", "languageId": "", "version": 1, "text": ""}
    )
    for line in (2**31, -1, "x"):
        with pytest.raises(RequestError, match="the parameters are not those of the protocol"):
            client.request(
                "textDocument/rename", textDocument=document, position={"line": line, "character": 0}, newName="a"
            )
    client.process.stdin.write(b"Content-Length: 99999999999\r\n\r\n{}")
    assert client.request("textDocument/hover", textDocument=document, position=far) is None
    bomb = put("bomb.urdf.xacro", BOMB)
    (found,) = [d for d in client.diagnostics(bomb) if d["severity"] == 1]
    assert found["code"].startswith(("xacro", "check"))
    client.replace(path, "0 0 2", "0 0 1")
    assert "JNT-001" not in [d["code"] for d in client.diagnostics(path)]


@pytest.mark.slow
@pytest.mark.skipif(not os.path.isdir("/proc"), reason="children are found in /proc")
def test_a_child_that_was_killed_is_replaced(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(ARM)
    with Client() as client:
        client.open(path)
        before = client.diagnostics(path)
        tasks = Path(f"/proc/{client.process.pid}/task").iterdir()
        for pid in {pid for task in tasks for pid in (task / "children").read_text().split()}:
            os.kill(int(pid), 9)
        client.replace(path, "Größe", "Grösse")
        client.diagnostics(path)
        client.replace(path, "Grösse", "Größe")
        assert client.diagnostics(path) == before


@pytest.mark.slow
@pytest.mark.skipif(not os.path.isdir("/proc"), reason="open files are found in /proc")
def test_a_workspace_of_many_models_is_not_read_at_the_start(tmp_path):
    for number in range(300):
        (tmp_path / f"arm{number}.urdf").write_text(ARM.replace("0 0 2", "0 0 x" * number))
    with Client(tmp_path) as client:
        client.open(tmp_path / "arm0.urdf")
        start = time.monotonic()
        client.diagnostics(tmp_path / "arm0.urdf")
        client.replace(tmp_path / "arm0.urdf", "arm", "arm1")
        client.diagnostics(tmp_path / "arm0.urdf")
        assert time.monotonic() - start < 10
        assert set(client.published) == {tmp_path / "arm0.urdf"}


@pytest.mark.skipif(os.name != "posix", reason="elsewhere signals end a process at once")
@pytest.mark.slow
def test_refusals_leave_no_tracebacks_and_a_signal_no_pages(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(ARM)
    nul, position = {"uri": "file:///tmp/a%00b.urdf"}, {"line": 0, "character": 0}
    show = {"method": "workspace/executeCommand", "command": "kinetree.showRobot"}
    action = {"method": "codeAction/resolve", "title": "a"}
    with (tmp_path / "log").open("wb") as log:
        client = Client(begin=False, log=log, environment={"TMPDIR": str(tmp_path)})
        with pytest.raises(RequestError, match="was not initialized"):
            client.request("textDocument/hover", textDocument=nul, position=position)
        client.begin(tmp_path)
        client.open(path)
        for why, request in (
            ("already", {"method": "initialize", "processId": None, "capabilities": {}, "rootUri": None}),
            (
                "no open robot",
                {"method": "textDocument/rename", "textDocument": nul, "position": position, "newName": "a"},
            ),
            ("not a legal name", {"method": "textDocument/rename", **client.at(path, '"oberarm', 2), "newName": "a b"}),
            ("no document", {**show, "arguments": [nul["uri"]]}),
            ("no document", {**show, "arguments": [[]]}),
            ("position is wrong", {**show, "arguments": [path.as_uri(), 7]}),
            ("position is wrong", {**show, "arguments": [path.as_uri(), {"line": "a"}]}),
            *(
                ("no action", {**action, "data": data})
                for data in (None, 7, [], ["/a", 1, "", True], ["\0", "", "", True])
            ),
        ):
            with pytest.raises(RequestError, match=why):
                client.request(**request)
        assert client.request("textDocument/hover", textDocument=nul, position=position) is None
        client.notify("textDocument/didOpen", textDocument={**nul, "languageId": "", "version": 1, "text": ""})
        client.request(**show, arguments=[path.as_uri()])
        assert list(tmp_path.glob("kinetree-lsp-*/*.html"))
        client.process.terminate()
        assert client.process.wait(10) == -signal.SIGTERM
        client.process.stdin.close()
        client.process.stdout.close()
    assert not list(tmp_path.glob("kinetree-lsp-*"))
    assert "Traceback" not in (tmp_path / "log").read_text()
