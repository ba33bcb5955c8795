"""Transforms of a motion of the iCub (32 joints that move) as a bag of ROS 2, beside other writers of MCAP.

    python benchmarks/tf.py [--count 10000] [--runs 5] [--quick]

All write /tf with the same poses to a file. `kinetree` also reads the motion from a bag, computes the poses, and passes
the joint states on; the others get the poses as lists of floats, which is not counted. The bag is read back by
`mcap_ros2`, which must find the poses of `kt.fk` exactly. The fastest of several runs counts (one of the others), in
time of the processor, because other programs may run; packages that are not installed are left out.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import kinetree as kt
from cases import ROBOTS
from kinetree.logs.convert import converted
from kinetree.logs.ros.definitions import schema_text
from kinetree.logs.ros.mcap import mcap_of
from kinetree.logs.ros.transforms import joint_state_topic
from machine import asked, describe

SECOND = 10**9
START = 1_700_000_000 * SECOND


def main() -> None:
    count, runs = asked(__doc__, 10_000, 5, 200)
    robot = kt.load(ROBOTS["iCub"].file())
    ends, s = robot.limits.sample(21, seed=3), np.linspace(0, 20, count, endpoint=False)
    q = ends[s.astype(int)] + (ends[s.astype(int) + 1] - ends[s.astype(int)]) * (s % 1)[:, None]
    stamps = START + np.arange(count) * (SECOND // 100)
    print(describe("kinetree", "numpy", "mcap"), f"{count:,} steps", sep="\n", end="\n\n")
    print(f"{'':<40}{'s':>8}{'MB':>8}")
    with tempfile.TemporaryDirectory() as folder:
        source, out = Path(folder) / "in.mcap", Path(folder) / "out.mcap"
        source.write_bytes(mcap_of([joint_state_topic("/joint_states", robot, q, stamps)]))
        kt.transforms(robot, q[:1])  # compiled
        row(
            "kinetree: read, compute, write",
            runs,
            out,
            lambda: out.write_bytes(mcap_of(converted(robot, source).topics)),
        )
        check(out, robot, q)
        found = kt.transforms(robot, q, which="moving")
        row("kinetree: kt.transforms alone", runs, None, lambda: kt.transforms(robot, q, which="moving"))
        poses = found.names, found.parents, found.positions.tolist(), found.quat_xyzw.tolist(), stamps.tolist()
        for name, write in {"mcap-ros2-support": with_mcap_ros2, "foxglove-sdk": with_foxglove}.items():
            try:
                row(f"{name}: write", 1, out, lambda: write(out, *poses))  # noqa: B023
            except ImportError:
                print(f"{name:<40}  not installed")


def row(name: str, runs: int, out: Path | None, work: Callable[[], object]) -> None:
    """Print the fastest of several runs."""
    seconds = []
    for _ in range(runs):
        if out:
            out.unlink(missing_ok=True)
        start = time.process_time()
        work()
        seconds.append(time.process_time() - start)
    size = f"{out.stat().st_size / 1e6:8.1f}" if out else ""
    print(f"{name:<40}{min(seconds):8.3f}{size}")


def check(out: Path, robot: kt.Robot, q: np.ndarray) -> None:
    """Compare some messages, as another library reads them, with `kt.fk`."""
    try:
        from mcap_ros2.reader import read_ros2_messages
    except ImportError:
        return
    worst, rows = 0.0, range(0, len(q), max(1, len(q) // 50))
    parents = {joint.child: joint.parent for joint in robot.joints.values() if joint.kind.nq}
    exact = {child: kt.fk(robot, child, base=parent)(q) for child, parent in parents.items()}
    for i, message in enumerate(read_ros2_messages(str(out), topics=["/tf"])):
        if i in rows:
            for one in message.ros_msg.transforms:
                where = one.transform.translation
                worst = max(worst, *np.abs(exact[one.child_frame_id][i][:3, 3] - (where.x, where.y, where.z)))
    print(f"{'  largest difference from kt.fk, m':<40}{worst:8.0e}")
    if worst:
        raise SystemExit("the bag differs from kt.fk")


def with_mcap_ros2(out: Path, names, parents, positions, quats, stamps) -> None:
    from mcap_ros2.writer import Writer

    with out.open("wb") as file:
        writer = Writer(file)
        schema = writer.register_msgdef("tf2_msgs/msg/TFMessage", schema_text("tf2_msgs/TFMessage"))
        for time_, p, quat in zip(stamps, positions, quats, strict=True):
            stamp = {"sec": time_ // SECOND, "nanosec": time_ % SECOND}
            transforms = [
                {
                    "header": {"stamp": stamp, "frame_id": parent},
                    "child_frame_id": name,
                    "transform": {
                        "translation": dict(zip("xyz", x, strict=True)),
                        "rotation": dict(zip("xyzw", r, strict=True)),
                    },
                }
                for name, parent, x, r in zip(names, parents, p, quat, strict=True)
            ]
            writer.write_message("/tf", schema, {"transforms": transforms}, log_time=time_, publish_time=time_)
        writer.finish()


def with_foxglove(out: Path, names, parents, positions, quats, stamps) -> None:
    """Foxglove's own FrameTransforms; the library has no messages of ROS."""
    import foxglove
    from foxglove.channels import FrameTransformsChannel
    from foxglove.messages import FrameTransform, FrameTransforms, Quaternion, Timestamp, Vector3

    writer, channel = foxglove.open_mcap(str(out)), FrameTransformsChannel("/tf")
    for time_, p, quat in zip(stamps, positions, quats, strict=True):
        stamp = Timestamp(sec=time_ // SECOND, nsec=time_ % SECOND)
        transforms = [
            FrameTransform(
                timestamp=stamp,
                parent_frame_id=parent,
                child_frame_id=name,
                translation=Vector3(x=x[0], y=x[1], z=x[2]),
                rotation=Quaternion(x=r[0], y=r[1], z=r[2], w=r[3]),
            )
            for name, parent, x, r in zip(names, parents, p, quat, strict=True)
        ]
        channel.log(FrameTransforms(transforms=transforms), log_time=time_)
    writer.close()


if __name__ == "__main__":
    main()
