"""pytorch_kinematics on the processor, NumPy arrays in and out, which copies nothing."""

from pathlib import Path

import numpy as np
import pytorch_kinematics as pk
import torch

import peers

torch.set_num_threads(1)
torch.set_grad_enabled(False)
torch.set_default_dtype(torch.float64)


class Peer(peers.Peer):
    packages = ("pytorch-kinematics", "torch", "numpy")
    tolerance = 1e-6  # it reads the robot's constants in single precision
    about = "`forward_kinematics`, `jacobian`, in double precision, without gradients"
    largest = 100_000  # a million take it half a minute and several GB

    def functions(self):
        text = Path(self.case.urdf).read_bytes()
        if not self.case.frames:
            return {}
        if len(self.case.frames) > 1:
            return self.several(pk.build_chain_from_urdf(text).to(dtype=torch.float64))
        chain = pk.build_serial_chain_from_urdf(text, self.case.frames[0]).to(dtype=torch.float64)
        self.joints = tuple(chain.get_joint_parameter_names())

        def poses(q):
            return chain.forward_kinematics(torch.from_numpy(q)).get_matrix().numpy()

        def jacobians(q):
            return chain.jacobian(torch.from_numpy(q)).numpy()

        return {
            "fk one": lambda q: poses(q)[0],
            "fk batch": poses,
            "jacobian one": lambda q: jacobians(q)[0],
            "jacobian batch": jacobians,
        }

    def several(self, chain):
        self.joints = tuple(chain.get_joint_parameter_names())
        frames = self.case.frames
        indices = chain.get_frame_indices(*frames)

        def poses(Q):
            T = chain.forward_kinematics(torch.from_numpy(Q), indices)
            return np.stack([T[name].get_matrix().numpy() for name in frames], axis=1)

        return {"fk one": lambda q: poses(q[None])[0], "fk batch": poses}
