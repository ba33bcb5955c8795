"""Inertial parameters of links, and the matrix by which they enter the torques (Atkeson, An & Hollerbach, Estimation of
inertial parameters of manipulator loads and links, 1986).

The ten parameters of a link are its mass, first moments m c (3) and second moments Ixx Ixy Iyy Ixz Iyz Izz about the
origin of the link's frame, in its axes.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from kinetree.algorithms.dynamics.inverse import motions
from kinetree.algorithms.dynamics.joints import joints_at
from kinetree.algorithms.dynamics.vectors import Inertia, crf, inertia_to_parent, momentum, to_body
from kinetree.model.edit.inertias import NAMES as NAMES
from kinetree.model.tree import Tree
from kinetree.spatial.plucker import skew
from kinetree.spatial.se3 import Array


def inertia_of(parameters: Any) -> Inertia:
    """Return the inertia of ten parameters."""
    m, x, y, z, xx, xy, yy, xz, yz, zz = parameters
    return Inertia(m, np.array([x, y, z]), np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))


def rigid_body(one: Inertia) -> Array:
    """Return the rigid-body inertia (6, 6) of mass, first and second moments."""
    m, h, I = one
    H = skew(h)
    return np.block([[I, H], [H.T, m * np.eye(3)]])


def parameters_of(I: Array) -> Array:
    """Return the ten parameters (10,) of a rigid-body inertia (6, 6)."""
    return np.array([I[5, 5], I[2, 4], I[0, 5], I[1, 3], I[0, 0], I[0, 1], I[1, 1], I[0, 2], I[1, 2], I[2, 2]])


def with_parameters(tree: Tree, links: Sequence[str], parameters: Any) -> Tree:
    """Return the tree with the inertias of these links, and no others. parameters: (n, 10), one row a link."""
    inertia: list[Any] = [np.zeros((6, 6))] * (len(tree.parent) + 1)
    for link, row in zip(links, parameters, strict=True):
        body, T = tree.frame(link)
        m, h, I = inertia_to_parent([(T[:3, :3], T[:3, 3])], inertia_of(row))
        inertia[body] = inertia[body] + rigid_body(Inertia(m, h, I))
    return replace(tree, inertia=tuple(inertia[:-1]), base_inertia=inertia[-1])


def inertial_regressor(tree: Tree, q: Any, qd: Any, qdd: Any, gravity: Any, links: Sequence[str]) -> Array:
    """Return Y (nv, 10 n): rigid-body torques are Y times the parameters of the n links, one link after the other.

    A unit of a parameter makes a wrench on its body; the motion of every joint that carries the body makes power of it.
    """
    joints = joints_at(tree, q, qd)
    v, a = motions(tree, joints, qd, qdd, gravity)
    carried: list[list[tuple[int, Array]]] = [[] for _ in range(len(tree.parent) + 1)]  # coordinate, S in body's frame
    for i, parent in enumerate(tree.parent):
        carried[i] = [(j, to_body(joints.way[i], S)) for j, S in carried[parent]]
        carried[i] += zip(range(tree.nv)[tree.v_slice[i]], joints.S[i].T, strict=True)
    Y = np.full((tree.nv, len(links), 10), 0.0, dtype=object)
    for n, link in enumerate(links):
        body, T = tree.frame(link)
        way = [(T[:3, :3], T[:3, 3])]
        here, falls = to_body(way, v[body]), to_body(way, a[body])
        units = [inertia_of(row) for row in np.eye(10)]
        f = np.array([momentum(unit, falls) + crf(here, momentum(unit, here)) for unit in units])
        for j, S in carried[body]:
            Y[j, n] = Y[j, n] + f @ to_body(way, S)
    return Y.reshape(tree.nv, 10 * len(links))
