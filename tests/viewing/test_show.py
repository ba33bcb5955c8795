"""`kt.show`: what it returns, saves and opens."""

import html
import sys
import types
from urllib.parse import unquote, urlparse

import numpy as np
import pytest

import kinetree as kt
from kinetree.viewing import show
from physics import everything
from unpacking import parts

pytestmark = pytest.mark.usefixtures("opened")


@pytest.mark.slow
def test_from_a_script_the_browser_is_opened(opened):
    view = kt.show(everything(0))
    (address,) = opened
    assert address.startswith("file:///")
    with open(unquote(urlparse(address).path), encoding="utf-8") as file:
        assert file.read() == view.html


@pytest.mark.slow
def test_in_a_notebook_it_shows_itself(opened, monkeypatch):
    shell = types.SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: shell))
    view = kt.show(everything(0))
    assert opened == []
    text = view._repr_html_()
    assert html.unescape(text.split('srcdoc="')[1].split('"')[0]) == view.html
    assert kt.show(everything(0), browser=True).html == view.html
    assert len(opened) == 1
    shell.kernel = None  # IPython in a terminal
    kt.show(everything(0))
    assert len(opened) == 2
    monkeypatch.setitem(sys.modules, "marimo", types.SimpleNamespace(running_in_notebook=lambda: True))
    kt.show(everything(0))
    assert len(opened) == 2


@pytest.mark.slow
def test_a_page_is_saved(tmp_path):
    view = kt.show(everything(0), browser=False)
    view.save(tmp_path / "robot.html")
    assert (tmp_path / "robot.html").read_text(encoding="utf-8") == view.html
    with pytest.raises(kt.KinetreeError):
        view.save(tmp_path / "no" / "robot.html")
    with pytest.raises(AttributeError):
        view.html = ""
    assert repr(view).startswith("View(robot=Robot('everything', ")


@pytest.mark.slow
def test_findings_and_configuration():
    robot = kt.load("icub")
    q = robot.limits.sample(1)[0]
    view = kt.show(robot, q, profile="icub", browser=False)
    content = parts(view.html)[0]["robots"][0]
    assert content["q"] == q.tolist()
    assert list(view.findings) == kt.check(robot, profile="icub")
    assert [f["code"] for f in content["findings"]] == [f.code for f in view.findings]
    assert kt.show(robot, findings=[], browser=False).findings == ()
    for wrong in ({"profile": "x"}, {"faces": 0}, {"faces": -3}, {"q": [1.0]}):
        with pytest.raises(kt.KinetreeError):
            kt.show(robot, **wrong, browser=False)


def test_without_the_viewer_it_is_refused_at_once(monkeypatch):
    def missing():
        raise kt.KinetreeError(kt.Finding("viewer", "error", "none"))

    monkeypatch.setattr(show, "viewer", missing)
    with pytest.raises(kt.KinetreeError, match="viewer"):
        kt.show(everything(0))


def test_the_profile_fits_the_robot():
    links = "".join(f'<link name="{name}"/>' for name in ("base_link", "arm", "tool0"))
    joint = '<joint name="{}" type="{}"><parent link="{}"/><child link="{}"/></joint>'
    arm = links + joint.format("a", "continuous", "base_link", "arm") + joint.format("b", "fixed", "arm", "tool0")
    for text, profile in ((arm, "industrial"), (arm.replace("tool0", "camera"), "ros")):
        assert show.profile_for(kt.load(f'<robot name="r">{text}</robot>', format="urdf")) == profile
    assert show.profile_for(kt.load("icub")) == "icub"


@pytest.mark.slow
def test_the_page_of_an_icub_has_its_rules():
    view = show.view_of(kt.load("icub"))
    assert view.scene.content["robots"][0]["rules"] == "By the rules of the profile icub."
    assert any(finding.code.startswith("ICUB-") for finding in view.findings)


def test_a_notebook_is_known_by_its_kernel_or_by_marimo(monkeypatch):
    def inside(marimo, shell):
        monkeypatch.setitem(sys.modules, "marimo", marimo)
        monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: shell))
        return show._in_notebook()

    kernel = types.SimpleNamespace(kernel=object())
    assert inside(types.SimpleNamespace(running_in_notebook=lambda: True), None)
    for marimo in (None, types.SimpleNamespace(running_in_notebook=lambda: False)):
        assert inside(marimo, kernel)
        for shell in (None, types.SimpleNamespace(), types.SimpleNamespace(kernel=None)):
            assert not inside(marimo, shell)


def test_the_browser_is_opened_unless_a_notebook_shows_the_view(opened, monkeypatch):
    robot = kt.chain("Rz(q1) tx(0.4)")
    for notebook, asked, number in ((False, None, 1), (True, None, 1), (True, True, 2), (False, False, 2)):
        monkeypatch.setattr(show, "_in_notebook", lambda notebook=notebook: notebook)
        kt.show(robot, findings=[], browser=asked)
        assert len(opened) == number


def test_what_a_view_is_not_written_to(tmp_path):
    view = kt.show(kt.chain("Rz(q1) tx(0.4)"), findings=[], browser=False)
    for name, message in (
        ("robot.txt", "cannot write a view to 'robot.txt'; legal endings are .html"),
        ("robot.gif", "a .gif is an animated picture of a motion"),
    ):
        with pytest.raises(kt.KinetreeError, match=message):
            view.save(tmp_path / name)


def test_a_moving_picture_of_a_view_is_of_its_motion(tmp_path, monkeypatch):
    robot = kt.chain("Rz(q1) tx(0.4)")
    motion = kt.motion.Motion(("q1",), np.array([0.0, 1.0]), np.array([[0.0], [0.5]]), robot=robot)
    view = kt.show(robot, motion=motion, findings=[], browser=False)
    monkeypatch.setattr(show, "moving_picture", lambda robot, motion, q: (f"{len(motion.q)} {q}".encode(), ()))
    view.save(tmp_path / "a.gif")
    assert (tmp_path / "a.gif").read_text() == "2 [0.]"
    with pytest.raises(kt.KinetreeError, match="is an animated picture of a motion"):
        view.save(tmp_path / "a.gif", contact=True)
