"""Windows and macOS, played on this system: paths, locks, streams, and how child processes start."""

import errno
import io
import ntpath
import os
import posixpath
import subprocess
import sys
from pathlib import Path, PurePosixPath, PureWindowsPath
from types import SimpleNamespace

import pytest

from kinetree import confine, isolated
from kinetree.cli import _exit
from kinetree.compiler import cache
from kinetree.errors import KinetreeError
from kinetree.files import opener, output
from kinetree.files.opener import Files, joined
from kinetree.isolated import child
from kinetree.logs.ros import folder as bags
from kinetree.model.edit import own_files
from planar_arm import ARM
from support import put

SERVER = PureWindowsPath(r"\\server\share\robots")
HERE = PureWindowsPath(r"C:\robots")


class TestReferences:
    @pytest.mark.parametrize(
        ("path", "found"),
        [("/C:/a%20b/arm.stl", "C:/a b/arm.stl"), ("/c:/arm.stl", "c:/arm.stl"), ("/robots/a.stl", "/robots/a.stl")],
    )
    def test_a_uri_with_a_drive(self, path, found, monkeypatch):
        monkeypatch.setattr(opener, "os", SimpleNamespace(name="nt"))
        assert opener.path_of_uri(path) == found

    def test_elsewhere_it_is_a_folder(self):
        assert opener.path_of_uri("/C:/arm.stl") == "/C:/arm.stl"

    @pytest.mark.parametrize(
        "path",
        [
            r"\\other\share\arm.stl",
            "//other/share/arm.stl",
            r"\\.\pipe\arm",
            r"\\?\UNC\other\share\arm.stl",
            r"\\server\else\arm.stl",
        ],
    )
    @pytest.mark.parametrize("folder", [HERE, SERVER, None])
    def test_a_place_on_the_network_is_refused_before_it_is_looked_at(self, path, folder, monkeypatch):
        monkeypatch.setattr(opener, "Path", PureWindowsPath)
        with pytest.raises(KinetreeError, match="nothing is read there"):
            joined(folder, path, path)

    @pytest.mark.parametrize(
        ("folder", "path", "found"),
        [
            (HERE, "meshes/arm.stl", r"C:\robots\meshes\arm.stl"),
            (HERE, r"D:\arm.stl", r"D:\arm.stl"),
            (SERVER, "meshes/arm.stl", r"\\server\share\robots\meshes\arm.stl"),
            (SERVER, r"\\SERVER\share\arm.stl", r"\\server\share\arm.stl"),
            (None, r"C:\arm.stl", r"C:\arm.stl"),
        ],
    )
    def test_other_places_are_found(self, folder, path, found, monkeypatch):
        monkeypatch.setattr(opener, "Path", PureWindowsPath)
        assert joined(folder, path, path) == PureWindowsPath(found)

    def test_every_reference_is_asked(self, monkeypatch):
        """Of a robot without packages, by all ways in which one can name the place."""
        monkeypatch.setattr(opener, "Path", PureWindowsPath)
        monkeypatch.setattr(opener, "os", SimpleNamespace(name="nt"))
        files = Files({"parts": HERE})
        asked = (
            r"\\other\share\a",
            "file:////other/share/a",
            r"package://parts/\\other\share\a",
            r"model://parts/\\o\s\a",
        )
        files.packages.package = files.packages.model = lambda name, near: HERE
        for reference in asked:
            with pytest.raises(KinetreeError, match="nothing is read there"):
                files.path(reference, r"C:\robots\arm.urdf")
        assert files.path("file:///C:/a.stl", r"C:\robots\arm.urdf") == PureWindowsPath(r"C:\a.stl")

    def test_places_in_other_files_are_asked_too(self):
        with pytest.raises(KinetreeError, match="nothing is read there"):
            bags._inside(HERE, HERE / "metadata.yaml", SimpleNamespace(text=r"\\other\share\a.mcap"))

    @pytest.mark.parametrize(
        ("path", "found"),
        [(r"C:\robots\meshes\a.stl", "meshes/a.stl"), (r"C:\b.stl", "../b.stl"), (r"D:\a.stl", r"D:\a.stl")],
    )
    def test_a_file_on_another_drive_has_its_whole_path(self, path, found, monkeypatch):
        monkeypatch.setattr(own_files, "os", SimpleNamespace(path=ntpath, sep="\\"))
        assert own_files.seen_from(r"C:\robots", path) == found


