"""`kinetree serve`: a robot, live, for Foxglove and other viewers."""

import asyncio
import re
import signal
import sys
from importlib.util import find_spec
from ipaddress import ip_address
from pathlib import Path

import click
import numpy as np

from kinetree.cli._findings import print_findings
from kinetree.cli._help import FILE, argument, kinetree_command, option
from kinetree.cli._model import configuration, joint_values, robot_argument
from kinetree.cli._motion import report_motion
from kinetree.cli._say import remark, say
from kinetree.display import number, some
from kinetree.errors import fail
from kinetree.logs import read_motion
from kinetree.model.robot import Robot
from kinetree.solvers.limits.report import units
from kinetree.spatial.se3 import Array

PORT = 8765
"""The port that Foxglove expects."""
RISK = (
    "warning: every computer that reaches {where} can read this robot and its meshes, and set its joint values; "
    "there is no password and no encryption. Use --host on a trusted network only."
)


def _origins(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    """Return the origins as browsers send them."""
    from kinetree.serving.messages import ORIGIN

    for value in values:
        if not re.fullmatch(ORIGIN, value):
            legal = "an origin is scheme://host or scheme://host:port, such as https://app.foxglove.dev"
            raise click.BadParameter(f"{value!r} is no origin that can be allowed; {legal}", ctx, param)
    return values


@kinetree_command("Look at a robot", "kinetree serve arm.urdf --q elbow=0.5")
@robot_argument
@argument("motion", "Motion to play: joint values (CSV), or a bag of ROS 2.", required=False, type=FILE)
@joint_values(others="Other joints stay inside their limits.")
@option("--deg", "Read angles in --q and in MOTION in degrees.", "in_degrees")
@option("--rate", "Number of transforms per s (Hz) of each frame.", type=click.FloatRange(0.1, 1000), default=100.0)
@option("--speed", "Speed of MOTION; 2 is twice real time (s per s).", type=click.FloatRange(1e-3, 1e3), default=1.0)
@option("--loop", "Play MOTION again from its start after its end.")
@option("--host", "Address to listen on.", default="127.0.0.1")
@option("--port", "Port to listen on; 0 is any free one.", type=click.IntRange(0, 65535), default=PORT)
@option("--allow-origin ORIGIN", "Let web pages of https://HOST connect. Repeatable.", "origins", callback=_origins)
def command(
    robot: Robot,
    motion: Path | None,
    values: dict[str, str],
    in_degrees: bool,
    rate: float,
    speed: float,
    loop: bool,
    host: str,
    port: int,
    origins: tuple[str, ...],
) -> None:
    """Send a live robot to Foxglove and other viewers.

    MODEL is sent over the Foxglove WebSocket protocol until Ctrl-C.
    Viewers get the transforms, the description and meshes of MODEL, and its joint values as parameters, which they can
    set inside the limits. While MOTION plays, `motion.paused`, `motion.speed` and `motion.time` are parameters, too."""
    if find_spec("websockets") is None:
        message = "a robot is served with websockets, which is not installed"
        raise fail("serve", message, fix="pip install 'kinetree[foxglove]'")
    from kinetree.serving.content import content_of
    from kinetree.serving.player import Player
    from kinetree.serving.server import Server
    from kinetree.viewing.scene.loops import start

    q = start(robot, configuration(robot, values, in_degrees) if values else None)
    moved = read_motion(robot, motion, unit="deg" if in_degrees else "rad") if motion else None
    if moved and motion:
        report_motion(robot, moved, motion, missing=True)
    player = Player(robot, q, moved, rate=rate, speed=speed, loop=loop)
    content = content_of(robot)
    print_findings(content.notes)
    _warn(robot, np.atleast_2d(q if moved is None else player.samples))
    server = Server(content, player, rate, remark)
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)  # with it asyncio closes connections at Ctrl-C
    asyncio.run(server.run(host, port, origins, _print_addresses))


def _warn(robot: Robot, q: Array) -> None:
    """Print what is wrong with configurations q (n, nq), which are shown all the same."""
    margin = robot.limits.margin(q)
    if outside := int((margin < 0).any(axis=1).sum()):
        k = int(margin.min(axis=0).argmin())
        worst = f"{robot.limits.names[k]}, by {number(-margin[:, k].min())} {units(robot)[k]}"
        remark(f"outside of the limits: {outside} of {len(q)} configurations; the worst is {worst}")
    if robot.loops:
        remark(f"the joint values may open the loops that these joints close: {some(robot.loops)}")


def _print_addresses(addresses: list[tuple[str, int]]) -> None:
    for host, port in addresses:
        say(f"ws://{f'[{host}]' if ':' in host else host}:{port}")
        sys.stdout.flush()
        if not ip_address(host.partition("%")[0]).is_loopback:
            remark(RISK.format(where=f"{host}:{port}"))
    remark("open this address in a viewer, such as Foxglove; Ctrl-C ends it")
