"""Robots as other libraries have them: their poses, mass matrices and torques of gravity."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import pytest

import kinetree as kt
from kinetree.spatial import se3
from support import all_frames

LIBRARIES = ("pinocchio", "mujoco", "drake", "roboticstoolbox", "trimesh")


class State(NamedTuple):
    """A robot as a library has it at a configuration: poses of frames, mass matrix and torques of gravity, or None."""

    maps: Any
    T: dict[str, Any]
    H: Any = None
    tau: Any = None


def bridge(library: str) -> ModuleType:
    for name in {"pinocchio": ("pinocchio",), "drake": ("pydrake",), "trimesh": ("trimesh", "collada")}.get(
        library, (library,)
    ):
        pytest.importorskip(name)
    return import_module(f"kinetree.bridges.{library}")


def in_pinocchio(robot: kt.Robot, q: np.ndarray) -> State:
    pin = pytest.importorskip("pinocchio")
    model, maps = bridge("pinocchio").export(robot)
    data, there = model.createData(), maps.q(q)
    pin.framesForwardKinematics(model, data, there)
    T = {name: data.oMf[maps.frames[name]].homogeneous for name in robot.frames}
    H = np.triu(pin.crba(model, data, there))
    return State(maps, T, H + np.triu(H, 1).T, pin.computeGeneralizedGravity(model, data, there))


def in_mujoco(robot: kt.Robot, q: np.ndarray) -> State:
    mujoco = pytest.importorskip("mujoco")
    model, maps = bridge("mujoco").export(robot)
    data, H = mujoco.MjData(model), np.zeros((model.nv, model.nv))
    data.qpos[:] = maps.q(q)
    mujoco.mj_fwdPosition(model, data)
    mujoco.mj_fwdVelocity(model, data)
    mujoco.mj_fullM(model, data, H)
    places = {name: maps.frames[name] for name in robot.frames}
    T = {name: se3.homogeneous(data.site_xmat[i].reshape(3, 3), data.site_xpos[i]) for name, i in places.items()}
    return State(maps, T, H, data.qfrc_bias.copy())


def in_drake(robot: kt.Robot, q: np.ndarray) -> State:
    plant, maps = bridge("drake").export(robot)
    context = plant.CreateDefaultContext()
    plant.SetPositions(context, maps.q(q))
    T = {name: maps.frames[name].CalcPoseInWorld(context).GetAsMatrix4() for name in robot.frames}
    return State(maps, T, plant.CalcMassMatrix(context), -plant.CalcGravityGeneralizedForces(context))


def in_roboticstoolbox(robot: kt.Robot, q: np.ndarray) -> State:
    model, maps = bridge("roboticstoolbox").export(robot)
    numbers = {name: model.link_dict[maps.frames[name]].number for name in robot.frames}
    if not robot.nq:  # it takes no empty q
        return State(maps, {})
    T = np.array(model.fkine_all(maps.q(q)).A)
    return State(maps, {name: T[number] for name, number in numbers.items()})


def in_trimesh(robot: kt.Robot, q: np.ndarray) -> State:
    scene, maps = bridge("trimesh").export(robot, q)
    return State(maps, {name: scene.graph.get(maps.frames[name])[0] for name in robot.frames})


IN: dict[str, Callable[[kt.Robot, np.ndarray], State]] = {name: globals()[f"in_{name}"] for name in LIBRARIES}


def agrees(robot: kt.Robot, q: np.ndarray, state: State, H: Any = None, tau: Any = None) -> None:
    for name, T in all_frames(robot, q).items() if state.T else ():
        np.testing.assert_allclose(state.T[name], T, rtol=0, atol=1e-12, err_msg=f"{robot.name} {name}")
    if state.H is not None and H is not None:
        G = state.maps.G(q)
        np.testing.assert_allclose(G.T @ state.H @ G, H, rtol=0, atol=1e-10 * np.abs(H).max(initial=1e-3))
        if tau is not None:
            np.testing.assert_allclose(G.T @ state.tau, tau, rtol=0, atol=1e-10 * np.abs(tau).max(initial=1e-3))
    if state.maps.nq:
        np.testing.assert_allclose(state.maps.q(state.maps.q_back(state.maps.q(q))), state.maps.q(q), atol=1e-12)
