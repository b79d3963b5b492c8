"""Pasted text made fit to be read: colours, replaced spaces, damaged signs and the commas of other languages."""

import html
import math
import quopri
import re
from collections.abc import Iterable
from typing import Final

from advisor.benchmarks.reported import LARGEST
from advisor.core.errors import BadFile
from advisor.core.translation import tr

_ESCAPES: Final = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]"
)
_LOST_COLOURS: Final = re.compile(r"\[\d{1,3}(?:;\d{1,3})*m")
"""Colours whose escape sign a forum has taken away."""
_QUOTED: Final = re.compile(r"^\s*>[\s>]*")
_MARKED_DOWN: Final = re.compile(r"\\([|_*~`])")
"""Signs that Markdown's writers escape."""
_HIDDEN: Final = re.compile(r"^\|\|(?=\|)|(?<=\|)\|\|$")
"""Marks of a chat program around a hidden text, before and behind a row."""
_DRAWN: Final = str.maketrans("│┃║─━═┼├┤┬┴┌┐└┘╞╪╡╤╧╔╗╚╝╠╣╦╩╬", "|||---" + "+" * 23)
_PLUS_MINUS: Final = re.compile(r"Â±|\+/-|\+-|&plusmn;|\ufffd(?=\s*\d)")
_SOFT_BREAK: Final = re.compile(r"=C2=B1|=3D\S|=\r?\n(?=\S)")
"""Marks of quoted-printable, in which mail programs send a ± sign and long lines."""
_SPACES: Final = re.compile(r"[\u00a0\u2000-\u200b\u202f\u205f\u3000\ufeff]")
_NUMBER: Final = re.compile(r"[-+]?\d[\d.,]*(?:[eE][-+]?\d+)?")
UNITS: Final = {"KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40, "KB": 1e3, "MB": 1e6, "GB": 1e9}
COUNTS: Final = {"K": 1e3, "M": 1e6, "B": 1e9, "T": 1e12}


def decoded(raw: bytes, name: str) -> str:
    """The text of a file, UTF-8 or, as PowerShell's ``>`` writes it, UTF-16. Raises BadFile where it is none."""
    wide = raw.startswith((b"\xff\xfe", b"\xfe\xff"))
    if b"\x00" in raw[:4096] and not wide:
        raise BadFile(tr("{file} is no text.", file=name), tr("Give the text that the tool has printed or saved."))
    return raw.decode("utf-16" if wide else "utf-8-sig", "replace")


def plain_lines(text: str) -> list[str]:
    """The lines without colours, quotation marks and drawn frames, so that position + 1 is the line's number."""
    if "=C2=B1" in text and _SOFT_BREAK.search(text):
        text = quopri.decodestring(text.encode("utf-8")).decode("utf-8", "replace")
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return [_plain(line) for line in lines]


def _plain(line: str) -> str:
    line = _LOST_COLOURS.sub("", _ESCAPES.sub("", line))
    if "&" in line:
        line = html.unescape(line)
    if "\\" in line and '"' not in line:
        line = _MARKED_DOWN.sub(r"\1", line)
    line = _HIDDEN.sub("", line)
    return _QUOTED.sub("", _PLUS_MINUS.sub("±", _SPACES.sub(" ", line))).translate(_DRAWN)


def number(text: str, decimal_comma: bool = False) -> float | None:
    """A positive or zero figure, with a point or a comma before its decimals; None for what is none.

    ``1234.56``, ``1234,56``, ``1.234,56``, ``1,234.56``; a single mark before exactly three digits parts thousands
    where it is a comma, since tools write points.

    Args:
        text: the figure, without its unit.
        decimal_comma: the text is known to be of a language in which points part thousands: ``1.234`` is 1234.
    """
    found = _NUMBER.fullmatch(text.strip().replace("'", "").replace("’", "").replace(" ", ""))
    if found is None:
        return None
    body = found[0]
    if decimal_comma:
        body = body.replace(".", "").replace(",", ".")
    last = max(body.rfind("."), body.rfind(","))
    if "," in body:
        comma_is_decimal = body[last] == "," and ("." in body or not re.fullmatch(r"[-+]?\d{1,3}(,\d{3})+", body))
        body = body.replace(".", "").replace(",", ".") if comma_is_decimal else body.replace(",", "")
    elif re.fullmatch(r"[-+]?[1-9]\d{0,2}(\.\d{3}){2,}", body):
        body = body.replace(".", "")  # a figure has one decimal point
    try:
        value = float(body)
    except ValueError:
        return None
    return value if math.isfinite(value) and 0 <= value <= LARGEST else None


def decimals(text: str) -> int:
    """Digits behind the last mark of a figure; 0 where it has none."""
    return len(text.strip()) - 1 - last if (last := max(text.strip().rfind("."), text.strip().rfind(","))) >= 0 else 0


def is_cut(figure: str, others: Iterable[str], usual: int) -> bool:
    """Whether a tool that writes every figure with ``usual`` decimals wrote the others, and this one has fewer."""
    held = {decimals(other) for other in others}
    return held == {usual} and decimals(figure) < usual


def whole(text: str) -> int | None:
    """A whole number; None for what is none."""
    value = number(text)
    return int(value) if value is not None and value == int(value) else None


def amount(text: str, units: dict[str, float]) -> int | None:
    """A figure with its unit, in base units: ``3.56 GiB``, ``6.74 B``; None for what is none."""
    figure, _, unit = text.strip().replace(" ", " ").rpartition(" ")
    value, factor = number(figure), units.get(unit.upper())
    return None if value is None or factor is None or value <= 0 else round(value * factor)
