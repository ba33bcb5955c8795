"""One round on one target, in a process of its own: `python -m fuzz.attempt '{…}'`; see `fuzz.__main__`."""

from __future__ import annotations

import contextlib
import faulthandler
import gc
import importlib
import json
import random
import re
import sys
import warnings
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from fuzz import engines

if TYPE_CHECKING:
    from fuzz.targets import Target
    from fuzz.texts import Text

DEAF = 60
"""Seconds after which a case ends the process: it waits for something, or does not hear signals."""
SHRINKING = 20
"""Seconds in which a case that was found is made smaller."""


def main(said: str) -> None:
    """Try the cases of one round; write those that show a fault into the folder `found`."""
    options = json.loads(said)
    atheris = options["engine"] == "atheris"
    with engines.instrument() if atheris else contextlib.nullcontext():
        targets = importlib.import_module("fuzz.targets").TARGETS
    warnings.simplefilter("ignore")
    folder = Path(options["corpus"]) if options["corpus"] else None
    for name in options["targets"]:
        trial = Trial(targets[name], folder, Path(options["found"]))
        engine = engines.by_atheris if atheris else engines.by_hypothesis
        engine(trial.one, options["round"], options["cases"])
        gc.collect()
        print(f"done {name} {trial.count}", flush=True)


class Trial:
    """The cases of one target, one after the other."""

    def __init__(self, target: Target, folder: Path | None, found: Path) -> None:
        from fuzz.oracle import limit_memory

        self.target, self.folder, self.found = target, folder, found / target.name
        self.found.mkdir(parents=True, exist_ok=True)
        self.known = {path.name for path in self.found.iterdir()}
        self.count = 0
        target.texts(folder)
        limit_memory()

    def one(self, rng: random.Random) -> None:
        """Try a case, and keep it where it shows something new."""
        from fuzz.oracle import judge

        case = self.target.case(rng, self.folder)
        self.count += 1
        current = self.found / f"running{self.target.suffix}"
        current.write_bytes(case.content)
        faulthandler.dump_traceback_later(DEAF, exit=True)
        fault = judge(lambda: self.target.run(case.content, case.file))
        faulthandler.cancel_dump_traceback_later()
        current.unlink()
        if fault and (name := _file_name(fault.key) + self.target.suffix) not in self.known:
            self.known.add(name)
            (self.found / name).write_bytes(self.smaller(case, fault.key))
            (self.found / f"{name}.txt").write_text(f"{case.file}\n{fault.text}")

    def smaller(self, case: Text, key: str) -> bytes:
        """Return a part of the case that shows the same fault, found by leaving out ever smaller runs of lines."""
        from fuzz.oracle import judge

        def shows(lines: list[bytes]) -> bool:
            fault = judge(lambda: self.target.run(b"".join(lines), case.file))
            return fault is not None and fault.key == key

        lines, end = re.findall(rb"[^\n>]*[\n>]|[^\n>]+", case.content), monotonic() + SHRINKING
        size = max(len(lines) // 2, 1)
        while size and "too slow" not in key and "TooSlow" not in key:
            at = 0
            while at < len(lines) and monotonic() < end:
                less = lines[:at] + lines[at + size :]
                if shows(less):
                    lines = less
                else:
                    at += size
            size //= 2
        return b"".join(lines)


def _file_name(key: str) -> str:
    return re.sub(r"[^\w.]+", "-", key).strip("-")[:100]


if __name__ == "__main__":
    main(sys.argv[1])
