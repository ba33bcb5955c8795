"""Codes of XML: what each means, and what to do."""

TITLE = "XML"

ERRORS = {
    "include": (
        "An included file is empty, or its content does not fit the <include>.",
        "Correct the included file, or the <include>.",
    ),
    "missing-attribute": (
        "An element lacks an attribute that it needs, or the attribute is empty.",
        "Add the attribute.",
    ),
    "xml-character": (
        "A name or text contains a character that XML does not allow, so the robot cannot be written.",
        "Rename the part without this character.",
    ),
    "xml-depth": (
        "Elements are nested deeper than Kinetree reads or writes.",
        "Flatten the file, or look for an include that repeats itself.",
    ),
    "xml-doctype": (
        "The file has a document type or entities, which are not accepted because they can expand without end.",
        "Remove <!DOCTYPE …>, and write the entities out.",
    ),
    "xml-encoding": (
        "The text cannot be decoded with the encoding that the file declares.",
        "Save the file as UTF-8, or correct `encoding=` in its first line.",
    ),
    "xml-size": (
        "The file has more elements or characters than Kinetree reads.",
        "Remove what is not part of the robot.",
    ),
    "xml-syntax": (
        "The file is not well-formed XML.",
        "Correct the line that the message names; often a tag is not closed, or a quotation mark is missing.",
    ),
}

REMARKS = {
    "contradiction": (
        "An element that may occur once occurs twice with different contents; the first is used.",
        "Remove the wrong one.",
    ),
    "no-effect": (
        "An element or attribute has no effect at its place.",
        "Remove it, or move it to where it has one.",
    ),
    "not-understood": (
        "The format does not define this element, attribute or setting; it is kept as written, or has no effect.",
        "Correct its spelling, or remove it.",
    ),
    "xml-lenient": (
        "A text that XML forbids is read as tinyxml2 does, the parser of other programs.",
        "Correct the line; strict parsers refuse the file.",
    ),
}

EITHER = {
    "duplicate-element": (
        "An element that may occur once occurs several times.",
        "Remove all but one.",
    ),
    "include-not-found": (
        "An included file or model cannot be found.",
        "Correct the path, or put the file beside the model; a world is read without the model.",
    ),
    "missing-element": (
        "An element lacks a child that it needs.",
        "Add the child element; a <visual> or <collision> of SDF without <geometry> is taken as empty.",
    ),
}
