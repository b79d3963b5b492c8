"""What Qt cannot write into a PDF: bookmarks, the language, the title as the window's title, the result's own date.

It is an incremental update as the standard describes it (ISO 32000-1, 7.5.6): Qt's bytes stay as they are, changed
objects and a further cross-reference table follow. Only the time of printing, in Qt's first part, is overwritten by the
time of the result, so that the same result gives the same file.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

_STARTS: Final = re.compile(rb"startxref\s+(\d+)\s+%%EOF\s*\Z")
_TABLE: Final = re.compile(rb"xref\s+0 (\d+)\s+")
_ENTRY_BYTES: Final = 20
_DATE: Final = re.compile(rb"\(D:\d{14}[^)]{0,8}\)")
_XMP_DATE: Final = re.compile(rb'(xmp:\w+Date=")(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:Z|[+-]\d\d:\d\d)(?=")')


class NotAsExpected(Exception):
    """The PDF is built in another way than Qt's have been so far."""


@dataclass(frozen=True, slots=True)
class Bookmark:
    """A line of the outline.

    Attributes:
        page: from 0.
        top: distance of the place from the lower edge of its page, in points.
        level: 0 for a chapter, 1 for a section of the chapter before it.
    """

    title: str
    page: int
    top: float
    level: int = 0


def finished(content: bytes, bookmarks: Sequence[Bookmark], language: str, made_at: datetime | None) -> bytes:
    """The PDF with all of it.

    Args:
        content: as Qt has written it.
        bookmarks: in the order of the document, a chapter first.
        language: of the text, as BCP 47 writes it.
        made_at: the date to be shown as the document's; None keeps Qt's.

    Raises:
        NotAsExpected: the PDF has another structure.
    """
    given = _Given(_dated(content, made_at))
    first = given.size
    objects = _outline(bookmarks, given.pages(), first)
    catalog = given.body(given.root)
    own = b"".join(
        (
            b"\n/Lang ", _text(language), b"\n/PageMode /UseOutlines",
            b"\n/ViewerPreferences << /DisplayDocTitle true >>", b"\n/Outlines %d 0 R\n" % first,
        )
    )  # fmt: skip
    end = catalog.rindex(b">>")
    objects[given.root] = catalog[:end] + own + catalog[end:]
    return given.content + _update(given, objects)


def _dated(content: bytes, made_at: datetime | None) -> bytes:
    """Qt's dates replaced by ours, in as many bytes, so that nothing moves."""
    if made_at is None:
        return content
    moment = made_at.astimezone(UTC)
    ours = moment.strftime("(D:%Y%m%d%H%M%SZ)").encode()
    zone = {1: b"Z", 6: b"+00:00"}

    def in_xmp(found: re.Match[bytes]) -> bytes:
        ending = zone.get(len(found[0]) - len(found[1]) - len(found[2]), b"Z")
        return found[1] + moment.strftime("%Y-%m-%dT%H:%M:%S").encode() + ending

    content = _XMP_DATE.sub(in_xmp, content)
    return _DATE.sub(lambda found: ours.ljust(len(found[0])) if len(found[0]) >= len(ours) else found[0], content)


class _Given:
    """A PDF with one plain cross-reference table. Raises NotAsExpected."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        found = _STARTS.search(content)
        table = _TABLE.match(content, int(found[1])) if found else None
        if found is None or table is None:
            raise NotAsExpected("no plain cross-reference table")
        self.table_at, self.size = int(found[1]), int(table[1])
        self._entries_at = table.end()
        self.trailer = content[content.rindex(b"trailer") :]
        self.root = self._reference(self.trailer, b"Root")
        self.info = self._reference(self.trailer, b"Info")

    def body(self, number: int) -> bytes:
        """An object between ``obj`` and ``endobj``."""
        at = self._entries_at + _ENTRY_BYTES * number
        entry = self.content[at : at + 10]
        start = int(entry) if entry.isdigit() else -1
        opening = b"%d 0 obj" % number
        if not self.content.startswith(opening, max(start, 0)):
            raise NotAsExpected(f"object {number} is not where the table says")
        return self.content[start + len(opening) : self.content.index(b"endobj", start)].strip()

    def pages(self) -> list[int]:
        """The pages' objects in order, which Qt lists flat."""
        root = self.body(self._reference(self.body(self.root), b"Pages"))
        kids = re.search(rb"/Kids\s*\[([\d\sR]*)\]", root)
        if kids is None:
            raise NotAsExpected("no list of pages")
        return [int(number) for number in re.findall(rb"(\d+) 0 R", kids[1])]

    @staticmethod
    def _reference(text: bytes, name: bytes) -> int:
        found = re.search(rb"/" + name + rb"\s+(\d+) 0 R", text)
        if found is None:
            raise NotAsExpected(f"no {name.decode()}")
        return int(found[1])


