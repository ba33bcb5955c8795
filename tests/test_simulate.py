"""Motions that torques cause, against closed forms and laws of conservation."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import ellipj, ellipk

import kinetree as kt
from kinetree.model.assemble import build, parts_of
from kinetree.model.robot import Dynamics

PENDULUM = [{"axis": [0, -1, 0], "m": 2, "r": [0.5, 0, 0]}]
"""2 kg at 0.5 m, level at q = 0."""


def test_a_pendulum_swings_as_its_elliptic_function_says() -> None:
    """From rest at 90 degrees: sin(theta / 2) = k cd(w t), k = sin(theta0 / 2) (Landau, Lifshitz, Mechanics, 11)."""
    w, k = np.sqrt(9.81 / 0.5), np.sin(np.pi / 4)
    t = np.linspace(0.0, 4.0 * ellipk(k**2) / w, 41)  # a period
    motion = kt.dynamics.simulate(kt.chain(PENDULUM), 0, t)
    _, cn, dn, _ = ellipj(w * t, k**2)
    theta = 2.0 * np.arcsin(k * cn / dn)  # from hanging
    np.testing.assert_allclose(motion.q[:, 0], theta - np.pi / 2, atol=1e-7)
    np.testing.assert_allclose(motion.qd[[0, 20, -1], 0], 0.0, atol=1e-6)
    np.testing.assert_allclose(motion.qdd[0], [-(w**2)], rtol=1e-12)


@pytest.mark.slow
def test_an_arm_without_dampers_keeps_its_energy_and_one_with_them_comes_to_rest() -> None:
    puma = kt.load("puma560")
    parts = parts_of(puma)
    parts.joints[:] = [replace(joint, dynamics=()) for joint in parts.joints]
    free = build(parts)
    energy = kt.dynamics.energy(free)
    motion = kt.dynamics.simulate(free, 0, np.linspace(0, 0.5, 6), q=[0, 0.3, -0.2, 0.4, 0.5, 0.1])
    total = [sum(energy(q, qd)) for q, qd in zip(motion.q, motion.qd, strict=True)]
    assert np.ptp(total) < 1e-6 < np.ptp(motion.q) * 1e-4
    assert motion.robot is free
    assert motion.names == free.joint_names

    parts.joints[:] = [replace(joint, dynamics=(Dynamics(damping=20.0),)) for joint in parts.joints]
    slow = build(parts)
    rest = kt.dynamics.simulate(slow, 0, [0.0, 30.0], q=[0, 0.3, -0.2, 0.4, 0.5, 0.1])
    assert np.abs(kt.gravity_torques(slow)(rest.q[-1])).max() < 0.2 < np.abs(kt.gravity_torques(slow)(rest.q[0])).max()


@pytest.mark.slow
def test_a_free_body_keeps_its_momentum() -> None:
    text = """<mujoco><worldbody><body><freejoint/><inertial pos="0 0 0" mass="2" diaginertia="0.1 0.2 0.25"/>
    </body></worldbody></mujoco>"""
    body = kt.load(text, format="mjcf")
    t, start = np.linspace(0, 2, 5), [0, 0, 0, 0.5, 0.1, -0.2, 0.4]
    qd = np.array([0.3, 0.0, 0.1, 0.5, 3.0, 0.2])
    motion = kt.dynamics.simulate(body, 0, t, q=body.limits.project(start), qd=qd, gravity=(0, 0, 0))
    np.testing.assert_allclose(np.linalg.norm(motion.q[:, 3:], axis=1), 1.0, atol=1e-8)
    line = np.diff(motion.q[:, :3], axis=0)
    np.testing.assert_allclose(line, np.tile(line[0], (4, 1)), atol=1e-8)  # the centre moves straight on
    step = 1e-4
    fine = kt.dynamics.simulate(body, 0, [0, step, 2 * step], q=motion.q[0], qd=qd, gravity=(0, 0, 0))
    np.testing.assert_allclose((fine.q[2] - fine.q[0]) / (2 * step), fine.qd[1], atol=1e-6)
    assert motion.qdd is None
    assert np.ptp(motion.q[:, 3:], axis=0).min() > 0.1


@pytest.mark.parametrize("form", ["constant", "at the times", "a function"])
def test_torques_in_three_forms(form: str) -> None:
    """A slider of 2 kg: with a force of 3 t, x = t³ / 4; with 3 N, x = 3 t² / 4."""
    slider, t = kt.chain([{"type": "prismatic", "axis": [1, 0, 0], "m": 2}]), np.linspace(0, 2, 9)
    forces = {
        "constant": [3.0],
        "at the times": 3.0 * t[:, None],
        "a function": lambda time, q, qd: [3.0 * time],
    }
    motion = kt.dynamics.simulate(slider, forces[form], t)
    expected = 0.75 * t**2 if form == "constant" else 0.25 * t**3
    np.testing.assert_allclose(motion.q[:, 0], expected, atol=1e-8)
    started = kt.dynamics.simulate(slider, forces[form], t, q=[1.0], qd=[0.5])
    np.testing.assert_allclose(started.q[:, 0], 1.0 + 0.5 * t + expected, atol=1e-8)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"t": [0.0]}, "two finite times that increase"),
        ({"t": [0.0, 0.0]}, "two finite times that increase"),
        ({"t": [0.0, np.nan]}, "two finite times that increase"),
        ({"torque": [1.0, 2.0]}, r"torque has shape \(2,\); expected \(1,\)"),
        ({"torque": lambda t, q, qd: [1.0, 2.0]}, r"torque has shape \(2,\); expected \(1,\)"),
        ({"q": [0.0, 1.0]}, r"q has shape \(2,\); expected \(1,\)"),
        ({"qd": [np.inf]}, r"qd has shape \(1,\); expected \(1,\), finite"),
        ({"torque": lambda t, q, qd: 1e3 * qd + 1e3}, "too fast to be followed after t = "),
    ],
)
def test_what_is_refused(given: dict[str, object], message: str) -> None:
    with pytest.raises(kt.KinetreeError, match=message):
        kt.dynamics.simulate(kt.chain(PENDULUM), **{"torque": 0, "t": [0.0, 100.0], **given})


def test_words_for_a_torque_or_a_state_are_errors_of_the_motion() -> None:
    for arguments, said in (
        ({"torque": "x"}, "torque is"),
        ({"torque": 0, "q": "x"}, "q is"),
        ({"torque": 0, "qd": ["y"]}, "qd is"),
    ):
        with pytest.raises(kt.KinetreeError, match=said) as caught:
            kt.dynamics.simulate(kt.chain(PENDULUM), t=[0, 1], **arguments)
        assert [finding.code for finding in caught.value.findings] == ["motion"]
