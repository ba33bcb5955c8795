"""The iCub: control boards, coupled motors, limits of real robots, naming conventions, skin and fingers."""

from kinetree.queries.skin import ContactTorques as ContactTorques
from kinetree.queries.skin import contact_torques as contact_torques
from kinetree.robots.icub.board_limits import board_limits as board_limits
from kinetree.robots.icub.board_limits import with_board_limits as with_board_limits
from kinetree.robots.icub.board_values import BoardReading as BoardReading
from kinetree.robots.icub.board_values import BoardValues as BoardValues
from kinetree.robots.icub.board_values import from_board as from_board
from kinetree.robots.icub.board_values import to_board as to_board
from kinetree.robots.icub.boards import board_joints as board_joints
from kinetree.robots.icub.boards import with_groups as with_groups
from kinetree.robots.icub.couplings import Coupling as Coupling
from kinetree.robots.icub.couplings import couplings as couplings
from kinetree.robots.icub.couplings import from_motors as from_motors
from kinetree.robots.icub.couplings import to_motors as to_motors
from kinetree.robots.icub.fingers import fingers as fingers
from kinetree.robots.icub.inertias import with_inertias as with_inertias
from kinetree.robots.icub.naming import frame as frame
from kinetree.robots.icub.naming import naming as naming
from kinetree.robots.icub.naming import sensor as sensor
from kinetree.robots.icub.skin import SkinContact as SkinContact
from kinetree.robots.icub.skin import Taxels as Taxels
from kinetree.robots.icub.skin import contacts as contacts
from kinetree.robots.icub.skin import skin_frame as skin_frame
from kinetree.robots.icub.skin import taxels as taxels

__all__ = [name for name in dir() if name[0].isalpha()]
