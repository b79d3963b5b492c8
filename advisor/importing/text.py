"""Pasted text made fit to be read: colours, replaced spaces, damaged signs and the commas of other languages."""

import math
import re
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
_DRAWN: Final = str.maketrans("│┃║─━═┼├┤┬┴┌┐└┘╞╪╡╤╧╔╗╚╝╠╣╦╩╬", "|||---" + "+" * 23)
_PLUS_MINUS: Final = re.compile(r"Â±|\+/-|\+-|&plusmn;|\ufffd(?=\s*\d)")
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
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return [_plain(line) for line in lines]


def _plain(line: str) -> str:
    line = _LOST_COLOURS.sub("", _ESCAPES.sub("", line)).replace("&nbsp;", " ")
    return _QUOTED.sub("", _PLUS_MINUS.sub("±", _SPACES.sub(" ", line))).translate(_DRAWN)


def number(text: str) -> float | None:
    """A positive or zero figure, with a point or a comma before its decimals; None for what is none.

    ``1234.56``, ``1234,56``, ``1.234,56``, ``1,234.56``; a single mark before exactly three digits parts thousands
    where it is a comma, since tools write points.
    """
    found = _NUMBER.fullmatch(text.strip().replace("'", "").replace(" ", ""))
    if found is None:
        return None
    body = found[0]
    last = max(body.rfind("."), body.rfind(","))
    if "," in body:
        comma_is_decimal = body[last] == "," and ("." in body or not re.fullmatch(r"[-+]?\d{1,3}(,\d{3})+", body))
        body = body.replace(".", "").replace(",", ".") if comma_is_decimal else body.replace(",", "")
    try:
        value = float(body)
    except ValueError:
        return None
    return value if math.isfinite(value) and 0 <= value <= LARGEST else None


def whole(text: str) -> int | None:
    """A whole number; None for what is none."""
    value = number(text)
    return int(value) if value is not None and value == int(value) else None


def amount(text: str, units: dict[str, float]) -> int | None:
    """A figure with its unit, in base units: ``3.56 GiB``, ``6.74 B``; None for what is none."""
    figure, _, unit = text.strip().replace(" ", " ").rpartition(" ")
    value, factor = number(figure), units.get(unit.upper())
    return None if value is None or factor is None or value <= 0 else round(value * factor)
