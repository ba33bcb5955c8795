"""State that all parts of the SDF reader share: the report, the places, and extensions for unknown elements."""

from collections.abc import Iterable
from dataclasses import dataclass

from kinetree.files.opener import MeshReader, no_mesh
from kinetree.formats.sdf.frames import WORLD, Entry, Frames
from kinetree.formats.sdf.values import pose_of
from kinetree.model.robot import Extension
from kinetree.spatial.se3 import IDENTITY, Array, frozen
from kinetree.syntax.xml.reader import Element, Report

MODEL_OTHERS = ("static", "self_collide", "allow_auto_disable", "enable_wind", "plugin", "gripper")
WORLD_OTHERS = (
    *("actor", "atmosphere", "audio", "gravity", "gui", "include", "light", "magnetic_field", "physics"),
    *("plugin", "population", "road", "scene", "spherical_coordinates", "state", "wind"),
)
LINK_OTHERS = (
    *("gravity", "enable_wind", "self_collide", "kinematic", "must_be_base_link", "velocity_decay", "projector"),
    *("audio_sink", "audio_source", "battery", "light", "particle_emitter", "plugin"),
)
INERTIAL_OTHERS = ("density", "auto_inertia_params", "fluid_added_mass")
JOINT_OTHERS = ("gearbox_ratio", "gearbox_reference_body", "physics", "plugin")
AXIS_OTHERS = ("initial_position",)
LIMIT_OTHERS = ("stiffness", "dissipation")
VISUAL_OTHERS = ("cast_shadows", "laser_retro", "transparency", "visibility_flags", "meta", "plugin")
COLLISION_OTHERS = ("laser_retro", "max_contacts", "surface", "density", "auto_inertia_params")
MATERIAL_OTHERS = (
    *("script", "shader", "render_order", "lighting", "ambient", "specular", "shininess", "emissive"),
    *("double_sided", "pbr"),
)


@dataclass(frozen=True, slots=True)
class Context:
    """State of one reading. prefix: beginning of all full names in the model that is read. mesh: reader of closed
    meshes."""

    report: Report
    frames: Frames
    prefix: str
    mesh: MeshReader = no_mesh

    def local(self, name: str) -> str:
        """Return a full name as the robot has it."""
        return name.removeprefix(self.prefix)

    def link_of(self, entry: Entry | None) -> Entry | None:
        """Return the link that a place is fixed to, if both are known."""
        return self.frames.link_of(entry) if entry else None

    def keep(
        self, elements: Iterable[Element], known: Iterable[str], owner: Element, path: str = ""
    ) -> list[Extension]:
        """Return elements without a place in the model as extensions, unchanged; warn of those that SDF does not know.

        The tag of an extension has its path in its owner: "axis/limit/stiffness".
        """
        kept = []
        for element in elements:
            if element.tag not in known and ":" not in element.tag:
                message = f"<{element.tag}> in {owner.label} is not understood; it is kept unchanged"
                self.report.warning("not-understood", message, element)
            kept.append(Extension("sdf", path + element.tag, element.kept, element.source))
        return kept

    def pose(self, element: Element | None, at: Entry, base: Entry, owner: Element) -> Array:
        """Return T_base_x (4, 4) of a <pose>, relative to `at` by default."""
        pose = pose_of(self.report, element, at.version, owner)
        frame: Entry | None = at
        if pose.relative_to and element is not None:
            frame = self.frames.find(at.full(pose.relative_to), at, element, "relative_to")
        T = self.frames.between(base, frame) if frame else None
        if T is None:
            return IDENTITY
        return pose.T if T is IDENTITY else frozen(T @ pose.T)


def is_world(entry: Entry) -> bool:
    """Return whether a place is the world."""
    return entry.name == WORLD
