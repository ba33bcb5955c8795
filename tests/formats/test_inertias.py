"""Masses in ETS texts and DH tables: against the published mass matrix of the Puma 560, and over real robots."""

import json
from math import cos, pi, sin

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.formats import dh, ets
from kinetree.formats.losses.losses import PARTS
from kinetree.model.assemble import build, parts_of
from physics import kinetic_energy, total_inertia
from support import icub_urdfs, random_q, shared

PUMA = {  # a, d, alpha; mass, centre, ixx, iyy, izz in the frame at the end of the row; reflected inertia of the motor
    "q1": (0, 0.67183, pi / 2, 0, (0, 0, 0), (0, 0.35, 0), 200e-6 * 62.6111**2),
    "q2": (0.4318, 0, 0, 17.4, (-0.3638, 0.006, 0.2275), (0.13, 0.524, 0.539), 200e-6 * 107.815**2),
    "q3": (0.0203, 0.15005, -pi / 2, 4.8, (-0.0203, -0.0141, 0.07), (0.066, 0.086, 0.0125), 200e-6 * 53.7063**2),
    "q4": (0, 0.4318, pi / 2, 0.82, (0, 0.019, 0), (1.8e-3, 1.3e-3, 1.8e-3), 33e-6 * 76.0364**2),
    "q5": (0, 0, -pi / 2, 0.34, (0, 0, 0), (0.3e-3, 0.4e-3, 0.3e-3), 33e-6 * 71.923**2),
    "q6": (0, 0, 0, 0.09, (0, 0, 0.032), (0.15e-3, 0.15e-3, 0.04e-3), 33e-6 * 76.686**2),
}
"""Armstrong, Khatib and Burdick, The explicit dynamic model and inertial parameters of the PUMA 560 arm (1986), as the
Robotics Toolbox has them."""
FRICTION = (  # of each motor: viscous, Coulomb while the joint moves forwards, gear ratio
    (1.48e-3, 0.395, 62.6111),
    (0.817e-3, 0.126, 107.815),
    (1.38e-3, 0.132, 53.7063),
    (71.2e-6, 11.2e-3, 76.0364),
    (82.6e-6, 9.26e-3, 71.923),
    (36.7e-6, 3.96e-3, 76.686),
)
QN = (0, pi / 4, pi, 0, pi / 4, 0)
PUMA_M = [  # p560.inertia(qn), as the manual of a toolbox prints it
    [3.6593754, -0.4043612, 0.1006136, -0.0025170, 0, 0],
    [-0.4043612, 4.4137419, 0.3508907, 0, 0.0023595, 0],
    [0.1006136, 0.3508907, 0.9378416, 0, 0.0014802, 0],
    [-0.0025170, 0, 0, 0.1925317, 0, 0.0000283],
    [0, 0.0023595, 0.0014802, 0, 0.1713485, 0],
    [0, 0, 0, 0.0000283, 0, 0.1941045],
]
WITHOUT = tuple(part for part in PARTS if part not in ("frame", "inertial"))


def mass_matrix(robot: kt.Robot, q) -> np.ndarray:
    """Kinetic energies at unit velocities, by polarisation; without the motors."""
    e = np.eye(robot.nv)
    one = [kinetic_energy(robot, np.asarray(q), row) for row in e]
    return np.array(
        [
            [kinetic_energy(robot, np.asarray(q), e[i] + e[j]) - one[i] - one[j] for j in range(robot.nv)]
            for i in range(robot.nv)
        ]
    )


def puma_table() -> str:
    rows = [
        f'{{ joint = "{q}", a = {a}, d = {d}, alpha = {x}, theta = 0, '
        f"armature = {motor}, damping = {B * G**2}, friction = {Tc * G} }}"
        for (q, (a, d, x, *_, motor)), (B, Tc, G) in zip(PUMA.items(), FRICTION, strict=True)
    ]
    head = f'convention = "dh"\nunits = {{ length = "m", angle = "rad" }}\nrows = [{", ".join(rows)}]\n'
    tables = [
        f"[[inertial]]\non = 'dh_{i}'\nmass = {m}\nxyz = {list(c)}\ninertia = [{xx}, 0, 0, {yy}, 0, {zz}]\n"
        for i, (_, _, _, m, c, (xx, yy, zz), _) in enumerate(PUMA.values(), 1)
    ]
    return head + "".join(tables)


def puma_text() -> str:
    return "\n".join(
        f"Rz({q}) tz({d}) tx({a}) Rx({alpha}) mass({m}, {c[0]}, {c[1]}, {c[2]}, {xx}, 0, 0, {yy}, 0, {zz})"
        for q, (a, d, alpha, m, c, (xx, yy, zz), _) in PUMA.items()
    )


@pytest.mark.slow
@pytest.mark.parametrize(("format", "text"), [("dh", puma_table), ("ets", puma_text)])
def test_the_mass_matrix_of_the_puma(format, text):
    robot = kt.load(text(), format=format)
    motors = np.diag([motor for *_, motor in PUMA.values()])
    assert np.abs(mass_matrix(robot, QN) + motors - PUMA_M).max() < 6e-8
    data = json.loads(shared("facts", "truth", "rtb_cases.json").read_text())
    for case in data["cases"]:  # computed once with Robotics Toolbox 1.5.0
        if case["kind"] == "inertia":
            assert np.abs(mass_matrix(robot, case["inputs"]["q"]) + motors - case["value"]).max() < 1e-12


