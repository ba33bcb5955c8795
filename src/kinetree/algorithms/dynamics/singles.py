"""Joints whose motion subspace depends on q, as rows of single joints with bodies without mass between them."""

from dataclasses import fields, replace
from typing import Any

import numpy as np

from kinetree.algorithms.dynamics.inverse import External
from kinetree.model.joints import JOINT_TYPES
from kinetree.model.tree import Passive, Tree
from kinetree.spatial.se3 import IDENTITY, Array, frozen

NOTHING = frozen(np.zeros((6, 6)))


def single_joints(tree: Tree, external: External) -> tuple[Tree, dict[int, Any]]:
    """Return a tree that moves alike for the same q and qd, in which S of every joint is constant in its body's axes,
    and the wrenches on its bodies. Its frames are left out."""
    columns: dict[str, list[Any]] = {f.name: [] for f in fields(tree) if isinstance(getattr(tree, f.name), tuple)}
    last = {-1: -1}
    for i, parent in enumerate(tree.parent):
        own = {name: getattr(tree, name)[i] for name in columns}
        singles = tree.joint_type[i].singles
        rows = [own] if singles is None else _split(own, singles(tree.axes[i]))
        for k, row in enumerate(rows):
            before = last[parent] if k == 0 else len(columns["parent"]) - 1
            for name, value in (row | {"parent": before}).items():
                columns[name].append(value)
        last[i] = len(columns["parent"]) - 1
    changed: dict[str, Any] = {name: tuple(values) for name, values in columns.items()}
    model = replace(tree, frames={}, **changed)
    return model, {last[i]: w for i, w in external.items() if i in last}


def _split(own: dict[str, Any], parts: list[tuple[str, Array]]) -> list[dict[str, Any]]:
    """Return what a tree has of each of the single joints and its body, from what it has of their joint. parts: their
    types and axes."""
    q, v = own["q_slice"].start, own["v_slice"].start
    rows = [
        own
        | {
            "joint_type": JOINT_TYPES[name],
            "axes": frozen([axis]),
            "q_slice": slice(q + k, q + k + 1),
            "v_slice": slice(v + k, v + k + 1),
            "passive": Passive._make(numbers[k : k + 1] for numbers in own["passive"]),
            "T_tree": IDENTITY,
            "T_zero": IDENTITY,
            "inertia": NOTHING,
        }
        for k, (name, axis) in enumerate(parts)
    ]
    rows[0] |= {"T_tree": own["T_tree"], "T_zero": own["T_zero"]}
    rows[-1] |= {"inertia": own["inertia"]}
    return rows
