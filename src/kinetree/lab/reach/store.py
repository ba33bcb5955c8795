"""Reach maps in Zarr stores: written slab by slab, continued, and read.

While a map is computed, its store has a group `slabs`: one chunk a slab in each array, and `done`, where a slab is
marked once its chunks are written. Chunks are files that are replaced whole. At the end `slabs` is replaced by arrays
over the voxels (x, y, z), and the attribute `complete` is True.
"""

import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinetree.errors import fail
from kinetree.lab.reach.slabs import Slab

KEY = "kinetree_reach"
"""The attribute with the arguments of a map."""
WORK = "slabs"
FILES = 8
"""Number of chunks of a complete array, along x."""


def _zarr() -> Any:
    try:
        import zarr
    except ImportError:
        message = "a reach map is stored with zarr, which is not installed"
        raise fail("store", message, fix="pip install 'kinetree[reach]'") from None
    return zarr


class Store:
    """A store of a map that is computed. Opening continues the map there, or begins a new one.

    path: a folder. arguments: all that the result depends on, as JSON. Raises KinetreeError if the folder has something
    else, or a map of other arguments.
    """

    def __init__(self, path: Path, arguments: Mapping[str, Any]) -> None:
        zarr = _zarr()
        self.path = path
        if path.exists() and (not path.is_dir() or any(path.iterdir())):
            self.group = zarr.open_group(_checked(path, arguments), mode="r+")
        else:
            self.group = zarr.open_group(path, mode="w", attributes={KEY: dict(arguments), "complete": False})
        self.complete = bool(self.group.attrs["complete"])
        if self.complete:
            self._clear()

    def begin(self, cells: int, chunk: int, width: int) -> None:
        """Make the arrays of slabs, unless they are there. cells: number of results. chunk: those of a slab. width:
        bytes of the orientations of a cell."""
        work, chunk = self.group.require_group(WORK), min(chunk, cells)
        options: dict[str, Any] = {"exact": True}
        self.slabs = [
            work.require_array("bits", shape=(cells, width), chunks=(chunk, width), dtype="u1", **options),
            *(work.require_array(name, shape=(cells,), chunks=(chunk,), dtype="f4", **options) for name in BEST),
        ]
        self._done = work.require_array("done", shape=(-(-cells // chunk),), chunks=(1,), dtype="u1", **options)

    @property
    def done(self) -> set[int]:
        """The slabs that are written."""
        return set(np.flatnonzero(self._done[:]).tolist())

    def write(self, number: int, where: slice, slab: Slab) -> None:
        """Write the result of a slab, then its mark."""
        for array, values in zip(self.slabs, slab, strict=True):
            array[where] = values
        self._done[number] = 1

    def read(self) -> Slab:
        """Return the results of all slabs."""
        return Slab(*(array[:] for array in self.slabs))

    def finish(self, arrays: Mapping[str, NDArray[Any]], names: Mapping[str, Sequence[str]]) -> None:
        """Write the arrays of the complete map in place of the slabs. names: of the axes of each."""
        for name, values in arrays.items():
            chunks = (max(-(-values.shape[0] // FILES), 1), *values.shape[1:])
            self.group.create_array(
                name, data=np.asarray(values), chunks=chunks, dimension_names=names[name], overwrite=True
            )
        self.group.attrs["complete"] = True
        self._clear()

    def _clear(self) -> None:
        if (self.path / WORK).exists():
            shutil.rmtree(self.path / WORK)


BEST = ("manipulability", "margin")
"""Arrays of the best solution of a voxel."""


def _checked(path: Path, arguments: Mapping[str, Any]) -> Path:
    """Return the path of a store of the same arguments."""
    known = arguments_of(path)
    differences = [
        f"{name} is {known.get(name)!r} there, not {value!r}"
        for name, value in arguments.items()
        if known.get(name) != value
    ]
    if differences:
        shown = "; ".join(differences)
        raise fail("store", f"{path} has another map: {shown}", fix="give another path, or remove the folder")
    return path


def arguments_of(path: Path) -> dict[str, Any]:
    """Return the arguments of the map in a folder. Raises KinetreeError if it has none."""
    zarr = _zarr()
    try:
        known = dict(zarr.open_group(path, mode="r").attrs)
    except (OSError, ValueError, KeyError) as fault:
        raise fail("store", f"{path} has no reach map: {fault}") from None
    if KEY not in known:
        raise fail("store", f"{path} has no reach map, but other arrays")
    return dict(known[KEY])


def read_store(path: Path) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return the arguments and the arrays of a complete map. Raises KinetreeError for another store."""
    arguments = arguments_of(path)
    group = _zarr().open_group(path, mode="r")
    if not group.attrs["complete"]:
        message = f"{path} is not complete; call reach_map with the same arguments and store= to continue"
        raise fail("store", message)
    return arguments, dict(_arrays(group))


def _arrays(group: Any) -> Iterator[tuple[str, NDArray[Any]]]:
    for name, array in sorted(group.arrays()):
        yield name, array[:]
