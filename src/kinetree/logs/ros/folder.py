"""Bags of ROS 2: `.mcap` and `.db3`, or a folder with the metadata.yaml that names such files."""

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from kinetree.files.opener import joined, read_file
from kinetree.logs.ros import db3, mcap
from kinetree.logs.ros.bag import Bag, Reader, Topic, bag_fault
from kinetree.syntax.yaml import Yaml, read_yaml_values

METADATA = "metadata.yaml"
READERS: dict[str, Reader] = {".db3": db3.read, ".mcap": mcap.read}
"""Reader of each ending."""


def read_bag(path: Path, wanted: Collection[str]) -> Mapping[str, Topic]:
    """Return the topics of a bag by name.

    path: a `.mcap`, a `.db3`, or a folder with metadata.yaml that names such files. wanted: definitions of messages
    that are kept. Raises KinetreeError, with the offset, for a file that is damaged, compressed in a way that is not
    read, or too large.
    """
    bag = Bag(wanted)
    for file, read in _files_of(path):
        read(file, bag)
    return bag.topics


def _files_of(path: Path) -> Iterator[tuple[Path, Reader]]:
    """Yield the files of a bag in order, with what reads them."""
    for file in _listed(path) if path.is_dir() else [path]:
        if file.suffix.lower() not in READERS:
            legal, fix = ", ".join(READERS), None
            if file.suffix.lower() == ".zstd":
                fix = f"expand it with `zstd -d {file.name}`, and name the new file"
            raise bag_fault(file, f"cannot be read as a file of a bag; expected the endings {legal}", fix=fix)
        yield file, READERS[file.suffix.lower()]


def _listed(folder: Path) -> list[Path]:
    """Return the files that the metadata of a folder names."""
    metadata = folder / METADATA
    if not metadata.is_file():
        raise bag_fault(folder, f"is a folder without {METADATA}; expected that of a bag, or a .mcap or .db3")
    values = read_yaml_values(read_file(metadata), str(metadata))
    information = values[0].get("rosbag2_bagfile_information") if values else None
    names = information and information.get("relative_file_paths")
    if not information or not names or not names.texts:
        raise bag_fault(metadata, "has no list rosbag2_bagfile_information: relative_file_paths of files")
    mode = information.get("compression_mode")
    if mode and mode.text.upper() == "MESSAGE":
        fix = "write it without, by `ros2 bag convert`"
        raise bag_fault(metadata, "says that each message is compressed, which is not read", fix=fix)
    return [_inside(folder, metadata, name) for name in names.texts]


def _inside(folder: Path, metadata: Path, name: Yaml) -> Path:
    """Return a file of a folder. Raises KinetreeError for one outside of it, and for a text that is no path."""
    if "\0" in name.text:
        raise bag_fault(metadata, f"names the file {name.text[:200]!r}; expected a path, which has no character 0")
    file = joined(folder, name.text, name.text[:200])
    if not file.resolve().is_relative_to(folder.resolve()):
        raise bag_fault(metadata, f"names the file {name.text[:200]!r}, which is not in the folder of the bag")
    return file
