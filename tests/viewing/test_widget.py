"""The widget of a notebook: q in Python, in a kernel, and in the page in Chromium."""

import base64
import json
import subprocess
import sys
import time
import warnings
import zlib
from pathlib import Path

import nbformat
import numpy as np
import pandas as pd
import pytest
from nbclient import NotebookClient
from traitlets import TraitError

import kinetree as kt
import kinetree.viewing
from browser import missing
from kinetree.viewing import page, show
from unpacking import parts

FOLDER = Path(kinetree.viewing.__file__).parent
ARM = """<robot name="two &lt;/script&gt; joints"><link name="base"/><link name="upper"/><link name="lower"/>
<joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 0 1"/>
<limit lower="-2" upper="2" effort="1" velocity="1"/></joint>
<joint name="elbow" type="prismatic"><parent link="upper"/><child link="lower"/><origin xyz="0.3 0 0"/>
<axis xyz="1 0 0"/><limit lower="0" upper="0.5" effort="1" velocity="1"/></joint></robot>"""
CELL = f"""
import kinetree as kt
from kinetree.viewing import page, show
if not {(FOLDER / "bundle" / "viewer.js").is_file()}:
    page.viewer = show.viewer = lambda: "globalThis.viewer = 1;"
view = kt.show(kt.load({ARM!r}, format="urdf"), findings=[])
view
"""


@pytest.fixture
def view(monkeypatch):
    monkeypatch.setattr(page, "viewer", lambda: "globalThis.viewer = 1;")
    monkeypatch.setattr(show, "viewer", lambda: "")
    return kt.show(kt.load(ARM, format="urdf"), findings=[], browser=False)


@pytest.fixture
def without_anywidget(monkeypatch):
    monkeypatch.setitem(sys.modules, "anywidget", None)


class TestConfiguration:
    def test_it_is_remembered_without_a_widget(self, view, without_anywidget, tmp_path):
        view.q = {"elbow": 0.25}
        assert view.q.tolist() == [0.0, 0.25]
        view.save(tmp_path / "arm.html")
        assert parts((tmp_path / "arm.html").read_text(encoding="utf-8"))[0]["robots"][0]["q"] == [0.0, 0.25]

    def test_it_is_a_copy(self, view):
        given = np.array([0.5, 0.25])
        view.q = given
        given[0] = 9.0
        assert view.q.tolist() == [0.5, 0.25]
        with pytest.raises(ValueError, match="read-only"):
            view.q[0] = 1.0

    @pytest.mark.slow
    @pytest.mark.parametrize("q", [None, [1.0], [1.0, np.nan], [[0.0, 0.0]], "ab", {"wrist": 1.0}, {"elbow": np.inf}])
    def test_a_wrong_one_is_refused_and_changes_nothing(self, view, q):
        assert view.widget.q == [0.0, 0.0]
        with pytest.raises(kt.KinetreeError):
            view.q = q
        assert view.q.tolist() == view.widget.q == [0.0, 0.0]

    def test_names_are_taken(self, view):
        assert kt.show(view.robot, {"elbow": 0.125}, findings=[], browser=False).q.tolist() == [0.0, 0.125]
        view.q = pd.Series({"elbow": 0.25, "shoulder": 1.0})
        assert view.q.tolist() == [1.0, 0.25]


class TestWidget:
    @pytest.mark.slow
    def test_python_and_front_end_set_the_same_q(self, view):
        view.q = [0.25, 0.0]
        assert parts(zlib.decompress(view.widget.page).decode())[0]["robots"][0]["q"] == [0.25, 0.0]
        heard = []
        view.widget.observe(lambda change: heard.append(change.new), "q")
        view.widget.set_state({"q": [1, 0.5]})  # as a message of the front end does
        assert view.q.tolist() == [1.0, 0.5]
        view.q = [0.0, 0.125]
        assert heard == [[1.0, 0.5], [0.0, 0.125]]

    def test_what_is_sent(self, view, monkeypatch):
        sent = []
        widget = view.widget
        monkeypatch.setattr(widget.comm, "send", lambda data, buffers: sent.append(data))
        view.q = [0.5, 0.0]
        assert [(data["method"], data["state"]) for data in sent] == [("update", {"q": [0.5, 0.0]})]
        sent.clear()
        widget.set_state({"q": [1.0, 0.5]})  # the front end knows it, and gets no update
        assert {data["method"] for data in sent} <= {"echo_update"}

    @pytest.mark.parametrize("q", [[1.0], [1.0, float("nan")], [1.0, None], "ab"])
    def test_wrong_messages_are_refused(self, view, q):
        view.q = [0.5, 0.25]
        with pytest.raises(TraitError):
            view.widget.set_state({"q": q})
        assert view.q.tolist() == [0.5, 0.25]

    def test_in_jupyter_it_is_the_widget_and_no_page(self, view):
        data, _ = view._repr_mimebundle_()
        assert data["application/vnd.jupyter.widget-view+json"]["model_id"] == view.widget.model_id
        assert data["text/html"].startswith("<div><svg ")
        assert "two &lt;/script&gt; joints" in data["text/html"]
        assert len(json.dumps(data)) < 3000
        assert view._display_() is view.widget

    def test_without_anywidget_it_is_the_page(self, view, without_anywidget):
        assert view._repr_mimebundle_() is None
        assert view._display_()._repr_html_() == view._repr_html_()
        with pytest.raises(kt.KinetreeError, match=r"pip install 'kinetree\[notebook\]'"):
            _ = view.widget

    @pytest.mark.slow
    def test_nothing_is_imported_before_it_is_shown(self):
        program = "import sys; from kinetree.viewing.show import View; print(*sys.modules)"
        modules = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
        assert {"anywidget", "ipywidgets", "traitlets"}.isdisjoint(modules.split())


