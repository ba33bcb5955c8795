"""Codes of SDF: what each means, and what to do."""

TITLE = "SDF"

ERRORS = {
    "include-count": (
        "The file includes more models than Kinetree reads.",
        "Load a smaller world, or one model of it.",
    ),
    "include-cycle": (
        "A model includes itself, directly or through others.",
        "Remove the include that leads back.",
    ),
    "include-params": (
        "The include has experimental parameters, which Kinetree does not read.",
        "Write the changed model into a file of its own, and include that.",
    ),
    "no-axis": (
        "A joint that moves has no <axis>.",
        "Add <axis> with <xyz>.",
    ),
    "no-model": (
        "The file contains no model, so there is no robot in it.",
        "Load a file with <model>.",
    ),
    "not-sdf": (
        "The root element of an SDF file is not <sdf>.",
        'Check the format of the file; the root of SDF is <sdf version="…">.',
    ),
    "reserved-name": (
        "A name is reserved by SDF, such as world or names between double underscores.",
        "Choose another name.",
    ),
    "rotation-format": (
        "The rotation format of a pose is unknown, or does not fit `degrees`.",
        "Use euler_rpy, with or without degrees, or quat_xyzw without.",
    ),
    "several-models": (
        "The file contains several models, and none is chosen.",
        "Choose one with --model NAME or `model=`.",
    ),
    "truth-value": (
        "A value is neither true nor false.",
        "Write true, false, 1 or 0.",
    ),
    "unknown-model": (
        "The file has no model of this name.",
        "Use one of the names in the message.",
    ),
}

REMARKS = {
    "auto-inertia": (
        "The simulator computes an inertia; here the link has none.",
        "Write <mass> and <inertia>, if dynamics are computed.",
    ),
    "default-inertial": (
        "A mass or moments of inertia are missing; SDF's defaults are used.",
        "Write <mass> and <inertia>; the defaults are 1 kg and 1 kg m².",
    ),
    "default-pitch": (
        "The pitch of a screw is missing; SDF's default is used.",
        "Write <screw_thread_pitch>.",
    ),
    "default-size": (
        "A size of a shape is missing; SDF's default is used.",
        "Write the size.",
    ),
    "inertial-pose": (
        "The pose of a link's inertial names another frame than the link's, which has no effect.",
        "Remove relative_to, and write the pose relative to the link.",
    ),
    "model-pose": (
        "The place of the model in its world is left out, because no joint attaches it.",
        "Attach it with a fixed joint to the world, if its place matters.",
    ),
    "not-of-the-model": (
        "An element belongs to the world or to another model, and is not read.",
        "No action is needed if only this model is needed; otherwise choose another with --model.",
    ),
    "static": (
        "The model is static, but its joints are read anyway.",
        "Remove <static> if the model moves.",
    ),
}

EITHER = {
    "sdf-version": (
        "The version of SDF is unknown, or an element or attribute belongs to another version.",
        'Write the version in <sdf version="…"> to which the elements belong.',
    ),
}
