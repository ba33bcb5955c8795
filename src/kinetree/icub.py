"""The iCub: control boards, coupled motors, limits of real robots, naming conventions, skin and fingers."""

from kinetree.queries.skin import ContactTorques as ContactTorques, contact_torques as contact_torques
from kinetree.robots.icub.board_limits import board_limits as board_limits, with_board_limits as with_board_limits
from kinetree.robots.icub.board_values import (
    BoardReading as BoardReading,
    BoardValues as BoardValues,
    from_board as from_board,
    to_board as to_board,
)
from kinetree.robots.icub.boards import board_joints as board_joints, with_groups as with_groups
from kinetree.robots.icub.couplings import (
    Coupling as Coupling,
    couplings as couplings,
    from_motors as from_motors,
    to_motors as to_motors,
)
from kinetree.robots.icub.fingers import fingers as fingers
from kinetree.robots.icub.inertias import with_inertias as with_inertias
from kinetree.robots.icub.naming import frame as frame, naming as naming, sensor as sensor
from kinetree.robots.icub.skin import (
    SkinContact as SkinContact,
    Taxels as Taxels,
    contacts as contacts,
    skin_frame as skin_frame,
    taxels as taxels,
)

__all__ = [name for name in dir() if name[0].isalpha()]
