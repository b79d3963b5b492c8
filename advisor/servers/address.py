"""The address of a server as people type it, and what requests are sent to."""

import ipaddress
import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from advisor.core.errors import UsageError
from advisor.core.translation import marked, tr
from advisor.gguf.readable import readable

_TAILS: Final = re.compile(r"/(?:v1|chat|completions|models|api|v0|chat/completions)/*$")
"""Ends of a path that belong to the API and not to the place where it lies."""

_EVERY_ADDRESS: Final = {"0.0.0.0": "127.0.0.1", "::": "::1"}

HINT: Final = marked("Give it as http://HOST:PORT, as the server prints it when it starts.")


@dataclass(frozen=True, slots=True)
class Address:
    """Where a server is.

    Attributes:
        root: scheme, host, port and the path below which everything lies, without a slash at the end.
        loopback: it is on this machine.
        port: that it listens on, the scheme's own where none is named.
    """

    root: str
    loopback: bool
    port: int = 80

    @property
    def api(self) -> str:
        """Where the OpenAI-compatible API lies."""
        return f"{self.root}/v1"


def read_address(text: str) -> Address:
    """The address out of what was typed: with or without scheme, ``/v1``, a slash, a whole path of the API.

    Raises UsageError; its words never hold a password.
    """
    typed = text.strip()
    if "://" not in typed:
        typed = f"http://{typed}"
    try:
        parts = urlsplit(typed)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise UsageError(tr("The server's address cannot be read."), tr(HINT)) from None
    if parts.scheme not in ("http", "https"):
        raise UsageError(
            tr("A server is asked over http or https, not {scheme}.", scheme=readable(parts.scheme, 20)), tr(HINT)
        )
    if parts.username is not None or parts.password is not None:
        raise UsageError(
            tr("The address holds a user name or a password, which other programs can read on a command line."),
            tr("Leave it out and give the key by itself; on the command line in a variable that --key-env names."),
        )
    if not host or any(char.isspace() or not char.isprintable() for char in parts.netloc + parts.path):
        raise UsageError(tr("The server's address cannot be read."), tr(HINT))
    path = parts.path.rstrip("/")
    while (shorter := _TAILS.sub("", path)) != path:
        path = shorter
    # servers print what they listen on; where that is every address of this machine, only some systems connect to it
    host = _EVERY_ADDRESS.get(host, host)
    shown = f"[{host}]" if ":" in host else host
    listens = port or (443 if parts.scheme == "https" else 80)
    return Address(f"{parts.scheme}://{shown}{'' if port is None else f':{port}'}{path}", _is_loopback(host), listens)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
