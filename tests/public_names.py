"""The public functions and classes."""

from __future__ import annotations

import inspect
from importlib import import_module

from make_api import SPATIAL, own_functions

import kinetree as kt


def members(label, thing):
    """Return the public names of a module or an object and what they are, as (label.name, thing)."""
    return [(f"{label}.{name}", getattr(thing, name)) for name in dir(thing) if not name.startswith("_")]


def public():
    """Return all public functions and classes, except bridges, by label: the first if there are several."""
    flat = members("kinetree", kt)
    rows = [*flat]
    for label, thing in flat:
        if inspect.ismodule(thing):
            rows += members(label, thing)
    rows += members("kinetree.controllers", kt.controllers)
    for name in SPATIAL:
        module = import_module(f"kinetree.spatial.{name}")
        rows += [(f"{module.__name__}.{key}", thing) for key, thing in own_functions(module).items()]
    first = {}
    for label, thing in rows:
        if inspect.isfunction(inspect.unwrap(thing)) or inspect.isclass(thing):  # remembered ones, too
            first.setdefault(id(thing), (label, thing))
    return dict(first.values())


def with_methods(things):
    """Return functions and classes, and the public methods of the classes."""
    classes = [(label, thing) for label, thing in things.items() if inspect.isclass(thing)]
    methods = [(f"{label}.{name}", one) for label, kind in classes for name, one in vars(kind).items()]
    return things | {label: one for label, one in methods if inspect.isfunction(one) and one.__name__[0] != "_"}
