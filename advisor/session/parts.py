"""What the program is made of: itself, its engine, and the packages it needs, each with its licence."""

import re
import sys
from dataclasses import dataclass
from importlib import metadata
from importlib.resources import files
from pathlib import Path
from typing import Final

from advisor import __version__
from advisor.benchmarks.child_words import translated
from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.core.translation import tr

DIRECT: Final = (
    "PySide6-Essentials", "pyqtgraph", "numpy", "llama-cpp-python", "psutil", "nvidia-ml-py", "platformdirs",
    "archspec", "httpx",
)  # fmt: skip
"""The packages that pyproject.toml asks for; a test compares them."""
NOTICES: Final = "third-party-notices.txt"
"""In ``resources/texts`` of a bundle: the notices of everything in it, native libraries as well."""
_LICENCE_FILE: Final = re.compile(r"(LICEN[CS]E|COPYING|NOTICE|COPYRIGHT)", re.IGNORECASE)
_SHORT: Final = 80


@dataclass(frozen=True, slots=True)
class Part:
    """An installed package.

    Attributes:
        licence: as its metadata says; "" where they do not.
        home: its home page, "" where the metadata have none.
        texts: files with licences and notices that came with it.
    """

    name: str
    version: str
    licence: str
    home: str
    texts: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class About:
    """The program, its engine's version and build, the Python it runs in, and its parts."""

    version: str
    engine: Fact[str]
    python: str
    parts: tuple[Part, ...]


def about_program() -> About:
    """All of it, from files alone; no engine is started."""
    return About(__version__, engine_build(), sys.version.split()[0], installed_parts())


def engine_build() -> Fact[str]:
    """Version and build of the engine that belongs to this program."""
    from advisor.benchmarks.worker import llama
    from advisor.benchmarks.worker.talk import Failure

    try:
        folder = llama.package_folder()
        text = f"llama-cpp-python {llama.version(folder)} (build {llama.build_id(llama.library_folder(folder))})"
    except Failure as failure:
        return Unknown(translated(failure.sentence), Missing.TOOL_MISSING)
    except OSError as error:
        return Unknown(tr("its files cannot be read: {error}", error=error.strerror or error), Missing.FAILED)
    return Known(text, Basis.READ, tr("its files"))


def installed_parts(roots: tuple[str, ...] = DIRECT) -> tuple[Part, ...]:
    """The roots and what they need in turn, as far as it is installed, by name."""
    found: dict[str, Part] = {}
    waiting = list(roots)
    while waiting:
        name = waiting.pop()
        key = _key(name)
        if key in found:
            continue
        try:
            package = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue
        found[key] = _part(package)
        for needed in package.requires or ():
            wanted = re.match(r"[\w.-]+", needed)
            if wanted and "extra ==" not in needed:
                waiting.append(wanted.group())
    return tuple(found[key] for key in sorted(found))


def notices() -> str:
    """The notices of everything that is here: the bundle's own file, else those that came with the packages."""
    bundled = files("resources") / "texts" / NOTICES
    if bundled.is_file():
        return bundled.read_text(encoding="utf-8")
    return "\n".join(part_notice(part) for part in installed_parts())


def part_notice(part: Part) -> str:
    """One package's notice: what it is, then the texts that came with it."""
    head = f"{part.name} {part.version}\n{part.licence or 'licence: see below'}\n{part.home}".rstrip()
    texts = [path.read_text(encoding="utf-8", errors="replace").strip() for path in part.texts]
    return "\n\n".join(["=" * _SHORT + f"\n{head}", *texts]) + "\n"


def _part(package: metadata.Distribution) -> Part:
    fields = package.metadata
    texts = [
        Path(str(package.locate_file(file)))
        for file in package.files or ()
        if ".dist-info" in str(file) and _LICENCE_FILE.match(file.name)
    ]
    return Part(
        name=fields["Name"],
        version=package.version,
        licence=licence_of(
            _first(fields, "License-Expression"), _first(fields, "License"), fields.get_all("Classifier") or []
        ),
        home=home_of(_first(fields, "Home-page"), fields.get_all("Project-URL") or []),
        texts=tuple(path for path in texts if path.is_file()),
    )


def _first(fields: metadata.PackageMetadata, name: str) -> str | None:
    return next(iter(fields.get_all(name) or ()), None)


def licence_of(expression: str | None, old: str | None, classifiers: list[str]) -> str:
    """The licence in a few words; the old field may hold the whole text, which is no name."""
    if expression:
        return expression
    if old and len(old) <= _SHORT and "\n" not in old.strip():
        return old.strip()
    named = [line.rpartition(" :: ")[2] for line in classifiers if line.startswith("License :: ")]
    return ", ".join(named)


def home_of(old: str | None, urls: list[str]) -> str:
    """The home page among a package's addresses."""
    pairs = [each.partition(",") for each in urls]
    named = {label.strip().lower(): address.strip() for label, _comma, address in pairs}
    for label in ("homepage", "home", "repository", "source", "source code"):
        if label in named:
            return named[label]
    return old or next(iter(named.values()), "")


def _key(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
