"""The user guide that comes with the program: its pages in order, and how links between them are written."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import resources
from advisor.core.translation import marked, tr

FOLDER: Final = Path(resources.__file__).parent / "guide"
REFERENCE: Final = "command-line"
"""The page that is made of the parser and has no file."""

PAGES: Final = (
    ("index", marked("Start")),
    ("idea", marked("The idea")),
    ("window", marked("The window")),
    ("figures", marked("Reading the figures")),
    ("server", marked("A server")),
    ("gpu", marked("Measuring on a GPU")),
    ("method", marked("Method and limits")),
    ("accuracy", marked("Accuracy")),
    ("troubleshooting", marked("When something is wrong")),
    ("command-line", marked("Command line")),
    ("json", marked("JSON")),
)
"""File name without its ending, and title, in the order of the window's list and of the site."""

DEVELOPERS: Final = "../../docs/"
"""Where the pages for developers lie from the guide's folder, in the source."""

ELSEWHERE: Final = marked(
    "# Not in this window\n\n"
    "That page is for developers. It lies in the folder `docs` of the program's source, as `{name}`."
)


@dataclass(frozen=True, slots=True)
class Target:
    """Where a link leads: one of ``PAGES`` and a heading's slug ("" for the top); or an address for the browser."""

    page: str = ""
    heading: str = ""
    address: str = ""


def target_of(link: str) -> Target:
    """The target of a link as a page writes it: ``figures.md#stamps``, ``#stamps`` or ``https://…``."""
    if re.match(r"[a-z][a-z0-9+.-]*:", link):
        return Target(address=link)
    path, _mark, heading = link.partition("#")
    return Target(path.removeprefix(DEVELOPERS).removesuffix(".md"), heading)


def slug(heading: str) -> str:
    """What a link calls a heading, as the site's generator does: lower case, words joined by hyphens."""
    kept = re.sub(r"[^\w\s-]", "", heading.lower()).strip()
    return re.sub(r"[-\s]+", "-", kept)


def page_text(name: str) -> str:
    """A page's Markdown; for a page that does not come with the program, where it is."""
    if name == REFERENCE:
        from advisor.cli.reference import reference_markdown

        return reference_markdown()
    path = FOLDER / f"{name}.md"
    if name not in dict(PAGES) or not path.is_file():
        return tr(ELSEWHERE, name=name)
    return path.read_text(encoding="utf-8")
