"""Expansion of an MJCF text by an installed MuJoCo, for a limited child process."""

import ctypes
import os
import warnings
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

DIGITS = 17
"""Digits of a number with which it can be read back exactly."""
PATHS = ("hfield", "mesh", "skin", "tex")
"""Kinds of assets in files, as they begin the names of the tables of a compiled model."""

INSTALL = "pip install 'kinetree[mujoco]'"
FIX = f"load it with expand='mujoco' (--expand mujoco), which needs MuJoCo: {INSTALL}"


class Expansion(NamedTuple):
    """Result of an expansion: MuJoCo's version, the text of the whole model, or the error, and MuJoCo's warnings.

    exact: whether numbers are written with all digits. files: {"tag name of an asset": its file} below the folder.
    """

    version: str
    text: str = ""
    error: str = ""
    warnings: tuple[str, ...] = ()
    exact: bool = True
    files: Mapping[str, str] = MappingProxyType({})


def as_made(answer: Any) -> Expansion:
    """Return an answer of a child process as `Expansion`. Raises TypeError or ValueError if it is something else."""
    version, text, error, warnings, exact, files = answer
    texts = [version, text, error, *warnings, *files, *files.values()]
    if not (isinstance(files, dict) and all(isinstance(text, str) for text in texts)):
        raise TypeError
    return Expansion(version, text, error, tuple(warnings), bool(exact), files)


def expand(text: str, folder: str) -> tuple[Any, ...]:
    """Return the fields of `Expansion` for an MJCF text whose references are relative to a folder. To be called in a
    limited child process: it loads MuJoCo, changes the working folder, and reads whatever the text refers to."""
    os.environ["MUJOCO_GL"] = "disable"
    import mujoco

    os.chdir(folder)
    version, exact = str(mujoco.__version__), _write_all_digits(Path(mujoco.__file__).parent)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            spec = mujoco.MjSpec.from_string(text)
            spec.compiler.saveinertial = True  # a mass may follow from a mesh, which only MuJoCo reads
            spec.compiler.fusestatic = spec.compiler.discardvisual = False
            model = spec.compile()
            made = str(spec.to_xml())
        except (ValueError, RuntimeError, AttributeError, mujoco.FatalError) as error:
            return tuple(Expansion(version, error=str(error), files={}))
        said = tuple(dict.fromkeys(str(warning.message) for warning in caught))
    return tuple(Expansion(version, made, "", said, exact, _files(model)))


def _write_all_digits(folder: Path) -> bool:
    """Let MuJoCo write numbers with all digits, and return whether it does; by default it writes six."""
    for library in (*folder.glob("libmujoco*"), *folder.glob("mujoco.dll")):
        try:
            ctypes.CDLL(str(library))._mjPRIVATE__set_xml_precision(DIGITS)
        except (OSError, AttributeError):
            continue
        return True
    return False


def _files(model: Any) -> dict[str, str]:
    """Return the files of the assets: the XML that MuJoCo writes has only the folders of the main file."""
    found = {}
    for kind in PATHS:
        for i, start in enumerate(getattr(model, f"{kind}_pathadr")):
            if start >= 0:
                tag = "texture" if kind == "tex" else kind
                name = getattr(model, kind)(i).name
                found[f"{tag} {name}"] = model.paths[start : model.paths.index(b"\0", start)].decode()
    return found
