"""Pinocchio, one configuration at a time: in Python it has no batches of poses or Jacobians."""

from functools import partial

import numpy as np
import pinocchio as pin

import peers


class Peer(peers.Peer):
    packages = ("pin", "numpy")
    about = (
        "`forwardKinematics` and `updateFramePlacement(…).homogeneous`; several frames with "
        "`framesForwardKinematics`; `computeFrameJacobian` in LOCAL_WORLD_ALIGNED; batches in a Python loop; "
        "`rnea`, `aba`, `crba`, `computeRNEADerivatives`, `computeABADerivatives`, one call at a time"
    )
    largest = 10_000

    def functions(self):
        model = pin.buildModelFromUrdf(self.case.urdf)
        data = model.createData()
        self.joints = tuple(model.names)[1:]
        ids = [model.getFrameId(name) for name in self.case.frames]
        found = dynamics(model, data)
        if len(ids) > 1:
            found |= several(model, data, ids)
        if len(ids) == 1:
            found |= {**pose(model, data, ids[0]), **jacobian(model, data, ids[0])}
        return found


def dynamics(model, data):
    functions = {"rnea": pin.rnea, "aba": pin.aba, "crba": pin.crba, "aba_derivatives": pin.computeABADerivatives}
    found = {f"{query} one": partial(function, model, data) for query, function in functions.items()}
    by_rates = partial(pin.computeRNEADerivatives, model, data)
    return found | {"rnea_derivatives one": lambda q, qd, qdd: by_rates(q, qd, qdd)[:2]}


def pose(model, data, frame):
    forward, place = pin.forwardKinematics, pin.updateFramePlacement

    def one(q):
        forward(model, data, q)
        return place(model, data, frame).homogeneous

    def batch(Q):
        out = np.empty((len(Q), 4, 4))
        for k, q in enumerate(Q):
            forward(model, data, q)
            out[k] = place(model, data, frame).homogeneous
        return out

    return {"fk one": one, "fk batch": batch}


def several(model, data, ids):
    forward, placed = pin.framesForwardKinematics, data.oMf

    def one(q):
        forward(model, data, q)
        return np.stack([placed[i].homogeneous for i in ids])

    def batch(Q):
        out = np.empty((len(Q), len(ids), 4, 4))
        for T, q in zip(out, Q, strict=True):
            forward(model, data, q)
            for k, i in enumerate(ids):
                T[k] = placed[i].homogeneous
        return out

    return {"fk one": one, "fk batch": batch}


def jacobian(model, data, frame):
    compute, axes = pin.computeFrameJacobian, pin.LOCAL_WORLD_ALIGNED

    def one(q):
        return compute(model, data, q, frame, axes)

    def batch(Q):
        out = np.empty((len(Q), 6, model.nv))
        for k, q in enumerate(Q):
            out[k] = compute(model, data, q, frame, axes)
        return out

    return {"jacobian one": one, "jacobian batch": batch}
