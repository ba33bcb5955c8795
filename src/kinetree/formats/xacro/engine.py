"""Driver of the xacro package without ROS: our XML parser checks each file first, and our code finds packages.

The package keeps its state in module globals. So each expansion works on its own copy of the module, in which the
functions that open files, evaluate expressions or print are replaced. The module that others import is not changed, and
expansions in several threads are independent.
"""

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn

from kinetree.errors import Finding, KinetreeError, Severity, Source, fail
from kinetree.files.nearby import did_you_mean, offer
from kinetree.files.opener import Files, folder_of, joined
from kinetree.formats.xacro.budget import MAX_CHARACTERS, Budget, YamlDict, YamlList, with_dots
from kinetree.formats.xacro.expressions import evaluate
from kinetree.formats.xacro.faults import findings_of
from kinetree.formats.xacro.files import expand_pattern, read_yaml
from kinetree.formats.xacro.names import eval_names, global_names, is_valid_name, names_in
from kinetree.formats.xacro.package import place_of, preorder, private_copy
from kinetree.syntax.xml.reader import Element, Report, parse, strict_text

ROOTS = {"robot": "link", "sdf": "model", "mujoco": "worldbody"}  # what xacro may make, and what it must hold
MAX_INCLUDE_DEPTH = 40
MAX_INCLUDES = 2000
MAX_MACRO_DEPTH = 60
MAX_WORK = 50_000  # elements evaluated or copied; the PR2 takes 6,000
SMALL_PARTS = 8  # attributes, texts and comments that are as much work as an element
MAX_FILE_BYTES = 4_000_000
MAX_CHILDREN = 20_000  # of one element, comments included: the package's time grows with their square
MAX_VALUE = 20_000  # characters of an attribute or a text with `$` in it, or of a macro's parameters: likewise
MAX_TEXT = 64_000_000  # characters of all values together
PRINTERS: dict[str, Severity | None] = {
    "message": "info",
    "warning": "warning",
    "error": "warning",
    "print_location": None,
}
MAX_NOTES = 100

ARGUMENT = re.compile(r"\$\(arg\s+([^\s()]+)\s*\)|xacro\.arg\(\s*['\"]([^'\"]+)['\"]\s*\)")
# As the package's own, but what has matched stays matched: its own takes exponential time on an unclosed quote.
MACRO_PARAMETER = re.compile(
    r"^\s*([^\s:=]+?)\s*:?=\s*(\^\|?)?"
    r"(\$\{.*?\}|\$\(.*?\)|(?:'[^']*+'|\"[^\"]*+\"|[^\s'\"]++)++|)(?:\s+|$)(.*)"
)
PART = re.compile(
    r"\$(?P<escaped>\$+[{(])|\$\{(?P<expression>[^}]*)\}|\$\((?P<substitution>[^)]*)\)|(?P<text>[^$]+|\$[^{($]+|\$$)"
)


@dataclass(frozen=True, slots=True)
class TextWithSources:
    """An expanded text with the source of each element, in order."""

    text: str
    origins: list[Source | None]
    root: str  # its tag
    empty: bool  # makes no robot


