"""Contact of public robots with themselves: proved bounds and exact answers beside Pinocchio's `computeCollisions`.

    python benchmarks/contact.py [--count 10000] [--runs 5] [--ik]

All shapes are convex hulls, and all have the pairs that `kt.collisions` tests. Kinetree takes a batch; Pinocchio, with
coal, one configuration a call from Python, and stops at the first contact: its loop in C++ costs a little less. One
core; runs are interleaved and the fastest of each counts. Both must give the same answers.

With --ik, inverse kinematics with and without clearance: targets of postures that are apart, shares of answers that
succeed and of those in contact, which `kt.collisions` decides, and times a target.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

from machine import ONE_THREAD, asked, describe, minima

os.environ.update(ONE_THREAD)

import coal
import numpy as np
import pinocchio as pin

import kinetree as kt

FOLDER = Path(pin.__file__).parents[4] / "share" / "example-robot-data" / "robots"
CLOSE = 1e-4
"""`computeCollisions` takes the boxes of Panda's fingers for touching where they are 0.019 mm apart, m."""
UR5_LIMITED = "ur_description/urdf/ur5_joint_limited_robot.urdf"
ROBOTS = {
    "Panda": "panda_description/urdf/panda.urdf",
    "UR5": "ur_description/urdf/ur5_robot.urdf",
    "Solo12": "solo_description/robots/solo12.urdf",
    "G1": "g1_description/urdf/g1_29dof_rev_1_0.urdf",
}
CELL = """<robot name="cell">
  <link name="cell"/>
  <link name="table"><collision><geometry><box size="1.6 1.2 0.05"/></geometry></collision></link>
  <link name="wall"><collision><geometry><box size="0.05 1.2 1.5"/></geometry></collision></link>
  <joint name="table" type="fixed"><parent link="cell"/><child link="table"/><origin xyz="0 0 -0.03"/></joint>
  <joint name="wall" type="fixed"><parent link="cell"/><child link="wall"/><origin xyz="-0.5 0 0.7"/></joint>
</robot>"""
"""Of the UR5 of the page on contact."""


TASKS = {
    "Panda": ("panda_hand", {}),
    "UR5": ("ee_link", {}),
    "G1": (("left_rubber_hand", "right_rubber_hand"), {"goal": "position", "base": "pelvis"}),
}


def main() -> None:
    is_ik = "--ik" in sys.argv and not sys.argv.remove("--ik")
    count, runs = asked(__doc__, 10_000, 5, quick=200)
    print(describe("kinetree", "pin", "coal", "numpy"), end="\n\n")
    if is_ik:
        print(
            f"{'':8}"
            + "".join(f"{column:>14}" for column in ("µs without", "in contact", "µs with", "success", "in contact"))
        )
        for name in TASKS:
            print(f"{name:8}" + "".join(f"{value:14.4g}" for value in ik_row(name, count, runs)))
        return
    columns = ("prepared s", "pairs", "in contact", "bound µs", "gradient µs", "exact µs", "one call µs", "pin µs")
    print(f"{'':8}" + "".join(f"{column:>13}" for column in columns))
    for name, file in ROBOTS.items():
        show(name, row(kt.load(FOLDER / file), FOLDER / file, count, runs))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "cell.urdf"
        cell = kt.edit.attach(kt.load(FOLDER / UR5_LIMITED), kt.load(CELL, format="urdf"), "base_link")
        kt.save(cell, file, assets="keep")
        show("UR5 cell", row(cell, file, count, runs))


def show(name: str, numbers: list[float]) -> None:
    print(f"{name:8}" + "".join(f"{value:13.3g}" for value in numbers))


def row(robot: kt.Robot, file: Path, count: int, runs: int) -> list[float]:
    start = time.perf_counter()
    contact = kt.collisions(robot, geometry="hull")
    clearance = kt.clearance(robot, geometry="hull")
    gradient = kt.vjp(clearance)
    q, ones = robot.limits.sample(count, seed=1), np.ones(count)
    contact(q[0]), clearance(q[0]), gradient(q[0], 1.0)
    prepared = time.perf_counter() - start
    peer = Peer(robot, file, contact)
    few = q[: min(count, 500)]
    answers = contact(few)
    disagree = [i for i, one in enumerate(few) if peer(one) != answers[i]]
    assert all(contact.distance(few[i]) < CLOSE for i in disagree), disagree
    found = minima(
        {
            "bound": lambda: clearance(q),
            "gradient": lambda: gradient(q, ones),
            "exact": lambda: contact(q),
            "one": lambda: [contact(one) for one in few[:100]],
            "pin": lambda: [peer(one) for one in few],
        },
        runs,
    )
    each = dict.fromkeys(found, count) | {"one": min(100, len(few)), "pin": len(few)}
    return [prepared, len(contact.pairs), answers.mean(), *(1e6 * found[key] / each[key] for key in found)]


def ik_row(name: str, count: int, runs: int) -> list[float]:
    robot, (frame, options) = kt.load(FOLDER / ROBOTS[name]), TASKS[name]
    plain, clear = (kt.ik(robot, frame, **options, **more) for more in ({}, {"clearance": 0.005, "geometry": "hull"}))
    contact, columns, rng = clear.contact, plain._problem.columns, np.random.default_rng(1)
    q = np.zeros((0, robot.nq))
    while len(q) < count:
        some = np.tile(robot.limits.project(robot.q()), (4 * count, 1))
        some[:, columns] = robot.limits.sample(4 * count, rng)[:, columns]
        q = np.concatenate([q, some[~contact(some)]])
    poses = [
        kt.fk(robot, one, options.get("base"))(q[:count]) for one in ([frame] if isinstance(frame, str) else frame)
    ]
    targets = [T[:, :3, 3] for T in poses] if options else poses
    first, found = plain(*targets), clear(*targets)
    time_of = minima({"plain": lambda: plain(*targets), "clear": lambda: clear(*targets)}, runs)
    each = {key: 1e6 * value / count for key, value in time_of.items()}
    shares = contact(first.q).mean(), found.success.mean(), contact(found.q[found.success]).mean()
    return [each["plain"], shares[0], each["clear"], *shares[1:]]


class Peer:
    """Pinocchio with the convex hulls of the same meshes, and the same pairs of links."""

    def __init__(self, robot: kt.Robot, file: Path, contact: object) -> None:
        self.model = pin.buildModelFromUrdf(str(file))
        folders = [str(FOLDER.parent.parent)]
        self.shapes = pin.buildGeomFromUrdf(self.model, str(file), pin.COLLISION, package_dirs=folders)
        self.places = [self.model.joints[self.model.getJointId(name)].idx_q for name in robot.joint_names]
        for one in self.shapes.geometryObjects:
            if isinstance(one.geometry, coal.BVHModelBase):
                one.geometry.buildConvexHull(True, "Qt")
                one.geometry = one.geometry.convex
        link = [self.model.frames[one.parentFrame].name for one in self.shapes.geometryObjects]
        wanted = {frozenset(pair) for pair in contact.pairs}
        for i in range(len(link)):
            for j in range(i):
                if frozenset((link[i], link[j])) in wanted:
                    self.shapes.addCollisionPair(pin.CollisionPair(j, i))
        self.data, self.geometry = self.model.createData(), self.shapes.createData()
        self.q = pin.neutral(self.model)

    def __call__(self, q: np.ndarray) -> bool:
        self.q[self.places] = q
        return bool(pin.computeCollisions(self.model, self.data, self.shapes, self.geometry, self.q, True))


if __name__ == "__main__":
    main()
