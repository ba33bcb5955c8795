"""Texts of OpenUSD for tests, and what the reader says about them."""

from __future__ import annotations

import kinetree as kt
from kinetree.errors import Finding
from kinetree.formats.usd import read


def robot_of(text: str) -> kt.Robot:
    return kt.load(text, format="usd")


def codes(text: str) -> list[str]:
    _, findings = read(text, "a.usda")
    return [finding.code for finding in findings]


def the(code: str, text: str) -> Finding:
    """Return the only finding with a code."""
    (found,) = (finding for finding in read(text, "a.usda")[1] if finding.code == code)
    return found


def body(name: str, inside: str = "", more: str = "", type: str = "Xform") -> str:
    """Return a body; inside: its properties and prims; more: schemas, such as ', "PhysicsMassAPI"'."""
    return f'def {type} "{name}" (prepend apiSchemas = ["PhysicsRigidBodyAPI"{more}])\n{{\n{inside}\n}}\n'


def stage(*prims: str, head: str = 'metersPerUnit = 1\nupAxis = "Z"') -> str:
    return f"#usda 1.0\n({head}\n)\n" + "\n".join(prims)


def joint(type: str, inside: str = "", more: str = "", name: str = "j", ends: tuple[str, str] = ("/a", "/b")) -> str:
    """Return a joint; an end "" is the world."""
    rels = "\n".join(f"rel physics:body{i} = <{end}>" for i, end in enumerate(ends) if end)
    return f'def Physics{type}Joint "{name}" ({more})\n{{\n{rels}\n{inside}\n}}\n'


def moved(operation: str, value: str) -> str:
    """Return the lines of a transform of one operation, such as "scale"."""
    return f'float3 xformOp:{operation} = {value}\nuniform token[] xformOpOrder = ["xformOp:{operation}"]'


TWO = (body("a", more=', "PhysicsArticulationRootAPI"'), body("b"))


def only_joint(*prims: str) -> kt.model.robot.Joint:
    return robot_of(stage(*TWO, *prims)).joints["j"]