@pytest.fixture
def notebook():
    """A function that runs a cell in the kernel of a notebook and returns its outputs, and the client."""
    client = NotebookClient(nbformat.v4.new_notebook(), timeout=120)

    def run(source):
        client.nb.cells.append(nbformat.v4.new_code_cell(source))
        return client.execute_cell(client.nb.cells[-1], len(client.nb.cells) - 1).outputs

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the kernel's own
        with client.setup_kernel():
            yield run, client


@pytest.mark.slow
def test_in_a_notebook(notebook):
    run, client = notebook
    (shown,) = run(CELL)
    model = shown.data["application/vnd.jupyter.widget-view+json"]["model_id"]
    assert client.widget_state[model]["q"] == [0.0, 0.0]
    run("view.q = {'elbow': 0.25}")
    assert client.widget_state[model]["q"] == [0.0, 0.25]
    send(client, model, [1.5, 0.125])
    assert run("print(*view.q)")[0].text == "1.5 0.125\n"


def send(client, model, q):
    """Send what a front end sends when q has changed there."""
    data = {"method": "update", "state": {"q": q}, "buffer_paths": []}
    client.kc.shell_channel.send(client.kc.session.msg("comm_msg", {"comm_id": model, "data": data}))


HOST = """<!doctype html><html lang="en"><meta charset="utf-8"><title>A notebook</title>
<body STYLE><div id="cell"></div>
<script type="module">
const heard = (globalThis.heard = {});
globalThis.saved = [];
globalThis.model = {
  state: STATE,
  get: (name) => model.state[name],
  set(name, value) {
    model.state[name] = value;
    for (const callback of heard[`change:${name}`] ?? []) callback();
  },
  on: (event, callback) => (heard[event] ??= []).push(callback),
  off: (event, callback) => (heard[event] = heard[event].filter((one) => one !== callback)),
  save_changes: () => saved.push(model.state.q),
};
model.state.page = Uint8Array.from(atob(model.state.page), (letter) => letter.charCodeAt(0));
const { default: widget } = await import(URL.createObjectURL(new Blob([WIDGET], { type: "text/javascript" })));
globalThis.remove = await widget.render({ model, el: document.getElementById("cell") });
document.body.dataset.ready = "1";
</script></body></html>"""


@pytest.fixture
def cell(open_page, tmp_path):
    """A function of a widget's state that shows it with a model like that of anywidget: the notebook and its frame."""
    if not (FOLDER / "bundle" / "viewer.js").is_file():
        missing("The bundle of viewer/ (python hatch_build.py)")

    def cell(state, style="", **options):
        filled = {
            "STYLE": f"style='{style}'",
            "STATE": json.dumps(state),
            "WIDGET": json.dumps((FOLDER / "widget.js").read_text(encoding="utf-8")),
        }
        text = HOST
        for name, value in filled.items():
            text = text.replace(name, value.replace("<", "\\u003c"), 1)
        (tmp_path / "cell.html").write_text(text, encoding="utf-8")
        notebook = open_page(tmp_path / "cell.html", quiet=False, **options)
        frame = notebook.frames[1]
        frame.wait_for_selector("html[data-theme]", state="attached", timeout=60000)  # the answer of the notebook
        return notebook, frame

    return cell


def state_of(view):
    return {"name": view.widget.name, "page": base64.b64encode(view.widget.page).decode(), "q": view.q.tolist()}


def settled(notebook):
    """Wait until messages that nobody should send would have arrived."""
    notebook.wait_for_timeout(200)


def wait_for(frame, expression, value):
    """Wait until an expression of a page has a value."""
    deadline = time.monotonic() + 20
    while frame.evaluate(expression) != value and time.monotonic() < deadline:
        time.sleep(0.02)
    assert frame.evaluate(expression) == value


Q = "kinetree.view.q"


