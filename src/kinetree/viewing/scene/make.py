"""The scene of the page: one or more robots, their meshes, and the functions that move them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from kinetree import __version__
from kinetree.compiler.kernel import Kernel
from kinetree.controllers import controllers
from kinetree.controllers.controller import METRES, Controller
from kinetree.controllers.rotation import RADIANS
from kinetree.errors import Finding
from kinetree.lab.reach.map import ReachMap
from kinetree.logs import Motion, filled
from kinetree.model.robot import Robot
from kinetree.queries.joint_choice import Joints
from kinetree.queries.motion import fk
from kinetree.solvers.compare import Comparison
from kinetree.viewing.packing import check_simplification
from kinetree.viewing.scene.comparison import described_comparison
from kinetree.viewing.scene.findings import Places, described
from kinetree.viewing.scene.loops import described_loops, start
from kinetree.viewing.scene.meshes import MeshFiles
from kinetree.viewing.scene.motion import described_motion
from kinetree.viewing.scene.robot import bodies_of, described_robot
from kinetree.viewing.scene.shapes import Shapes
from kinetree.viewing.voxels import check_map, described_reach


class PosedRobot(NamedTuple):
    """A robot to show. q (nq,): its first configuration, by default neutral. findings: what is
    known to be wrong with it. complete: whether shapes that are not shown add none. motion: what the page plays; its
    first sample is where its joints begin. rules: a line about the rules of the findings. driven: joints that move
    those of loops, see `closer_of`."""

    robot: Robot
    q: Any = None
    findings: Sequence[Finding] = ()
    complete: bool = False
    motion: Motion | None = None
    rules: str | None = None
    driven: Joints = None


@dataclass(frozen=True, eq=False)
class Scene:
    """Content of a page.

    content: the JSON of the page, see docs/how-to/showing.md. meshes: all meshes as base64 of zlib's format. functions:
    kernels of the poses of the moving links by the name that `content` calls them. findings: those of all robots, and
    warnings of shapes that are left out.
    """

    content: dict[str, Any]
    meshes: str
    functions: tuple[tuple[str, Kernel], ...]
    findings: tuple[Finding, ...]


def scene(
    robots: Sequence[PosedRobot],
    *,
    faces: int | None = None,
    comparison: Comparison | None = None,
    reach: ReachMap | None = None,
    contact: bool = False,
    cover: bool = False,
) -> Scene:
    """Return the scene of robots, which share mesh files.

    faces: about the most triangles of a mesh file; finer meshes are made coarser. A mesh that cannot be read is left
    out with a warning. comparison: of the two robots, whose differences the page lists. reach: a map of the first
    robot. contact: whether the page can show which links of one robot touch; cover: whether it also has the spheres
    that contain their shapes. Raises KinetreeError for a wrong q, a map of frames that the robot lacks, and for `faces`
    if fast-simplification is not installed.
    """
    if faces is not None:
        check_simplification(faces)
    files = MeshFiles(faces)
    shown, functions = [], list[tuple[str, Kernel]]()
    findings: list[list[Finding]] = []
    for number, (robot, q, known, complete, motion, rules, driven) in enumerate(robots):
        shapes, bodies, name = Shapes(robot, files), bodies_of(robot), f"fk{number}"
        kernel = fk(robot, list(bodies))
        first = start(robot, q, driven)
        if motion:
            first = filled(robot, motion, first)[0]
        one = described_robot(robot, bodies, kernel, first, shapes)
        one["motion"] = described_motion(robot, motion, first) if motion else None
        found = [*known, *(() if complete else without_known(shapes.findings.values(), known))]
        places = Places(robot)
        for lost in (lost for link in one["links"] for lost in link["missing"]):
            lost["why"] = places.plain(lost["why"])
        listed = [described(finding, places) for finding in found]
        shown.append({**one, "fk": name, "findings": listed, "rules": rules})
        functions.append((name, kernel))
        findings.append(found)
        if not number and (robot.loops or driven is not None):
            shown[0]["loops"], closing = described_loops(robot, driven)
            functions += closing
    contacts: dict[str, Any] | None = None
    if contact and comparison is None:
        from kinetree.viewing.scene.contact import described_contact  # takes long

        contacts, step = described_contact(robots[0].robot, files.packed, cover)
        functions += [("gjk", step)] if step else []
    content: dict[str, Any] = {"made_by": f"kinetree {__version__}", "robots": shown, "meshes": files.packed.table}
    content["controllers"] = described_controllers()
    content["comparison"] = described_comparison(comparison, _names(robots), shown, findings) if comparison else None
    content["contact"] = contacts
    content["reach"] = _described_map(robots[0], reach) if reach else None
    return Scene(content, files.packed.text, tuple(functions), tuple(chain(*findings)))


def _described_map(shown: PosedRobot, reach: ReachMap) -> dict[str, Any]:
    check_map(shown.robot, reach)
    return described_reach(reach, fk(shown.robot, reach.base).interpret(start(shown.robot, shown.q, shown.driven)))


def _names(robots: Sequence[PosedRobot]) -> list[str]:
    """Return the names of the robots, or those of their files if they have the same name, or of their order."""
    files = [Path(robot.source.file).name if robot.source else "" for robot, *_ in robots]
    for names in ([robot.name for robot, *_ in robots], files):
        if len(set(names)) == len(robots) and all(names):
            return names
    return ["first", "second"]


def without_known(new: Iterable[Finding], known: Sequence[Finding]) -> list[Finding]:
    """Return the warnings about meshes that no rule has already given for the same place."""
    places = {(finding.element, finding.source) for finding in known if finding.code.startswith("MSH-00")}
    return [finding for finding in new if (finding.element, finding.source) not in places]


def described_controllers() -> list[dict[str, Any]]:
    """Return what the page needs to write poses as each controller does."""
    return [_described(controller) for controller in controllers.values()]


def _described(controller: Controller) -> dict[str, Any]:
    rotation = controller.rotation
    turns = rotation.turns
    places = [place for _, place in turns]
    return {
        "key": controller.key,
        "name": controller.name,
        "components": list(controller.components),
        "digits": list(controller.digits),
        "metre": 1 / METRES[controller.position],
        "radian": 1 / RADIANS.get(rotation.unit, 1.0),
        "mirrored": controller.mirrored,
        "kind": rotation.kind,
        "axes": "".join(axis for axis, _ in turns),
        "places": places,
        "zero": places.index(rotation.names.index(rotation.zero)) if turns else 0,
    }