def _outline(bookmarks: Sequence[Bookmark], pages: list[int], first: int) -> dict[int, bytes]:
    """The objects of the outline, its root being ``first``; a section before any chapter counts as one."""
    numbers = {at: first + 1 + at for at in range(len(bookmarks))}
    parents, chapter = [], -1
    for at, mark in enumerate(bookmarks):
        chapter = at if mark.level == 0 else chapter
        parents.append(first if mark.level == 0 or chapter < 0 else numbers[chapter])
    children: dict[int, list[int]] = {}
    for at, parent in enumerate(parents):
        children.setdefault(parent, []).append(numbers[at])
    objects = {first: b"<< /Type /Outlines%s >>" % _family(children.get(first, []), hidden=False)}
    for at, mark in enumerate(bookmarks):
        siblings, number = children[parents[at]], numbers[at]
        place = siblings.index(number)
        parts = [b"<< /Title ", _text(mark.title), b" /Parent %d 0 R" % parents[at]]
        parts += [b" /Prev %d 0 R" % siblings[place - 1]] if place else []
        parts += [b" /Next %d 0 R" % siblings[place + 1]] if place + 1 < len(siblings) else []
        parts += [_family(children.get(number, []), hidden=True)]
        parts += [b" /Dest [%d 0 R /XYZ 0 %d null] >>" % (pages[mark.page], round(mark.top))]
        objects[number] = b"".join(parts)
    return objects


def _family(children: list[int], hidden: bool) -> bytes:
    """First, last and number of the children; a negative number keeps them folded."""
    if not children:
        return b""
    return b" /First %d 0 R /Last %d 0 R /Count %d" % (
        children[0], children[-1], -len(children) if hidden else len(children),
    )  # fmt: skip


def _update(given: _Given, objects: dict[int, bytes]) -> bytes:
    """The objects, their cross-reference table and the trailer that points back to Qt's."""
    body, offsets = bytearray(b"\n"), {}
    for number in sorted(objects):
        offsets[number] = len(given.content) + len(body)
        body += b"%d 0 obj\n%s\nendobj\n" % (number, objects[number])
    table_at = len(given.content) + len(body)
    body += b"xref\n0 1\n0000000000 65535 f \n"  # the empty object 0, as every table begins
    for run in _runs(sorted(offsets)):
        body += b"%d %d\n" % (run[0], len(run))
        body += b"".join(b"%010d 00000 n \n" % offsets[number] for number in run)
    identity = re.search(rb"/ID\s*\[[^\]]*\]", given.trailer)
    body += b"trailer\n<< /Size %d /Root %d 0 R /Info %d 0 R /Prev %d %s >>\nstartxref\n%d\n%%%%EOF\n" % (
        max(given.size, max(objects) + 1), given.root, given.info, given.table_at, identity[0] if identity else b"",
        table_at,
    )  # fmt: skip
    return bytes(body)


def _runs(numbers: list[int]) -> list[list[int]]:
    """Numbers that follow each other, together."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return runs


def _text(text: str) -> bytes:
    """A text in any script, as a hexadecimal string of UTF-16."""
    return b"<FEFF" + text.encode("utf-16-be", "replace").hex().upper().encode() + b">"
