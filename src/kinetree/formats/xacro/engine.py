"""The xacro package, driven without ROS: each file passes our XML layer first, packages are found by our means.

The package keeps its state in the globals of its module. Each expansion therefore works on a copy of the module
that is its own, with the functions that open files, evaluate expressions or print replaced. Nothing is patched in
the module that other users of the package import, and expansions in several threads do not meet.
"""

from __future__ import annotations

import importlib.util
import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, NoReturn

from kinetree.errors import Finding, KinetreeError, Severity, Source, fail
from kinetree.formats.opener import Opener
from kinetree.formats.xacro.expressions import BOUNDED, MAX_CHARACTERS, Guard, bounded_range
from kinetree.formats.xacro.files import expand_pattern, read_yaml
from kinetree.formats.xml import Element, Report, parse

ROOTS = {"robot": "link", "sdf": "model", "mujoco": "worldbody"}  # what xacro may make, and what it must hold
MAX_INCLUDE_DEPTH = 40
MAX_INCLUDES = 2000
MAX_MACRO_DEPTH = 60
MAX_WORK = 100_000  # elements evaluated or copied; the PR2 takes 6,000
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
MAX_CONTEXT = 6  # calls named in a message

ARGUMENT = re.compile(r"\$\(arg\s+([^\s()]+)\s*\)|xacro\.arg\(\s*['\"]([^'\"]+)['\"]\s*\)")
# As the package's own, but what has matched stays matched: its own takes exponential time on an unclosed quote.
MACRO_PARAMETER = re.compile(
    r"^\s*([^\s:=]+?)\s*:?=\s*(\^\|?)?"
    r"(\$\{.*?\}|\$\(.*?\)|(?:'[^']*+'|\"[^\"]*+\"|[^\s'\"]++)++|)(?:\s+|$)(.*)"
)


@dataclass(frozen=True, slots=True)
class Made:
    """The expanded text and the place from which each of its elements comes, in order."""

    text: str
    origins: list[Source | None]
    root: str  # its tag
    empty: bool  # makes no robot


