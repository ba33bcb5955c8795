"""Codes of xacro: what each means, and what to do."""

TITLE = "xacro"

ERRORS = {
    "xacro-argument": (
        "An argument of the xacro file has no value, or does not exist.",
        "Pass it with --arg NAME=VALUE or `xacro_args=`, or give it a default in the file.",
    ),
    "xacro-empty": (
        "The xacro file makes a robot without links.",
        "Load the file that includes it.",
    ),
    "xacro-expression": (
        "An expression between ${ and } fails, or uses something that is not allowed.",
        "Correct the expression; names must be defined above it.",
    ),
    "xacro-include": (
        "A file that xacro includes or loads cannot be found.",
        "Correct the path; package paths are written $(find NAME)/…",
    ),
    "xacro-macro": (
        "A macro is called that is not defined.",
        "Correct its name, or include the file that defines it before the call.",
    ),
    "xacro-macros-only": (
        "The file only defines macros, so it makes no robot by itself.",
        "Load the file that calls them, or add the call that the message shows.",
    ),
    "xacro-recursion": (
        "A macro or an include calls itself without end.",
        "Add a condition that ends it, or remove the include of the file itself.",
    ),
    "xacro-scope": (
        'The text scope="parent" stands outside of a macro.',
        'Remove scope="parent".',
    ),
    "xacro-size": (
        "The expansion takes more steps, text or memory than Kinetree allows.",
        "Look for a loop in a macro or an expression with huge values.",
    ),
    "xacro-substitution": (
        "A substitution such as $(find …) or $(env …) fails.",
        "Correct its name; set the environment variable, or pass the folder of the package.",
    ),
    "xacro-yaml": (
        "A YAML file that xacro loads is not well-formed.",
        "Correct the line that the message names.",
    ),
}

REMARKS = {
    "xacro-in-urdf": (
        "A URDF file contains instructions of xacro, and is read as xacro.",
        "Name the file .xacro, or expand it, because other programs do not.",
    ),
}

EITHER = {
    "xacro": (
        "A message of xacro itself.",
        "Correct the expression or instruction that the message names.",
    ),
}
