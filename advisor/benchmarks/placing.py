"""A placement as people write it: the words of ``--device``, ``-ngl``, ``-ot``, ``-ts`` and ``--rpc``."""

from typing import Final

from advisor.core.errors import UsageError
from advisor.core.translation import tr

MOST_LAYERS: Final = 10_000


def words(text: str | None) -> tuple[str, ...]:
    """The words of a list with commas."""
    return tuple(word.strip() for word in (text or "").split(",") if word.strip())


def servers(text: str | None) -> tuple[str, ...]:
    """The addresses of RPC servers. Raises UsageError."""
    found = words(text)
    for address in found:
        host, _, port = address.rpartition(":")
        if not host or not port.isdecimal() or not 0 < int(port) < 65_536:
            raise UsageError(
                tr("{address} is no address of an RPC server.", address=address),
                tr("Write it as HOST:PORT, such as 10.0.0.2:50052."),
            )
    return found


def layers(text: str | None) -> int:
    """Layers off the CPU; -1, for as many as fit, where nothing is said. Raises UsageError."""
    if text is None:
        return -1
    if not text.isdecimal() or int(text) > MOST_LAYERS:
        raise UsageError(tr("{text} is no number of layers.", text=text), tr("Give a number from 0 to 10,000."))
    return int(text)


def overrides(text: str | None) -> tuple[tuple[str, str], ...]:
    """Pairs of a pattern on tensor names and a buffer. Raises UsageError."""
    return tuple(_pair(word) for word in words(text))


def shares(text: str | None) -> tuple[float, ...]:
    """Shares of the layers. Raises UsageError."""
    return tuple(_share(word) for word in words(text))


def _pair(word: str) -> tuple[str, str]:
    pattern, sign, buffer = word.rpartition("=")
    if not sign or not pattern or not buffer:
        raise UsageError(
            tr("{word} does not say where which tensors go.", word=word), tr("Write PATTERN=BUFFER, such as exps=CPU.")
        )
    return pattern, buffer


def _share(word: str) -> float:
    try:
        share = float(word)
    except ValueError:
        share = -1.0
    if not 0.0 <= share <= 1e6:
        raise UsageError(
            tr("{word} is no share of the layers.", word=word), tr("Give a number for each device, such as 3,1.")
        )
    return share
