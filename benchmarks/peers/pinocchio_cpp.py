"""Pinocchio in a loop in C++: `pinocchio_cpp.cpp`, compiled here, with the model that Pinocchio reads in Python.

    python -m venv venv-cpp && venv-cpp/bin/pip install pin cmeel-eigen

The headers of Pinocchio and Boost are those of the package pin, those of Eigen of the package cmeel-eigen.
"""

import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pinocchio as pin

import peers

SOURCE = Path(__file__).with_suffix(".cpp")
OPTIONS = (
    *("-std=c++17", "-O3", "-march=native", "-DNDEBUG", "-w"),
    *("-shared", "-fPIC", "-fvisibility=hidden", "-fno-gnu-unique", "-Wl,-Bsymbolic"),  # beside Pinocchio's own library
    *("-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS", "-DBOOST_MPL_LIMIT_LIST_SIZE=30"),
    "-DBOOST_FUSION_INVOKE_MAX_ARITY=12",
)


def headers():
    """Where the headers are; raises NotHereError where a part of them is not installed."""
    places = [Path(root, "cmeel.prefix", "include") for root in sys.path]
    places += [place / "eigen3" for place in places]
    for header in ("pinocchio/multibody.hpp", "boost/variant.hpp", "Eigen/Core"):
        if not any((place / header).is_file() for place in places):
            raise peers.NotHereError(
                f"C++ headers of {header.split('/')[0]}; the packages pin and cmeel-eigen have them"
            )
    return [f"-I{place}" for place in places if place.is_dir()]


def compiled():
    """The library of loops, which takes some minutes; raises NotHereError where it cannot be built."""
    compiler = os.environ.get("CXX") or shutil.which("c++") or shutil.which("g++")
    if not compiler:
        raise peers.NotHereError("a C++ compiler")
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder, "loops.so")
        command = [compiler, *OPTIONS, *headers(), str(SOURCE), "-o", str(library)]
        done = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode:
            faults = [line for line in done.stderr.splitlines() if "error" in line]
            raise peers.NotHereError(f"C++ that compiles: {faults[0] if faults else done.returncode}")
        return ctypes.CDLL(str(library))


LIBRARY = compiled()
LIBRARY.make.restype = ctypes.c_void_p
LIBRARY.add.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p]
LIBRARY.add_frame.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p]
LIBRARY.finish.argtypes = [ctypes.c_void_p]


class Peer(peers.Peer):
    packages = ("pin", "cmeel-eigen", "numpy")
    about = (
        f"headers alone, compiled by GCC with {' '.join(OPTIONS[1:3])}, the model built of Pinocchio's numbers; "
        "`forwardKinematics` and `updateFramePlacement`, `computeFrameJacobian` in LOCAL_WORLD_ALIGNED, `rnea`, `aba` "
        "and `crba` (Convention::LOCAL), `computeRNEADerivatives`, `computeABADerivatives` in a C++ loop that writes "
        "every result"
    )

    def functions(self):
        model = pin.buildModelFromUrdf(self.case.urdf)
        self.joints = tuple(model.names)[1:]
        frames = self.case.frames
        robot = built(model, frames)
        kinematics = ["fk"] * bool(frames) + ["jacobian"] * (len(frames) == 1)
        return {f"{query} into": looped(robot, query) for query in (*kinematics, *peers.INPUTS)}


def built(model, frames):
    """The same model in the library. It stays there until the process ends."""
    data, robot = model.createData(), LIBRARY.make()
    pin.forwardKinematics(model, data, pin.neutral(model))
    for i in range(1, model.njoints):
        place, motion = model.jointPlacements[i], np.asarray(data.joints[i].S).reshape(6, -1)
        axis = motion[:3, 0] + motion[3:, 0]  # of a joint of one coordinate, one of the two is zero
        inertia = model.inertias[i].toDynamicParameters()
        numbers = np.concatenate([np.ravel(place.rotation), place.translation, axis, inertia])
        kind = model.joints[i].shortname()
        if LIBRARY.add(robot, model.parents[i], kind.encode(), numbers.ctypes.data):
            raise ValueError(f"{SOURCE.name} has no {kind}, of joint {model.names[i]}")
    for frame in (model.frames[model.getFrameId(name)] for name in frames):
        place = np.concatenate([np.ravel(frame.placement.rotation), frame.placement.translation])
        LIBRARY.add_frame(robot, frame.parentJoint, place.ctypes.data)
    LIBRARY.finish(robot)
    return robot


def looped(robot, query):
    function = getattr(LIBRARY, query)
    function.argtypes, function.restype = [ctypes.c_void_p] * 5 + [ctypes.c_long], None

    def into(*arrays):
        *given, out = (array.ctypes.data for array in arrays)
        q, qd, x = given if len(given) == 3 else given * 3
        function(robot, q, qd, x, out, len(arrays[-1]))

    return into
