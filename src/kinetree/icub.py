"""The iCub: its control boards, the limits of real robots, its naming conventions and its fingers."""

from kinetree.robots.icub.boards import BoardReading as BoardReading
from kinetree.robots.icub.boards import BoardValues as BoardValues
from kinetree.robots.icub.boards import board_joints as board_joints
from kinetree.robots.icub.boards import from_board as from_board
from kinetree.robots.icub.boards import to_board as to_board
from kinetree.robots.icub.boards import with_groups as with_groups
from kinetree.robots.icub.fingers import fingers as fingers
from kinetree.robots.icub.limits import board_limits as board_limits
from kinetree.robots.icub.limits import with_board_limits as with_board_limits
from kinetree.robots.icub.naming import naming as naming

__all__ = [name for name in dir() if name[0].isalpha()]
