"""Drake: a `MultibodyPlant` of doubles."""

import numpy as np
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import JacobianWrtVariable, MultibodyForces

import peers


class Peer(peers.Peer):
    packages = ("drake", "numpy")
    about = (
        "`CalcRelativeTransform`, `CalcJacobianSpatialVelocity`; batches in a Python loop; "
        "`CalcInverseDynamics` with the forces of `CalcForceElementsContribution`, `CalcMassMatrix`, one call at a "
        "time, for robots without floating joint"
    )
    largest = 10_000

    def functions(self):
        if self.case.free:
            return {}  # its quaternions and velocities are others
        self.plant = plant = MultibodyPlant(0.0)
        Parser(plant).AddModels(self.case.urdf)
        plant.WeldFrames(plant.world_frame(), plant.GetFrameByName(self.case.root))
        plant.Finalize()
        moving = [plant.get_joint(i) for i in plant.GetJointIndices() if plant.get_joint(i).num_positions() == 1]
        self.joints = tuple(joint.name() for joint in sorted(moving, key=lambda joint: joint.position_start()))
        self.context, self.world = plant.CreateDefaultContext(), plant.world_frame()
        frames = [plant.GetFrameByName(name) for name in self.case.frames]
        found = self.dynamics()
        if len(frames) > 1:
            found |= batched(fk=self.several(frames))
        if len(frames) == 1:
            found |= batched(fk=self.pose(frames[0]), jacobian=self.jacobian(frames[0]))
        return found

    def dynamics(self):
        plant, context, forces = self.plant, self.context, MultibodyForces(self.plant)

        def rnea(q, qd, qdd):
            plant.SetPositions(context, q)
            plant.SetVelocities(context, qd)
            plant.CalcForceElementsContribution(context, forces)  # of gravity
            return plant.CalcInverseDynamics(context, qdd, forces)

        def crba(q):
            plant.SetPositions(context, q)
            return plant.CalcMassMatrix(context)

        return {"rnea one": rnea, "crba one": crba}

    def pose(self, frame):
        plant, context, world = self.plant, self.context, self.world

        def one(q):
            plant.SetPositions(context, q)
            return plant.CalcRelativeTransform(context, world, frame).GetAsMatrix4()

        return one

    def several(self, frames):
        plant, context, world = self.plant, self.context, self.world

        def one(q):
            plant.SetPositions(context, q)
            return np.array([plant.CalcRelativeTransform(context, world, f).GetAsMatrix4() for f in frames])

        return one

    def jacobian(self, frame):
        plant, context, world, origin = self.plant, self.context, self.world, np.zeros(3)

        def one(q):
            plant.SetPositions(context, q)
            J = plant.CalcJacobianSpatialVelocity(context, JacobianWrtVariable.kV, frame, origin, world, world)
            return np.concatenate([J[3:], J[:3]])

        return one


def batched(**ones):
    """Every function alone and in a loop."""
    found = {f"{query} one": one for query, one in ones.items()}
    found |= {f"{query} batch": lambda Q, one=one: np.array([one(q) for q in Q]) for query, one in ones.items()}
    return found
