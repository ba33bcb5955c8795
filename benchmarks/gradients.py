"""Gradients of a pose error of the UR5 by its six joints: kernels, the bridges, frax and pytorch_kinematics.

    python benchmarks/gradients.py [--count 1000000] [--runs 5] [--quick]

The error is the sum of squares of all entries of T - T0, in double precision on one core; every row computes it and its
gradient for batches of 1, 1,000 and `--count` configurations. Libraries that are not installed are left out; all of
them go into one environment (`pip install kinetree[torch,jax] frax pytorch_kinematics`). Calls take turns and the
fastest counts. The table is that of docs/reference/gradients.md.
"""

from __future__ import annotations

import contextlib
import os
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec

from machine import ONE_THREAD, asked, describe, minima, seconds_of

os.environ.update(ONE_THREAD)

import numpy as np

import kinetree as kt

DH = ((0, np.pi / 2, 0.089159), (-0.425, 0, 0), (-0.39225, 0, 0), (0, np.pi / 2, 0.10915))
DH += ((0, -np.pi / 2, 0.09465), (0, 0, 0.0823))
"""a, alpha and d of the UR5, from Universal Robots, "DH Parameters for calculations of kinematics and dynamics"."""
MASS = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
"""Of every link, because frax wants one."""
LARGEST = {"pytorch_kinematics": 100_000, "frax": 1_000_000}
"""Largest batches of peers; larger ones take them half a minute or several GB."""
AT_ONCE = {1: 50}
"""Calls in a row that are timed together, by the size of the batch."""

Call = Callable[[], object]


def main() -> None:
    count, runs = asked(__doc__, 1_000_000, 5, quick=1000)
    text = urdf()
    robot = kt.load(text, format="urdf")
    sizes = sorted({1, min(1000, count), count})
    found: dict[str, dict[int, float]] = {}
    for size in sizes:
        q = np.random.default_rng(0).uniform(-3, 3, (size, 6))
        calls = dict(ways(robot, text, q))
        times = AT_ONCE.get(size, 1)
        repeated = {name: partial(seconds_of, call, times) for name, call in calls.items()}
        for name, seconds in minima(repeated, runs).items():
            found.setdefault(name, {})[size] = seconds / times / size
    print(describe("kinetree", "numpy", *(p for p in ("torch", "jax", "frax") if find_spec(p))), end="\n\n")
    print("| | " + " | ".join(f"{size:,}" for size in sizes) + " |")
    print("|---" * (len(sizes) + 1) + "|")
    for name, each in found.items():
        cells = (f"{each[size] * 1e9:,.0f} ns" if size in each else "–" for size in sizes)
        print(f"| {name} | " + " | ".join(cells) + " |")


def urdf() -> str:
    """Return the arm with a joint about z of each frame of the table; `tool` is the last frame."""
    parts = [f'<robot name="ur5"><link name="l0">{MASS}</link>']
    origin = "0 0 0", "0 0 0"
    for i, (a, alpha, d) in enumerate(DH, 1):
        parts.append(f'<link name="l{i}">{MASS}</link><joint name="j{i}" type="revolute"><parent link="l{i - 1}"/>')
        parts.append(f'<child link="l{i}"/><origin xyz="{origin[0]}" rpy="{origin[1]}"/><axis xyz="0 0 1"/>')
        parts.append('<limit lower="-6.28" upper="6.28" velocity="3" effort="100"/></joint>')
        origin = f"{a} 0 {d}", f"{alpha} 0 0"
    parts.append(
        f'<link name="tool">{MASS}</link><joint name="end" type="fixed"><parent link="l6"/><child link="tool"/>'
    )
    parts.append(f'<origin xyz="{origin[0]}" rpy="{origin[1]}"/></joint></robot>')
    return "".join(parts)


def ways(robot: kt.Robot, text: str, q: np.ndarray) -> Iterator[tuple[str, Call]]:
    """Yield every way to the gradient, after comparing it with the kernel's."""
    T0 = kt.fk(robot, "tool")(np.full(6, 0.5))
    expected = by_kernel(robot, T0, q)
    for name, make in WAYS.items():
        if len(q) <= LARGEST.get(name, len(q)) and all(find_spec(package) for package in NEEDS.get(name, ())):
            call = make(robot, text, T0, q)
            got = np.asarray(call())
            assert np.abs(got - expected()).max() < 1e-5, name
            yield name, call


def by_kernel(robot: kt.Robot, T0: np.ndarray, q: np.ndarray, text: str = "") -> Call:
    fk = kt.fk(robot, "tool")
    gradient = kt.vjp(fk)
    return lambda: gradient(q, 2 * (fk(q) - T0))


def by_torch(robot: kt.Robot, text: str, T0: np.ndarray, q: np.ndarray) -> Call:
    from kinetree.bridges.torch import wrap

    return _torch_gradient(wrap(kt.fk(robot, "tool")), T0, q)


def by_pytorch_kinematics(robot: kt.Robot, text: str, T0: np.ndarray, q: np.ndarray) -> Call:
    import pytorch_kinematics as pk
    import torch

    with contextlib.redirect_stdout(None):
        chain = pk.build_serial_chain_from_urdf(text.encode(), "tool").to(dtype=torch.float64)
    return _torch_gradient(lambda q: chain.forward_kinematics(q).get_matrix(), T0, q)


def _torch_gradient(function: Callable[..., object], T0: np.ndarray, q: np.ndarray) -> Call:
    import torch

    torch.set_num_threads(1)
    goal, x = torch.from_numpy(T0), torch.from_numpy(q).requires_grad_()
    return lambda: torch.autograd.grad((function(x) - goal).square().sum(), x)[0]


def by_jax(robot: kt.Robot, text: str, T0: np.ndarray, q: np.ndarray) -> Call:
    from kinetree.bridges.jax import wrap

    return _jax_gradient(wrap(kt.fk(robot, "tool")), T0, q)


def by_frax(robot: kt.Robot, text: str, T0: np.ndarray, q: np.ndarray) -> Call:
    import tempfile

    with warnings.catch_warnings(action="ignore"):
        import frax
    with tempfile.NamedTemporaryFile("w", suffix=".urdf") as file:
        file.write(text)
        file.flush()
        bare = frax.Manipulator(file.name)
        end = np.linalg.inv(np.asarray(bare.ee_transform(np.zeros(6)))) @ kt.fk(robot, "tool")(np.zeros(6))
        arm = frax.Manipulator(file.name, ee_offset=end)
    return _jax_gradient(arm.ee_transform, T0, q)


def _jax_gradient(function: Callable[..., object], T0: np.ndarray, q: np.ndarray) -> Call:
    import jax

    jax.config.update("jax_enable_x64", True)
    gradient = jax.jit(jax.vmap(jax.grad(lambda q: ((function(q) - T0) ** 2).sum())))
    x = jax.numpy.asarray(q)
    return lambda: jax.block_until_ready(gradient(x))


WAYS: dict[str, Callable[..., Call]] = {
    "kt.fk and kt.vjp, NumPy": lambda robot, text, T0, q: by_kernel(robot, T0, q),
    "kinetree.bridges.torch": by_torch,
    "kinetree.bridges.jax": by_jax,
    "frax": by_frax,
    "pytorch_kinematics": by_pytorch_kinematics,
}
NEEDS = {
    "kinetree.bridges.torch": ("torch",),
    "kinetree.bridges.jax": ("jax",),
    "frax": ("jax", "frax"),
    "pytorch_kinematics": ("torch", "pytorch_kinematics"),
}
"""Packages, by the rows that need them."""


if __name__ == "__main__":
    main()
