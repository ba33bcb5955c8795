"""Edits: free functions that take a robot and return a new one with the same physics; `set_origins` and
`set_inertial_parameters` write other numbers, such as those of a calibration.

What an edit drops, because it refers to something that is gone, is on the new robot's `notes`. An edited robot has no
text of its file any more, so that `kt.save` writes it anew.
"""

from kinetree.model.edit.coupled_limits import (
    add_limits as add_limits,
    clear_limits as clear_limits,
    remove_limits as remove_limits,
)
from kinetree.model.edit.frames import (
    add_frame as add_frame,
    add_overlay as add_overlay,
    add_sensor as add_sensor,
    add_tool as add_tool,
    move_frame as move_frame,
)
from kinetree.model.edit.inertias import set_inertial_parameters as set_inertial_parameters
from kinetree.model.edit.merge import merge_fixed as merge_fixed
from kinetree.model.edit.motion import lock as lock, reroot as reroot
from kinetree.model.edit.naming import group as group, prefix as prefix, rename as rename, set_groups as set_groups
from kinetree.model.edit.origins import set_origins as set_origins
from kinetree.model.edit.spheres import as_spheres as as_spheres
from kinetree.model.edit.subtree import attach as attach, cut as cut, floating as floating, remove as remove


def __dir__() -> list[str]:
    return [name for name, value in globals().items() if callable(value)]
