"""`kt.show`: a robot in the browser, in a notebook, or in a file."""

import os
import sys
import tempfile
import webbrowser
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from html import escape
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.arguments import explain_type_errors
from kinetree.checker.check import check
from kinetree.display import counted
from kinetree.errors import Finding, fail
from kinetree.files.output import write_whole
from kinetree.lab.reach.map import ReachMap
from kinetree.logs import Motion, read_motion
from kinetree.model.robot import Robot
from kinetree.queries.joint_choice import Joints
from kinetree.robots.icub.boards import is_icub
from kinetree.rules.profiles import DEFAULT
from kinetree.solvers.compare import Comparison
from kinetree.solvers.compare.comparison import compare
from kinetree.spatial.se3 import Array
from kinetree.viewing.moving import moving_picture
from kinetree.viewing.page import page_of, viewer
from kinetree.viewing.picture import picture
from kinetree.viewing.scene import LEFT_OUT, PosedRobot, Scene, configuration, scene
from kinetree.viewing.scene.roles import roles_of
from kinetree.viewing.stick_figure import stick_figure

if TYPE_CHECKING:
    from kinetree.viewing.widget import Widget

PICTURES = (".png", ".svg")
"""Endings of files that are pictures."""
ENDINGS = (".html", *PICTURES, ".gif")
"""Endings of all files that a view is written to."""
NOT_SHOWN = ("shape-not-shown", "MSH-002", "MSH-003", "MSH-004", "MSH-005")
"""Codes of shapes that are left out."""

FRAME = (
    '<iframe title="{title}" srcdoc="{page}" sandbox="allow-scripts" allow="clipboard-write" '
    'style="width:100%;height:560px;border:0"></iframe>'
)