class Engine:
    """One expansion."""

    def __init__(self, file: str, files: Files, arguments: Mapping[str, str]) -> None:
        self.file, self.files, self.arguments = file, files, dict(arguments)
        self.findings: list[Finding] = []
        self.roots: list[Element] = []  # of all files read
        self.budget = Budget()
        self.report = Report()  # of all files read: it counts their bytes and elements
        self.calls: list[tuple[str, Source | None]] = []  # macros and includes that are being worked on
        self.checked: Any = None  # the node whose attributes were looked at last
        self.work = 0
        self.text = 0
        self.xacro = self._private_module()

    # the driver

    def expand(self, text: bytes | str) -> TextWithSources | None:
        """Return the expansion of a text, or None with an error among the findings."""
        xacro = self.xacro
        try:
            xacro.init_stacks(self.file)
            document = self._document(text, self.file)
            xacro.process_doc(document, mappings=self.arguments)
            nodes = list(preorder(document.documentElement))
            origins = [place_of(node) for node in nodes]
            root = document.documentElement
            empty = root.tagName not in ROOTS or all(n.nodeName != ROOTS[root.tagName] for n in root.childNodes)
            return TextWithSources(document.toprettyxml(indent="  "), origins, root.tagName, empty)
        except Exception as error:  # the package raises whatever Python does on odd content
            self.findings += findings_of(error, self.file)
            return None

    def declared_arguments(self) -> dict[str, str]:
        """Return the arguments that the files declare, with their defaults."""
        found = (e for root in self.roots for e in root.walk() if e.tag == "xacro:arg")
        return {name: element.get("default") or "" for element in found if (name := element.get("name"))}

    def used_arguments(self) -> list[str]:
        """Return the arguments that the files use, declared or not."""
        found = (m[1] or m[2] for root in self.roots for m in ARGUMENT.finditer(root.document.data.decode()))
        return list(dict.fromkeys(found))

    def say_arguments(self) -> str:
        """Return a clause that lists the arguments."""
        declared = ", ".join(f"{name} (default {default!r})" for name, default in self.declared_arguments().items())
        return f"arguments are {declared}" if declared else "no arguments are declared"

    def macros(self) -> list[Element]:
        """Return the macros of all files read, in order."""
        return [e for root in self.roots for e in root.walk() if e.tag == "xacro:macro" and e.get("name")]

    # the package's functions

    def _private_module(self) -> Any:
        xacro = private_copy("xacro")
        self.substitution = private_copy("xacro.substitution_args")
        self.substitution._eval_find = self._folder
        self.substitution._eval_env = self.files.variable
        self.substitution._eval_optenv = lambda name, default="": self.files.variable(name, default)
        self.substitution._eval = self._eval_substitution
        xacro.re_macro_arg = MACRO_PARAMETER
        xacro.verbosity = 0
        for name, severity in PRINTERS.items():
            setattr(xacro, name, self._printer(severity))
        xacro.YamlDictWrapper, xacro.YamlListWrapper = YamlDict, YamlList
        xacro.parse = self._include
        xacro.load_yaml = self.load_yaml
        xacro.safe_eval = self._value
        xacro.eval_extension = self._substitute
        xacro.abs_filename_spec = self.absolute
        xacro.is_valid_name = is_valid_name
        pattern = partial(expand_pattern, check=self.files.check, spend=self.budget.spend_in_all)
        xacro.glob = SimpleNamespace(glob=pattern)
        xacro.eval_text = self._evaluated
        self._check_attrs, xacro.check_attrs = xacro.check_attrs, self._checked
        self._eval_all, xacro.eval_all = xacro.eval_all, self._evaluate_element
        self._process_include, xacro.process_include = xacro.process_include, self._process
        self._handle_macro_call, xacro.handle_macro_call = xacro.handle_macro_call, self._call
        for name in ("grab_property", "grab_macro"):
            setattr(xacro, name, self._placed(getattr(xacro, name)))
        xacro._global_symbols = global_names(self)
        return xacro

    def _printer(self, severity: Severity | None) -> Callable[..., None]:
        """Return a replacement for a printing function of the package, which records the words as a note."""
        return lambda *words, **_: self._noted(severity, " ".join(map(str, words)))

    def _noted(self, severity: Severity | None, words: str) -> None:
        finding = Finding("xacro", severity or "info", words[:400], Source(str(self.xacro.filestack[-1])))
        if severity and finding not in self.findings and len(self.findings) < MAX_NOTES:
            self.findings.append(finding)

    def note(self, name: str, words: str) -> None:
        """Record a message from `xacro.warning()` and the like."""
        self._noted(PRINTERS[name], words)

    def fatal(self, words: str) -> NoReturn:
        """Raise the error of an expression that ends the expansion."""
        raise self.xacro.XacroException(words)

    def _document(self, content: bytes | str, file: str) -> Any:
        """Return the DOM of a file after our XML parser has checked it; each element has its place."""
        if len(content) > MAX_FILE_BYTES:
            raise fail("xacro-size", f"{file} has more than {MAX_FILE_BYTES} bytes, the most that is expanded")
        lenient = file == self.file and file.lower().endswith((".urdf", ".xml"))  # which xacro alone would refuse
        root = parse(content, file, self.report, strict=not lenient)
        if root is None:
            raise KinetreeError(self.report.findings)
        self.roots.append(root)
        minidom = self.xacro.xml.dom.minidom
        try:
            document = minidom.parseString(strict_text(root) if lenient else root.document.data.decode())
        except self.xacro.xml.parsers.expat.ExpatError as error:  # an undeclared name space, which we let pass
            fix = 'write <robot xmlns:xacro="http://www.ros.org/wiki/xacro" …>'
            message = f"this is not well-formed XML: {error}"
            raise KinetreeError(Finding("xml-syntax", "error", message, Source(file, error.lineno), fix=fix)) from None
        for node, element in zip(preorder(document.documentElement), root.walk(), strict=True):
            node.setUserData("place", (root.document, element.start), self)
            if len(node.childNodes) > MAX_CHILDREN or len(element.get("params") or "") > MAX_VALUE:
                raise fail("xacro-size", f"{element.label} at {element.source} has too many children or parameters")
        return document

    def handle(self, _operation: int, key: str, data: Any, original: Any, copy: Any) -> None:
        """Copy the place to a copied element; the DOM calls this for each copy."""
        self._worked(1 + (len(original.childNodes) + len(original.attributes)) // SMALL_PARTS)
        self.text += sum(len(node.data) for node in original.childNodes if node.nodeType == node.COMMENT_NODE)
        copy.setUserData(key, data, self)

    def _worked(self, parts: int = 1) -> None:
        self.work += parts
        if self.work > MAX_WORK:
            raise fail("xacro-size", f"expands to more than {MAX_WORK} elements")

    def _include(self, _text: None, file: str) -> Any:
        """Return the DOM of an included file."""
        xacro = self.xacro
        if len(xacro.filestack) > MAX_INCLUDE_DEPTH or len(self.roots) > MAX_INCLUDES:
            chain = " -> ".join(xacro.filestack[-4:])
            raise fail("xacro-recursion", f"includes go on without end: … {chain}")
        found = self.files.open_or_refuse(os.path.abspath(file), self.file)
        if found is None:
            xacro.filestack.pop()
            missing = FileNotFoundError(2, "there is no such file", file)  # what optional="true" looks for
            near = offer([Path(os.path.abspath(file))], self.files.packages.may_read)
            raise xacro.XacroException(f"cannot include {file}: there is no such file{near}", exc=missing)
        return self._document(found[0], file)

    def load_yaml(self, name: str) -> Any:
        """Return the data of a YAML file."""
        if not name:
            empty = [k for k, value in self.xacro.substitution_args_context["arg"].items() if not value]
            raise fail("xacro-include", f"load_yaml is called with an empty name; arguments without a value: {empty}")
        file = self.absolute(name)
        if (found := self.files.open_or_refuse(os.path.abspath(file), self.file)) is None:
            fix = did_you_mean(offer([Path(os.path.abspath(file))], self.files.packages.may_read))
            raise fail("xacro-include", f"cannot load {file}: there is no such file", fix=fix)
        return with_dots(read_yaml(found[0], file, self.xacro.ConstructUnits, self.budget))

    def absolute(self, name: str) -> str:
        """Return a path as written, relative to the folder of the current file."""
        asking = self.xacro.filestack[-1]
        if os.path.isabs(name):
            joined(folder_of(asking), name, name)
            return name
        if asking.startswith("<"):
            raise fail("xacro-include", f"{name} is relative to the folder of a file, and a text has none")
        return os.path.join(os.path.dirname(asking), name)

    def _folder(self, package: str) -> str:
        return str(self.files.package(package, self.xacro.filestack[-1]))

    def argument(self, name: str) -> str:
        """Return the value of a <xacro:arg>."""
        known: dict[str, str] = self.xacro.substitution_args_context["arg"]
        if name not in known:
            self._missing_argument(name)
        return known[name]

    def _missing_argument(self, name: str) -> NoReturn:
        declared = self.declared_arguments()
        missing = [n for n in self.used_arguments() if n not in declared and n not in self.arguments]
        others = [repr(n) for n in missing if n != name]
        also = f"; used without a value are also {', '.join(others)}" if others else ""
        wanted = list(dict.fromkeys((name, *missing)))
        values = ", ".join(f"{n!r}: …" for n in wanted)
        fix = f"pass args={{{values}}}, or to the command {' '.join(f'--arg {n}=…' for n in wanted)}"
        early = ", which is used before the <xacro:arg> with its default," if name in declared else ""
        message = f"the argument {name!r}{early} needs a value{also}; {self.say_arguments()}"
        raise KinetreeError(Finding("xacro-argument", "error", message, fix=fix))

    def _substitute(self, text: str) -> str:
        """Return the value of a `$(…)`."""
        if text == "$(cwd)":
            return os.getcwd()
        context = self.xacro.substitution_args_context
        context["filename"] = self.xacro.filestack[-1]
        try:
            return str(self.substitution.resolve_args(text, context=context))
        except self.substitution.ArgException as error:
            self._missing_argument(str(error))
        except self.substitution.SubstitutionException as error:
            raise fail("xacro-substitution", f"{text}: {error}") from None

    def _eval_substitution(self, text: str, context: dict[str, Any]) -> str:
        """Return the value of an `$(eval …)`, as text."""
        module, arguments = self.substitution, context["arg"]
        substitutions = {
            "env": module._eval_env,
            "optenv": module._eval_optenv,
            "find": self._folder,
            "arg": lambda name: module.convert_value(self.argument(name), "auto"),
            "dirname": lambda: module._eval_dirname(context["filename"]),
        }
        values = {name: module.convert_value(value, "auto") for name, value in arguments.items()}
        return str(evaluate(text, eval_names(values, substitutions), self.budget))

    def _value(self, text: str, symbols: Any) -> Any:
        """Return the value of an expression."""
        return evaluate(text, names_in(symbols, self.xacro.Table), self.budget)

    def _evaluated(self, text: str, symbols: Any) -> Any:
        """Return the value of an attribute or a text: any value for one `${…}` alone, else a text."""
        if isinstance(text, str) and "$" not in text:
            self._counted(text)
            return text
        if len(text) > MAX_VALUE:
            raise fail("xacro-size", f"a value of more than {MAX_VALUE} characters with expressions in it")
        parts: list[str] = []
        size, end = 0, 0
        while end < len(text):
            part = PART.match(text, end)
            if part is None:
                raise self.xacro.XacroException(f"invalid expression: {text[end:]}")
            value = self._part(part, symbols)
            end = part.end()
            if end == len(text) and not parts:
                self._counted(value)
                return value
            parts.append(str(value))
            size += len(parts[-1])
            self._counted(parts[-1], size)
        return "".join(parts)

    def _part(self, part: re.Match[str], symbols: Any) -> Any:
        if plain := part["text"] or part["escaped"]:
            return plain
        if part["substitution"] is not None:
            return self._substitute(f"$({self._evaluated(part['substitution'], symbols)})")
        try:
            return self._value(self._evaluated(part["expression"], symbols), symbols)
        except Exception as error:
            where = f"\nwhen evaluating expression '{part['expression']}'"
            raise self.xacro.XacroException(exc=error, suffix=where) from error

    def _counted(self, value: Any, size: int = 0) -> None:
        """Raise KinetreeError if a text is too long, or if all texts together are."""
        if isinstance(value, str):
            if not value.isascii() and any("\ud800" <= character <= "\udfff" for character in value):
                raise fail(
                    "xacro-expression", "a value contains half a character (a surrogate), which no file can have"
                )
            self.text += max(1, len(value))
            if max(size, len(value)) > MAX_CHARACTERS or self.text > MAX_TEXT:
                raise fail("xacro-size", f"values of more than {MAX_CHARACTERS} characters, or {MAX_TEXT} in all")

    # places

    def _checked(self, node: Any, *rest: Any) -> Any:
        self.checked = node
        return self._check_attrs(node, *rest)

    def _placed(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function of a node whose errors get the place of the node."""

        def placed(node: Any, *rest: Any) -> Any:
            try:
                return function(node, *rest)
            except Exception as error:
                self._place(error, node)
                raise

        return placed

    def _place(self, error: Exception, node: Any) -> None:
        if not hasattr(error, "kinetree_place"):
            # the parent element evaluates a condition
            inner = self.checked is not None and self.checked.parentNode is node
            error.kinetree_place = place_of(self.checked if inner else node)  # type: ignore[attr-defined]
            error.kinetree_calls = list(self.calls)  # type: ignore[attr-defined]

    def _evaluate_element(self, node: Any, macros: Any, symbols: Any) -> None:
        self._worked()
        try:
            self._eval_all(node, macros, symbols)
        except Exception as error:
            self._place(error, node)
            raise

    def _process(self, node: Any, macros: Any, symbols: Any, function: Any) -> None:
        self.calls.append((f"<xacro:include> of {node.getAttribute('filename')!r}", place_of(node)))
        try:
            self._process_include(node, macros, symbols, function)
        except Exception as error:
            self._place(error, node)
            raise
        self.calls.pop()

    def _call(self, node: Any, macros: Any, symbols: Any) -> Any:
        if not node.tagName.startswith("xacro:") or node.tagName == "xacro:call":
            return self._handle_macro_call(node, macros, symbols)
        if len(self.xacro.macrostack) > MAX_MACRO_DEPTH:
            raise fail("xacro-recursion", f"macro {node.tagName[6:]!r} calls itself without end")
        place = place_of(node)
        self.calls.append((f"macro {node.tagName[6:]!r}", place))
        try:
            result = self._handle_macro_call(node, macros, symbols)
        except Exception as error:
            self._place(error, node)
            raise
        self.calls.pop()
        return result
