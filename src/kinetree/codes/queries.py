"""Codes of Functions, arrays and kernels: what each means, and what to do."""

TITLE = "Functions, arrays and kernels"

ERRORS = {
    "argument-number": (
        "An argument is not an array of numbers, or not all of its numbers are finite.",
        "Pass an array of real numbers.",
    ),
    "argument-shape": (
        "An array has a wrong shape.",
        "Pass an array of the shape in the message; axes in front are a batch.",
    ),
    "arguments": (
        "A function got too many, too few or unknown arguments.",
        "Pass the arguments that the message lists.",
    ),
    "array": (
        "An object cannot be read as an array of numbers.",
        "Convert it to a NumPy array first.",
    ),
    "array-device": (
        "An array is not in the memory of the processor.",
        "Copy it to the CPU first, as with .cpu().",
    ),
    "array-grad": (
        "A tensor that requires a gradient was passed where no gradient is recorded.",
        "Use `kinetree.bridges.torch.wrap`, or pass .detach().",
    ),
    "arrays": (
        "Arrays of two libraries were mixed in one call.",
        "Convert them to one library.",
    ),
    "at": (
        "The values of the joints that stand still are wrong.",
        "Pass a full q, or 'input' where a kernel is made.",
    ),
    "batch-shape": (
        "The batches of the arguments do not broadcast.",
        "Pass the same axes in front, or axes of length one.",
    ),
    "c-file": (
        "The name of the C file is wrong.",
        "Write a name that ends in .c or .js.",
    ),
    "c-header": (
        "The name of the header cannot be written in C.",
        "Use ASCII letters, digits and . _ + -",
    ),
    "c-name": (
        "A name cannot be used in C, because it is reserved or taken.",
        "Choose another name.",
    ),
    "c-repeated": (
        "A function that repeats steps cannot be written as C.",
        "Generate another function; kernels without iteration can be written.",
    ),
    "controller": (
        "The controller of a pose is unknown or missing.",
        "Name a controller; the message lists them.",
    ),
    "controller-frame": (
        "The robot lacks a frame that the controller refers to, or it moves.",
        "Add the frame of REP-199, or name yours with base=, flange= or tool0=.",
    ),
    "controller-joints": (
        "The joints between base and tool do not fit those of a controller.",
        "Name the base and the tool so that the arm is between them.",
    ),
    "controller-model": (
        "The controller has no such model.",
        "Use one of the models in the message.",
    ),
    "derivative": (
        "A function that repeats steps has no derivative here.",
        "Differentiate a kernel without iteration; for `kt.ik` see its own gradient.",
    ),
    "descents": (
        "The number of descents is wrong.",
        "Pass a whole number from 1 to 10000.",
    ),
    "device": (
        "A kernel computes on the CPU, and an array is on another device.",
        "Move the array to the CPU first.",
    ),
    "dt": (
        "A time step is not a finite number above zero.",
        "Pass the step in seconds.",
    ),
    "dtype": (
        "The type of the numbers is not supported.",
        "Use float64 or float32.",
    ),
    "fixed": (
        "A fixed joint has no coordinate.",
        "Leave it out.",
    ),
    "goal": (
        "The number of goals does not fit the number of frames.",
        "Pass one goal for all frames, or one for each.",
    ),
    "gravity": (
        "Gravity is not three finite numbers.",
        "Pass m/s² in the axes of the root, such as (0, 0, -9.81).",
    ),
    "joint-q": (
        "A value does not fit the joint.",
        "Pass as many numbers as the joint has coordinates.",
    ),
    "js-name": (
        "A name cannot be used in JavaScript.",
        "Choose another name.",
    ),
    "js-repeated": (
        "A function that repeats steps cannot be written as JavaScript.",
        "Generate another function; kernels without iteration can be written.",
    ),
    "kernel": (
        "The object is not a kernel.",
        "Pass a kernel, such as `kt.fk(robot, frame)`.",
    ),
    "loops": (
        "Joints close loops, whose forces are unknown.",
        "Pass loops='ignore' to compute the tree without them.",
    ),
    "mirrored": (
        "The axis of a mirror is unknown.",
        "Use '', 'x', 'y' or 'z'.",
    ),
    "names": (
        "The names of a table or mapping do not fit.",
        "Give one value for each name that the message lists, and for no other.",
    ),
    "no-pose": (
        "A text contains no pose.",
        "Copy the whole pose, with its numbers.",
    ),
    "no-solution": (
        "A set of limits has no such volume or corner.",
        "Bound the limits, and keep them apart from each other.",
    ),
    "not-finite": (
        "A configuration has an infinite or undefined number.",
        "Pass finite numbers.",
    ),
    "out": (
        "The array for the result cannot be used.",
        "Pass a writable array of the result's shape and type.",
    ),
    "out-shape": (
        "The array for the result has the wrong shape.",
        "Pass an array of the shape in the message.",
    ),
    "overflow": (
        "The result is not finite.",
        "Pass smaller numbers.",
    ),
    "passive": (
        "A joint has a passive force that cannot be computed.",
        "Leave out dynamics, or compute in MuJoCo.",
    ),
    "pose-text": (
        "The text of a pose cannot be read.",
        "Copy it as the controller shows it; the message has the form.",
    ),
    "q": (
        "A configuration has the wrong form.",
        "Pass an array in the order of `robot.joint_names`, or a mapping of names to values.",
    ),
    "q-shape": (
        "A configuration has the wrong shape.",
        "Pass (…, n) numbers, in the order of the message.",
    ),
    "q0": (
        "The start of a search does not fit.",
        "Pass one configuration, or as many as there are targets.",
    ),
    "qd": (
        "The velocity of the joints is missing, or passed without need.",
        "Pass qd if the guard limits acceleration, and only then.",
    ),
    "robot": (
        "The object is not a robot.",
        "Pass a robot from `kinetree.load`.",
    ),
    "sample": (
        "The number of samples is wrong.",
        "Pass a whole number from 0.",
    ),
    "seed": (
        "The seed is wrong.",
        "Pass a whole number from 0, or a generator of NumPy.",
    ),
    "tangent": (
        "The argument `tangent` is neither True nor False.",
        "Pass True or False.",
    ),
    "target": (
        "A target is not finite, or not a pose.",
        "Pass an array of the shape of the goal, with finite numbers.",
    ),
    "target-shape": (
        "A target has the wrong shape.",
        "Pass the shape in the message.",
    ),
    "targets": (
        "The number of targets does not fit the goals.",
        "Pass one target for each goal.",
    ),
    "threads": (
        "The number of threads is wrong.",
        "Pass a whole number from 1.",
    ),
    "tip": (
        "The robot branches, and no tip is given.",
        "Name the frame that is the tip.",
    ),
    "tolerance": (
        "A tolerance is not two finite numbers above zero, or allows everything.",
        "Pass a length and an angle, in the units of the message.",
    ),
    "unbounded": (
        "The limits leave a direction open.",
        "Bound every joint.",
    ),
    "weights": (
        "The weights of a goal are wrong.",
        "Pass six finite numbers from 0, and not all zero.",
    ),
    "wrap": (
        "The object cannot be wrapped for another library.",
        "Pass a kernel that does not iterate.",
    ),
    "wrt": (
        "The inputs of a derivative are wrong.",
        "Use the inputs in the message, each once.",
    ),
    "zero-row": (
        "A limit has a row of zeros.",
        "Remove it.",
    ),
}
