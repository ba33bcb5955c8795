"""The covers of a robot's links as a page and as JSON: what `kinetree inspect --cover` prints."""

from collections import Counter
from collections.abc import Mapping

import numpy as np

from kinetree.contact.make import Covered
from kinetree.contact.poses import moved
from kinetree.contact.table import body_of
from kinetree.model.robot import Robot
from kinetree.spatial.se3 import Array
from kinetree.viewing.section import Section

SCHEMA = 1
"""Version, which increases when a field changes its meaning or is removed; new ones may come at any time."""


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
    return {
        "schema": SCHEMA,
        "robot": robot.name,
        "links": {
            name: [
                {
                    "kind": solid.kind,
                    "sizes": solid.sizes,
                    "origin": solid.T,
                    "slack": one.slack,
                    "outer": _placed(solid.T, one.outer),
                    "inner": _placed(solid.T, one.inner),
                }
                for solid, one in own
            ]
            for name, own in links.items()
        },
    }


def _placed(T: Array, spheres: Array) -> Array:
    """Return spheres (n, 4) of a solid in the frame of its link."""
    return np.column_stack([moved(T[None, :3], spheres[None, :, :3])[0], spheres[:, 3]])
