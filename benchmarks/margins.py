"""Margins of many configurations of one arm of the iCub: the kernel beside NumPy.

    python benchmarks/margins.py [--count 1000000] [--runs 7]

The arm has 7 joints, a box, and the 14 rows of its tendons. NumPy computes the rows alone, as a batched matrix product
into `out=`, which is less than the kernel does, and all of it; both fill arrays that are there already. Runs are
interleaved and the fastest of each counts.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from machine import ONE_THREAD, asked, describe, minima

os.environ.update(ONE_THREAD)

import numpy as np

import kinetree as kt


def main() -> None:
    count, runs = asked(__doc__, 1_000_000, 7, quick=1000)
    arm = one_arm()
    q = arm.limits.sample(count, seed=0)
    found = minima(calls(arm, q), runs)
    print(describe("kinetree", "numpy", "llvmlite"), end="\n\n")
    product = found["NumPy, q @ G.T"]
    print(f"{'':32} {'ns each':>8} {'of the product':>15}")
    for name, seconds in found.items():
        print(f"{name:32} {seconds / count * 1e9:8.1f} {seconds / product:15.2f}")


def one_arm() -> kt.Robot:
    """The left arm with its shoulder: 7 joints, 14 rows."""
    body = kt.edit.cut(kt.load("icub", limits="tendons"), "chest")
    return kt.edit.remove(kt.edit.remove(body, "r_shoulder_1"), "neck_1")


def calls(arm: kt.Robot, q: np.ndarray) -> dict[str, Callable[[], object]]:
    limits, kernel = arm.limits, kt.margin(arm)
    G, all_rows = limits.G, np.vstack([-np.eye(arm.nq), np.eye(arm.nq), limits.G])
    bounds = np.r_[-limits.lower, limits.upper, limits.h]
    out, rows, slack = (np.empty((len(q), k)) for k in (len(bounds), len(G), len(bounds)))

    def everything() -> None:
        np.matmul(q, all_rows.T, out=slack)
        np.subtract(bounds, slack, out=slack)

    everything()
    kernel(q, out=out)
    assert np.abs(out - slack).max() < 1e-12
    return {
        "kernel, 14 rows and the box": lambda: kernel(q, out=out),
        "NumPy, q @ G.T": lambda: np.matmul(q, G.T, out=rows),
        "NumPy, 14 rows and the box": everything,
    }


if __name__ == "__main__":
    main()
