"""Elementary transform sequences (ETS), as text and as objects."""

from kinetree.formats.ets.build import robot_of as robot_of
from kinetree.formats.ets.elements import ET as ET
from kinetree.formats.ets.elements import ETS as ETS
from kinetree.formats.ets.elements import SE3 as SE3
from kinetree.formats.ets.elements import ETSLink as ETSLink
from kinetree.formats.ets.elements import Rx as Rx
from kinetree.formats.ets.elements import Ry as Ry
from kinetree.formats.ets.elements import Rz as Rz
from kinetree.formats.ets.elements import tx as tx
from kinetree.formats.ets.elements import ty as ty
from kinetree.formats.ets.elements import tz as tz
from kinetree.formats.ets.read import parse as parse
from kinetree.formats.ets.read import read as read
from kinetree.formats.ets.write import ets_of as ets_of
from kinetree.formats.ets.write import write as write
