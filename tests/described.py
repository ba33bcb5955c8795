"""The table of robot_descriptions, read from its modules without importing them."""

import ast
import os
from importlib.util import find_spec
from pathlib import Path

KINDS = ("URDF_PATH", "XACRO_PATH", "MJCF_PATH")
WANTED = {"REPOSITORY_PATH", "PACKAGE_PATH", "XACRO_ARGS", *KINDS}


def table() -> str:
    """The text that robots/descriptions.csv should have."""
    folder = Path(find_spec("robot_descriptions").submodule_search_locations[0])
    caches = _repositories(ast.parse((folder / "_repositories.py").read_text()))
    rows = [_row(path, caches) for path in sorted(folder.glob("[a-z]*_description.py"))]
    return "\n".join(["name,file,arguments", *rows, ""])


def _repositories(module: ast.Module) -> dict[str, str]:
    """The folder of each repository in the cache."""
    (found,) = [node.value for node in module.body if isinstance(node, ast.AnnAssign)]
    folders = [next(k.value.value for k in call.keywords if k.arg == "cache_path") for call in found.values]
    return dict(zip([key.value for key in found.keys], folders, strict=True))


def _row(path: Path, caches: dict[str, str]) -> str:
    """The name of a module, its file in the cache, and the arguments of that if it is xacro."""
    known: dict[str, object] = {}

    def value(node: ast.expr) -> object:
        if isinstance(node, ast.Name):
            return known[node.id]
        if not isinstance(node, ast.Call):
            return ast.literal_eval(node)
        name = ast.unparse(node.func)
        if name == "_clone_to_cache":
            return caches[value(node.args[0])]
        assert name == "_path.join", name
        return os.path.join(*map(value, node.args))

    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Assign | ast.AnnAssign):
            target = ast.unparse(node.targets[0] if isinstance(node, ast.Assign) else node.target)
            if target in WANTED:
                known[target] = value(node.value)
    file = next(known[key] for key in KINDS[:: -1 if "_mj_" in path.name else 1] if key in known)
    arguments = " ".join(f"{key}={text}" for key, text in sorted(known.get("XACRO_ARGS", {}).items()))
    return f"{path.stem},{file},{arguments}"
