"""Names for the elements of a robot that are legal in SDF, where their own are not.

Links, frames, joints and models share one name space in each model; a few names are reserved; a joint or frame refers
to nothing outside its model.
"""

from collections import Counter, defaultdict

from kinetree.formats.sdf.frames import MODEL, WORLD
from kinetree.formats.sdf.layout import Layout, reference, scope_of
from kinetree.formats.sdf.losses import sensor_owner
from kinetree.model.reshape import free_name
from kinetree.model.robot import Joint, Robot


def names_for(robot: Robot) -> dict[tuple[str, str], str]:
    """Return {(kind, own name): name in the file} for each element whose own name is not legal in SDF.

    A root called "world" is SDF's world, unless something stands on it.
    """
    layout = Layout(robot, frozenset())
    links = [name for name in robot.links if name != WORLD or name != robot.root or _has_body(layout)]
    frames = [frame for frame in robot.frames.values() if frame.name not in robot.links]
    names: list[str] = [*links, *(frame.name for frame in frames), *(joint.name for joint in layout.joints)]
    taken = {name[:at] for name in names for at in range(len(name)) if name.startswith("::", at)}
    found = {("link", name): _free("link", _legal("link", name), taken) for name in links}
    placed = {name: found.get(("link", name), name) for name in robot.links}
    for frame in frames:
        name = _legal("frame", frame.name)
        outside = reference(placed[frame.link], scope_of(name)) is None
        found["frame", frame.name] = _free("frame", name.replace("::", "_") if outside else name, taken)
    for name, wanted in _joint_names(layout, placed).items():
        found["joint", name] = _free("joint", wanted, taken)
    found["robot", robot.name] = _legal("robot", robot.name).replace("::", "_")
    return {(kind, own): name for (kind, own), name in found.items() if name != own}


def local_name(name: str, owner: str) -> str:
    """Return the name of a sensor without that of its link or joint, or of a model, before it."""
    return name.removeprefix(f"{owner}::").rpartition("::")[2]


def sensor_names(robot: Robot) -> dict[tuple[str, str], str]:
    """Return {("sensor", own name): name that a reader gives it} for each sensor where they differ. Sensors of one
    link or joint have different names in the file; among them, the first keeps its own."""
    used: dict[str, set[str]] = defaultdict(set)
    places = []
    for sensor in robot.sensors.values():
        owner = sensor_owner(robot, sensor)
        scope, local = scope_of(owner), free_name(local_name(sensor.name, owner), used[owner])
        places.append((sensor.name, f"{scope}::{local}" if scope else local, f"{owner}::{local}"))
    counts = Counter(name for _, name, _ in places)
    names = {("sensor", own): name if counts[name] == 1 else full for own, name, full in places}
    return {key: name for key, name in names.items() if name != key[1]}


def _has_body(layout: Layout) -> bool:
    """Return whether the root has what SDF's world cannot have, or is the only link."""
    robot = layout.robot
    root = robot.links[robot.root]
    on = not layout.is_world and any(frame.link == root.name != frame.name for frame in layout.frames)
    on = on or any(robot.frames[sensor.frame].link == root.name for sensor in robot.sensors.values())
    own = any(extension.format == "sdf" for extension in root.extensions)
    return bool(root.inertial or root.visuals or root.collisions or on or own or len(robot.links) == 1)


def _joint_names(layout: Layout, placed: dict[str, str]) -> dict[str, str]:
    """Return names of joints that are in the model of their links and leaders; the others are in none."""
    names = {joint.name: _legal("joint", joint.name) for joint in layout.joints}

    def is_outside(joint: Joint) -> bool:
        ends = [end for end in (placed[joint.parent], placed[joint.child]) if end != WORLD]
        ends += [names[joint.mimic.joint]] if joint.mimic else []
        scope = scope_of(names[joint.name])
        return bool(scope) and any(reference(end, scope) is None for end in ends)

    while outside := [joint.name for joint in layout.joints if is_outside(joint)]:
        names |= {name: names[name].replace("::", "_") for name in outside}
    return names


def _legal(kind: str, name: str) -> str:
    """Return a name without blanks around its parts, none of them reserved."""
    parts = [part.strip() for part in name.split("::")]
    for i, part in enumerate(parts):
        if part == MODEL and kind == "frame" and i == len(parts) - 1:
            continue
        if not part or part == WORLD or (len(part) >= 4 and part.startswith("__") and part.endswith("__")):
            parts[i] = f"{part.strip('_')}_{kind}" if part.strip("_") else kind
    return "::".join(parts)


def _free(kind: str, name: str, taken: set[str]) -> str:
    """Return the name, or if it is taken one with the kind behind it, and add it to `taken`."""
    return free_name(f"{name}_{kind}" if name in taken else name, taken)
