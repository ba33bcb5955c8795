"""frax, on JAX: `jit`, and `jit(vmap)` for batches. It says that jax 0.4.30 is the fastest on a processor."""

import frax
import jax
import jax.numpy as jnp
import numpy as np

import peers

jax.config.update("jax_enable_x64", True)


class Peer(peers.Peer):
    packages = ("frax", "jax", "numpy")
    about = (
        "`jax.jit` and `jax.jit(jax.vmap)` of `ee_transform`, `ee_jacobian`, its `jax.jacfwd`, "
        "`ee_manipulability_index`; several frames by `joint_to_world_transforms`; double precision"
    )

    def functions(self):
        case = self.case
        q, fk = self.known["q"], self.known["fk"]
        if not case.frames:
            return {}
        if len(case.frames) > 1:
            robot = frax.Robot(case.urdf, joint_ordering=list(case.joints))
            return compiled(fk=self.several(robot, q, fk))
        bare = frax.Manipulator(case.urdf, joint_ordering=list(case.joints))
        end = np.linalg.inv(np.asarray(bare.ee_transform(q[0]))) @ fk[0]  # it has no names of frames
        robot = frax.Manipulator(case.urdf, joint_ordering=list(case.joints), ee_offset=end)
        derivative = jax.jacfwd(robot.ee_jacobian)
        return compiled(
            fk=robot.ee_transform,
            jacobian=robot.ee_jacobian,
            hessian=lambda q: jnp.transpose(derivative(q), (2, 0, 1)),
            manipulability=robot.ee_manipulability_index,
        )

    def several(self, robot, q, fk):
        """The frames by the joint that carries each: the one in which it stays where it is."""
        first, second = (np.asarray(robot.joint_to_world_transforms(x)) for x in q[:2])
        places = np.linalg.inv(first)[:, None] @ fk[0]  # (joint, frame, 4, 4)
        moves = np.abs(places - np.linalg.inv(second)[:, None] @ fk[1]).max(axis=(2, 3))
        carriers = moves.argmin(axis=0)
        offsets = jnp.array([places[joint, frame] for frame, joint in enumerate(carriers)])
        return lambda q: robot.joint_to_world_transforms(q)[carriers] @ offsets


def compiled(**functions):
    found = {}
    for query, function in functions.items():
        one, batch = jax.jit(function), jax.jit(jax.vmap(function))
        found[f"{query} one"] = lambda q, one=one: np.asarray(one(q))
        found[f"{query} batch"] = lambda Q, batch=batch: np.asarray(batch(Q))
    return found
