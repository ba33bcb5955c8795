"""Write the file of one viewer, or, without arguments, the versions of those that are installed and what is missing."""

import json
import sys
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from showing_peers import files


def stated() -> tuple[dict[str, str], dict[str, str]]:
    """Return the versions of the viewers, by name, and for the others what is missing."""
    versions, missing = {}, {}
    for name, file in files().items():
        try:
            versions[name] = ", ".join(f"{package} {version(package)}" for package in file.PACKAGES)
        except PackageNotFoundError as error:
            missing[name] = str(error)
    return versions, missing


if len(sys.argv) == 1:
    print(json.dumps(stated()))
else:
    name, model, packages, path = sys.argv[1:]
    import_module(f"showing_peers.{name}").write(Path(model), Path(packages), Path(path))
