"""``desktop install`` and ``remove``: the entry in the menu, its icons, and ``.gguf`` files that open with the program.

Everything goes into the user's own data folder, as the XDG base directory, desktop entry, icon theme and shared MIME
specifications of freedesktop.org say, so nothing needs root and other users see nothing.
"""

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib.resources import files
from pathlib import Path
from typing import Final

from advisor.core.errors import AdvisorError, UsageError
from advisor.core.home import home_folder
from advisor.core.processes import foreign_variables, program_command

ENTRY: Final = Path("applications/two-machines.desktop")
MIME: Final = Path("mime/packages/two-machines.xml")
METAINFO: Final = Path("metainfo/two-machines.metainfo.xml")
SVG: Final = Path("icons/hicolor/scalable/apps/two-machines.svg")
MIME_INDEX: Final = (
    "aliases", "generic-icons", "globs", "globs2", "icons", "magic", "mime.cache", "subclasses", "treemagic", "types",
    "version", "XMLnamespaces",
)  # fmt: skip
"""What update-mime-database writes beside the packages, all of it made from them."""
UPDATE_LIMIT_S: Final = 30.0

OTHER_SYSTEMS: Final = {
    "win32": "use the installer (two-machines-setup.exe), or pin two-machines-window.exe or the command "
    "two-machines to the start menu and choose it under “Open with” of a .gguf file",
    "darwin": "copy Two Machines.app to the folder Applications; Finder then offers it for .gguf files",
}


def desktop(arguments: argparse.Namespace) -> int:
    """``desktop``."""
    folder = data_folder(os.environ, sys.platform)
    if arguments.action == "install":
        for path in install(folder, program_command()):
            print(f"Written: {path}")
    else:
        gone = remove(folder)
        for path in gone:
            print(f"Removed: {path}")
        if not gone:
            print("There was nothing to remove.")
    return 0


def data_folder(environment: Mapping[str, str], platform: str) -> Path:
    """The user's data folder; raises UsageError on systems whose menus work in another way."""
    if not platform.startswith("linux") and "bsd" not in platform:
        how = OTHER_SYSTEMS.get(platform, "put the command two-machines into its menu by hand")
        raise UsageError("This command is for desktops that follow freedesktop.org.", f"On this system {how}.")
    named = environment.get("XDG_DATA_HOME", "")
    if named.startswith("/"):  # the specification has relative ones ignored
        return Path(named)
    home = home_folder()
    if home is None:
        raise AdvisorError("There is no home folder to install into.", "Set HOME or XDG_DATA_HOME.")
    return home / ".local" / "share"


def install(folder: Path, command: Sequence[str]) -> list[Path]:
    """Write all files below the data folder, over older ones; returns them. Raises AdvisorError."""
    written = []
    for name, content in sorted(contents(command).items()):
        path = folder / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        except OSError as error:
            raise _cannot(path, error) from error
        written.append(path)
    _update(folder)
    return written


def remove(folder: Path) -> list[Path]:
    """Take away what ``install`` wrote, with the indexes and folders that nothing else needs; returns the files."""
    removed = []
    for name in sorted(contents(())):
        path = folder / name
        try:
            path.unlink()
        except FileNotFoundError:
            continue
        except OSError as error:
            raise _cannot(path, error) from error
        removed.append(path)
    if removed:
        _update(folder)
        _tidy(folder)
    return removed


def contents(command: Sequence[str]) -> dict[Path, bytes]:
    """Each file's place below the data folder and what is in it."""
    desktop, icons = files("resources") / "desktop", files("resources") / "icons"
    entry = (desktop / "two-machines.desktop").read_text(encoding="utf-8")
    svg = (icons / "two-machines.svg").read_bytes()
    result = {
        ENTRY: entry.replace("Exec=two-machines", f"Exec={exec_line(command)}").encode(),
        MIME: (desktop / "two-machines.mime.xml").read_bytes(),
        METAINFO: (desktop / "two-machines.metainfo.xml").read_bytes(),
        SVG: svg,
    }
    for size in sorted((icons / "hicolor").iterdir(), key=lambda each: each.name):
        picture = size / "apps" / "two-machines.png"
        if picture.is_file():
            result[Path("icons/hicolor") / size.name / "apps" / "two-machines.png"] = picture.read_bytes()
    return result


def exec_line(command: Sequence[str]) -> str:
    """A command as the desktop entry's ``Exec`` wants it: quoted, with the four characters and ``%`` escaped.

    The value is a string of the entry, too, whose own escape doubles every backslash once more.
    """
    words = []
    for word in command:
        quoted = "".join(f"\\{each}" if each in '"`$\\' else each for each in word).replace("%", "%%")
        plain = quoted == word and not any(each in " \t\n'<>~|&;*?#()" for each in word)
        words.append(word if plain else f'"{quoted}"')
    return " ".join(words).replace("\\", "\\\\")


def _update(folder: Path) -> None:
    """Have the desktop's indexes made anew; desktops without these tools read the files themselves."""
    for tool, place in (("update-mime-database", "mime"), ("update-desktop-database", "applications")):
        if (folder / place).is_dir() and shutil.which(tool):
            with suppress(OSError, subprocess.TimeoutExpired):
                subprocess.run(
                    [tool, str(folder / place)], env=foreign_variables(os.environ), capture_output=True, check=False,
                    timeout=UPDATE_LIMIT_S,
                )  # fmt: skip


def _tidy(folder: Path) -> None:
    packages = folder / MIME.parent
    if not packages.is_dir() or not any(packages.iterdir()):
        for name in MIME_INDEX:
            (folder / "mime" / name).unlink(missing_ok=True)
        for emptied in (folder / "mime").glob("*/"):
            if not any(emptied.iterdir()):
                emptied.rmdir()
    if not any((folder / ENTRY.parent).glob("*.desktop")):
        (folder / ENTRY.parent / "mimeinfo.cache").unlink(missing_ok=True)
    for path in contents(()):
        place = (folder / path).parent
        while not place.exists():
            place = place.parent
        while place != folder and place.is_dir() and not any(place.iterdir()):
            place.rmdir()
            place = place.parent


def _cannot(path: Path, error: OSError) -> AdvisorError:
    sentence = f"{path} could not be changed: {error.strerror or error}."
    return AdvisorError(sentence, "Set XDG_DATA_HOME to a folder of your own.")