class TestFoldersThatHoldEverything:
    @pytest.fixture(params=["darwin", "linux"])
    def posix(self, request, monkeypatch):
        """The name of a system whose paths are those of POSIX."""
        monkeypatch.setattr(confine, "Path", PurePosixPath)
        monkeypatch.setattr(confine, "os", SimpleNamespace(path=posixpath))
        monkeypatch.setattr(confine.sys, "platform", request.param)
        monkeypatch.setenv("HOME", f"/{request.param}/Ada")
        return request.param

    def test_on_macos_in_any_case_and_on_linux_as_written(self, posix):
        assert confine.is_shared(f"/{posix}/Ada")
        assert confine.is_shared(f"/{posix}/ada") == (posix == "darwin")
        assert confine.is_shared("/")
        assert not confine.is_shared(f"/{posix}/Ada/robots")

    def test_on_windows_in_any_case_and_on_every_drive(self, monkeypatch):
        monkeypatch.setenv("USERPROFILE", r"C:\Users\Ada")
        monkeypatch.setattr(confine, "Path", PureWindowsPath)
        monkeypatch.setattr(confine, "os", SimpleNamespace(path=ntpath))
        for folder in (r"c:\users\ada", "C:/Users/Ada", "D:\\", "\\\\server\\share\\"):
            assert confine.is_shared(folder)
        assert not confine.is_shared(r"D:\robots")


@pytest.fixture
def windows(monkeypatch):
    """Make what writes files believe that it runs on Windows."""
    if sys.platform == "win32":
        pytest.skip("this is Windows")
    monkeypatch.setattr(output.sys, "platform", "win32")


class TestFiles:
    @pytest.mark.parametrize("count", [1, 2])
    def test_a_target_that_a_scanner_has_open_is_replaced_once_it_is_closed(
        self, count, tmp_path, windows, monkeypatch
    ):
        held, waited, replace = [2], [], os.replace

        def refuse(source, target):
            if held[0]:
                held[0] -= 1
                raise PermissionError(errno.EACCES, "in use")
            replace(source, target)

        monkeypatch.setattr(os, "replace", refuse)
        monkeypatch.setattr(output.time, "sleep", waited.append)
        paths = [tmp_path / str(number) for number in range(count)]
        output.write_all(dict.fromkeys(paths, "new"))
        assert [path.read_text() for path in paths] == ["new"] * count
        assert waited == [0.01, 0.05]

    @pytest.mark.parametrize("count", [1, 2])
    def test_one_that_stays_open_keeps_its_content_and_nothing_is_left(self, count, tmp_path, windows, monkeypatch):
        paths, waited, replace = [put(tmp_path / str(number), "old") for number in range(count)], [], os.replace

        def refuse(source, target):
            if target == paths[-1] and source.name.endswith("new"):
                raise PermissionError(errno.EACCES, "in use")
            replace(source, target)

        monkeypatch.setattr(os, "replace", refuse)
        monkeypatch.setattr(output.time, "sleep", waited.append)
        with pytest.raises(KinetreeError, match="in use"):
            output.write_all(dict.fromkeys(paths, "new"))
        assert [path.read_text() for path in paths] == ["old"] * count
        assert len(list(tmp_path.iterdir())) == count
        assert sum(waited) < 1

    def test_elsewhere_it_is_tried_once(self, tmp_path, monkeypatch):
        tries = []

        def refuse(*paths):
            tries.append(paths)
            raise PermissionError(errno.EACCES, "not allowed")

        monkeypatch.setattr(os, "replace", refuse)
        with pytest.raises(KinetreeError, match="not allowed"):
            output.write_whole(tmp_path / "a", "new")
        assert len(tries) == 1 or sys.platform == "win32"

    @pytest.mark.parametrize(
        ("platform", "variables", "found"),
        [
            ("win32", {"LOCALAPPDATA": "/home/ada/local"}, "/home/ada/local/kinetree"),
            ("win32", {"LOCALAPPDATA": ""}, "/home/ada/AppData/Local/kinetree"),
            ("darwin", {}, "/home/ada/Library/Caches/kinetree"),
            ("linux", {"XDG_CACHE_HOME": "/x"}, "/x/kinetree"),
            ("linux", {"XDG_CACHE_HOME": "x"}, "/home/ada/.cache/kinetree"),
        ],
    )
    def test_the_cache_of_kernels(self, platform, variables, found, monkeypatch):
        monkeypatch.delenv("KINETREE_CACHE")
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(cache.sys, "platform", platform)
        monkeypatch.setattr(Path, "home", lambda: Path("/home/ada"))
        assert cache.folder() == Path(found)


