"""Third-party notices of a bundle: ``python packaging/notices.py BUNDLE ENGINE_SOURCE``.

Writes ``third-party-notices.txt`` where About looks for it. Three kinds of parts are named with their licences in full:
Python and the packages of this environment, the engine, and the system's libraries that were copied in (on Debian and
its kin, from the packages that own them). A part without a text is an error, so that none can be forgotten.
"""

import subprocess
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from advisor.session.parts import NOTICES, Part, installed_parts, part_notice  # noqa: E402

OWN_TEXTS = {
    "PySide6_Essentials": ("LGPL-3.0.txt", "GPL-3.0.txt"),
    "shiboken6": ("LGPL-3.0.txt", "GPL-3.0.txt"),
    "nvidia-ml-py": ("nvidia-ml-py.txt",),
}
"""Texts for packages that come without; PySide6's metadata and the head of pynvml.py say which."""
NOT_BUNDLED = frozenset({"diskcache", "Jinja2", "MarkupSafe", "colorama"})
"""Needed by a part of llama-cpp-python that the bundle leaves out."""
OF_PACKAGES = (
    "libpython", "libQt6", "libpyside6", "libshiboken6", "libicu", "libgfortran-", "libquadmath-", "libscipy_openblas",
)  # fmt: skip
"""Libraries that Python, PySide6 and numpy bring, whose notices name them."""
QT_NOTE = """
Qt's libraries in this folder are used under the LGPL version 3. They are files of their own, so they can be replaced by
other builds of the same version. Their source: https://download.qt.io/official_releases/QtForPython/ and
https://download.qt.io/official_releases/qt/; the parts of others in Qt: https://doc.qt.io/qt-6/licenses-used-in-qt.html
"""


def main() -> int:
    """Write the file; 1 where a part has no text."""
    bundle, engine = Path(sys.argv[1]), Path(sys.argv[2])
    sys.path.insert(0, str(engine.parent))  # where packaging/engine/build.sh puts llama-cpp-python's metadata
    internal = next(iter([*bundle.glob("_internal"), *bundle.glob("Contents/Resources")]))
    parts = [python_part(), *engine_parts(engine), *map(with_texts, installed_parts())]
    parts = [part for part in parts if part.name not in NOT_BUNDLED]
    if sys.platform.startswith("linux"):
        parts += system_parts(internal)
    lacking = [part.name for part in parts if not part.texts]
    if lacking:
        print(f"No licence text for: {', '.join(lacking)}.", file=sys.stderr)
        return 1
    head = "Two Machines is under the MIT licence:\n\n" + (ROOT / "LICENSE").read_text(encoding="utf-8") + QT_NOTE
    text = "\n".join([head, *(part_notice(part) for part in parts)])
    target = internal / "resources" / "texts" / NOTICES
    target.write_text(text, encoding="utf-8")
    print(f"{target}: {len(parts)} parts")
    return 0


def python_part() -> Part:
    """The Python that the bundle carries."""
    text = Path(sysconfig.get_path("stdlib")) / "LICENSE.txt"
    version = sys.version.split()[0]
    return Part("Python", version, "PSF-2.0", "https://www.python.org", (text,) if text.is_file() else ())


def engine_parts(source: Path) -> list[Part]:
    """llama.cpp with ggml, as llama-cpp-python's source carries it."""
    folder = source / "vendor" / "llama.cpp"
    return [Part("llama.cpp and ggml", "", "MIT", "https://github.com/ggml-org/llama.cpp", (folder / "LICENSE",))]


def with_texts(part: Part) -> Part:
    """The package, with our copies of the texts where it brings none."""
    if part.texts:
        return part
    own = tuple(ROOT / "packaging" / "licences" / name for name in OWN_TEXTS.get(part.name, ()))
    return Part(part.name, part.version, part.licence, part.home, own)


def system_parts(internal: Path) -> list[Part]:
    """The packages of the system whose libraries lie in the bundle; raises SystemExit where one has no owner."""
    owned: dict[str, Part] = {}
    for path in sorted(internal.glob("lib*.so*")):
        if path.name.startswith(OF_PACKAGES):
            continue
        package, version = owner(path.name)
        if package not in owned:
            texts = tuple(text for text in [Path("/usr/share/doc") / package / "copyright"] if text.is_file())
            owned[package] = Part(package, version, "see below", "", texts)
    return [owned[name] for name in sorted(owned)]


def owner(library: str) -> tuple[str, str]:
    """Name and version of the Debian package that holds a library."""
    found = subprocess.run(["dpkg-query", "--search", f"*/{library}"], capture_output=True, text=True, check=False)
    if not found.stdout:
        sys.exit(f"No package of this system owns {library}.")
    package = found.stdout.partition(":")[0]
    shown = subprocess.run(
        ["dpkg-query", "--show", "--showformat=${Version}", package], capture_output=True, text=True, check=True
    )
    return package, shown.stdout


if __name__ == "__main__":
    sys.exit(main())
