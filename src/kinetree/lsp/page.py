"""Page of the viewer with a robot, in which an element is selected."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from kinetree.errors import fail
from kinetree.lsp.diagnostics import all_findings
from kinetree.lsp.model import Model
from kinetree.lsp.text import Position
from kinetree.model.robot import Robot
from kinetree.viewing.page import page_of
from kinetree.viewing.show import view_of

PARTS = ("link", "joint", "frame", "body", "site")


def page(models: Sequence[Model], file: str, position: Position | None) -> str:
    """Return the HTML of a page with the robot of a file. position: in the element that is selected, None for none.
    Raises KinetreeError if no model that reads the file makes a robot."""
    model = next((model for model in models if model.robot), None)
    if model is None or model.robot is None:
        raise fail("show", f"{Path(file).name} makes no robot that could be shown; open the file that includes it")
    robot, element = model.robot, "" if position is None else element_at(models[0], file, position)
    view = view_of(robot, findings=[f for f in all_findings(model) if f.source is None or f.element])
    content = {**view.scene.content, "selected": _part(robot, element)}
    return page_of(replace(view.scene, content=content))


def element_at(model: Model, file: str, position: Position) -> str:
    """Return the name of the link, joint, body or frame around a position, as it is written; "" without one."""
    scan = model.scan(file)
    number = scan.at(scan.text.offset(position)) if scan else -1
    around = [scan.tags[number], *scan.above(number)] if scan and number >= 0 else []
    return next((tag.get("name") for tag in around if tag.name in PARTS and tag.get("name")), "")


def _part(robot: Robot, element: str) -> dict[str, Any] | None:
    """Return a part of the robot as the page knows it, None if it has none of that name."""
    extra = [name for name in robot.frames if name not in robot.links]
    for kind, names in (("link", list(robot.links)), ("joint", list(robot.joints)), ("frame", extra)):
        if element in names:
            return {"kind": kind, "index": names.index(element)}
    return None
