"""Kinetree: robot descriptions loaded right, or refused with the reason; any frame against any other."""

from kinetree import _start

if _start.is_command():  # before anything that takes time
    _start.on_interrupt(end=True)

# isort: split

from typing import TYPE_CHECKING

from kinetree.checker.check import check as check
from kinetree.controllers import controllers as controllers
from kinetree.errors import Finding as Finding
from kinetree.errors import KinetreeError as KinetreeError
from kinetree.errors import Source as Source
from kinetree.errors import UnverifiedWarning as UnverifiedWarning
from kinetree.load import load as load
from kinetree.load import save as save
from kinetree.model import edit as edit
from kinetree.model.robot import Robot as Robot

if TYPE_CHECKING:
    from kinetree._computing import *  # noqa: F403  (for type checkers: at run time names come from __getattr__)
else:

    def __getattr__(name: str) -> object:
        """What computes, and the modules of the package: imported when somebody asks for it, for `kinetree check` to
        begin at once."""
        from importlib import import_module
        from importlib.util import find_spec

        if name.startswith("__"):
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        if find_spec(f"{__name__}.{name}"):
            return import_module(f"{__name__}.{name}")
        computing = vars(import_module(f"{__name__}._computing"))
        globals().update({key: value for key, value in computing.items() if not key.startswith("__")})
        if name not in computing:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return computing[name]

    def __dir__() -> list[str]:
        __getattr__("fk")
        return sorted(globals())


__version__ = "0.1.0.dev0"
