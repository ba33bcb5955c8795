"""Edits: free functions that take a robot and return a new one with the same physics.

What an edit drops, because it refers to something that is gone, is on the new robot's `notes`. An edited robot has no
text of its file any more, so that `kt.save` writes it anew.
"""

from kinetree.model.edit.coupled_limits import add_limits as add_limits
from kinetree.model.edit.coupled_limits import clear_limits as clear_limits
from kinetree.model.edit.coupled_limits import remove_limits as remove_limits
from kinetree.model.edit.frames import add_frame as add_frame
from kinetree.model.edit.frames import add_overlay as add_overlay
from kinetree.model.edit.frames import add_tool as add_tool
from kinetree.model.edit.frames import move_frame as move_frame
from kinetree.model.edit.merge import merge_fixed as merge_fixed
from kinetree.model.edit.motion import lock as lock
from kinetree.model.edit.motion import reroot as reroot
from kinetree.model.edit.naming import group as group
from kinetree.model.edit.naming import prefix as prefix
from kinetree.model.edit.naming import rename as rename
from kinetree.model.edit.naming import set_groups as set_groups
from kinetree.model.edit.subtree import attach as attach
from kinetree.model.edit.subtree import cut as cut
from kinetree.model.edit.subtree import remove as remove


def __dir__() -> list[str]:
    return [name for name, value in globals().items() if callable(value)]
