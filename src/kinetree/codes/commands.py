"""Codes of Recordings, figures, servers and other libraries: what each means, and what to do."""

TITLE = "Recordings, figures, servers and other libraries"

ERRORS = {
    "attach": (
        "The two robots cannot be joined in a xacro file.",
        "Write a .urdf, which has the robot itself.",
    ),
    "bag": (
        "A bag of ROS 2 is damaged, or has a message that is not understood.",
        "Repair the bag with its own tools, or record it again.",
    ),
    "bridge": (
        "The other library does not take this robot, or is not installed.",
        "Install the library, or leave out the part with `without=`.",
    ),
    "extra": (
        "A package for MCAP files is not installed.",
        "Install it with `pip install 'kinetree[ros]'`.",
    ),
    "listen": (
        "The server cannot listen at this address.",
        "Choose another --port or --host.",
    ),
    "matlab-name": (
        "The name cannot be that of a MATLAB function.",
        "Use a letter, then letters, digits and _, 63 at most.",
    ),
    "mesh": (
        "The file of a mesh cannot be read, or the mesh has no area or volume.",
        "Export the mesh again; flat meshes cannot collide in MuJoCo.",
    ),
    "mesh-reader": (
        "The format of a mesh needs a package that is not installed.",
        "Install it with `pip install 'kinetree[meshes]'`.",
    ),
    "missing-q": (
        "Velocities need the configuration, because their axes turn with it.",
        "Pass q, too.",
    ),
    "picture": (
        "The direction to the camera is wrong.",
        "Pass three finite numbers that are not along z.",
    ),
    "plot": (
        "A figure cannot be drawn.",
        "Install matplotlib with `pip install 'kinetree[plot]'`, or choose one of the endings in the message.",
    ),
    "serve": (
        "A server needs a package that is not installed.",
        "Install it with `pip install 'kinetree[foxglove]'`.",
    ),
    "texture": (
        "A texture cannot be converted.",
        "Install `kinetree[meshes]`, or save the image as PNG.",
    ),
    "times": (
        "A recording has no times, or times out of range.",
        "Add a column `time` in seconds.",
    ),
    "topic": (
        "A bag has no topic of this name or type.",
        "Use one of the topics in the message.",
    ),
    "viewer": (
        "This installation has no viewer.",
        "Install a wheel, or build the package with Node.",
    ),
    "widget": (
        "A widget needs a package that is not installed.",
        "Install it with `pip install 'kinetree[notebook]'`.",
    ),
}

REMARKS = {
    "description": (
        "The description of a robot cannot be written as URDF, and is left out of a recording.",
        "Save the robot in its own format beside the recording.",
    ),
    "shape-not-shown": (
        "A shape cannot be drawn, for example because its mesh is missing.",
        "Correct the reference to its mesh, or install the reader of its format.",
    ),
}

EITHER = {
    "motion": (
        "A recording names unknown joints, or lacks some, or some of its samples cannot be used.",
        "Correct the columns or rows that the message names.",
    ),
}