@pytest.mark.slow
class TestInChromium:
    @pytest.mark.nightly
    def test_both_ways(self, cell):
        view = kt.show(kt.load(ARM, format="urdf"), findings=[], browser=False)
        _ = view.widget
        view.q = [0.5, 0.125]  # after the page was made
        notebook, frame = cell(state_of(view))
        wait_for(frame, Q, [0.5, 0.125])
        frame.evaluate("addEventListener('message', ({ data }) => (globalThis.heard ??= []).push(data))")

        notebook.evaluate("model.set('q', [-1, 0.25])")
        wait_for(frame, Q, [-1, 0.25])
        settled(notebook)
        assert notebook.evaluate("saved") == []  # nothing comes back
        assert frame.evaluate("heard.length") == 1

        frame.evaluate("kinetree.view.setCoordinate(0, 1.5)")
        wait_for(notebook, "saved", [[1.5, 0.25]])
        settled(notebook)
        assert notebook.evaluate("model.state.q") == [1.5, 0.25]
        assert frame.evaluate("heard.length") == 1  # nothing comes back

        frame.get_by_role("slider", name="elbow").press("End")
        wait_for(notebook, "saved.length", 2)
        assert notebook.evaluate("model.state.q") == pytest.approx([1.5, 0.5], abs=1e-9)
        asked = [one for one in notebook.heard if not one.startswith(("blob:", "about:"))]
        assert asked == []

    @pytest.mark.nightly
    def test_many_changes_are_few_messages_and_the_last_arrives(self, cell):
        view = kt.show(kt.load(ARM, format="urdf"), findings=[], browser=False)
        notebook, frame = cell(state_of(view))
        frame.evaluate(
            """async () => { for (let i = 1; i <= 200; i++) {
            kinetree.view.setCoordinate(0, i / 200); if (i % 20 === 0) await new Promise((go) => setTimeout(go, 10));
            } }"""
        )
        wait_for(notebook, "saved.at(-1)", [1, 0])
        saved = notebook.evaluate("saved")
        assert 1 <= len(saved) <= 10
        notebook.evaluate("for (let i = 1; i <= 200; i++) model.set('q', [i / 200, 0.5])")
        wait_for(frame, Q, [1, 0.5])
        settled(notebook)
        assert notebook.evaluate("saved.length") == len(saved)

    def test_other_messages_change_nothing(self, cell):
        view = kt.show(kt.load(ARM, format="urdf"), [0.5, 0.25], findings=[], browser=False)
        notebook, frame = cell(state_of(view))
        for wrong in ("null", "{}", "{kinetree: 1}", "{kinetree: {q: [1]}}", "{kinetree: {q: [1, NaN]}}", "'q'"):
            notebook.evaluate(f"document.querySelector('iframe').contentWindow.postMessage({wrong}, '*')")
        q = "{kinetree: {q: [1, 0]}}"
        frame.evaluate(f"postMessage({q}, '*')")  # to the page by itself
        notebook.evaluate(f"postMessage({q}, '*')")  # to the notebook by itself
        settled(notebook)
        assert frame.evaluate(Q) == notebook.evaluate("model.state.q") == [0.5, 0.25]
        assert notebook.evaluate("saved") == []

    @pytest.mark.parametrize(("text", "theme"), [("black", "light"), ("oklch(0.9 0.1 100)", "dark")])
    def test_the_theme_is_that_of_the_notebook(self, cell, text, theme):
        view = kt.show(kt.load(ARM, format="urdf"), findings=[], browser=False)
        _, frame = cell(state_of(view), style=f"color: {text}", color_scheme="dark" if theme == "light" else "light")
        assert frame.evaluate("document.documentElement.dataset.theme") == theme

    def test_a_cell_that_is_cleared(self, cell):
        view = kt.show(kt.load(ARM, format="urdf"), findings=[], browser=False)
        notebook, _ = cell(state_of(view))
        assert notebook.evaluate("heard['change:q'].length") == 1
        notebook.evaluate("remove()")
        assert notebook.evaluate("heard['change:q'].length") == 0
        notebook.evaluate("model.set('q', [1, 0.5])")
        assert notebook.evaluate("document.querySelectorAll('iframe').length") == 0
        assert not [one for one in notebook.heard if one.startswith("uncaught")]

    @pytest.mark.nightly
    def test_a_kernel_and_a_browser(self, cell, notebook):
        run, client = notebook
        (shown,) = run(CELL)
        model = shown.data["application/vnd.jupyter.widget-view+json"]["model_id"]
        state = {name: client.widget_state[model][name] for name in ("name", "q")}
        (page,) = client.widget_buffers[model].values()
        tab, frame = cell({**state, "page": page["data"]})
        run("view.q = {'elbow': 0.25}")
        tab.evaluate("(q) => model.set('q', q)", client.widget_state[model]["q"])
        wait_for(frame, Q, [0, 0.25])
        frame.evaluate("kinetree.view.setCoordinate(0, -1.5)")
        wait_for(tab, "model.state.q", [-1.5, 0.25])
        send(client, model, tab.evaluate("saved.at(-1)"))
        assert run("print(*view.q)")[0].text == "-1.5 0.25\n"
