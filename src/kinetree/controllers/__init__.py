"""Controllers of robots: how they write poses, name frames and couple joints. One TOML file for each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib import import_module
from importlib.resources import files
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from kinetree.errors import unknown_name

if TYPE_CHECKING:
    from kinetree.controllers.controller import Controller


class Controllers(Mapping[str, "Controller"]):
    """Mapping from a key, such as "kuka", or an alias, in any case, to its `Controller`.

    A controller may have other forms of poses, such as on a screen: "ur_screen" is the form "screen" of the alias "ur".
    `forms` lists them; iteration yields the keys of the others, with poses as programs write them.

    Functions of a robot: `pose` and `joints` give what the controller shows of a configuration, `to_pose` and `to_q`
    convert back, `limit_joints` limits its joints; `configuration` is what it writes beside the pose,
    `has_configuration` decides which solutions have it.
    """

    _functions: Mapping[str, str] = {}

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if name in self._functions:
                return getattr(import_module(self._functions[name]), name)
            if name[0] == "_" or not name.isidentifier() or not find_spec(f"{__package__}.{name}"):
                raise AttributeError(f"controllers have no attribute {name!r}")
            return import_module(f"{__package__}.{name}")  # for `import kinetree.controllers.text as …`

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._functions]

    def __getitem__(self, key: str) -> Controller:
        wanted = str(key).lower().replace(" ", "_").replace("-", "_")
        known = [_file(*place) for place in _places()]
        for controller in known:
            if wanted in (controller.key, *controller.aliases):
                return controller
        raise unknown_name("controller", key, [name for c in known for name in (c.key, *c.aliases)])

    def __iter__(self) -> Iterator[str]:
        return iter(_names())

    def __len__(self) -> int:
        return len(_names())

    def __repr__(self) -> str:
        return f"controllers of {', '.join(self)}"

    def _ipython_key_completions_(self) -> list[str]:
        return [*self, *self.forms]

    @property
    def forms(self) -> tuple[str, ...]:
        """Keys of the other forms of poses."""
        return tuple(_file(*place).key for place in _places() if place[1])


controllers = Controllers()


def register(module: str, names: Iterable[str]) -> None:
    """Let functions of a module above this one be attributes of `controllers`; it is imported when one is used."""
    Controllers._functions = {**Controllers._functions, **dict.fromkeys(names, module)}


@cache
def _names() -> tuple[str, ...]:
    found = (file.name for file in files(__package__).iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in found if name.endswith(".toml")))


@cache
def _table(key: str) -> dict[str, Any]:
    import tomllib

    return tomllib.loads(files(__package__).joinpath(f"{key}.toml").read_text(encoding="utf-8"))


@cache
def _places() -> list[tuple[str, str]]:
    """Return every controller's file, and each form in it."""
    return [(key, form) for key in _names() for form in ("", *_table(key).get("form", ()))]


@cache
def _file(name: str, form: str) -> Controller:
    from kinetree.controllers.controller import Controller, Coupling  # takes 5 ms, and few commands need one
    from kinetree.controllers.posture import configuration_of
    from kinetree.controllers.rotation import Rotation

    table = _table(name)
    key, *aliases = ("_".join(filter(None, (one, form))) for one in (name, *table.get("aliases", ())))
    table = {**table, "points": {}, **table["form"][form]} if form else table  # a screen writes no files
    said: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in table.items()}
    made: dict[str, Any] = {
        "key": key,
        "aliases": tuple(aliases),
        "rotation": Rotation(
            said["rotation"], said["components"][3:], said.get("angle", ""), said.get("zero_at_lock", "")
        ),
        "outliers": {name: tuple(rpy) for name, rpy in table.get("outliers", {}).items()},
        "couplings": tuple(Coupling(**{**c, "models": tuple(c["models"])}) for c in table.get("coupling", ())),
        "configuration": configuration_of(table.get("configuration", {})),
        "joint_names": {int(n): tuple(names) for n, names in table.get("joint_names", {}).items()},
    }
    return Controller(**{name: value for name, value in {**said, **made}.items() if name in Controller.__annotations__})
