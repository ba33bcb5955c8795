"""Small SDF texts for the tests, and an opener over texts in memory."""

from __future__ import annotations

import kinetree as kt
from kinetree.errors import Finding
from kinetree.formats import sdf
from kinetree.model.robot import Robot

SCREWED = "<screw_thread_pitch>1</screw_thread_pitch></joint>"
INERTIAL = "<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>"


def model(inside: str, version: str = "1.10", attributes: str = "") -> str:
    """A file with one model."""
    return (
        f'<?xml version="1.0"?>\n<sdf version="{version}">\n<model name="m" {attributes}>\n{inside}\n</model>\n</sdf>'
    )


def hinge(axis: str = "<xyz>0 0 1</xyz>", pose: str = "", kind: str = "revolute", name: str = "j") -> str:
    """Links a and b, one metre apart along x, and a joint between them."""
    return f"""<link name="a"/><link name="b"><pose>1 0 0 0 0 0</pose></link>
    <joint name="{name}" type="{kind}">{pose}<parent>a</parent><child>b</child><axis>{axis}</axis></joint>"""


def load(text: str, **options: str | None) -> Robot:
    """The robot of a text."""
    return kt.load(text, format="sdf", **options)


def findings(text: str, files: dict[str, str] | None = None, model: str | None = None) -> list[Finding]:
    """Everything that is said of a text."""
    return sdf.read(text, "file.sdf", opener(files or {}), model)[1]


def errors(text: str, files: dict[str, str] | None = None, model: str | None = None) -> list[Finding]:
    """The errors of a text, which is refused if and only if it has any."""
    robot, said = sdf.read(text, "file.sdf", opener(files or {}), model)
    found = [finding for finding in said if finding.severity == "error"]
    assert (robot is None) == bool(found)
    return found


def opener(files: dict[str, str]):
    """Opens texts by what they are asked for."""
    return lambda wanted, asking: (files[wanted].encode(), wanted) if wanted in files else None
