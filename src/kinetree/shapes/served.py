"""The meshes and textures of a robot that clients of a server may fetch, under addresses `package://…`."""

import os
import re
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from kinetree.confine import ALLOW, Confinement, real, workspace_of
from kinetree.errors import Finding, KinetreeError, fail
from kinetree.files.opener import Files, folder_of
from kinetree.model.assemble import build
from kinetree.model.robot import Robot
from kinetree.shapes.copy_assets import ASSETS, Bag
from kinetree.shapes.read import ending_of

GIVE = "give its folder a name, as in --package NAME=FOLDER; in Python, packages={name: folder} of kt.load does"
NOWHERE = Path(os.path.abspath(os.devnull)) / "robot.urdf"
"""A file that cannot exist: nothing is written, and no file of the disk is taken for one of the served ones."""


class _ServedFiles(Bag):
    """Files in the workspace of the robot and in the packages that its references name, by their addresses."""

    def __init__(self, robot: Robot) -> None:
        super().__init__(robot, NOWHERE, "urdf", (), False, refusal="is not served", remedy="")
        self.packages = _packages(robot, self.files)
        self.roots = {folder: name for folder, name in self.packages.items() if name not in self.roots.values()}
        if robot.places.confinement is None:
            own = workspace_of(robot.source.file) if robot.source and folder_of(robot.source.file) else []
            self.files = Files(robot.places.packages, Confinement([*own, *self.packages]))

    def root(self, path: Path) -> Path:
        """Return the package that contains a file, so that its address is the usual one."""
        return next((folder for folder in self.packages if path.is_relative_to(folder)), super().root(path))

    def placed(self, path: Path, data: bytes, ending: str, converted: bool, root: Path | None = None) -> str:
        """Return the address of a file. Raises KinetreeError for a link to a file of another kind."""
        if ending_of(real(path)) != ending_of(path.name):
            raise fail("file", f"it is a link to a file of another kind, {real(path)}")
        return super().placed(path, data, ending, converted, root).replace(f"{ASSETS}/", "package://", 1)


def served(robot: Robot) -> tuple[Robot, dict[str, bytes], list[Finding]]:
    """Return the robot with references that clients can fetch, the contents of all these by address, and warnings
    about files that are not served: they are missing, lie outside of the robot's workspace and packages, or are neither
    meshes nor textures."""
    bag = _ServedFiles(robot)
    parts = bag.parts()
    contents = {
        f"package://{path.relative_to(bag.folder / ASSETS).as_posix()}": data for path, data in bag.contents.items()
    }
    findings = [replace(f, severity="warning", fix=f.fix and f.fix.replace(ALLOW, GIVE)) for f in bag.findings.values()]
    return build(parts) if bag.changed else robot, contents, findings


def _packages(robot: Robot, files: Files) -> dict[Path, str]:
    """Return the folders of the packages and models that the references of a robot name, with these names."""
    shapes = [shape for link in robot.links.values() for shape in (*link.visuals, *link.collisions)]
    materials = [*robot.materials.values(), *(shape.material for shape in shapes if shape.material)]
    named = [(str(shape.shape.parameters.get("filename", "")), shape.source) for shape in shapes]
    named += [(material.texture or "", material.source) for material in materials]
    found: dict[Path, str] = {}
    for reference, source in named:
        if (match := re.match(r"(package|model)://([^/]+)", reference)) is None:
            continue
        search = files.packages.package if match[1] == "package" else files.packages.model
        for place in dict.fromkeys(p.file for p in (source, robot.source) if p):
            with suppress(KinetreeError):
                found.setdefault(Path(os.path.abspath(search(match[2], folder_of(place)))), match[2])
    return found
