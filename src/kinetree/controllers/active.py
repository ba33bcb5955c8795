"""Tools and user frames that are active on a controller."""

from typing import NamedTuple

import numpy as np

from kinetree.spatial.se3 import IDENTITY, Array


class Active(NamedTuple):
    """The tool T_tool0_tool and the user frame T_base_user (…, 4, 4), m, that are active on a controller."""

    tool: Array = IDENTITY
    user_frame: Array = IDENTITY

    def shown(self, T_base_tool0: Array) -> Array:
        """Return T_user_tool (…, 4, 4)."""
        return np.asarray(_inverse(self.user_frame) @ T_base_tool0 @ self.tool)

    def of_tool0(self, T_user_tool: Array) -> Array:
        """Return T_base_tool0 (…, 4, 4)."""
        return np.asarray(self.user_frame @ T_user_tool @ _inverse(self.tool))


def _inverse(T: Array) -> Array:
    """Return the inverse of poses (…, 4, 4)."""
    result = np.array(T)
    result[..., :3, :3] = np.swapaxes(T[..., :3, :3], -1, -2)
    result[..., :3, 3] = -np.einsum("...ji,...j->...i", T[..., :3, :3], T[..., :3, 3])
    return result
