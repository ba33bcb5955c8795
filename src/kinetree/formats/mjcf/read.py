"""MJCF text to a robot."""

from collections.abc import Collection
from copy import copy, deepcopy
from dataclasses import replace

from kinetree.confine import Confinement
from kinetree.files.opener import MeshReader, Opener, no_mesh, nothing
from kinetree.formats.finish import finish, without_doubts
from kinetree.formats.losses.parts import cutter
from kinetree.formats.mjcf.actuators import read_actuators
from kinetree.formats.mjcf.assets import read_assets
from kinetree.formats.mjcf.attach import expand_attachments
from kinetree.formats.mjcf.bodies import read_bodies
from kinetree.formats.mjcf.compiler import read_compiler
from kinetree.formats.mjcf.constraints import lock_held, note_split_ranges, read_equality, read_tendons
from kinetree.formats.mjcf.context import FORMAT, Context, collect_names
from kinetree.formats.mjcf.defaults import Classes
from kinetree.formats.mjcf.expand import MAKERS, expanded, makers
from kinetree.formats.mjcf.extras import check_names, keep_sections
from kinetree.formats.mjcf.include import expand
from kinetree.formats.mjcf.kept_keys import without_chosen
from kinetree.formats.mjcf.known import check_known
from kinetree.formats.mjcf.order import take_texts
from kinetree.formats.mjcf.replicate import expand_replicates
from kinetree.formats.mjcf.sensors import read_sensors
from kinetree.formats.mjcf.unknown_names import report_unknown_names
from kinetree.model.assemble import Parts, Reading
from kinetree.model.robot import Robot, Text
from kinetree.spatial.se3 import frozen
from kinetree.syntax.xml.reader import MAX_PARTS, DerivedText, Element, Report, parse

NAME = "MuJoCo Model"  # MuJoCo's name of a model without one
OF_BODIES = ("body", "frame", "replicate", "joint", "freejoint", "geom", "site", "camera", "light", "inertial", *MAKERS)


def read_certain(
    text: bytes | str | DerivedText,
    file: str,
    opener: Opener = nothing,
    by: str | None = None,
    confinement: Confinement | None = None,
    mesh: MeshReader = no_mesh,
    *,
    without: Collection[str] = (),
) -> Reading:
    """Return the robot in an MJCF text, after errors with doubts, or None, and all findings. Never raises on content.

    opener: for <include>. by: "mujoco" if MuJoCo shall expand elements that make bodies; it reads files within the
    confinement. mesh: for masses that follow from meshes. without: parts that are not read.
    """
    report = Report(cutter("mjcf", without))
    root = parse(text, file, report)
    if root is None:
        return None, report.findings
    if root.tag != "mujoco":
        fix = "load the file that includes this one" if root.tag == "mujocoinclude" else None
        report.error("not-mjcf", f"the root element is <{root.tag}>; expected <mujoco>", root, fix=fix)
        return None, report.findings
    written = Text(FORMAT, root.document.data.decode())
    expand(report, root, opener)
    if not report.failed and not _is_model(report, root):
        return None, report.findings
    if not by or report.failed:
        return _robot(report, root, written, opener, mesh), report.findings
    trial = copy(report)
    trial.findings, trial.about, trial.count = [*report.findings], {**report.about}, {**report.count}
    tried = _robot(trial, deepcopy(root), written, opener, mesh)  # a mass may follow from a mesh that only MuJoCo makes
    if tried and not trial.failed and not any(link.unweighed for link in tried.links.values()) and not makers(root):
        return tried, trial.findings
    if (made := expanded(report, root, confinement)) is None:
        return None, report.findings
    files = {e.document.file: e.document.data.decode() for e in root.walk()}
    written = Text(FORMAT, made.document.data.decode(), made.document.origins, files)
    robot = _robot(report, made, written, opener, mesh)
    if report.failed and not trial.failed:  # the text that MuJoCo writes can be broken, as by attach with prefix=""
        return tried, trial.findings
    return robot, report.findings


read = without_doubts(read_certain)


def _is_model(report: Report, root: Element) -> bool:
    """Return whether a file has a <worldbody>, with an error if not, and for each part of bodies outside of it."""
    outside = [child for child in root.children if child.tag in OF_BODIES]
    if not root.find_all("worldbody"):
        message = "there is no <worldbody>, so the file is a part of a model, and no model"
        message += f"; <{outside[0].tag}> stands directly in <mujoco>" if outside else ""
        report.error("no-model", message, root, fix="load the file that includes this one")
        return False
    for element in outside:
        message = f"<{element.tag}> stands directly in <mujoco>; expected it in <worldbody>"
        report.error("world", message, element)
    return not report.failed


def _robot(report: Report, root: Element, written: Text, opener: Opener, mesh: MeshReader) -> Robot | None:
    check_known(report, root)
    compiler = read_compiler(report, root)
    expand_attachments(report, root, compiler, opener, (root.document.file,))
    if report.parts > MAX_PARTS:
        return None
    expand_replicates(report, root, compiler)
    classes = Classes(report, root)
    parts = Parts(root.get("model") or NAME, source=root.source, text=written)
    assets = read_assets(report, root, compiler, classes, mesh)
    context = Context(report, compiler, classes, assets, parts, collect_names(root))
    parts.materials = list(assets.materials.values())
    context.counted, carried = take_texts(report, root)
    read_bodies(context, root)
    if not any(f.code == "not-supported" for f in report.findings):  # such as elements that create bodies
        report_unknown_names(report, root)
    check_names(context, root)
    left = {"asset": assets.others, "equality": read_equality(context, root), "tendon": read_tendons(context, root)}
    left["sensor"] = read_sensors(context, root)
    keep_sections(context, root, left, read_actuators(context, root))
    _scale_masses(context, root)
    robot = finish(report, parts, root, FORMAT, carried)
    robot = robot and lock_held(context, note_split_ranges(context, robot))
    return robot and without_chosen(robot)


def _scale_masses(context: Context, root: Element) -> None:
    """Scale all masses to the sum in the compiler's settotalmass."""
    total, links = context.compiler.settotalmass, context.parts.links
    if total <= 0:
        return
    mass = sum(link.inertial.mass for link in links if link.inertial)
    if any(link.unweighed for link in links) or mass <= 0:
        message = f"settotalmass='{total:g}' cannot be obeyed, for not all masses are known; they are as written"
        context.report.warning("compiler-setting", message, root.find_all("compiler")[-1])
        return
    for i, link in enumerate(links):
        if inertial := link.inertial:
            scaled = replace(
                inertial, mass=inertial.mass * total / mass, inertia=frozen(inertial.inertia * (total / mass))
            )
            links[i] = replace(link, inertial=scaled)