@dataclass(eq=False)
class View:
    """A robot in a page. `view.q = …` moves the robot, also in a notebook that shows the view.

    robot: the robot, or the first of several. scene: what the page shows. reach: a map of the robot, if it shows one.
    motion: what it plays.
    """

    robot: Robot
    scene: Scene = field(repr=False)
    reach: ReachMap | None = field(default=None, repr=False)
    motion: Motion | None = field(default=None, repr=False)
    _q: Array = field(init=False, repr=False)
    _widget: "Widget | None" = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        self._q = np.array(self.scene.content["robots"][0]["q"], dtype=float)

    @property
    def q(self) -> Array:
        """Return a read-only copy of the configuration (nq,): that of the page in a notebook, also after a drag.

        It can be set to nq numbers or, by names, to what `robot.q` takes. Raises KinetreeError for other values.
        """
        q = np.array(self._widget.q if self._widget else self._q, dtype=float)
        q.setflags(write=False)
        return q

    @q.setter
    def q(self, values: Any) -> None:
        self._q = np.array(configuration(self.robot, values))
        if self._widget:
            self._widget.q = self._q.tolist()

    @property
    def html(self) -> str:
        """Return the page with the present q, a whole file that needs no network."""
        first, *others = self.scene.content["robots"]
        content = {**self.scene.content, "robots": [{**first, "q": self.q.tolist()}, *others]}
        return page_of(replace(self.scene, content=content))

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Return the findings that the page lists, also of shapes that it lacks."""
        return self.scene.findings

    @property
    def shapes(self) -> tuple[str, ...] | None:
        """Return how shapes differ from those of the other robot; None without one."""
        comparison = self.scene.content["comparison"]
        rows = comparison["differences"] if comparison else ()
        shapes = tuple(f"{row['element']}: {row['message']}" for row in rows if row["kind"] == "shape")
        return shapes if comparison else None

    @property
    def widget(self) -> "Widget":
        """Return the widget of the view, to put it beside others and to observe its q.

        Raises KinetreeError if anywidget is not installed.
        """
        if self._widget is None:
            if not has_anywidget():
                message = "a widget needs anywidget, which is not installed"
                raise fail("widget", message, fix="pip install 'kinetree[notebook]'")
            from kinetree.viewing.widget import widget

            self._widget = widget(self.robot.name, self.html, self.q.tolist())
        return self._widget

    def save(self, path: str | os.PathLike[str], *, contact: bool = False) -> None:
        """Write the page with the present q to a file, replacing it, or a picture if the name ends in .png or .svg, or
        an animated picture of the motion if it ends in .gif.

        contact: in a picture, links in contact are red, and if there are none the nearest two have a line with their
        distance. Raises KinetreeError if it cannot be written, for a picture without matplotlib or of two robots, and
        for a .gif without a motion.
        """
        suffix = Path(path).suffix.lower()
        if suffix not in ENDINGS:
            raise fail("format", f"cannot write a view to {Path(path).name!r}; legal endings are {', '.join(ENDINGS)}")
        if suffix != ".html" and self.shapes is not None:
            raise fail("format", f"cannot write two robots to {Path(path).name!r}; expected the ending .html")
        if suffix == ".gif":
            if self.motion is None or contact:
                raise fail("format", "a .gif is an animated picture of a motion; expected kt.show(robot, motion=…)")
            drawn: str | bytes = moving_picture(self.robot, self.motion, self.q)[0]
        elif suffix in PICTURES:
            drawn = picture(self.robot, self.q, suffix, reach=self.reach, contact=contact)[0]
        else:
            drawn = self.html
        write_whole(Path(path), drawn)

    @property
    def not_shown(self) -> list[Finding]:
        """Return a finding for each cause, such as a missing package, for which shapes are left out."""
        groups: dict[str, list[Finding]] = {}
        for one in self.findings:
            if one.code in NOT_SHOWN:
                groups.setdefault(one.message.partition(LEFT_OUT)[2] or str(one), []).append(one)
        return [_joined(*group) for group in groups.values()]

    def open(self) -> Path:
        """Open the page in the browser, from a new file in the folder of temporary files, and return its path."""
        handle, name = tempfile.mkstemp(".html", "kinetree-")
        os.close(handle)
        path = Path(name)
        self.save(path)
        webbrowser.open(path.as_uri())
        return path

    def _repr_html_(self) -> str:
        return FRAME.format(title=escape(self.robot.name), page=escape(self.html))

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Any:
        """Return the widget for Jupyter, and a stick figure for viewers of notebooks without widgets.

        Return None without anywidget: then Jupyter takes `_repr_html_`.
        """
        if not has_anywidget():
            return None
        data, metadata = self.widget._repr_mimebundle_() or ({}, {})
        still = f"<div>{stick_figure(self.robot, self.q)}<p>Run the cell again to move the robot.</p></div>"
        return {**data, "text/plain": repr(self), "text/html": still}, metadata

    def _display_(self) -> Any:
        """Return what marimo shows, which prefers `_repr_html_`."""
        return self.widget if has_anywidget() else SimpleNamespace(_repr_html_=self._repr_html_)


@explain_type_errors
def show(
    robot: Robot,
    q: Any = None,
    *,
    other: Robot | None = None,
    profile: str | None = None,
    findings: Iterable[Finding] | None = None,
    faces: int | None = None,
    motion: Any = None,
    reach: ReachMap | None = None,
    cover: bool = False,
    driven: Joints = None,
    browser: bool | None = None,
) -> View:
    """Return a page with a robot: to move its joints, drag its frames, and see limits, inertias and findings.

    In a notebook the result shows itself; elsewhere it is opened in the browser. `.save(path)` writes one file that
    needs no network. `.q` is the configuration; in a notebook with anywidget it follows the page, and setting it moves
    the robot there.
    q (nq,), or values by name as for `robot.q`: the first configuration, by default neutral; closed, if the robot has
    loops that are open there.
    other: a second robot, laid over the first one, with a list of their differences. profile: conventions of the
    findings, as for `check`; by default "icub" for an iCub, "industrial" for an arm with a frame flange or tool0, else
    "ros". findings: these of the first robot instead, such as [].
    faces: about the most triangles of a mesh file; finer meshes are made coarser with fast-simplification.
    motion: what the page plays: a file of joint values, columns by name, an array (n, nq), or a Motion, as
    `kinetree.logs.read_motion` takes them, in rad and m. Joints without a column stay as they are in q.
    reach: a map of the robot, from `reach_map`, as coloured cubes.
    cover: whether the page can show the spheres that contain the collision shapes; making them takes seconds.
    driven: joints of a robot with closed loops that the page moves, while others in loops follow; by default those with
    an actuator, then the first ones in the order of q, each unless those before determine it.
    browser: whether to open it in the browser; by default, if this is not a notebook.

    A mesh that cannot be read is left out, with a warning among the findings. Raises KinetreeError for a wrong q,
    motion or driven, for `faces` without fast-simplification, and if the package was installed without the viewer.

    Examples:
        >>> import kinetree as kt
        >>> icub = kt.load("icub")
        >>> view = kt.show(icub, {"l_elbow": 1.0}, browser=False)
        >>> view.save("icub.html")
        >>> view.q[icub.q_slices["l_elbow"]]
        array([1.])
    """
    against = None if other is None else (other, compare(robot, other))
    moving = None if motion is None else read_motion(robot, motion)
    view = view_of(
        robot,
        q,
        profile=profile,
        findings=findings,
        faces=faces,
        against=against,
        motion=moving,
        reach=reach,
        cover=cover,
        driven=driven,
    )
    if browser if browser is not None else not _in_notebook():
        view.open()
    return view


def view_of(
    robot: Robot,
    q: Any = None,
    *,
    profile: str | None = None,
    findings: Iterable[Finding] | None = None,
    complete: bool = False,
    faces: int | None = None,
    against: tuple[Robot, Comparison] | None = None,
    motion: Motion | None = None,
    reach: ReachMap | None = None,
    cover: bool = False,
    driven: Joints = None,
) -> View:
    """Return what `show` returns, without opening it. complete: whether the page has no findings but `findings`, not
    even of shapes that it lacks. against: another robot, and its comparison with the robot."""
    viewer()  # its absence is found before any work
    other, comparison = against or (None, None)
    profile = profile or profile_for(robot)
    found = _findings(robot, profile) if findings is None else list(findings)
    rules = f"By the rules of the profile {profile}." if findings is None else None
    robots = [PosedRobot(robot, q, found, complete, motion, rules, driven)]
    if other is not None:
        robots.append(PosedRobot(other, None, _findings(other, profile)))
    shown = scene(robots, faces=faces, comparison=comparison, reach=reach, contact=True, cover=cover)
    return View(robot, shown, reach, motion)


def profile_for(robot: Robot) -> str:
    """Return the profile that fits a robot: "icub" for an iCub, "industrial" for an arm with REP-199's frames at its
    end, else the default."""
    if is_icub(robot):
        return "icub"
    return "industrial" if {"flange", "tool0"} & {*roles_of(robot).values()} else DEFAULT


def _findings(robot: Robot, profile: str) -> list[Finding]:
    places = robot.places
    return check(robot, profile=profile, packages=places.packages, confined=places.confinement or False)


def _joined(first: Finding, *others: Finding) -> Finding:
    """Return the first finding, and in it how many others there are."""
    more = f"; likewise {counted(len(others), 'more shape')}" if others else ""
    return replace(first, message=first.message + more)


def has_anywidget() -> bool:
    """Return whether anywidget is installed."""
    return find_spec("anywidget") is not None


def _in_notebook() -> bool:
    """Return whether the code runs in a notebook, of Jupyter or marimo, which shows results by itself."""
    if getattr(sys.modules.get("marimo"), "running_in_notebook", lambda: False)():
        return True
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return shell is not None and getattr(shell, "kernel", None) is not None
