"""Reach maps: a UR5 with ten million targets, and a Panda.

    python benchmarks/reach.py [--voxels 40] [--quick] [--cluster]

The UR5 is mapped on a grid of 2 m with 160 orientations: every voxel by itself, and with the symmetry about its first
joint. --cluster: again by two workers of dask.distributed. Each map is computed once, to a Zarr store; CPU seconds are
of all threads, and not known of a cluster.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import kinetree as kt
from cases import _example
from machine import describe

UR5, PANDA = "ur_description/urdf/ur5_robot.urdf", "panda_description/urdf/panda.urdf"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--voxels", type=int, default=40, help="along each side")
    parser.add_argument("--cluster", action="store_true", help="and by two workers of dask.distributed")
    parser.add_argument("--quick", action="store_true", help="6 voxels along each side")
    arguments = parser.parse_args()
    n = 6 if arguments.quick else arguments.voxels
    print(describe("kinetree", "numpy", "llvmlite", "zarr"), end="\n\n")
    print(f"{'':36} {'targets':>12} {'computed':>12} {'s':>8} {'CPU s':>8} {'CPU µs each':>12} {'volume':>10}")
    ur5, panda = (kt.load(_example(path)()) for path in (UR5, PANDA))
    box = ((-1.0, -1.0, -1.0), (1.0, 1.0, 1.0))
    options = {"voxel": 2.0 / n, "box": box, "directions": 40, "rolls": 4}
    tables = [
        ("UR5, every voxel", ur5, "ee_link", "base_link", {"symmetry": False}),
        ("UR5, with symmetry", ur5, "ee_link", "base_link", {}),
        ("Panda, every voxel", panda, "panda_link8", "panda_link0", {"voxel": 4.0 / n, "directions": 20}),
    ]
    for name, robot, frame, base, more in tables:
        measure(name, robot, frame, base, {**options, **more})
    if arguments.cluster:
        from distributed import Client, LocalCluster

        workers = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
        with workers as cluster, Client(cluster) as client:
            name, robot, frame, base, more = tables[0]
            measure(f"{name}, cluster", robot, frame, base, {**options, **more, "client": client})


def measure(name: str, robot: kt.Robot, frame: str, base: str, options: dict) -> None:
    """Print one row. The kernels are compiled before."""
    kt.reach_map(robot, frame, base, **{**options, "voxel": 1.0, "client": None})
    with tempfile.TemporaryDirectory() as folder:
        start, cpu = time.perf_counter(), time.process_time()
        found = kt.reach_map(robot, frame, base, **options, store=Path(folder) / "map.zarr")
        seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    grid = found.grid
    targets, computed = (count * grid.orientations for count in (found.count.size, len(grid.cells[0])))
    used = ["-", "-"] if "client" in options else [f"{cpu:.1f}", f"{cpu / computed * 1e6:.2f}"]
    row = f"{name:36} {targets:12,} {computed:12,} {seconds:8.1f} {used[0]:>8} {used[1]:>12} {found.volume:7.3f} m³"
    print(row, flush=True)


if __name__ == "__main__":
    main()
