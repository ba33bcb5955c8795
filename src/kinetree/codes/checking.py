"""Codes of Checks, settings, repairs and the editor: what each means, and what to do."""

TITLE = "Checks, settings, repairs and the editor"

ERRORS = {
    "also": (
        "A file given with --also does not belong to the model, or cannot be read.",
        "Pass YAML or SRDF files that name the robot's links and joints.",
    ),
    "baseline": (
        "The baseline is missing, damaged, or contains an unknown code.",
        "Write it again with --write-baseline.",
    ),
    "check-crashed": (
        "The check of this file failed in Kinetree itself.",
        "Report it to the developers, with the file if possible; other files are checked.",
    ),
    "check-memory": (
        "The check of this file takes more memory than there is or than is allowed.",
        "Check a smaller part of the model, or check it on a larger machine.",
    ),
    "check-timeout": (
        "The check of this file takes longer than the limit.",
        "Check a smaller part of the model, or check it on a faster machine.",
    ),
    "edit": (
        "A text cannot be changed in place.",
        "Save the file as UTF-8, and repair it again.",
    ),
    "fix": (
        "A repair is not made, because it would change more than the finding.",
        "Correct the file by hand, or pass --unsafe if the message names it.",
    ),
    "lsp": (
        "The language server needs a package that is not installed.",
        "Install it with `pip install 'kinetree[lsp]'`.",
    ),
    "models": (
        "No model is given, neither on the command line nor in the settings.",
        "Name a file or a folder, or add [[models]] to kinetree.toml.",
    ),
    "no-models": (
        "The folder contains no robot description.",
        "Name another file or folder.",
    ),
    "option": (
        "An option has no effect together with the other arguments, or does not exist.",
        "Remove it, or add what the message names.",
    ),
    "place": (
        "The place of a frame, given to `kinetree fix`, is wrong.",
        "Write x y z and roll pitch yaw in the form of the message.",
    ),
    "profile": (
        "The profile of rules does not exist.",
        "Use one of the profiles in the message; `kinetree rule` lists the rules.",
    ),
    "rename": (
        "A name cannot be changed here.",
        "Choose a legal name that does not exist yet, and correct the errors of the file first.",
    ),
    "settings": (
        "The settings of Kinetree have an unknown key or a wrong value.",
        "Correct the line in kinetree.toml or pyproject.toml that the message names.",
    ),
    "show": (
        "The file makes no robot that could be shown.",
        "Open the file that includes it.",
    ),
    "tool": (
        "The tool to add is not in the right form, or its name is not legal.",
        "Write NAME=CONTROLLER:POSE, such as gripper=kuka:0,0,120,0,0,90.",
    ),
    "tool0": (
        "A tool cannot be added, because tool0 is missing or not fixed to a link.",
        "Add tool0 with `kinetree fix`, where its place is known.",
    ),
}

REMARKS = {
    "baseline-gone": (
        "A finding of the baseline has disappeared.",
        "Write the baseline again with --write-baseline.",
    ),
    "not-asked": (
        "Rules could not check parts that errors leave unknown, or meshes without an installed reader.",
        "Correct the errors, or install the reader with `pip install 'kinetree[meshes]'`.",
    ),
    "shared": (
        "An edited file is also part of models that the run has not read.",
        "Check these models, too.",
    ),
}
