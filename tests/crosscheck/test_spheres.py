"""Spheres and excluded pairs of public robots: the Panda's contacts, and the iCub at rest in MuJoCo."""

from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
import yaml

import kinetree as kt
from support import at_length, example_robot_urdfs

pytestmark = pytest.mark.crosscheck
STIFF, DAMPED = 1e6, 1e4
"""Servos of the iCub, N m/rad and N m s/rad: zero is outside of the limits of some joints, which push back."""


@pytest.mark.nightly
def test_the_spheres_of_the_panda_miss_no_contact():
    """Their distances are computed here, from the file for cuRobo."""
    (file,) = [path for path in example_robot_urdfs() if path.name == "panda.urdf"]
    robot = kt.load(file)
    contact = kt.collisions(robot)
    own = yaml.safe_load(kt.text(contact.spheres(), "curobo"))["robot_cfg"]["kinematics"]
    q = robot.limits.sample(at_length(1000, 4000), seed=44)
    where = contact.where(q)
    links = list(own["collision_spheres"])
    poses = kt.fk(robot, links)(q)
    balls = {link: [(*one["center"], one["radius"]) for one in own["collision_spheres"][link]] for link in links}
    ignored = {frozenset((a, b)) for a, several in own["self_collision_ignore"].items() for b in several}
    called = np.zeros(len(q), dtype=bool)
    for pair in contact.pairs:
        if frozenset(pair) in ignored:
            continue
        placed = []
        for link in pair:
            ball = np.array(balls[link])
            T = poses[:, links.index(link)]
            placed.append((np.einsum("nij,kj->nki", T[:, :3, :3], ball[:, :3]) + T[:, None, :3, 3], ball[:, 3]))
        (a, r), (b, s) = placed
        far = np.linalg.norm(a[:, :, None] - b[:, None], axis=-1) - r[:, None] - s
        called |= (far < 0).any(axis=(1, 2))
    touching = where.any(axis=1)
    assert touching.sum() > 100
    assert not (touching & ~called).any()
    assert 0.3 < (called & ~touching).sum() / (~touching).sum() < 0.6  # 0.5, half of these of the fingers


@pytest.fixture(scope="module")
def icub(tmp_path_factory):
    models = pytest.importorskip("icub_models")
    robot = kt.load(models.get_model_file("iCubGazeboV2_5"))
    folder = tmp_path_factory.mktemp("icub")
    kt.save(robot, folder / "plain.xml", without=("extension",))
    kt.save(kt.collisions(robot, geometry="hull").touching(), folder / "icub.xml", without=("extension",))
    return folder


def held(file: Path) -> str:
    """The text of a file, whose joints servos hold where they are."""
    root = ElementTree.parse(file).getroot()
    actuators = ElementTree.SubElement(root, "actuator")
    for joint in root.iter("joint"):
        if joint.get("type") == "hinge":
            ElementTree.SubElement(actuators, "position", joint=joint.get("name"), kp=str(STIFF), kv=str(DAMPED))
    ElementTree.SubElement(root, "option", timestep="0.001", integrator="implicitfast")
    file.write_text(ElementTree.tostring(root, encoding="unicode"))
    return str(file)


@pytest.mark.nightly
def test_the_icub_stands_still_in_mujoco(icub):
    mujoco = pytest.importorskip("mujoco")
    models = {name: mujoco.MjModel.from_xml_path(held(icub / f"{name}.xml")) for name in ("plain", "icub")}
    data = {name: mujoco.MjData(model) for name, model in models.items()}
    for name, model in models.items():
        mujoco.mj_forward(model, data[name])
    assert {name: one.ncon for name, one in data.items()} == {"plain": 130, "icub": 0}
    model, one, most = models["icub"], data["icub"], 0.0
    for _ in range(1000):
        mujoco.mj_step(model, one)
        most = max(most, float(np.abs(one.qpos).max()))
    assert one.ncon == 0
    assert 0.999 < one.time < 1.001
    assert most < 1e-3
