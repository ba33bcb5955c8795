"""Joints whose motion subspace depends on q, as rows of single joints with bodies without mass between them."""

from dataclasses import replace
from typing import Any

import numpy as np

from kinetree.algorithms.dynamics.inverse import External
from kinetree.model.joints import JOINT_TYPES
from kinetree.model.tree import Passive, Tree
from kinetree.spatial.se3 import IDENTITY, frozen

NOTHING = frozen(np.zeros((6, 6)))


def single_joints(tree: Tree, external: External) -> tuple[Tree, dict[int, Any]]:
    """Return a tree that moves alike for the same q and qd, in which S of every joint is constant in its body's axes,
    and the wrenches on its bodies. Its frames are left out."""
    columns: dict[str, list[Any]] = {name: [] for name in _PER_BODY}
    last = {-1: -1}
    for i, parent in enumerate(tree.parent):
        own = {name: getattr(tree, name)[i] for name in _PER_BODY}
        rows = [own]
        if tree.joint_type[i].singles is not None:
            rows = _split(tree, i, own)
        for k, row in enumerate(rows):
            row["parent"] = last[parent] if k == 0 else len(columns["parent"]) - 1
            for name, value in row.items():
                columns[name].append(value)
        last[i] = len(columns["parent"]) - 1
    changed: dict[str, Any] = {name: tuple(values) for name, values in columns.items()}
    model = replace(tree, frames={}, **changed)
    return model, {last[i]: w for i, w in external.items() if i in last}


_PER_BODY = (
    *("joints", "parent", "joint_type", "axes", "pitch", "T_tree", "T_zero", "q_slice", "v_slice", "multiplier"),
    *("offset", "inertia", "passive"),
)


def _split(tree: Tree, i: int, own: dict[str, Any]) -> list[dict[str, Any]]:
    """Return one row of the tree for each of the single joints."""
    singles = tree.joint_type[i].singles
    assert singles is not None
    parts = singles(tree.axes[i])
    q, v = tree.q_slice[i].start, tree.v_slice[i].start
    rows = [
        own
        | {
            "joint_type": JOINT_TYPES[name],
            "axes": frozen([axis]),
            "q_slice": slice(q + k, q + k + 1),
            "v_slice": slice(v + k, v + k + 1),
            "passive": Passive._make(numbers[k : k + 1] for numbers in tree.passive[i]),
            "T_tree": IDENTITY,
            "T_zero": IDENTITY,
            "inertia": NOTHING,
        }
        for k, (name, axis) in enumerate(parts)
    ]
    rows[0] |= {"T_tree": own["T_tree"], "T_zero": own["T_zero"]}
    rows[-1] |= {"inertia": own["inertia"]}
    return rows
