"""Elementary transform sequences (ETS), as text and as objects."""

from kinetree.formats.ets.build import robot_of as robot_of
from kinetree.formats.ets.elements import (
    ET as ET,
    ETS as ETS,
    SE3 as SE3,
    ETSLink as ETSLink,
    Rx as Rx,
    Ry as Ry,
    Rz as Rz,
    tx as tx,
    ty as ty,
    tz as tz,
)
from kinetree.formats.ets.read import parse as parse, read as read
from kinetree.formats.ets.write import ets_of as ets_of, write as write
