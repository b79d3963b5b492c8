"""The files that a desktop reads are well-formed and agree with each other and with the program."""

import configparser
import re
import struct
import tomllib
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from advisor import __version__
from advisor.session.parts import DIRECT

ROOT = Path(__file__).parents[2]
DESKTOP = ROOT / "resources" / "desktop"
ICONS = ROOT / "resources" / "icons"
MIME = "{http://www.freedesktop.org/standards/shared-mime-info}"


def entry() -> configparser.SectionProxy:
    parser = configparser.ConfigParser(interpolation=None, delimiters=("=",))
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read(DESKTOP / "two-machines.desktop", encoding="utf-8")
    return parser["Desktop Entry"]


def test_the_entry_opens_a_file_of_the_type_that_the_mime_file_declares() -> None:
    declared = ET.parse(DESKTOP / "two-machines.mime.xml").getroot().find(f"{MIME}mime-type")
    assert declared is not None
    assert entry()["MimeType"] == declared.attrib["type"] + ";"
    assert entry()["Exec"] == "two-machines %f"
    glob, match = declared.find(f"{MIME}glob"), declared.find(f"{MIME}magic/{MIME}match")
    assert glob is not None and glob.attrib["pattern"] == "*.gguf"
    assert match is not None and (match.attrib["offset"], match.attrib["value"]) == ("0", "GGUF")


def test_the_metainfo_names_the_entry_the_type_and_this_version() -> None:
    component = ET.parse(DESKTOP / "two-machines.metainfo.xml").getroot()
    assert component.findtext("launchable") == "two-machines.desktop"
    assert component.findtext("provides/mediatype") == entry()["MimeType"].rstrip(";")
    releases = [release.attrib["version"] for release in component.findall("releases/release")]
    assert releases[0] == __version__


@pytest.mark.parametrize("size", [16, 22, 24, 32, 48, 64, 128, 256, 512])
def test_each_icon_has_the_size_of_its_folder(size: int) -> None:
    data = (ICONS / "hicolor" / f"{size}x{size}" / "apps" / "two-machines.png").read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", data[16:24]) == (size, size)


def test_the_icon_containers_hold_what_their_directories_say() -> None:
    ico, icns = (ICONS / "two-machines.ico").read_bytes(), (ICONS / "two-machines.icns").read_bytes()
    for index in range(struct.unpack("<H", ico[4:6])[0]):
        length, place = struct.unpack("<II", ico[6 + 16 * index + 8 : 6 + 16 * index + 16])
        assert ico[place : place + 4] == b"\x89PNG" and place + length <= len(ico)
    assert icns[:4] == b"icns" and struct.unpack(">I", icns[4:8])[0] == len(icns)


def test_the_parts_are_those_that_pyproject_asks_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    asked = {re.match(r"[\w.-]+", line).group() for line in project["dependencies"]}  # type: ignore[union-attr]
    assert asked == set(DIRECT)
    assert "version" in project["dynamic"], "the version stands in advisor/__init__.py alone"


def test_the_recipes_are_python_and_use_only_modules_of_ours() -> None:
    spec = (ROOT / "packaging" / "pyinstaller" / "two-machines.spec").read_text(encoding="utf-8")
    compile(spec, "two-machines.spec", "exec")
    entry_point = (ROOT / "packaging" / "pyinstaller" / "entry.py").read_text(encoding="utf-8")
    modules = re.search(r"MODULES = \((.*)\)", entry_point)
    assert modules is not None
    for name in re.findall(r'"([\w.]+)"', modules.group(1)):
        assert (ROOT / name.replace(".", "/") / "__main__.py").is_file(), name


def test_every_source_that_starts_a_module_of_ours_can_do_so_in_a_bundle() -> None:
    started = {
        name
        for folder in ("advisor", "ui")
        for path in (ROOT / folder).rglob("*.py")
        for name in re.findall(r'module_command\("([\w.]+)"', path.read_text(encoding="utf-8"))
    }
    entry_point = (ROOT / "packaging" / "pyinstaller" / "entry.py").read_text(encoding="utf-8")
    assert started and all(f'"{name}"' in entry_point for name in started)
    by_hand = [
        str(path.relative_to(ROOT))
        for folder in ("advisor", "ui")
        for path in (ROOT / folder).rglob("*.py")
        if re.search(r'sys\.executable, "-m"', path.read_text(encoding="utf-8")) and path.name != "processes.py"
    ]
    assert not by_hand, "a bundle has no Python that -m could be given to: use advisor.core.processes.module_command"