class Engine:
    """One expansion."""

    def __init__(
        self,
        file: str,
        opener: Opener,
        find: Callable[[str, str], Path],
        arguments: Mapping[str, str],
        variable: Callable[..., str],
        check: Callable[[Path], None],
    ) -> None:
        self.file = file
        self.opener = opener
        self.find = find
        self.arguments = dict(arguments)
        self.variable = variable
        self.check = check
        self.findings: list[Finding] = []
        self.roots: list[Element] = []  # of all files read
        self.guard = Guard()
        self.calls: list[tuple[str, Source | None]] = []  # macros and includes that are being worked on
        self.checked: Any = None  # the node whose attributes were looked at last
        self.work = 0
        self.text = 0
        self.xacro = self._private_module()

    # the driver

    def expand(self, text: bytes | str) -> Made | None:
        """The expansion of a text, or None with an error among the findings."""
        xacro = self.xacro
        try:
            xacro.init_stacks(self.file)
            document = self._document(text, self.file)
            xacro.process_doc(document, mappings=self.arguments)
            nodes = list(_preorder(document.documentElement))
            origins = [_source(node) for node in nodes]
            root = document.documentElement
            empty = root.tagName not in ROOTS or all(n.nodeName != ROOTS[root.tagName] for n in root.childNodes)
            return Made(document.toprettyxml(indent="  "), origins, root.tagName, empty)
        except Exception as error:  # the package raises whatever Python does on odd content
            self.findings += self._findings_of(error)
            return None

    def declared_arguments(self) -> dict[str, str]:
        """The arguments that the files declare, with their defaults."""
        found = (e for root in self.roots for e in root.walk() if e.tag == "xacro:arg")
        return {name: element.get("default") or "" for element in found if (name := element.get("name"))}

    def used_arguments(self) -> list[str]:
        """The arguments that the files use, declared or not."""
        found = (m[1] or m[2] for root in self.roots for m in ARGUMENT.finditer(root.document.data.decode()))
        return list(dict.fromkeys(found))

    def say_arguments(self) -> str:
        """A clause that lists the arguments."""
        declared = ", ".join(f"{name} (default {default!r})" for name, default in self.declared_arguments().items())
        return f"arguments are {declared}" if declared else "no arguments are declared"

    def macros(self) -> list[Element]:
        """The macros of all files read, in order."""
        return [e for root in self.roots for e in root.walk() if e.tag == "xacro:macro" and e.get("name")]

    # the package's functions

    def _private_module(self) -> Any:
        xacro = _copy_of("xacro")
        substitution = _copy_of("xacro.substitution_args")
        substitution._eval_find = substitution._eval_dict["find"] = self._folder
        substitution._eval_env = substitution._eval_dict["env"] = self.variable
        substitution._eval_optenv = lambda name, default="": self.variable(name, default)
        substitution._eval_dict["optenv"] = substitution._eval_optenv
        substitution.eval = self.guard.evaluate  # for $(eval …); a module's own name comes before the built-in
        self.substitution = substitution
        builtins = xacro.__dict__["__builtins__"]
        xacro.__dict__["__builtins__"] = {**builtins, "range": bounded_range}
        xacro.re_macro_arg = MACRO_PARAMETER
        xacro.verbosity = 0
        for name, severity in PRINTERS.items():
            setattr(xacro, name, self._printer(name, severity))
        xacro.parse = self._include
        xacro.load_yaml = self._yaml
        xacro.safe_eval = self.guard.evaluate
        xacro.eval_extension = self._substitute
        xacro.abs_filename_spec = self._absolute
        xacro.glob = SimpleNamespace(glob=partial(expand_pattern, check=self.check))
        self._eval_text = xacro.eval_text
        xacro.eval_text = self._evaluated
        self._check_attrs, xacro.check_attrs = xacro.check_attrs, self._checked
        self._eval_all, xacro.eval_all = xacro.eval_all, self._evaluate_element
        self._process_include, xacro.process_include = xacro.process_include, self._process
        self._handle_macro_call, xacro.handle_macro_call = xacro.handle_macro_call, self._call
        for name in ("grab_property", "grab_macro"):
            setattr(xacro, name, self._placed(getattr(xacro, name)))
        xacro._global_symbols = xacro.create_global_symbols()
        for name, function in BOUNDED.items():
            dict.__setitem__(xacro._global_symbols, name, function)
            dict.__setitem__(xacro._global_symbols["math"], name, function)
        dict.__setitem__(xacro._global_symbols["xacro"], "arg", self._argument)
        return xacro

    def _printer(self, name: str, severity: Severity | None) -> Callable[..., None]:
        """What stands for a function of the package that prints: its words become a note."""

        def note(*words: object, **_: object) -> None:
            finding = Finding("xacro", severity or "info", " ".join(map(str, words))[:400], self._here())
            if severity and finding not in self.findings and len(self.findings) < MAX_NOTES:
                self.findings.append(finding)

        note.__name__ = name  # the package offers them to expressions by their names
        return note

    def _here(self) -> Source:
        return Source(str(self.xacro.filestack[-1]))

    def _document(self, content: bytes | str, file: str) -> Any:
        """The DOM of a file that has passed our XML layer; each element knows its place."""
        if len(content) > MAX_FILE_BYTES:
            raise fail("xacro-size", f"{file} has more than {MAX_FILE_BYTES} bytes, the most that is expanded")
        report = Report()
        root = parse(content, file, report)
        if root is None:
            raise KinetreeError(report.findings)
        self.roots.append(root)
        minidom = self.xacro.xml.dom.minidom
        try:
            document = minidom.parseString(root.document.data.decode())
        except self.xacro.xml.parsers.expat.ExpatError as error:  # an undeclared name space, which we let pass
            fix = 'write <robot xmlns:xacro="http://www.ros.org/wiki/xacro" …>'
            message = f"this is not well-formed XML: {error}"
            raise KinetreeError(Finding("xml-syntax", "error", message, Source(file, error.lineno), fix=fix)) from None
        for node, element in zip(_preorder(document.documentElement), root.walk(), strict=True):
            node.setUserData("place", (root.document, element.start), self)
            if len(node.childNodes) > MAX_CHILDREN or len(element.get("params") or "") > MAX_VALUE:
                raise fail("xacro-size", f"{element.label} at {element.source} has too many children or parameters")
        return document

    def handle(self, _operation: int, key: str, data: Any, _source_node: Any, copy: Any) -> None:
        """Called by the DOM whenever it copies an element: the copy has the place of the original."""
        self._worked()
        copy.setUserData(key, data, self)

    def _worked(self) -> None:
        self.work += 1
        if self.work > MAX_WORK:
            raise fail("xacro-size", f"expands to more than {MAX_WORK} elements")

    def _include(self, _text: None, file: str) -> Any:
        """The DOM of an included file."""
        xacro = self.xacro
        if len(xacro.filestack) > MAX_INCLUDE_DEPTH or len(self.roots) > MAX_INCLUDES:
            chain = " -> ".join(xacro.filestack[-4:])
            raise fail("xacro-recursion", f"includes go on without end: … {chain}")
        found = self.opener(os.path.abspath(file), self.file)
        if found is None:
            xacro.filestack.pop()
            missing = FileNotFoundError(2, "there is no such file", file)  # what optional="true" looks for
            raise xacro.XacroException(f"cannot include {file}: there is no such file", exc=missing)
        return self._document(found[0], file)

    def _yaml(self, name: str) -> Any:
        file = self._absolute(str(name))
        found = self.opener(os.path.abspath(file), self.file)
        if found is None:
            raise fail("xacro-include", f"cannot load {file}: there is no such file")
        data = read_yaml(found[0], file, self.xacro.ConstructUnits)
        return self.xacro.YamlListWrapper.wrap(data)

    def _absolute(self, name: str) -> str:
        """A path as written, put behind the folder of the file that is being worked on."""
        if os.path.isabs(name):
            return name
        asking = self.xacro.filestack[-1]
        if asking.startswith("<"):
            raise fail("xacro-include", f"{name} is relative to the folder of a file, and a text has none")
        return os.path.join(os.path.dirname(asking), name)

    def _folder(self, package: str) -> str:
        return str(self.find(package, self.xacro.filestack[-1]))

    def _argument(self, name: str) -> str:
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
        fix = f"pass xacro_args={{{values}}}, or to the command {' '.join(f'--arg {n}=…' for n in wanted)}"
        early = ", which is used before the <xacro:arg> with its default" if name in declared else ""
        message = f"needs a value for the argument {name!r}{early}{also}; {self.say_arguments()}"
        raise KinetreeError(Finding("xacro-argument", "error", message, fix=fix))

    def _substitute(self, text: str) -> str:
        """The value of a `$(…)`."""
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

    def _evaluated(self, text: str, symbols: Any) -> Any:
        if isinstance(text, str) and "$" not in text:
            return text
        if len(text) > MAX_VALUE:
            raise fail("xacro-size", f"a value of more than {MAX_VALUE} characters with expressions in it")
        value = self._eval_text(text, symbols)
        if isinstance(value, str):
            self.text += len(value)
            if len(value) > MAX_CHARACTERS or self.text > MAX_TEXT:
                raise fail("xacro-size", f"values of more than {MAX_CHARACTERS} characters, or {MAX_TEXT} in all")
        return value

    # places

    def _checked(self, node: Any, *rest: Any) -> Any:
        self.checked = node
        return self._check_attrs(node, *rest)

    def _placed(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """A function of a node, whose errors say which node it was."""

        def placed(node: Any, *rest: Any) -> Any:
            try:
                return function(node, *rest)
            except Exception as error:
                self._place(error, node)
                raise

        return placed

    def _place(self, error: Exception, node: Any) -> None:
        if not hasattr(error, "kinetree_place"):
            # a condition is looked at by the element around it
            inner = self.checked is not None and self.checked.parentNode is node
            error.kinetree_place = _source(self.checked if inner else node)  # type: ignore[attr-defined]
            error.kinetree_calls = list(self.calls)  # type: ignore[attr-defined]

    def _evaluate_element(self, node: Any, macros: Any, symbols: Any) -> None:
        self._worked()
        try:
            self._eval_all(node, macros, symbols)
        except Exception as error:
            self._place(error, node)
            raise

    def _process(self, node: Any, macros: Any, symbols: Any, function: Any) -> None:
        self.calls.append((f"<xacro:include> of {node.getAttribute('filename')!r}", _source(node)))
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
        place = _source(node)
        self.calls.append((f"macro {node.tagName[6:]!r}", place))
        try:
            result = self._handle_macro_call(node, macros, symbols)
        except Exception as error:
            self._place(error, node)
            raise
        self.calls.pop()
        return result

    def _findings_of(self, error: Exception) -> list[Finding]:
        """An error of the package, of an expression or of ours, as findings with their place."""
        place: Source | None = getattr(error, "kinetree_place", None) or Source(self.file)
        calls = getattr(error, "kinetree_calls", [])
        if calls and str(error).startswith("unknown macro name"):
            calls = calls[:-1]  # that call is the fault itself
        calls = calls[-MAX_CONTEXT:]
        context = "".join(f"; in {what}, called at {where}" for what, where in reversed(calls))
        inner: BaseException | None = error
        while inner is not None and not isinstance(inner, KinetreeError):
            inner = getattr(inner, "exc", None)
        if isinstance(inner, KinetreeError):
            return [
                f
                if f.source is not None and f.code.startswith("xml-")
                else replace(f, message=f.message + context, source=place)
                for f in inner.findings
            ]
        code, message = _said(error)
        return [Finding(code, "error", message + context, place)]


def _said(error: Exception) -> tuple[str, str]:
    """The code of a defect, and what the package or Python says of it."""
    inner = getattr(error, "exc", None)
    text = " ".join(str(error).split()) or type(error).__name__
    if isinstance(error, RecursionError) or isinstance(inner, RecursionError):
        return "xacro-recursion", "goes on without end, or is nested too deep to expand"
    if isinstance(inner, FileNotFoundError):
        return "xacro-include", str(error.args[0])
    if getattr(error, "macros", None) or text.startswith("unknown macro name"):
        return "xacro-macro", text
    if inner is not None:
        return "xacro-expression", text
    return "xacro", text


def _copy_of(name: str) -> Any:
    """A fresh copy of a module, known to nobody else."""
    spec = importlib.util.find_spec(name)
    assert spec is not None
    assert spec.loader is not None
    module: ModuleType = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _preorder(node: Any) -> Iterator[Any]:
    yield node
    for child in node.childNodes:
        if child.nodeType == child.ELEMENT_NODE:
            yield from _preorder(child)


def _source(node: Any) -> Source | None:
    place = node.getUserData("place")
    return place[0].source(place[1]) if place else None
