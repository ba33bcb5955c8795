"""`kt.show`: a robot in the browser, in a notebook, or in a file."""

import os
import sys
import tempfile
import webbrowser
from collections.abc import Iterable
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

from kinetree.arguments import explained
from kinetree.checker.check import check
from kinetree.conventions.profiles import DEFAULT
from kinetree.errors import Finding, fail
from kinetree.formats.output import write_whole
from kinetree.logs import Motion, read_motion
from kinetree.model.robot import Robot
from kinetree.solvers.compare import Comparison
from kinetree.solvers.compare.comparison import compare
from kinetree.viewing.page import page_of, viewer
from kinetree.viewing.picture import picture
from kinetree.viewing.scene import Posed, scene

PICTURES = (".png", ".svg")
"""Endings of files that are pictures."""
NOT_SHOWN = ("shape-not-shown", "MSH-002", "MSH-003", "MSH-004", "MSH-005")
"""Codes of shapes that are left out."""

FRAME = (
    '<iframe title="{title}" srcdoc="{page}" sandbox="allow-scripts allow-downloads" allow="clipboard-write" '
    'style="width:100%;height:560px;border:0"></iframe>'
)


@dataclass(frozen=True)
class View:
    """A robot in a page.

    html: the page, a whole file that needs no network. findings: those that it lists, also of shapes that it lacks.
    shapes: how shapes differ from those of the other robot; None without one.
    """

    name: str
    html: str = field(repr=False)
    findings: tuple[Finding, ...] = field(repr=False)
    robot: Robot = field(repr=False)
    q: Any = field(repr=False)
    shapes: tuple[str, ...] | None = field(default=None, repr=False)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file, replacing it, or a picture if the name ends in .png or .svg. Raises KinetreeError
        if it cannot be written, and for a picture without matplotlib or of two robots."""
        suffix = Path(path).suffix.lower()
        if suffix in PICTURES and self.shapes is not None:
            raise fail("format", f"cannot write two robots to {Path(path).name!r}; legal is the ending .html")
        drawn = picture(self.robot, self.q, suffix)[0] if suffix in PICTURES else self.html
        write_whole(Path(path), drawn)

    @property
    def not_shown(self) -> list[Finding]:
        """Findings of shapes that are left out."""
        return [one for one in self.findings if one.code in NOT_SHOWN]

    def open(self) -> Path:
        """Open the page in the browser, from a new file in the folder of temporary files, and return its path."""
        handle, name = tempfile.mkstemp(".html", "kinetree-")
        os.close(handle)
        path = Path(name)
        self.save(path)
        webbrowser.open(path.as_uri())
        return path

    def _repr_html_(self) -> str:
        return FRAME.format(title=escape(self.name), page=escape(self.html))


@explained
def show(
    robot: Robot,
    q: Any = None,
    *,
    other: Robot | None = None,
    profile: str = DEFAULT,
    findings: Iterable[Finding] | None = None,
    faces: int | None = None,
    motion: Any = None,
    browser: bool | None = None,
) -> View:
    """Return a page with a robot: to move its joints, drag its frames, and see limits, inertias and findings.

    In a notebook the result shows itself; elsewhere it is opened in the browser. `.save(path)` writes one file that
    needs no network.
    q (nq,): the first configuration, by default near zero and inside the limits. other: a second robot, laid over the
    first one, with a list of their differences. profile: conventions of the findings, as for `check`. findings: these
    of the first robot instead, such as [].
    faces: about the most triangles of a mesh file; finer meshes are made coarser with fast-simplification.
    motion: what the page plays: a file of joint values, columns by name, or a Motion, as `kinetree.logs.read_motion`
    takes them, in rad and m. Joints without a column stay as they are in q.
    browser: whether to open it, whatever the surroundings.

    A mesh that cannot be read is left out, with a warning among the findings. Raises KinetreeError for a wrong q or
    motion, for `faces` without fast-simplification, and if the package was installed without the viewer.
    """
    against = None if other is None else (other, compare(robot, other))
    moving = None if motion is None else read_motion(robot, motion)
    view = view_of(robot, q, profile=profile, findings=findings, faces=faces, against=against, motion=moving)
    if browser if browser is not None else not _in_notebook():
        view.open()
    return view


def view_of(
    robot: Robot,
    q: Any = None,
    *,
    profile: str = DEFAULT,
    findings: Iterable[Finding] | None = None,
    complete: bool = False,
    faces: int | None = None,
    against: tuple[Robot, Comparison] | None = None,
    motion: Motion | None = None,
) -> View:
    """Return what `show` returns, without opening it. complete: whether the page has no findings but `findings`, not
    even of shapes that it lacks. against: another robot, and its comparison with the robot."""
    viewer()  # its absence is found before any work
    other, comparison = against or (None, None)
    robots = [Posed(robot, q, list(_findings(robot, profile) if findings is None else findings), complete, motion)]
    if other is not None:
        robots.append(Posed(other, None, _findings(other, profile)))
    seen = scene(robots, faces=faces, comparison=comparison)
    rows = seen.content["comparison"]["differences"] if comparison else ()
    shapes = tuple(f"{row['element']}: {row['message']}" for row in rows if row["kind"] == "shape")
    first = seen.content["robots"][0]["q"] if motion else q
    return View(robot.name, page_of(seen), seen.findings, robot, first, shapes if comparison else None)


def _findings(robot: Robot, profile: str) -> list[Finding]:
    places = robot.places
    return check(robot, profile=profile, packages=places.packages, confined=places.confinement or False)


def _in_notebook() -> bool:
    """Return whether the code runs in a notebook, which shows results by itself."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return shell is not None and getattr(shell, "kernel", None) is not None
