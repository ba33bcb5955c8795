"""Published chains of the iCub's fingers, as data."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import radians
from typing import Any

import numpy as np

from kinetree.model.dh import DHChain, DHRow
from kinetree.model.robot import Limit
from kinetree.spatial.se3 import Array, frozen


@dataclass(frozen=True, slots=True, eq=False)
class Finger:
    """A finger. chain: from the frame of the hand to the tip, its base as published: `chain.transform(q)` is the
    product of the published matrices, for one angle a row. If the base is not a rotation that product is not a
    pose."""

    chain: DHChain
    off: float
    """How far R Rᵀ of the base is off the identity."""
    corrected: Array | None
    """Base with a corrected sign that the left hand's mirror leaves out, or None if no error is known."""
    blocked: tuple[int, ...]
    """Rows fixed at zero."""


@cache
def fingers() -> Mapping[str, Finger]:
    """Return the fingers by name, "left_index" to "right_thumb_b", in metres and radians. Source: fingers.toml.

    Examples:
        >>> import kinetree as kt
        >>> chain = kt.icub.fingers()["left_index"].chain
        >>> T = chain.transform([0, 0, 0, 0])  # from the frame of the hand to the tip of the stretched finger
        >>> (1000 * T[:3, 3]).round(1)  # mm
        array([ 73.9, -60.1,   7.9])
    """
    data = tomllib.loads(files(__package__).joinpath("fingers.toml").read_text("utf-8"))
    return {said["name"]: _finger(said) for said in data["finger"]}


def _finger(said: dict[str, Any]) -> Finger:
    base, corrected = _in_metres(said["base"]), None
    if "correct" in said:
        corrected = _in_metres(said["base"])
        corrected[tuple(said["correct"])] *= -1
    rows = tuple(_row(row) for row in said["rows"])
    blocked = tuple(i for i, row in enumerate(said["rows"]) if row.get("blocked"))
    chain = DHChain(str(said["name"]), "dh", rows, frozen(base))
    return Finger(chain, float(said["off"]), None if corrected is None else frozen(corrected), blocked)


def _in_metres(matrix: Any) -> Array:
    T = np.array(matrix, dtype=float)
    T[:3, 3] /= 1000
    return T


def _row(said: dict[str, Any]) -> DHRow:
    low, high = said["limits"]
    limits = (Limit(radians(low), radians(high)),)
    return DHRow(said["a"] / 1000, said["d"] / 1000, radians(said["alpha"]), radians(said["theta"]), limits=limits)
