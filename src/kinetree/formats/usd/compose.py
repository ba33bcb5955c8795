"""A stage composed by usd-core as plain data, for a limited child process."""

import os
import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from kinetree.errors import nearest_names
from kinetree.formats.usd.prim import BINDINGS, KEPT, MAX_NUMBERS, MAX_PRIMS, Raw

SETTINGS = ("metersPerUnit", "kilogramsPerUnit", "upAxis", "defaultPrim")
SMALL = 64
"""Most numbers of an array that get the shortest decimals of their precision."""
MOST_SAID = 20
Said = tuple[str, str, str, str]
"""Severity, code and message of a finding, and the path of its prim."""


def compose(
    text: str | None, file: str, folders: list[str], variants: dict[str, str]
) -> tuple[dict[str, Any], list[Raw], list[Said]]:
    """Return the settings of a stage, its prims in order, and findings, of a text or a file. To be called in a limited
    child process: it loads usd-core, which reads whatever the file refers to. folders: of which a layer may come.
    variants: those that are chosen, by the names of their sets."""
    os.environ.update(PXR_WORK_THREAD_LIMIT="1", PXR_DISABLE_CRASH_REPORTS="1")
    from pxr import Sdf, Tf, Usd

    try:
        if text is None:
            layer = Sdf.Layer.FindOrOpen(file)
        else:
            layer = Sdf.Layer.CreateAnonymous(".usda")
            layer = layer if layer.ImportFromString(text) else None
        stage = Usd.Stage.Open(layer) if layer else None
    except (Tf.ErrorException, RuntimeError) as error:
        return {}, [], [("error", "usd-stage", f"usd-core refuses it: {_first(error)}", "")]
    if stage is None:
        return {}, [], [("error", "usd-stage", "usd-core refuses it, and does not say why", "")]
    said = [*_choose(stage, variants), *_outside(stage, file, folders), *_broken(stage)]
    prims: list[Raw] = []
    left = MAX_NUMBERS
    for prim in stage.Traverse(Usd.TraverseInstanceProxies()):
        prims.append(_raw(prim))
        left -= sum(len(value) // 8 for value in prims[-1][3].values() if isinstance(value, bytes))
        if len(prims) > MAX_PRIMS or left < 0:
            message = f"it has more than {MAX_PRIMS} prims, or {MAX_NUMBERS} numbers, with those of its instances"
            said.append(("error", "usd-stage", message, ""))
            break
    root = stage.GetRootLayer().pseudoRoot
    settings = {name: root.GetInfo(name) for name in SETTINGS if root.HasInfo(name)}
    return settings, prims, said


def _first(error: Exception) -> str:
    """Return the message of an error of usd-core, in one line, without the place in its own code."""
    return re.sub(r"Error in '\S+' at line \d+ in file \S+ : ", "", " ".join(str(error).split()))[:300]


def referred(files: list[str]) -> list[tuple[str, str]]:
    """Return pairs of a file and another one of these that it composes directly; the same limits are needed."""
    os.environ.update(PXR_WORK_THREAD_LIMIT="1", PXR_DISABLE_CRASH_REPORTS="1")
    from pxr import Sdf, Tf

    found, known = [], set(files)
    for file in files:
        try:
            layer = Sdf.Layer.FindOrOpen(file)
            names = layer.GetCompositionAssetDependencies() if layer else ()
        except (Tf.ErrorException, RuntimeError):
            continue
        paths = {os.path.normpath(os.path.join(os.path.dirname(file), name)) for name in names}
        found += [(file, path) for path in sorted(paths & known - {file})]
    return found


def _outside(stage: Any, file: str, folders: list[str]) -> Iterator[Said]:
    """Yield an error for each layer that does not come from the folders, after following links, and a warning for each
    that has other units than the root layer, which counts."""
    places = [os.path.join(os.path.realpath(folder), "") for folder in folders]
    for layer in stage.GetUsedLayers():
        path = layer.realPath and os.path.realpath(layer.realPath.partition("[")[0])  # of an archive, without its part
        if path and path != os.path.realpath(file) and not any(path.startswith(place) for place in places):
            yield "error", "confined", f"it refers to {path}, which lies outside of the workspace", ""
        for name in SETTINGS[:3]:
            value, own = layer.pseudoRoot.GetInfo(name), stage.GetRootLayer().pseudoRoot.GetInfo(name)
            if layer.pseudoRoot.HasInfo(name) and value != own:
                message = f"{name} is {value} in {layer.GetDisplayName()}, and {own} in the root layer, which counts: "
                yield "warning", "usd-units", f"{message}USD converts no units", ""


def _broken(stage: Any) -> Iterator[Said]:
    """Yield an error for each part that cannot be composed, such as a file that is missing."""
    for error in stage.GetCompositionErrors()[:MOST_SAID]:
        path = str(getattr(getattr(error, "rootSite", None), "path", ""))
        yield "error", "usd-stage", f"usd-core cannot compose it: {_first(error)}", path


def _sets(stage: Any) -> Iterator[tuple[Any, str, Any, list[str]]]:
    """Yield the sets of variants: the prim, the name of the set, the set, and the names of its variants."""
    from pxr import Usd

    for prim in stage.Traverse(Usd.TraverseInstanceProxies()):
        if prim.HasVariantSets():
            for name in prim.GetVariantSets().GetNames():
                one = prim.GetVariantSet(name)
                yield prim, name, one, one.GetVariantNames()


def _choose(stage: Any, variants: dict[str, str]) -> Iterator[Said]:
    """Choose variants in the stage, not in its files. Yield errors for those that do not exist, and a remark on each
    set of which another could be chosen."""
    stage.SetEditTarget(stage.GetSessionLayer())
    waiting, legal = True, dict[str, set[str]]()
    while waiting:  # for a variant can have sets of its own
        waiting = False
        for prim, name, one, choices in [*_sets(stage)]:
            legal.setdefault(name, set()).update(choices)
            wanted = variants.get(name)
            if wanted in choices and one.GetVariantSelection() != wanted:
                while prim.IsInstanceProxy():  # which is edited once its instance is a copy of its own
                    prim = prim.GetParent()
                done = prim.SetInstanceable(False) if prim.IsInstance() else one.SetVariantSelection(wanted)
                waiting = done or waiting
    for name, wanted in variants.items():
        if name not in legal:
            others = nearest_names(name, sorted(legal)) if legal else "it has none"
            yield "error", "usd-variant", f"there is no set of variants {name!r}; {others}", ""
        elif wanted not in legal[name]:
            message = f"the set {name!r} has no variant {wanted!r}; {nearest_names(wanted, sorted(legal[name]))}"
            yield "error", "usd-variant", message, ""
    for prim, name, one, choices in _sets(stage):
        if len(choices) > 1:
            chosen = one.GetVariantSelection() or "none"
            message = f"of the variants {', '.join(choices)} in the set {name!r}, {chosen} is chosen"
            yield "info", "usd-variant", message, str(prim.GetPath())


def _raw(prim: Any) -> Raw:
    values = {}
    for attribute in prim.GetAuthoredAttributes():
        name = attribute.GetName()
        if KEPT.fullmatch(name) and (value := _plain(attribute.Get(), str(attribute.GetTypeName()))) is not None:
            values[name] = value
    targets = {}
    for relationship in prim.GetAuthoredRelationships():
        name = relationship.GetName()
        if name in BINDINGS or KEPT.fullmatch(name):
            targets[name] = tuple(map(str, relationship.GetForwardedTargets()))
    written = prim.GetPrimTypeInfo().GetAppliedAPISchemas()  # with those that usd-core does not know
    schemas = tuple(dict.fromkeys(map(str, (*written, *prim.GetAppliedSchemas()))))
    title = str(prim.GetDisplayName() or "")
    return str(prim.GetPath()), str(prim.GetTypeName()), schemas, values, targets, title, None


def _plain(value: Any, type: str) -> Any:
    """Return a value of usd-core as numbers, texts, tuples of texts, or the bytes of an array; None for others."""
    if value is None or isinstance(value, bool | str):
        return value
    is_single = type.startswith(("float", "half", "point3f", "vector3f", "normal3f", "color3f", "quatf", "texCoord"))
    if isinstance(value, int | float):
        return _decimal(value) if is_single else float(value)
    if hasattr(value, "GetImaginary"):
        value = (value.GetReal(), *value.GetImaginary())
    try:
        numbers = np.array(value, dtype=float).ravel()
    except (TypeError, ValueError):
        texts = tuple(value) if hasattr(value, "__iter__") else ()
        return texts if texts and all(isinstance(one, str) for one in texts) else None
    if not numbers.size:
        return ()
    if is_single and numbers.size <= SMALL:
        numbers = np.array([_decimal(number) for number in numbers])
    return numbers.tobytes()


def _decimal(value: float) -> float:
    """Return the shortest decimal that is stored as this number of single precision, which is the one in a text."""
    return float(str(np.float32(value)))
