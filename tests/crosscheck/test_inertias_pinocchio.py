"""Robots with masses through ETS texts and DH tables, against Pinocchio's reading of their own URDF."""

import numpy as np
import pytest

import kinetree as kt
from kinetree.formats import dh, ets
from kinetree.formats.losses.losses import PARTS
from kinetree.formats.urdf.write import write as urdf_text
from kinetree.model.assemble import build, parts_of
from support import example_robot_urdfs, icub_urdfs

pytestmark = pytest.mark.crosscheck
WITHOUT = tuple(part for part in PARTS if part not in ("frame", "inertial"))
NAMES = ("talos_reduced.urdf", "panda.urdf", "ur5_robot.urdf", "solo12.urdf", "iCubGazeboV2_5/model.urdf")


@pytest.mark.parametrize("write", [ets.write, dh.write], ids=["ets", "dh"])
@pytest.mark.parametrize("name", NAMES)
def test_mass_matrix_and_centre(name, write):
    pin = pytest.importorskip("pinocchio")
    path = next(path for path in [*example_robot_urdfs(), *icub_urdfs()] if str(path).endswith(name))
    robot = kt.load(path)
    format = "ets" if write is ets.write else "dh"
    again = kt.load(write(build(parts_of(robot)), WITHOUT), format=format)
    theirs, ours = (
        pin.buildModelFromUrdf(str(path)),
        pin.buildModelFromXML(urdf_text(build(parts_of(again)), ("limit",))),
    )
    assert sorted(theirs.names) == sorted(ours.names)
    rng = np.random.default_rng(9)
    q = {joint: rng.uniform(-1, 1) for joint in theirs.names[1:]}
    M, com = zip(*(crba(pin, model, q, theirs.names[1:]) for model in (theirs, ours)), strict=True)
    assert np.abs(M[0] - M[1]).max() < 1e-12 * np.abs(M[0]).max()
    assert np.abs(com[0] - com[1]).max() < 1e-12
    assert pin.computeTotalMass(ours) == pytest.approx(pin.computeTotalMass(theirs), rel=1e-14)


def crba(pin, model, q, order):
    """The mass matrix with joints in an order, and the centre of mass."""
    data, values, rows = model.createData(), pin.neutral(model), []
    for name in order:
        joint = model.joints[model.getJointId(name)]
        values[joint.idx_q : joint.idx_q + joint.nq] = q[name] if joint.nq == 1 else (np.cos(q[name]), np.sin(q[name]))
        rows.append(joint.idx_v)
    M = pin.crba(model, data, values)
    M = np.triu(M) + np.triu(M, 1).T
    return M[np.ix_(rows, rows)], pin.centerOfMass(model, data, values).copy()
