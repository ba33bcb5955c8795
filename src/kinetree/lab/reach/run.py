"""`reach_map`: reach maps computed on all cores or on a cluster."""

import os
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from itertools import islice
from pathlib import Path
from typing import Any, Literal, Unpack

import numpy as np

from kinetree import __version__
from kinetree.compiler.cache import digest
from kinetree.errors import fail
from kinetree.lab.reach.make import Box, grid_of, orientations_of, search_of, solver_of, symmetry_of
from kinetree.lab.reach.map import ReachMap, finish, map_of, read_reach
from kinetree.lab.reach.search import configurations
from kinetree.lab.reach.slabs import Job, Slab, targets_at, width
from kinetree.lab.reach.store import Store
from kinetree.model.robot import Robot
from kinetree.progress import Progress, reporting, tracked
from kinetree.queries.options import JointOptions, robot_query
from kinetree.queries.query import fixed_input, frames_of, origin, tolerance_of
from kinetree.solvers.ik.problem import joint_of
from kinetree.solvers.ik.solver import IK

AHEAD = 4
"""Number of slabs for each worker that are under way at once."""


@robot_query
def reach_map(
    robot: Robot,
    frame: str,
    base: str | None = None,
    *,
    voxel: float | None = None,
    box: Box = None,
    directions: Any = None,
    rolls: int | None = None,
    symmetry: bool = True,
    loops: Literal["refuse", "ignore"] = "refuse",
    tolerance: tuple[float, float] = (1e-6, 1e-6),
    descents: int = 128,
    clearance: Any = None,
    geometry: Literal["mesh", "hull"] = "mesh",
    store: str | os.PathLike[str] | None = None,
    client: Any = None,
    workers: int | None = None,
    progress: Progress = False,
    **options: Unpack[JointOptions],
) -> ReachMap:
    """Return which poses a frame reaches inside all limits, as a map over voxels, directions and rolls.

    The centre of each voxel is a position of the frame in `base`, the root link by default. At each, its z-axis points
    along evenly spread `directions`, and it is turned about z by `rolls` angles.
    voxel: side of the voxels, m; by default there are 20 to 50 along the longest side. box: the lower and the upper
    corner of the grid, m, by default around all that is reached. Where both are equal the grid is flat.
    directions: their number, 0 to reach positions in any orientation; or "down", against z of the base; or vectors
    (d, 3) in the base. rolls: 0 to reach directions with any roll. By default those that the robot can have: 50 and 4,
    any roll for an arm of five joints, turns in its plane for a planar one, or positions alone; and with "down" and
    vectors any roll.
    symmetry: use a joint that makes whole turns about an axis parallel to z of the base. Then orientations turn with
    the voxels about this axis, and voxels at the same height and distance from it are computed once. False: the
    orientations are the same everywhere.
    joints, at: the joints that may move, and where the others stand; see `kinetree.kinematics`. loops: as for `ik`.
    tolerance: m and rad. descents: starts for a target, for arms without closed form. Fewer are quicker and miss more:
    with 32, a Panda's map takes a third of the time and lacks 0.03 % of its poses. clearance, geometry: as for `ik`;
    symmetry is not used then.
    store: a folder, in which the map becomes a Zarr store. If it has a part of the map, as after an interruption, the
    rest is computed.
    client: a Client of dask.distributed, whose workers compute the slabs; otherwise `workers` threads do, by default
    one a core. The result is the same. progress: True for a bar, or a function of the slabs done and their total.

    Raises KinetreeError as `ik` does, for arguments out of range, and if the store has another map or Zarr is missing.

    Examples:
        >>> import kinetree as kt
        >>> arm = kt.chain([{"a": 0.4, "qlim": [-1, 1]}, {"a": 0.3, "qlim": [0, 2]}], convention="dh")
        >>> kt.reach_map(arm, "tip", directions=0, voxel=0.05)
        ReachMap of tip of robot in base_link: reaches 0.335 m²; 17 × 25 × 1 voxels of 0.05 m, positions alone
    """
    if isinstance(robot, Robot) and fixed_input(robot):
        raise fail("at", "a reach map has the joints that stand compiled in; expected a full q, not 'input'")
    frame, base = frames_of(robot, (frame, base))
    tolerance = tolerance_of(tolerance)
    if isinstance(directions, float | bool | int | np.number):
        _check("directions", directions, 0, 10_000)
    if rolls is not None:
        _check("rolls", rolls, 0, 360)
    options_of_ik = {"tolerance": tolerance, "descents": descents, "loops": loops}
    contact = None if clearance is None else {"clearance": clearance, "geometry": geometry}
    symmetry = symmetry and clearance is None
    job, arguments = _job(robot, frame, base, voxel, box, directions, rolls, symmetry, options_of_ik, contact)
    if workers is not None:
        _check("workers", workers, 1, 10_000)
    if store is None:
        whole = _gathered(job, client, workers, progress)
        return _map(job, arguments, whole)
    opened = Store(Path(store), arguments)
    if not opened.complete:
        opened.begin(len(job.centers), job.cells, width(job.grid))
        done = opened.done
        todo = [slab for slab in range(job.slabs) if slab not in done]
        with reporting(progress):
            for slab, result in tracked(_results(job, todo, client, workers), "mapping", len(todo)):
                opened.write(slab, job.where(slab), result)
        finish(opened, _map(job, arguments, opened.read()))
    return read_reach(store)


