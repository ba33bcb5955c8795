"""Rerun: its own reader of URDF, into a recording. There is no page: the recording is opened by Rerun's viewer."""

from pathlib import Path

PACKAGES = ("rerun-sdk",)
ENDING = ".rrd"


def write(model: Path, packages: Path, path: Path) -> None:
    import rerun

    rerun.init("robot")
    rerun.save(str(path))
    rerun.log_file_from_path(str(model), static=True)
    rerun.disconnect()
