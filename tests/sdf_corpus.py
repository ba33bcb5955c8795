"""SDF files of the corpus, their includes, and the robots in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from kinetree.formats import sdf
from kinetree.model.robot import Robot
from support import sample, shared


class Files:
    """An opener over the folders of the corpus."""

    def __init__(self, corpus: Path) -> None:
        self.corpus = corpus
        tests = corpus / "gazebosim+sdformat" / "test"
        self.folders = [tests / "integration" / "model", tests / "integration", tests / "sdf"]
        self.models = {path.parent.name: path.parent for path in sorted(corpus.rglob("model.config"), reverse=True)}

    def __call__(self, wanted: str, asking: str) -> tuple[bytes, str] | None:
        name = re.sub(r"^(model|file)://", "", wanted)
        places = [Path(asking).parent, *self.folders, *(p for p in Path(asking).parents if p > self.corpus)]
        found = next((p / name for p in places if (p / name).is_file()), None)
        return (found.read_bytes(), str(found)) if found else None


def corpus_files(every: int = 3) -> list[Path]:
    """SDF files of the corpus; the specification's own tables end in .sdf too."""
    corpus = shared("corpus")
    paths = (path for ending in ("*.sdf", "*.world") for path in corpus.rglob(ending))
    return sample(sorted(path for path in paths if not re.search(r"/sdf/1\.\d+/", str(path))), every)


def robots(path: Path, opener: Files) -> Iterator[Robot]:
    """The robot of a file; of a world also each of its models."""
    text = path.read_bytes()
    robot, _ = sdf.read(text, str(path), opener)
    if robot:
        yield robot
    if robot and robot.root == "world":
        for name in {link.partition("::")[0]: None for link in robot.links if "::" in link}:
            alone, _ = sdf.read(text, str(path), opener, name)
            if alone:
                yield alone
