"""What a wheel installs: ``python packaging/wheel_contents.py WHEEL``; 1 where something is missing or too much.

``python -m build`` makes the wheel of the source distribution, so that what is here is in that as well.

The packages have the names of the repository's folders, which are plain words. Another distribution that installs a
folder of such a name would share it, so this also looks whether one of this Python does.
"""

import sys
import zipfile
from importlib import metadata
from pathlib import Path

OURS = ("advisor", "resources", "ui")
NEEDED = (
    "advisor/py.typed", "advisor/cli/parser.py", "ui/__main__.py", "resources/guide/index.md",
    "resources/guide/images/done.png",
    "resources/icons/two-machines.svg", "resources/desktop/two-machines.desktop", "resources/accelerators.csv",
    "resources/texts/opticks-query-31.txt", "resources/translations/de.mo",
)  # fmt: skip
MOST_BYTES = 8_000_000


def main() -> int:
    """Print what is wrong."""
    wheel = Path(sys.argv[1])
    with zipfile.ZipFile(wheel) as file:
        names = set(file.namelist())
    tops = {name.partition("/")[0] for name in names}
    wrong = [f"{name} is missing" for name in NEEDED if name not in names]
    wrong += [
        f"{top} does not belong there" for top in sorted(tops) if top not in OURS and not top.endswith(".dist-info")
    ]
    wrong += [
        f"{name} was made by running the program"
        for name in sorted(names)
        if "__pycache__" in name or name.endswith(".pyc")
    ]
    if wheel.stat().st_size > MOST_BYTES:
        wrong.append(f"it has {wheel.stat().st_size / 1e6:.1f} MB, more than {MOST_BYTES / 1e6:.0f}")
    wrong += collisions()
    for line in wrong:
        print(f"{wheel.name}: {line}", file=sys.stderr)
    print(f"{wheel.name}: {len(names)} files, {wheel.stat().st_size / 1e6:.1f} MB, top level {', '.join(sorted(tops))}")
    return 1 if wrong else 0


def collisions() -> list[str]:
    """Other distributions of this Python that install into a folder of ours."""
    found = []
    for other in metadata.distributions():
        if other.metadata["Name"] == "two-machines":
            continue
        tops = {file.parts[0] for file in other.files or () if len(file.parts) > 1}
        found += [f"{other.metadata['Name']} installs into {name}/ as well" for name in OURS if name in tops]
    return found


if __name__ == "__main__":
    sys.exit(main())
