"""Masses and inertias that dynamics refuses, by the rules of the check that say why."""

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.errors import KinetreeError
from kinetree.model.inertias import check_inertias
from kinetree.model.tree import build_tree

ARM = """<robot name="r"><link name="a"/><link name="b">{b}</link><link name="c">{c}</link>
<joint name="j" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 1 0"/></joint>
<joint name="k" type="fixed"><parent link="b"/><child link="c"/></joint></robot>"""


def inertial(mass: float, xx: float, yy: float, zz: float, xy: float = 0.0, x: float = 0.0) -> str:
    return (
        f'<inertial><origin xyz="{x} 0 0"/><mass value="{mass}"/>'
        f'<inertia ixx="{xx}" iyy="{yy}" izz="{zz}" ixy="{xy}" ixz="0" iyz="0"/></inertial>'
    )


def arm(b: str = "", c: str = "") -> kt.Robot:
    return kt.load(ARM.format(b=b, c=c), format="urdf")


@each(
    "b",
    [
        "",
        inertial(0, 0, 0, 0),
        inertial(1, 1, 1, 2),
        inertial(1, 1, 1, 5),  # breaks A + B >= C, as measured ones do
        inertial(1, -1e-22, 1, 1),  # rounded zeros
    ],
)
def test_inertias_of_bodies_are_legal(b):
    robot = arm(b)
    check_inertias(robot)
    (I,) = build_tree(robot).inertia
    turns = np.random.default_rng(1).normal(size=(100, 3))  # twice the energy, about any axis through the joint
    assert (np.einsum("ni,ij,nj->n", turns, I[:3, :3], turns) >= -1e-20).all()


@each(
    "b, c, code, words",
    [
        (inertial(-1, 1, 1, 1), "", "INR-004", "link 'b': the mass is -1 kg; expected 0 or more"),
        (inertial(2, 1, 1, 1), inertial(-1, 1, 1, 1), "INR-004", "link 'c'"),
        (inertial(1, -0.1, 1, 1, x=5.0), "", "INR-001", "link 'b': the moments of inertia are -0.1, 1, 1 kg m²"),
        (
            inertial(1, 0.0192, 0.1163, 0.1163, xy=0.0512),
            "",
            "INR-001",
            "link 'b': the principal moments of inertia of the link and of the links fixed to it",
        ),
        (inertial(1, 0.0192, 0.1163, 0.1163, xy=0.0512, x=0.5), "", "INR-001", "the links fixed to it are -0"),
    ],
)
def test_impossible_inertias_are_refused_with_their_rule(b, c, code, words):
    with pytest.raises(KinetreeError, match=words) as caught:
        check_inertias(arm(b, c))
    (finding,) = caught.value.findings
    assert finding.code == code
    assert finding.source.line == 1
    assert code in {found.code for found in kt.check(ARM.format(b=b, c=c), format="urdf")}


def test_what_is_fixed_to_a_link_counts():
    check_inertias(arm(inertial(1, 0.0192, 0.1163, 0.1163, xy=0.0512), inertial(1, 1, 1, 1)))


def test_dynamics_refuse_them():
    robot = arm(inertial(-1, 1, 1, 1))
    for query in (kt.inverse_dynamics, kt.forward_dynamics, kt.mass_matrix, kt.gravity_torques):
        with pytest.raises(KinetreeError, match=r"link 'b': the mass is -1 kg.*INR-004"):
            query(robot)
    kt.inverse_dynamics(robot, parameters=True)  # takes other masses
