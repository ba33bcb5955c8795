"""The gallery: robots as live pages and pictures, and figures, all drawn by commands that the page shows."""

from __future__ import annotations

import re
import shlex
import shutil
from concurrent.futures import ProcessPoolExecutor
from contextlib import chdir
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

from click.testing import CliRunner

from kinetree.cli import group


class Shown(NamedTuple):
    """A robot of the gallery. pose: the joints of the picture that are not at zero, degrees."""

    model: str
    title: str
    pose: str = ""

    @property
    def name(self) -> str:
        """Name of its files."""
        return self.model.replace(":", "-").lower()


UR = "shoulder_lift_joint=-60 elbow_joint=90 wrist_1_joint=-120 wrist_2_joint=-90"
SHOWN = (
    Shown("icub", "iCub, built from its published DH tables", "l_shoulder_roll=75 l_elbow=80 neck_yaw=25"),
    Shown("icub-models:iCubGazeboV2_7", "iCub 2.7", "l_shoulder_roll=75 l_elbow=80 neck_yaw=25"),
    Shown("example-robot-data:panda", "Franka Panda", "panda_joint2=-30 panda_joint4=-120 panda_joint6=100"),
    Shown("example-robot-data:ur10", "Universal Robots UR10", UR),
    Shown("example-robot-data:kinova", "Kinova Jaco"),
    Shown("example-robot-data:xarm7", "UFACTORY xArm7"),
    Shown("example-robot-data:z1", "Unitree Z1"),
    Shown("example-robot-data:so101", "SO-101"),
    Shown("example-robot-data:allegro_right_hand", "Allegro Hand"),
    Shown("example-robot-data:talos", "PAL Robotics Talos"),
    Shown("example-robot-data:g1_29dof_with_hand_rev_1_0", "Unitree G1"),
    Shown("example-robot-data:romeo", "Romeo"),
    Shown("example-robot-data:tiago_dual", "PAL Robotics TIAGo, two arms"),
    Shown("example-robot-data:pr2", "PR2"),
    Shown("example-robot-data:baxter", "Baxter"),
    Shown("example-robot-data:anymal_c", "ANYmal C"),
    Shown("example-robot-data:solo12", "Solo 12"),
    Shown("example-robot-data:go2", "Unitree Go2"),
    Shown("example-robot-data:hyq", "HyQ"),
    Shown("example-robot-data:hextilt", "Hextilt, a drone with an arm"),
)
ROBOTS = len(SHOWN)


class Figure(NamedTuple):
    """A figure of the gallery: what it shows, and the commands that draw it; the last one writes its file."""

    title: str
    about: str
    commands: tuple[str, ...]


FIGURES = (
    Figure(
        "Tendons of a shoulder",
        "How much of the range of the third joint the tendons of each shoulder of the iCub allow, for every two angles "
        "of the other joints: [limits that no box can express](reference/limits.md).",
        ("kinetree limits icub --plot tendons.png",),
    ),
    Figure(
        "Reach of an arm",
        "Where the hand of a Panda arrives inside all limits, and in how many orientations: "
        "[reach maps](how-to/reach.md).",
        (
            "kinetree reach example-robot-data:panda --frame panda_hand --voxel 0.1 --directions 16 -o arm.zarr",
            "kinetree show example-robot-data:panda --reach arm.zarr -o reach.png",
        ),
    ),
    Figure(
        "A check report",
        "Findings of a model, with the robot beside them: [a check as a page](how-to/checking.md#html).",
        ("kinetree check example-robot-data:ur10 --profile industrial --output-format html -o report.html",),
    ),
    Figure(
        "Two versions of a robot",
        "Two versions of the iCub in one page; what differs glows: [comparing](how-to/compare.md).",
        ("kinetree compare icub:2.0 icub:2.5 -o versions.html",),
    ),
)


FROM_PAGES = (
    (
        "Inverse kinematics inside limits",
        "A hand of the iCub at a target, inside the limits of the joints and of the tendons: "
        "[the tutorial](tutorials/icub.md) has the commands.",
        "icub_reach.png",
    ),
    (
        "Calibration",
        "The differences between a model and the poses that its controller shows, and their causes: "
        "[calibrate](how-to/calibration.md).",
        "errors.png",
    ),
)
"""Figures that stand on other pages: title, text and file."""


def write(folder: Path, robots: int = ROBOTS) -> None:
    """Write gallery.md and its folder of pictures and pages into a folder.

    robots: how many of the robots are shown. Raises ValueError for a command that fails.
    """
    (folder / "gallery").mkdir()
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        jobs = [pool.submit(draw, folder / "gallery", list(_commands(shown))) for shown in SHOWN[:robots]]
        jobs += [pool.submit(draw, folder / "gallery", list(figure.commands)) for figure in FIGURES]
        for job in jobs:
            job.result()
    for store in (folder / "gallery").glob("*.zarr"):
        shutil.rmtree(store)
    (folder / "gallery.md").write_text(page(robots), encoding="utf-8")


def draw(folder: Path, commands: list[str]) -> None:
    """Run commands in a folder. Raises ValueError for one that fails."""
    with chdir(folder):
        for command in commands:
            result = CliRunner().invoke(group, shlex.split(command)[1:])
            if result.exit_code not in (0, 1):  # 1: `check` has found something
                raise ValueError(f"{command}: {result.output}")


def page(robots: int) -> str:
    """Return the gallery as Markdown."""
    lines = [
        "# Gallery\n",
        "Every picture leads to a live page: turn the robot, move its joints inside their limits, look at its frames, "
        "masses and findings. A page is one file that needs no network; the command below a picture makes it.\n",
        "## Robots\n",
        '<div class="gallery" markdown>\n',
    ]
    for shown in SHOWN[:robots]:
        live = re.sub(" (?=--q|-o)", r" \\\n  ", _commands(shown)[0])  # no line breaks inside of an option
        lines.append(
            f'<figure markdown>\n[![{shown.title}](gallery/{shown.name}.png)](gallery/{shown.name}.html "Open the live '
            f'page")\n<figcaption markdown>\n**{shown.title}**\n\n```sh\n{live}\n```\n</figcaption>\n</figure>\n'
        )
    lines.append("</div>\n\n## Figures\n")
    for title, about, file in FROM_PAGES:
        lines += [f"### {title}\n", f"{about}\n", f"![{title}](figures/{file})\n"]
    for figure in FIGURES:
        file = shlex.split(figure.commands[-1])[-1]
        lines += [f"### {figure.title}\n", f"{figure.about}\n", "```sh", *figure.commands, "```\n"]
        picture = f"![{figure.title}](gallery/{file})" if file.endswith(".png") else f"[Open the page](gallery/{file})"
        lines.append(f"{picture}\n")
    return "\n".join(lines)


def _commands(shown: Shown) -> tuple[str, str]:
    """Return the commands that write the page and the picture of a robot."""
    pose = "".join(f" --q {value}" for value in shown.pose.split())
    look = f"kinetree show {shown.model}{' --deg' * bool(pose)}{pose}"
    return f"{look} -o {shown.name}.html", f"{look} --size 640 480 -o {shown.name}.png"