class TestStreams:
    @staticmethod
    def written(text, monkeypatch, platform, **variables):
        raw = io.BytesIO()
        stream = io.TextIOWrapper(raw, encoding="cp1252", newline="\n")
        monkeypatch.setattr(_exit.sys, "platform", platform)
        monkeypatch.setattr(sys, "stdout", stream)
        monkeypatch.delenv("PYTHONIOENCODING", raising=False)
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        _exit.take_any_character()
        stream.write(text)
        stream.flush()
        return raw.getvalue()

    def test_a_pipe_of_windows_gets_utf_8(self, monkeypatch):
        assert self.written("90° ≤ é 关", monkeypatch, "win32") == "90° ≤ é 关".encode()

    def test_a_code_page_that_is_wished_is_kept(self, monkeypatch):
        told = self.written("90° ≤ é 关", monkeypatch, "win32", PYTHONIOENCODING="cp1252")
        assert told == b"90\xb0 <= \xe9 \\u5173"

    def test_elsewhere_the_encoding_stays(self, monkeypatch):
        assert self.written("90° ≤ é 关", monkeypatch, "linux") == b"90\xb0 <= \xe9 \\u5173"

    @pytest.mark.parametrize(
        ("platform", "number", "status"),
        [("win32", errno.EINVAL, 141), ("linux", errno.EINVAL, 74), ("win32", errno.ENOSPC, 74)],
    )
    def test_a_reader_that_has_gone(self, platform, number, status, monkeypatch, capsys):
        monkeypatch.setattr(_exit.sys, "platform", platform)
        with pytest.raises(SystemExit) as ended, _exit.exit_status():
            raise OSError(number, os.strerror(number))
        assert ended.value.code == status

    @pytest.mark.slow
    def test_the_difference_of_a_repair_has_the_bytes_of_the_file(self, tmp_path):
        """Where text that is printed gets other line ends and a code page, as on Windows."""
        text = ARM.replace("<axis xyz", "<!-- 关 --><axis xyz", 1).replace('"0 0 1"', '"0 0 2"', 1)
        (tmp_path / "arm.urdf").write_bytes(text.replace("\n", "\r\n").encode())
        program = (
            "import io, sys; sys.stdout = io.TextIOWrapper(sys.stdout.buffer, encoding='cp1252', newline='\\r\\n'); "
            "from kinetree.cli import main; main()"
        )
        command = [sys.executable, "-c", program, "fix", "--diff", "arm.urdf"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
        lines = [line for line in done.stdout.split(b"\n") if line[:1] in b"+- " and line[:3] not in (b"+++", b"---")]
        changed = [line for line in lines if line]
        assert any("关".encode() in line for line in changed), done.stderr
        assert all(line.endswith(b"\r") for line in changed if not line.endswith(b"</robot>"))
        assert b"\r\r" not in done.stdout

    def test_an_error_of_a_socket_has_words(self, monkeypatch):
        pytest.importorskip("websockets")
        from kinetree.serving import server

        monkeypatch.setattr(server.os, "strerror", lambda number: "Unknown error")
        error = server._cannot_listen("127.0.0.1", 1, OSError(10048, "only one usage of each address is permitted"))
        assert "only one usage" in str(error)
        error = server._cannot_listen("127.0.0.1", 1, OSError("no such address"))  # without a number
        assert error.findings[0].message == "cannot listen on port 1 of '127.0.0.1': no such address"


class TestChildren:
    def test_one_shows_no_window(self, monkeypatch):
        given = {}

        def begin(command, **options):
            given.update(options)
            raise OSError("not here")

        monkeypatch.setattr(subprocess, "CREATE_NO_WINDOW", 0x08000000, raising=False)
        monkeypatch.setattr(subprocess, "Popen", begin)
        with pytest.raises(OSError, match="not here"):
            child.Child("math:sqrt", seconds=1, megabytes=1, readable=None, environment={}).start()
        assert given["creationflags"] == 0x08000000

    @pytest.mark.slow
    def test_its_standard_input_is_empty_and_no_pipe(self):
        """A library that looks at it on Windows would wait for the thread that reads from the pipe."""
        found = isolated.call("os:read", 0, 10, seconds=30, megabytes=2048, readable=None)
        assert found == b""
