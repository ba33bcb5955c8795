"""How the tests run the command line: in this process, or as a process of its own."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from kinetree.cli import group
from pendants import KNOWN

SOURCES = Path(__file__).resolve().parents[2] / "src"

MIXED = """<robot name="mixed">
  <link name="world"/>
  <link name="cart"><inertial><origin xyz="0 0 0.5"/><mass value="3"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="mast"><inertial><mass value="1"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="wheel"/><link name="finger"/><link name="flange"/><link name="tool"/>
  <joint name="drive" type="planar"><parent link="world"/><child link="cart"/><axis xyz="0 0 1"/></joint>
  <joint name="lift" type="prismatic"><parent link="cart"/><child link="mast"/><axis xyz="0 1 1"/>
    <limit lower="-0.1" upper="0.25" velocity="0.5" effort="300"/></joint>
  <joint name="spin" type="continuous"><parent link="cart"/><child link="wheel"/><axis xyz="0 -1 0"/></joint>
  <joint name="grip" type="revolute"><parent link="mast"/><child link="finger"/><axis xyz="1 0 0"/>
    <limit lower="0" upper="1.5707963267948966" velocity="2" effort="3"/>
    <mimic joint="lift" multiplier="2" offset="-0.1"/></joint>
  <joint name="flange_joint" type="fixed"><parent link="mast"/><child link="flange"/><origin xyz="0 0 0.2"/></joint>
  <joint name="tool_joint" type="fixed"><parent link="flange"/><child link="tool"/><origin xyz="0 0 0.1"/></joint>
  <sensor name="imu" type="imu" update_rate="100"><parent link="flange"/></sensor>
  <odd/>
</robot>"""

INERTIA = '<inertia ixx="0.06" iyy="0.05" izz="0.04" ixy="0.01" ixz="0" iyz="-0.01"/></inertial>'
DRONE = f"""<robot name="drone"><link name="world"/>
  <link name="hull"><inertial><origin xyz="0.1 0 0.2"/><mass value="4"/>{INERTIA}</link>
  <link name="arm"><inertial><origin xyz="0 0.1 0.15"/><mass value="2"/>{INERTIA}</link>
  <link name="hand"><inertial><origin xyz="0.1 0.05 0"/><mass value="1"/>{INERTIA}</link>
  <joint name="free" type="floating"><parent link="world"/><child link="hull"/></joint>
  <joint name="shoulder" type="revolute"><parent link="hull"/><child link="arm"/><origin xyz="0 0 0.3" rpy="1 0 0"/>
    <axis xyz="0 1 0"/><limit lower="-2" upper="2" velocity="3" effort="80"/><dynamics damping="0.3" friction="0.7"/>
  </joint>
  <joint name="wrist" type="fixed"><parent link="arm"/><child link="hand"/><origin xyz="0 0 0.4" rpy="0 1 0"/></joint>
  <sensor name="ft" type="force_torque"><parent joint="wrist"/>
    <force_torque><frame>child</frame><measure_direction>child_to_parent</measure_direction></force_torque></sensor>
  <sensor name="imu" type="imu"><parent link="hand"/><origin xyz="0 0 0.1" rpy="0 0 1"/></sensor>
</robot>"""

AXES = ["0 0 1", "0 1 0", "0 1 0", "1 0 0", "0 1 0", "1 0 0"]


@pytest.fixture
def mixed(tmp_path):
    """A file with several kinds of joints and an element that is not understood."""
    path = tmp_path / "mixed.urdf"
    path.write_text(MIXED)
    return path


@pytest.fixture
def arm(tmp_path):
    """A file of an arm of six joints with the frames of REP-199."""
    parts = [
        f'<robot name="{KNOWN}"><link name="base_link"/><link name="base"/><link name="flange"/><link name="tool0"/>'
    ]
    for i, axis in enumerate(AXES, 1):
        parent = f"l{i - 1}" if i > 1 else "base_link"
        parts.append(
            f'<link name="l{i}"/><joint name="axis_{i}" type="revolute"><parent link="{parent}"/><child link="l{i}"/>'
            f'<origin xyz="{0.05 * i} 0 0.2"/><axis xyz="{axis}"/>'
            '<limit lower="-2" upper="2" velocity="1" effort="1"/></joint>'
        )
    for parent, child, xyz, rpy in (
        ("base_link", "base", "0 0 0.3", "0 0 0"),
        ("l6", "flange", "0.1 0 0", "0 0 0"),
        ("flange", "tool0", "0 0 0", "0 1.5707963267948966 0"),
    ):
        parts.append(
            f'<joint name="to_{child}" type="fixed"><parent link="{parent}"/><child link="{child}"/>'
            f'<origin xyz="{xyz}" rpy="{rpy}"/></joint>'
        )
    path = tmp_path / "arm.urdf"
    path.write_text("".join([*parts, "</robot>"]))
    return path


@pytest.fixture
def drone(tmp_path):
    """A file of a floating robot with an arm, a force/torque sensor and an inertial sensor."""
    path = tmp_path / "drone.urdf"
    path.write_text(DRONE)
    return path


@pytest.fixture
def run():
    """Run `kinetree …` in this process; the result has exit_code, stdout and stderr."""

    def run(*arguments):
        result = CliRunner().invoke(group, [str(a) for a in arguments], prog_name="kinetree")
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return run


@pytest.fixture
def process():
    """Start `python -m kinetree …` with its output in pipes."""

    def process(*arguments, **more):
        environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONUNBUFFERED", "FORCE_COLOR")}
        path = os.pathsep.join(filter(None, [str(SOURCES), environment.get("PYTHONPATH")]))
        environment |= {"PYTHONPATH": path, **more.pop("env", {})}
        command = [sys.executable, "-m", "kinetree", *map(str, arguments)]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, **more)

    return process


@pytest.fixture
def interruptible():
    """A test run that was started in the background ignores the signal, and so would what it starts."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
