"""Answers of a limited child process, which keeps the models that it has read. It writes nothing and runs nothing."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

from kinetree.checker.job import Job
from kinetree.errors import KinetreeError
from kinetree.lsp import completion, diagnostics, rename
from kinetree.lsp.answers import Refusal
from kinetree.lsp.model import Model, read_model
from kinetree.lsp.scan import outline

MOST_MODELS = 8
"""Most models that are kept."""

_models: OrderedDict[str, Model] = OrderedDict()
"""Models by the path of their document, the latest last."""


def answer(
    question: str, path: str, jobs: Sequence[Job], opened: Mapping[Path, bytes], encoding: str, *arguments: Any
) -> Any:
    """Return the answer to a question about a document, or `Refusal`.

    question: a key of QUESTIONS. path: of the document, with links followed. jobs: how it is read. opened: contents of
    open documents by path. encoding: in which the editor counts columns.
    """
    try:
        return QUESTIONS[question](_read(question, path, jobs, opened, encoding), path, *arguments)
    except KinetreeError as error:
        return Refusal(error.findings[0].message)


def _read(question: str, path: str, jobs: Sequence[Job], opened: Mapping[Path, bytes], encoding: str) -> list[Model]:
    """Return the model of a document, then the others that read its file."""
    own = _current(path, jobs, opened, encoding, question)
    others = [other for other, model in _models.items() if other != path and Path(path) in model.read]
    found = [own, *(_current(other, _models[other].jobs, opened, encoding, question) for other in others)]
    while len(_models) > MOST_MODELS:
        _models.popitem(last=False)
    return found


def _current(path: str, jobs: Sequence[Job], opened: Mapping[Path, bytes], encoding: str, question: str) -> Model:
    """Return a model of what is open now; for completions, with the robot of before."""
    before = _models.get(path)
    if question == "completions" and before:
        return replace(before, held={**before.held, **opened}, read=before.read | {Path(path)})
    if question != "check" and before and before.jobs == tuple(jobs) and before.is_current(opened):
        return replace(before, held={**before.held, **opened})
    made = _models[path] = read_model(jobs, opened, encoding, before)
    _models.move_to_end(path)
    return made


def _later(name: str) -> Callable[..., Any]:
    """Return the function of a module of its own name, which is imported at the first call, as it needs much more."""
    return lambda *arguments: getattr(import_module(f"kinetree.lsp.{name}"), name)(*arguments)


QUESTIONS: Mapping[str, Callable[..., Any]] = {
    "check": lambda models, path: diagnostics.look(models[0]),
    "completions": completion.completions,
    "definition": rename.definition,
    "references": rename.references,
    "renamable": rename.renamable,
    "rename": rename.rename,
    "outline": lambda models, path: outline(scan) if (scan := models[0].scan(path)) else (),
    "hover": _later("hover"),
    "fixes": lambda models, path, *arguments: _later("fixes")(models[0], *arguments),
    "page": _later("page"),
}
"""Functions of the models of a document, its path and the arguments of a question."""