def _check(name: str, value: Any, least: int, most: int) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not least <= value <= most:
        raise fail(name, f"{name} is {value!r}; expected whole numbers from {least} to {most}")


def _job(
    robot: Robot,
    frame: str,
    base: str,
    voxel: float | None,
    box: Box,
    directions: Any,
    rolls: int | None,
    symmetry: bool,
    options: dict[str, Any],
    contact: dict[str, Any] | None,
) -> tuple[Job, dict[str, Any]]:
    """Return what is to be computed, and all that it depends on, as JSON. options, contact: of `ik`; positions are
    tried first without contact."""
    solver = solver_of(robot, frame, base, "pose", options)
    _check_loose(robot, solver)
    spread = directions if isinstance(directions, int | np.integer) else None
    is_given = directions is not None and spread is None
    directions, rolls = orientations_of(robot, frame, base, solver, directions, rolls)
    kind = "pose" if rolls else "direction" if len(directions) else "position"
    solver = solver_of(robot, frame, base, kind, options | (contact or {}))
    position = solver_of(robot, frame, base, "position", options)
    symmetry = symmetry and not (is_given and directions[:, :2].any())  # which would turn given directions
    about = symmetry_of(robot, frame, base, solver) if symmetry else None
    coordinate, axis = about or (None, None)
    grid = grid_of(robot, frame, base, position, voxel, box, directions, rolls, axis)
    search = search_of(robot, frame, base, kind, solver, position, coordinate)
    limits = robot.limits
    arguments = {
        "robot": robot.name,
        "frame": frame,
        "base": base,
        "lower": grid.lower.tolist(),
        "voxel": grid.voxel,
        "shape": list(grid.shape),
        "flat": list(grid.flat),
        "directions": directions.tolist() if spread is None else int(spread),
        "rolls": rolls,
        "axis": None if axis is None else axis.tolist(),
        "boxed": box is not None,
        "tolerance": list(options["tolerance"]),
        "descents": int(options["descents"]),
        "model": origin(robot, "reach"),
        "limits": digest(*(a.tobytes() for a in (limits.lower, limits.upper, limits.G, limits.h))),
        "kinetree": __version__,
    }
    if solver.contact is not None:
        arguments["contact"] = solver.contact.key
    cells, _ = grid.cells
    return Job(grid, search, grid.centers.reshape(-1, 3)[cells]), arguments


def _check_loose(robot: Robot, solver: IK) -> None:
    if solver._problem.loose:
        name = joint_of(robot, int(solver._problem.columns[solver._problem.loose[0].q]))
        message = f"the joint {name!r} has a quaternion, which reach maps do not move"
        raise fail("joints", message, fix="name the joints that move with joints=, or another base=")


def _map(job: Job, arguments: dict[str, Any], whole: Slab) -> ReachMap:
    """Return the map of the results of all cells."""
    places, shape = job.grid.cells[1], job.grid.shape
    bits = whole.bits[places].reshape(*shape, -1)
    best = tuple(array[places].reshape(shape) for array in whole[1:])
    return map_of(arguments, bits, (best[0], best[1]))


def _gathered(job: Job, client: Any, workers: int | None, progress: Progress) -> Slab:
    """Return the results of all slabs."""
    cells = len(job.centers)
    whole = Slab(np.zeros((cells, width(job.grid)), "u1"), np.zeros(cells, "f4"), np.zeros(cells, "f4"))
    with reporting(progress):
        for slab, result in tracked(_results(job, list(range(job.slabs)), client, workers), "mapping", job.slabs):
            whole.put(job.where(slab), result)
    return whole


def _results(job: Job, slabs: list[int], client: Any, workers: int | None) -> Iterator[tuple[int, Slab]]:
    """Yield slabs and their results, in the order in which they are done, of threads or of a cluster."""
    given, count = job, workers or cores()
    if client is None:
        _compile(job)
    else:
        given = client.scatter(job, broadcast=True, hash=False)
        count = max(len(client.scheduler_info()["workers"]), 1)
    with ThreadPoolExecutor(count) if client is None else client.get_executor(pure=False) as pool:
        waiting = iter(slabs)
        under_way = {pool.submit(Job.computed, given, slab): slab for slab in islice(waiting, AHEAD * count)}
        try:
            while under_way:
                for future in wait(under_way, return_when=FIRST_COMPLETED).done:
                    yield under_way.pop(future), future.result()
                    under_way |= {pool.submit(Job.computed, given, slab): slab for slab in islice(waiting, 1)}
        finally:
            for future in under_way:
                future.cancel()


def cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _compile(job: Job) -> None:
    """Compile all kernels once, before threads use them."""
    q = configurations(job.search.solver, 2)
    job.search.may_reach(job.centers[:1])
    job.search(targets_at(job.grid, job.centers[:1]))
    job.search.manipulability(q)
