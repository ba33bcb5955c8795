"""Inertials as small as simulators take, for links without mass, and records with which a reader takes them away."""

from dataclasses import replace

import numpy as np

from kinetree.formats.losses.sidecar import Record
from kinetree.formats.losses.sidecar.restore import GRAIN
from kinetree.formats.losses.sidecar.values import Leaves, leaves
from kinetree.model.robot import Inertial, Link
from kinetree.spatial.se3 import frozen

TINY = 1e-15
"""Mass, kg, and moment, kg m², below which there is none: MuJoCo's least for bodies that move."""
MASS, MOMENT = GRAIN, 1e-12
"""Mass, kg, and moment of inertia about each axis, kg m², of a link without mass: a grain of 5 cm. Drake takes less;
with a hundred such links the mass of a robot stays the same to 1e-7 kg."""


def with_grain(link: Link, given: Inertial | None) -> tuple[Link, Record]:
    """Return a link with the inertial `given`, and the mass and moments of a grain where it has none; and how to put
    the link's own inertial back."""
    given = given or Inertial(0.0, np.zeros((3, 3)))
    has_mass, has_inertia = given.mass >= TINY, np.linalg.eigvalsh(given.inertia)[0] >= TINY
    inertia = given.inertia if has_inertia else MOMENT * np.eye(3) + (given.inertia if has_mass else 0.0)
    origin, R = given.origin.copy(), given.origin[:3, :3]
    inertia, origin[:3, :3] = R @ inertia @ R.T, np.eye(3)  # in the axes of the link, as files of MJCF have it
    inertia = np.triu(inertia) + np.triu(inertia, 1).T  # whose numbers a file has once
    heavy = replace(link, inertial=Inertial(given.mass if has_mass else MASS, frozen(inertia), frozen(origin)))
    mine, file = inertial_leaves(link), inertial_leaves(heavy)
    changed = {path: value for path, value in file.items() if value != mine.get(path)}
    data = {**({path: mine[path] for path in changed} if mine else {"inertial": None}), "file": changed}
    return heavy, Record("link", link.name, data)


def inertial_leaves(link: Link) -> Leaves:
    """Return the inertial of a link as data."""
    return {"inertial.mass": link.inertial.mass, **leaves(link, ("inertial",))} if link.inertial else {}
