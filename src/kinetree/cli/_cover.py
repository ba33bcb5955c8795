"""The covers of a robot's links as a page and as JSON: what `kinetree inspect --cover` prints."""

from collections import Counter
from collections.abc import Mapping

import numpy as np

from kinetree.cli._robot_json import SCHEMA
from kinetree.contact.covers import Cover
from kinetree.contact.make import Covered
from kinetree.contact.poses import moved
from kinetree.contact.solids import Solid
from kinetree.contact.table import body_of
from kinetree.model.robot import Robot
from kinetree.viewing.section import Section


def cover_page(robot: Robot, links: Mapping[str, Covered]) -> list[Section]:
    """Return the table of the covers of links."""
    rows, sums = [], np.zeros(3, dtype=int)
    for name, own in links.items():
        solids, covers = zip(*own, strict=True)
        body = body_of(name, solids, covers)
        counts = (len(body.spheres), len(body.ends), sum(len(one.inner) for one in covers))
        kinds = ", ".join(f"{n} x {kind}" if n > 1 else kind for kind, n in Counter(s.kind for s in solids).items())
        rows.append((name, kinds, *map(str, counts), f"{1e3 * max(one.slack for one in covers):.1f}"))
        sums += counts
    columns = ("link", "shapes", ">spheres", ">boxes", ">inner", ">slack mm")
    remark = "spheres and boxes contain the shapes, inner spheres lie inside"
    return [Section(f"Covers of {robot.name}", columns, [*rows, ("total", "", *map(str, sums), "")], remark)]


def cover_json(robot: Robot, links: Mapping[str, Covered]) -> dict[str, object]:
    """Return the covers of links, shape by shape, in the frames of the links; docs/reference/command-line.md describes
    them."""

    def described(solid: Solid, own: Cover) -> dict[str, object]:
        spheres = {
            side: np.column_stack([moved(solid.T[None, :3], some[None, :, :3])[0], some[:, 3]])
            for side, some in (("outer", own.outer), ("inner", own.inner))
        }
        return {"kind": solid.kind, "sizes": solid.sizes, "origin": solid.T, "slack": own.slack, **spheres}

    every = {name: [described(*both) for both in own] for name, own in links.items()}
    return {"schema": SCHEMA, "robot": robot.name, "links": every}
