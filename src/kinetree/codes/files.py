"""Codes of Files, folders and packages: what each means, and what to do."""

TITLE = "Files, folders and packages"

ERRORS = {
    "assets": (
        "The argument `assets=` of `kt.save` has an unknown value.",
        "Use 'bring', which copies the files that the model refers to, or 'keep'.",
    ),
    "busy": (
        "Another run of Kinetree is writing files in the same folder; this run has changed nothing.",
        "Wait until the other run has ended, then run the command again.",
    ),
    "confined": (
        "The model refers to a file, or an environment variable, outside of the folders that Kinetree may read.",
        "If the file belongs to the model, allow its folder as the message shows; otherwise correct the path.",
    ),
    "encoding": (
        "The text of the file is not UTF-8.",
        "Save the file as UTF-8 in your editor.",
    ),
    "exists": (
        "The output file exists already, and is not replaced.",
        "Choose another name, or pass --force.",
    ),
    "file": (
        "A file is missing, cannot be read or written, or is not a regular file.",
        "Check the path, the working folder and the permissions of the file.",
    ),
    "file-size": (
        "The file is larger than Kinetree reads.",
        "Split the file, or remove what is not part of the robot.",
    ),
    "format": (
        "The format of a file is unknown, or the operation does not support it.",
        "Use one of the endings in the message, or name the format with --format or `format=`.",
    ),
    "interrupted": (
        "An earlier run was interrupted while it wrote files.",
        "Run the command again; Kinetree restores the files, or names those that you have to compare by hand.",
    ),
    "journal": (
        "The record of an interrupted run is damaged, so the run cannot be undone.",
        "Compare the files with your version control, then delete the record that the message names.",
    ),
    "missing-mesh": (
        "The mesh of a shape cannot be found, read or converted.",
        "Correct its file name, or restore the file; --without geometry leaves shapes out.",
    ),
    "missing-texture": (
        "The image of a material cannot be found, read or converted.",
        "Correct its file name, or restore the file; --without material leaves materials out.",
    ),
    "model": (
        "The name in a model:// address cannot be found, because it is a path.",
        "Write the name of the model's folder, as in model://arm/model.sdf.",
    ),
    "output": (
        "The output file would replace an input of the same command, or lie inside it.",
        "Write to another file.",
    ),
    "package": (
        "A ROS package, or a Python package with models, cannot be found.",
        "Name the folder with --package NAME=FOLDER, or install the package.",
    ),
    "package-ambiguous": (
        "Several folders have the name of the package, at the same distance from the model.",
        "Choose one with --package NAME=FOLDER.",
    ),
    "table": (
        "A table in a text file is damaged, or a part of it is not a table.",
        "Correct the line that the message names; the first line has the names of the columns.",
    ),
    "toml-size": (
        "A key in a TOML file has more dots than Kinetree reads.",
        "Shorten the key.",
    ),
    "toml-syntax": (
        "The file is not valid TOML.",
        "Correct the line that the message names; see toml.io for the syntax.",
    ),
    "unknown-key": (
        "A TOML file has a key that does not exist at this place.",
        "Correct the key; the message lists similar or legal ones.",
    ),
    "yaml": (
        "The file is not valid YAML, or larger than Kinetree reads.",
        "Correct the line that the message names.",
    ),
}

EITHER = {
    "missing-file": (
        "A file to which the robot refers cannot be found, or cannot be saved with it.",
        "Correct the reference, or put the file in its place; --without leaves the part out.",
    ),
}
