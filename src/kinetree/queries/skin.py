"""Wrenches and joint torques of contacts on the iCub's skin."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from kinetree.arguments import explain_type_errors
from kinetree.compiler.port import Port, checked
from kinetree.display import brief
from kinetree.model.robot import Robot
from kinetree.queries.query import coordinates, frames_of
from kinetree.queries.statics import contact_wrench, joint_torques
from kinetree.robots.icub.skin import SkinContact, contact_frame
from kinetree.spatial.se3 import Array

_VECTORS = [Port(name, (3,), ("x", "y", "z")) for name in ("center_of_pressure", "force", "moment")]


class ContactTorques(NamedTuple):
    """Effect of contacts on links and joints.

    wrenches (…, 6): of all contacts of a link together, in the link's frame and about its origin, by the name of the
    link; N, N m. tau (…, nv): what all contacts together exert on the joints, as in `joint_torques`; N m.
    """

    wrenches: Mapping[str, Array]
    tau: Array

    def __repr__(self) -> str:
        return brief(self)


@explain_type_errors
def contact_torques(robot: Robot, q: Any, contacts: Iterable[SkinContact]) -> ContactTorques:
    """Return the wrenches at the links, and the joint torques, of contacts on the skin at q (…, nq).

    contacts: from `contacts`, or made with `SkinContact`; their vectors and q broadcast. The wrench of a contact about
    the origin of its frame is its force f and the moment m + p × f, where p is the centre of pressure; tau is the sum
    of Jᵀ w over all links. Raises KinetreeError for a contact on a frame that the robot does not have (`skin_frame`).

    Examples:
        >>> import kinetree as kt
        >>> icub = kt.load("icub")
        >>> push = {"center_of_pressure": [0.03, -0.06, 0.012], "force": [0, 0, -10]}  # m, N
        >>> contact = kt.icub.SkinContact(skin_part="SKIN_LEFT_FOREARM", **push)
        >>> wrenches, tau = kt.icub.contact_torques(icub, icub.q(), [contact])
        >>> list(wrenches), round(float(tau[icub.joint_names.index("l_elbow")]), 3)  # N m
        (['l_forearm'], 0.813)
    """
    frames_of(robot, ())
    (q,), batch = checked("contact_torques", [coordinates(robot)], [q], {}, float)
    wrenches: dict[str, Array] = {}
    for contact in contacts:
        vectors = [contact.center_of_pressure, contact.force, contact.moment]
        (p, f, moment), _ = checked(f"contact {contact.id}", _VECTORS, vectors, {}, float)
        frame = contact_frame(robot, contact)
        R = frame.origin[:3, :3]
        pure = np.concatenate([np.zeros(moment.shape), moment @ R.T], axis=-1)
        w = contact_wrench(p @ R.T + frame.origin[:3, 3], f @ R.T) + pure
        wrenches[frame.link] = wrenches.get(frame.link, 0.0) + w
    tau = np.zeros((*batch, len(robot.velocity_names)))
    for link, w in wrenches.items():
        tau = tau + joint_torques(robot, link)(q, w)
    return ContactTorques(wrenches, tau)