@pytest.mark.slow
@pytest.mark.parametrize("written", [False, True])
def test_the_dynamics_of_the_puma(written):
    """Rows with armature, damping and friction, as read and after writing: numbers that the toolbox prints."""
    robot = kt.load(puma_table(), format="dh")
    if written:
        robot = kt.load(dh.write(build(parts_of(robot)), convention="mdh"), format="dh")
    gravity, torques = kt.gravity_torques(robot), kt.inverse_dynamics(robot, friction=True)
    q, one, zero = np.arange(1.0, 7.0), np.ones(6), np.zeros(6)
    assert np.abs(kt.mass_matrix(robot)(QN) - PUMA_M).max() < 6e-8
    assert np.abs(np.diag(kt.mass_matrix(robot)(q)) - (2.6152, 4.3038, 0.9366, 0.1926, 0.1713, 0.1941)).max() < 6e-5
    assert np.abs(gravity(q) - (0, -7.9683, 8.4581, -0.0197, 0.0027, 0)).max() < 6e-5
    assert np.abs(gravity(QN) - (0, 31.6399, 6.0351, 0, 0.0283, 0)).max() < 6e-5
    accelerating, moving = torques(QN, zero, one), torques(QN, one, zero)
    assert np.abs(accelerating - (3.35311, 36.0025, 7.42596, 0.190043, 0.203441, 0.194133)).max() < 6e-5
    assert np.abs(moving - (29.1421, 56.5044, 16.3528, 1.26448, 1.12392, 0.519648)).max() < 6e-5


def test_a_mass_is_in_the_frame_where_it_stands():
    """A point mass at radius r, seen along the axis: m r², wherever the text says it."""
    for text in (
        "Rz(q) mass(2, 300 mm, 0.4, 0)",
        "Ry(q) mass(2, 0.3, 5, 40cm)",
        "Rz(q) tx(0.3) mass(2, 0, 0.4, 0)",
        "Rz(q) tx(0.3) Rz(90°) link(arm) mass(2, 40cm, 0, 0)",
        "Rz(q) tx(0.3) ty(0.4) frame(tool) Rz(q2)\nfrom tool: mass(2)",
    ):
        robot = kt.load(text, format="ets")
        assert mass_matrix(robot, np.zeros(robot.nq))[0, 0] == pytest.approx(2 * 0.5**2, rel=1e-14), text
    table = """convention = "mdh"
        units = { length = "mm", angle = "deg" }
        rows = [{ joint = "q", a = 0, d = 0, alpha = 0, theta = 0 }]
        [[frame]]
        name = "tool"
        on = "q_link"
        xyz = [300, 0, 0]
        rpy = [0, 0, 90]
        [[inertial]]
        on = "tool"
        mass = 2
        xyz = [400, 0, 0]
        """
    assert mass_matrix(kt.load(table, format="dh"), [0.0])[0, 0] == pytest.approx(2 * 0.5**2, rel=1e-14)


def test_axes_turned_by_rpy():
    """A rod along x, turned by 30 degrees about z: by hand."""
    table = """convention = "dh"
        units = { length = "m", angle = "deg" }
        rows = [{ joint = "q", a = 0, d = 0, alpha = 0, theta = 0 }]
        [[inertial]]
        on = "q_link"
        mass = 1
        rpy = [0, 0, 30]
        inertia = [0, 0, 0, 1, 0, 1]
        """
    inertial = kt.load(table, format="dh").links["q_link"].inertial
    R, (s, c) = inertial.origin[:3, :3], (sin(pi / 6), cos(pi / 6))
    turned = [[s * s, -s * c, 0], [-s * c, c * c, 0], [0, 0, 1]]
    assert np.abs(R @ inertial.inertia @ R.T - turned).max() < 1e-15


@pytest.mark.slow
@pytest.mark.parametrize("format", ["dh", "ets"])
def test_a_humanoid_keeps_its_mass(format):
    """Mass, centre of mass and inertia of the whole robot, and its kinetic energy; fixed links become frames in DH."""
    robot = kt.load(next(path for path in icub_urdfs() if "V2_5" in str(path)))
    text = (dh if format == "dh" else ets).write(build(parts_of(robot)), WITHOUT)
    again = kt.load(text, format=format)
    rng = np.random.default_rng(5)
    q, qd = random_q(robot, rng), rng.normal(size=robot.nv)
    total = total_inertia(robot, q, robot.root)
    assert total[5, 5] == pytest.approx(sum(link.inertial.mass for link in robot.links.values() if link.inertial))
    assert np.abs(total_inertia(again, q, robot.root) - total).max() < 1e-12
    assert kinetic_energy(again, q, qd) == pytest.approx(kinetic_energy(robot, q, qd), rel=1e-12)
    light = kt.load((dh if format == "dh" else ets).write(robot, (*WITHOUT, "inertial")), format=format)
    assert not any(link.inertial for link in light.links.values())


FAULTS = [
    ("on = 'q_link'\nmass = 1", "on = 'nobody'\nmass = 1", "unknown-frame"),
    ("mass = 1", "mass = 'heavy'", "number"),
    ("mass = 1", "mass = [1]", "number"),
    ("mass = 1", "mass = 1\nmas = 1", "unknown-key"),
    ("mass = 1", "", "missing-key"),
    ("mass = 1", "mass = 1\ninertia = [1, 2, 3]", "number"),
    ("mass = 1", "mass = 1\n[[inertial]]\non = 'dh_1'\nmass = 2", "duplicate-name"),
]


@each("old, new, code", FAULTS)
def test_what_is_wrong_is_named(old, new, code):
    text = """convention = "dh"
units = { length = "m", angle = "rad" }
rows = [{ joint = "q", a = 0, d = 0, alpha = 0, theta = 0 }]
[[inertial]]
on = 'q_link'
mass = 1
"""
    assert kt.load(text, format="dh").links["q_link"].inertial.mass == 1
    robot, findings = dh.read(text.replace(old, new), "a.toml")
    assert robot is None
    assert [finding.code for finding in findings] == [code]
    assert findings[0].source.line >= 4
