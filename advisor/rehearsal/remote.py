"""The header of a GGUF file that lies on a server: a few megabytes by range requests, never the weights."""

import re
import time
from io import RawIOBase
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from advisor.core.errors import AdvisorError, BadFile, UsageError
from advisor.core.numbers import count as number_words
from advisor.core.numbers import size
from advisor.core.progress import CancelToken
from advisor.core.translation import tr
from advisor.core.units import MIB
from advisor.gguf.header import Header, TensorInfo
from advisor.gguf.keys import Keys
from advisor.gguf.readable import readable
from advisor.gguf.reader import read_header_of
from advisor.gguf.shards import MAX_SHARDS
from advisor.rehearsal.blueprint import Blueprint

if TYPE_CHECKING:
    import httpx

PIECE_BYTES: Final = 2 * MIB
MOST_BYTES: Final = 64 * MIB
"""Of one file's header; the largest seen in real models is about 20 MB."""
TIMEOUT_S: Final = 20.0
"""Without a single byte."""
PIECE_S: Final = 60.0
"""Of one piece; a server that gives less than 35 kB a second would keep a user waiting for minutes."""
REDIRECTS: Final = 5
_NOBODY: Final = CancelToken()
_SHARD: Final = re.compile(r"-(\d{5})-of-(\d{5})\.gguf$")
_CONTENT_RANGE: Final = re.compile(r"bytes (\d+)-(\d+)/(\d+)")


class Unreachable(AdvisorError):
    """No answer, or none that helps."""

    exit_code = 4
    code = "unreachable"


def read(
    url: str,
    insecure: bool = False,
    transport: "httpx.BaseTransport | None" = None,
    cancel: CancelToken = _NOBODY,
) -> tuple[Blueprint, int]:
    """The file's blueprint, and the bytes that it has beyond its tensors; of a split model all of its files.

    Args:
        url: of a file; a page of Hugging Face that shows one will do.
        insecure: whether plain http is taken, too.
        transport: what carries the requests, for tests.
        cancel: stops the reading.

    Raises:
        UsageError: no address of that kind.
        BadFile: what is there is no GGUF file.
        Unreachable: the server cannot be reached, refuses, is too slow, or cannot give a part of a file.
        Cancelled: when stopped.
    """
    import httpx

    def check(request: "httpx.Request") -> None:
        if request.url.scheme != "https" and not insecure:
            raise UsageError(
                tr("{host} would be asked without encryption.", host=readable(str(request.url.host))),
                tr("Give an address that begins with https://, or add --insecure."),
            )

    address = _direct(url)
    found = _SHARD.search(urlsplit(url).path)
    count = int(found[2]) if found else 1
    if not 1 <= count <= MAX_SHARDS:
        sentence = tr("The file claims to be one of {n}.", n=number_words(count))
        raise BadFile(sentence, tr("Look at the address again."))
    try:
        client = httpx.Client(
            transport=transport, timeout=TIMEOUT_S, follow_redirects=True, max_redirects=REDIRECTS,
            event_hooks={"request": [check]},
        )  # fmt: skip
    except (ValueError, ImportError, httpx.InvalidURL) as error:  # an address of a proxy that is none
        raise Unreachable(
            tr("The proxy that this system names cannot be used."),
            tr("Look at the variables HTTPS_PROXY and ALL_PROXY."),
        ) from error
    with client:
        headers = [
            _header(client, cancel, _SHARD.sub(f"-{number:05d}-of-{count:05d}.gguf", address) if found else address)
            for number in range(1, count + 1)
        ]
    tensors: tuple[TensorInfo, ...] = tuple(tensor for header in headers for tensor in header.tensors)
    declared = Keys(headers[0].keys, "").count(".split.count") or 1
    if declared != count:
        raise BadFile(
            tr("The file is one of {declared} of a model, and its name does not say which.", declared=declared),
            tr("Give the first one's address."),
        )
    weights = sum(tensor.stored_bytes for tensor in tensors)
    plan = Blueprint(MappingProxyType(dict(headers[0].keys)), tensors)
    return plan, max(0, sum(header.file_bytes for header in headers) - weights)


