"""Robots built from the same numbers by `kt.chain` and by the Robotics Toolbox: poses, Jacobians, forces."""

from math import pi

import numpy as np
import pytest

import kinetree as kt

pytestmark = pytest.mark.crosscheck

UR5E = [  # a, d, alpha of the maker; masses and centres in the frame at the end of the row
    {"d": 0.1625, "alpha": pi / 2, "m": 3.761, "r": [0, -0.02561, 0.00193]},
    {"a": -0.425, "m": 8.058, "r": [0.2125, 0, 0.11336]},
    {"a": -0.3922, "m": 2.846, "r": [0.15, 0, 0.0265]},
    {"d": 0.1333, "alpha": pi / 2, "m": 1.37, "r": [0, -0.0018, 0.01634]},
    {"d": 0.0997, "alpha": -pi / 2, "m": 1.3, "r": [0, 0.0018, 0.01634]},
    {"d": 0.0996, "m": 0.365, "r": [0, 0, -0.001159], "qlim": [-pi, pi]},
]
CRANE = [
    {"d": 0.5, "alpha": pi / 2, "m": 4},
    {"type": "prismatic", "theta": 0.3, "alpha": -pi / 2, "a": 0.1},
    {"a": 0.3, "offset": 0.2},
]
NAMES = ("d", "a", "alpha", "theta", "offset", "m", "r", "I", "Jm", "G", "B", "Tc", "qlim")


def puma() -> list[dict]:
    """The rows of the toolbox's own Puma 560, with friction that is the same both ways."""
    rtb = pytest.importorskip("roboticstoolbox")
    links = rtb.models.DH.Puma560().links
    return [{key: getattr(link, key) for key in NAMES if key != "theta"} | {"Tc": abs(link.Tc[0])} for link in links]


def weighed(rows: list[dict]) -> list[dict]:
    """Rows with a mass, an inertia with products, a motor and friction where they have none."""
    rng = np.random.default_rng(5)
    made = []
    for row in rows:
        A = rng.uniform(-0.2, 0.2, (3, 3))
        more = {
            "m": rng.uniform(0.5, 2),
            "r": rng.uniform(-0.1, 0.1, 3),
            "I": A @ A.T + A.T @ A,
            "G": -rng.uniform(50, 90),
        }
        made.append(more | {"Jm": 2e-4, "B": 1e-3, "Tc": 0.2} | row)
    return made


def theirs(rows: list[dict], convention: str):
    """The toolbox's robot of these rows."""
    rtb = pytest.importorskip("roboticstoolbox")
    links = []
    for row in rows:
        kind = ("Prismatic" if row.get("type") == "prismatic" else "Revolute") + convention.upper()
        given = {key: row[key] for key in NAMES if key in row}
        links.append(getattr(rtb, kind)(**given | {"Tc": [row["Tc"], -row["Tc"]]}))
    return rtb.DHRobot(links)


CASES = {"puma": puma, "ur5e": lambda: weighed(UR5E), "crane": lambda: weighed(CRANE)}


@pytest.mark.parametrize("convention", ["dh", "mdh"])
@pytest.mark.parametrize("case", CASES)
def test_a_robot_of_rows(case, convention):
    rows = CASES[case]()
    other, robot = theirs(rows, convention), kt.chain(rows, convention=convention)
    rng = np.random.default_rng(7)
    functions = {
        "fkine": (kt.fk(robot, "tip"), lambda q, qd, qdd: other.fkine(q).A, 1),
        "jacob0": (kt.jacobian(robot, "tip"), lambda q, qd, qdd: other.jacob0(q), 1),
        "jacobe": (kt.jacobian(robot, "tip", expressed_in="frame"), lambda q, qd, qdd: other.jacobe(q), 1),
        "inertia": (kt.mass_matrix(robot), lambda q, qd, qdd: other.inertia(q), 1),
        "gravload": (kt.gravity_torques(robot), lambda q, qd, qdd: other.gravload(q), 1),
        "rne": (kt.inverse_dynamics(robot, friction=True), lambda q, qd, qdd: other.rne(q, qd, qdd), 3),
    }
    for _ in range(20):
        state = [rng.uniform(-2, 2, robot.nq) for _ in range(3)]
        for name, (ours, their, count) in functions.items():
            expected = np.asarray(their(*state))
            assert np.abs(ours(*state[:count]) - expected).max() < 1e-10 * max(1, np.abs(expected).max()), name
    assert robot.joints[robot.joint_names[-1]].limits or case != "ur5e"


def test_limits_are_those_of_the_puma():
    robot, other = kt.chain(puma(), convention="dh"), theirs(puma(), "dh")
    assert np.allclose([robot.limits.lower, robot.limits.upper], other.qlim, rtol=0, atol=1e-15)


@pytest.mark.parametrize("name", ["Panda", "GenericSeven", "XYPanda", "Puma560"])
def test_a_robot_of_a_sequence(name):
    rtb = pytest.importorskip("roboticstoolbox")
    other = getattr(rtb.models.ETS, name)()
    robot = kt.chain(str(other.ets()))
    for q in np.random.default_rng(3).uniform(-2, 2, (5, robot.nq)):
        assert np.allclose(kt.fk(robot, "tip")(q), other.ets().fkine(q), rtol=0, atol=1e-12)
