"""The documentation as a static site: ``python docs/build_site.py OUT``. It works from its folder, without a server.

The guide's pages travel with the program and the developers' lie beside the source, so they are first put together in
a temporary folder, with the page that is made of the command line's parser. Sphinx's warnings are errors, dead links as
well.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
sys.path.insert(0, str(ROOT))

from advisor.cli.reference import reference_markdown  # noqa: E402
from ui.viewmodels.guide import FOLDER, PAGES, REFERENCE  # noqa: E402

MOUNTED = {
    "developers/index": "docs/developers.md",
    "developers/architecture": "docs/architecture.md",
    "developers/accuracy": "docs/accuracy.md",
    "schema/README": "docs/schema/README.md",
    "developers/packaging": "packaging/README.md",
    "developers/changelog": "CHANGELOG.md",
}
"""Page of the site -> file of the source, in the order of the contents."""

MOVED = {"../../docs/schema/": "schema/", "../packaging/README.md": "packaging.md"}
"""Links as they stand in the source, where they lead somewhere as well -> as the site has them."""


def main() -> int:
    """Build it; Sphinx's exit code."""
    out = Path(sys.argv[1])
    shutil.rmtree(out, ignore_errors=True)
    with tempfile.TemporaryDirectory() as folder:
        stage(Path(folder))
        done = subprocess.run(
            [
                sys.executable,
                "-m",
                "sphinx",
                "-q",
                "-W",
                "--keep-going",
                "-c",
                str(DOCS),
                "-d",
                f"{folder}/.doctrees",
                folder,
                str(out),
            ],
            check=False,
        )
    return done.returncode


def stage(folder: Path) -> None:
    """Put all pages into a folder as the site has them."""
    shutil.copytree(FOLDER, folder, dirs_exist_ok=True)
    shutil.copytree(DOCS / "schema", folder / "schema", dirs_exist_ok=True)
    (folder / f"{REFERENCE}.md").write_text(reference_markdown(), encoding="utf-8")
    for page, source in MOUNTED.items():
        target = folder / f"{page}.md"
        target.parent.mkdir(exist_ok=True)
        target.write_text((ROOT / source).read_text(encoding="utf-8"), encoding="utf-8")
    for file in folder.rglob("*.md"):
        text = file.read_text(encoding="utf-8")
        for source, page in MOVED.items():
            text = text.replace(f"]({source}", f"]({page}")
        file.write_text(text, encoding="utf-8")
    # The table of schemas names its files; on the site they are links.
    schemas = folder / "schema" / "README.md"
    text = re.sub(r"`(\w[\w-]*\.schema\.json)`", r"[`\1`](\1)", schemas.read_text(encoding="utf-8"))
    schemas.write_text(text, encoding="utf-8")
    with (folder / "index.md").open("a", encoding="utf-8") as index:
        index.write(
            contents("User guide", [name for name, _title in PAGES[1:]]) + contents("For developers", list(MOUNTED))
        )


def contents(caption: str, pages: list[str]) -> str:
    """A part of the table of contents, which stands at the side of every page."""
    return "\n".join(["", "```{toctree}", ":hidden:", f":caption: {caption}", "", *pages, "```", ""])


if __name__ == "__main__":
    sys.exit(main())