def _direct(url: str) -> str:
    try:
        parts = urlsplit(url)
        sound = parts.scheme in ("http", "https") and bool(parts.netloc) and parts.port != 0
    except ValueError:  # brackets that do not close, a port that is none
        sound = False
    if not sound:
        raise UsageError(tr("{address} is no web address.", address=readable(url)), tr("It begins with https://."))
    if parts.netloc in ("huggingface.co", "hf.co"):
        return url.replace("/blob/", "/resolve/", 1)
    return url


def _header(client: "httpx.Client", cancel: CancelToken, url: str) -> Header:
    path = Path(urlsplit(url).path)
    file = _RangeFile(client, url, cancel)
    return read_header_of(file, file.size_bytes, path)


class _RangeFile(RawIOBase):
    """A file on a server that is read from any place, piece by piece."""

    def __init__(self, client: "httpx.Client", url: str, cancel: CancelToken) -> None:
        super().__init__()
        self._cancel = cancel
        self._client = client
        self._url = url
        self._at = 0
        self._pieces: dict[int, bytes] = {}
        self.size_bytes = 0
        self._piece(0)

    def seek(self, offset: int, whence: int = 0) -> int:
        if whence != 0:
            raise OSError(tr("only from the beginning"))
        self._at = offset
        return offset

    def read(self, count: int = -1) -> bytes:
        """Up to ``count`` bytes from here, as much as the piece has."""
        if count <= 0 or self._at >= self.size_bytes:
            return b""
        number, inside = divmod(self._at, PIECE_BYTES)
        found = self._piece(number)[inside : inside + count]
        self._at += len(found)
        return found

    def _piece(self, number: int) -> bytes:
        if number not in self._pieces:
            if (len(self._pieces) + 1) * PIECE_BYTES > MOST_BYTES:
                raise BadFile(
                    tr("The file's header goes on for more than {size}, so it is no model's.", size=size(MOST_BYTES))
                )
            self._pieces[number] = self._fetch(number * PIECE_BYTES)
        return self._pieces[number]

    def _fetch(self, start: int) -> bytes:
        import httpx

        self._cancel.raise_if_cancelled()
        host = readable(urlsplit(self._url).netloc)
        headers = {"Range": f"bytes={start}-{start + PIECE_BYTES - 1}", "Accept-Encoding": "identity"}
        try:
            with self._client.stream("GET", self._url, headers=headers) as response:
                self._check(response, host)
                self._learn(response, host, start)
                body, begun_s = bytearray(), time.monotonic()
                for part in response.iter_bytes():
                    self._cancel.raise_if_cancelled()
                    body += part
                    if len(body) > PIECE_BYTES:
                        break
                    if time.monotonic() - begun_s > PIECE_S:
                        raise Unreachable(
                            tr("{host} gives the file too slowly to read even its header.", host=host),
                            tr("Try again later, or take another address."),
                        )
        except httpx.TooManyRedirects as error:
            raise Unreachable(tr("{host} sends from one address to the next without end.", host=host)) from error
        except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as error:
            raise Unreachable(
                tr("{host} cannot be reached.", host=host),
                tr("Look at the address and at the network; a model of the catalogue needs none."),
            ) from error
        return bytes(body[:PIECE_BYTES])

    def _check(self, response: Any, host: str) -> None:
        status = response.status_code
        if status == 206:
            return
        if status in (401, 403):
            raise Unreachable(
                tr("{host} does not give this file to everybody.", host=host),
                tr("Download it with your account, or take another address."),
            )
        if status == 404:
            raise Unreachable(tr("{host} has no such file.", host=host), tr("Look at the address again."))
        if status == 200:
            raise Unreachable(
                tr("{host} cannot give a part of a file.", host=host), tr("Take another address of the same file.")
            )
        raise Unreachable(
            tr("{host} answers with status {status}.", host=host, status=status),
            tr("Try again later, or take another address."),
        )

    def _learn(self, response: Any, host: str, start: int) -> None:
        found = _CONTENT_RANGE.match(response.headers.get("content-range", ""))
        if found is None:
            raise Unreachable(
                tr("{host} does not say how long the file is.", host=host), tr("Take another address of the same file.")
            )
        if int(found[1]) != start:
            raise Unreachable(
                tr("{host} gives another part of the file than was asked for.", host=host),
                tr("Take another address of the same file."),
            )
        self.size_bytes = int(found[3])
