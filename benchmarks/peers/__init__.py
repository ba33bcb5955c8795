"""The libraries that Kinetree is measured beside: one file each, found by its name.

This package runs in a peer's own environment, so it uses nothing but NumPy and the peer itself.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

CHECKED = 50
"""At how many configurations a peer is checked."""

INPUTS = {
    "rnea": ("q", "qd", "qdd"),
    "aba": ("q", "qd", "tau"),
    "crba": ("q",),
    "rnea_derivatives": ("q", "qd", "qdd"),
    "aba_derivatives": ("q", "qd", "tau"),
}
"""Inputs of the queries of dynamics. The others have q alone."""


def inputs(query: str) -> tuple[str, ...]:
    """Return the names of what a query is asked with."""
    return INPUTS.get(query, ("q",))


def stacked(result: Any) -> Any:
    """Return an answer as one array: a tuple of k matrices as (…, k, nv, nv)."""
    return np.stack(result, axis=-3) if isinstance(result, tuple) else np.asarray(result)


Functions = Mapping[str, Callable[..., Any]]


@dataclass(frozen=True)
class Case:
    """A robot to be measured: a URDF file, names, limits in radians. The poses are those of `frames` in `root`.

    free: its floating joint, which comes first and has x y z qx qy qz qw; its velocities are in the body's axes, linear
    first."""

    name: str
    urdf: str
    root: str
    frames: tuple[str, ...]
    joints: tuple[str, ...]
    lower: tuple[float, ...]
    upper: tuple[float, ...]
    free: str = ""

    @classmethod
    def read(cls, file: Path) -> Case:
        fields = json.loads(file.read_text())
        return cls(**{key: tuple(value) if isinstance(value, list) else value for key, value in fields.items()})

    @property
    def nv(self) -> int:
        return len(self.lower) - bool(self.free)

    def sample(self, random: Any, n: int) -> Any:
        """Return n random configurations (n, nq) within the limits."""
        q = random.uniform(self.lower, self.upper, (n, len(self.lower)))
        if self.free:
            q[:, 3:7] /= np.linalg.norm(q[:, 3:7], axis=1, keepdims=True)
        return q


class NotHereError(ImportError):
    """Something that the peer needs is not here."""


class Peer:
    """A library with one robot loaded. Subclasses are called `Peer` too, each in the file of its name.

    packages: whose versions the table states. tolerance: how far its numbers may be from Kinetree's.
    about: how it is called, for the reader of the table.
    largest: batches above that are left out, because it loops in Python and takes as long for each, or takes too long.
    """

    packages: tuple[str, ...] = ()
    tolerance = 1e-9
    about = ""
    largest = 10_000_000

    def __init__(self, case: Case, known: Mapping[str, Any]) -> None:
        self.case = case
        self.known = known
        """Configurations "q" and Kinetree's answers "fk", for libraries without names of frames."""
        self.joints = case.joints
        """The order of this peer's q, which may be another."""

    def functions(self) -> Functions:
        """What it offers, by query and form, for example "fk one".

        Queries are "fk", (4, 4) of the only frame or (k, 4, 4) of all; "jacobian" (6, nv), linear first, in the root's
        axes; "hessian" (nv, 6, nv), its derivative along each joint; "manipulability" (Yoshikawa). "rnea" torques and
        "aba" accelerations (nv,), "crba" the mass matrix (nv, nv), "rnea_derivatives" of the torques by q and qd, a
        tuple or (2, nv, nv), "aba_derivatives" of the accelerations by q, qd and tau; all with gravity 9.81 m/s² along
        -z. Where `INPUTS` names more than q, functions take them one after the other. Forms are

        one            q (nq,) to a fresh array
        batch          Q (n, nq) to a fresh array
        into           Q, out: the same into a given array
        float32        Q, out: the same in single precision
        two threads    Q, out: the same on two cores

        What it has no function for is left out, not made up of others.
        """
        raise NotImplementedError


def names() -> list[str]:
    """The peers, Kinetree first."""
    found = {file.stem for file in Path(__file__).parent.glob("*.py")} - {"__init__", "__main__"}
    return sorted(found, key=lambda name: (name != "kinetree", name != "pinocchio", name))


def peer(name: str) -> type[Peer]:
    """The class of a peer; raises ImportError where it is not installed."""
    found: type[Peer] = import_module(f"peers.{name}").Peer
    return found
