"""Looks for dead links, pictures and headings in a built site: ``python docs/check_links.py SITE``.

Addresses elsewhere are listed with ``--elsewhere`` and not asked: that would need a network.
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag


class Page(HTMLParser):
    """Collects what a page links to and what can be linked to in it."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.names: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take links, sources, names."""
        for name, value in attrs:
            if name in ("href", "src") and value:
                self.links.append(value)
            elif name in ("id", "name") and value:
                self.names.add(value)


def main() -> int:
    """Print what is dead; 1 where anything is."""
    site = Path(sys.argv[1]).resolve()
    pages = {path: Page(path) for path in sorted(site.rglob("*.html"))}
    dead, elsewhere, checked = [], set(), 0
    for path, page in pages.items():
        for link in page.links:
            if link.startswith(("http:", "https:", "mailto:", "data:", "javascript:")):
                elsewhere.add(link)
                continue
            checked += 1
            address, heading = urldefrag(unquote(link).partition("?")[0])
            base = site if path.name == "404.html" else path.parent
            target = (base / address.lstrip("/")).resolve() if address else path
            if target.is_dir():
                target = target / "index.html"
            if not target.is_file():
                dead.append(f"{path.relative_to(site)}: {link}")
            elif heading and target in pages and heading not in pages[target].names and not heading.startswith("__"):
                dead.append(f"{path.relative_to(site)}: {link} (no such heading)")
    for line in sorted(elsewhere) if "--elsewhere" in sys.argv else ():
        print(line)
    for line in dead:
        print(f"dead: {line}", file=sys.stderr)
    print(f"{len(pages)} pages, {checked} links, {len(dead)} dead")
    return 1 if dead or not pages else 0


if __name__ == "__main__":
    sys.exit(main())
