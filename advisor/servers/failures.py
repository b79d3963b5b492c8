"""Whatever can go wrong with a server, as one sentence and one hint; pure functions."""

import json
import socket
import ssl
from collections.abc import Iterator
from typing import Final

import httpx

from advisor.core.errors import AdvisorError, UsageError
from advisor.core.numbers import seconds
from advisor.core.translation import marked, tr, trn
from advisor.gguf.readable import readable
from advisor.servers.chunks import error_words
from advisor.servers.exchange import Failure

WORDS_CHARACTERS: Final = 240
SELF_SIGNED: Final = (18, 19)
"""X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT and X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN."""

IS_IT_RUNNING: Final = marked("Look whether it runs, and whether the port is the one that it printed when it started.")
LOOK_AT_LOG: Final = marked("Look at the server's own log.")


class ServerError(AdvisorError):
    """The server did not do what was asked."""

    exit_code = 4
    code = "server"


class WrongAddress(UsageError):
    """There is no such server, or no API of this kind behind the address, or it wants another key or model."""

    code = "wrong_address"


def as_failure(error: AdvisorError) -> Failure:
    """An error as a value of the result."""
    return Failure(error.sentence, error.hint, error.exit_code)


def of_transport(error: Exception, root: str) -> AdvisorError:
    """What kept a connection from being made or broke it."""
    causes = list(_causes(error))
    for cause in causes:
        if isinstance(cause, socket.gaierror):
            return WrongAddress(
                tr("No machine of the name in {root} is known.", root=root), tr("Look at how the name is spelled.")
            )
        if isinstance(cause, ssl.SSLCertVerificationError):
            return _certificate(cause, root)
        if isinstance(cause, ssl.SSLError):
            return WrongAddress(
                tr("The server at {root} does not answer with HTTPS.", root=root), tr("Try http:// in its place.")
            )
        if isinstance(cause, ConnectionRefusedError):
            return ServerError(tr("Nothing listens at {root}.", root=root), tr(IS_IT_RUNNING))
    if isinstance(error, httpx.ConnectTimeout):
        return ServerError(tr("No connection to {root} came about in time.", root=root), tr(IS_IT_RUNNING))
    if isinstance(error, httpx.ProxyError):
        return ServerError(
            tr("The proxy on the way to {root} refuses.", root=root),
            tr("Unset HTTP_PROXY and ALL_PROXY, or set NO_PROXY."),
        )
    if isinstance(error, httpx.ConnectError):
        return ServerError(tr("{root} cannot be reached.", root=root), tr(IS_IT_RUNNING))
    if isinstance(error, httpx.RemoteProtocolError) and "sending a response" not in str(error):
        if "peer closed" in str(error):
            return closed_early()
        return WrongAddress(
            tr("What {root} answers is not HTTP.", root=root), tr("If it wants a certificate, try https:// instead.")
        )
    if isinstance(error, httpx.InvalidURL | httpx.UnsupportedProtocol):
        return WrongAddress(tr("The server's address cannot be read."), tr("Give it as http://HOST:PORT."))
    return closed_early()


def closed_early() -> ServerError:
    """The connection ended before the answer did."""
    return ServerError(tr("The server closed the connection before its answer ended."), tr(LOOK_AT_LOG))


def _certificate(cause: ssl.SSLCertVerificationError, root: str) -> ServerError:
    if cause.verify_code in SELF_SIGNED:
        return ServerError(
            tr("The certificate of {root} is signed by itself, so that anyone could have made it.", root=root),
            tr("If the server is your own, take its certificate as it is (--insecure)."),
        )
    reason = readable(str(cause.verify_message or tr("it could not be verified")), WORDS_CHARACTERS)
    said = tr("The certificate of {root} is not valid: {reason}.", root=root, reason=reason)
    return ServerError(said, tr("If the server is your own, take its certificate as it is (--insecure)."))


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        if isinstance(error, BaseExceptionGroup):
            for inner in error.exceptions:
                yield from _causes(inner)
        error = error.__cause__ or error.__context__


def own_words(body: str, secret: str = "") -> str:
    """What the server says in an error's body, on one line without the key; "" where it says nothing readable."""
    try:
        words = error_words(json.loads(body))
    except (ValueError, RecursionError):
        words = ""
    return cleaned(words, secret)


def cleaned(words: str, secret: str = "") -> str:
    """Words of a server made fit to be shown: one line, not too long, and without the key."""
    hidden = words.replace(secret, tr("(the key)")) if secret else words
    return readable(" ".join(hidden.split()), WORDS_CHARACTERS).rstrip(".")


def of_status(status: int, body: str, content_type: str, root: str, model: str, secret: str = "") -> AdvisorError:
    """An answer whose status is no success."""
    said = own_words(body, secret)
    because = f": {said}" if said else ""
    if status in (401, 403):
        if secret:
            return WrongAddress(
                tr("The server refuses the key."), tr("Look at the key (the variable that --key-env names).")
            )
        return WrongAddress(
            tr("The server wants a key."), tr("Give the key; on the command line in a variable that --key-env names.")
        )
    if 300 <= status < 400:
        return WrongAddress(
            tr("{root} sends on to another address, which is not followed.", root=root), tr("Give that address itself.")
        )
    if is_html(body, content_type):
        return not_an_api(root)
    if status == 404 and model and model in body:
        return WrongAddress(
            tr("The server has no model {model}.", model=readable(model)), tr("Name one of its models (--model).")
        )
    if status == 404 and "model" in said.lower():
        return WrongAddress(
            tr("The server has no such model ready{because}.", because=because),
            tr("Load it, or name another (--model)."),
        )
    if status in (404, 405):
        return WrongAddress(
            tr("There is no OpenAI-compatible API at {root}/v1{because}.", root=root, because=because),
            tr("Give the address that stands before /v1, and a model that the server has (--model)."),
        )
    if status == 429:
        return ServerError(
            tr("The server takes no more requests for now{because}.", because=because),
            tr("Try later, with fewer users at once (--users)."),
        )
    if status == 503:
        return ServerError(
            tr("The server is not ready{because}.", because=because), tr("Wait until it has loaded the model.")
        )
    if status >= 500:
        return ServerError(
            tr("The server failed (HTTP {status}){because}.", status=status, because=because), tr(LOOK_AT_LOG)
        )
    return ServerError(
        tr("The server refuses the request (HTTP {status}){because}.", status=status, because=because),
        tr("Try another model (--model), or less."),
    )


def is_html(body: str, content_type: str) -> bool:
    """Whether an answer is a page for people."""
    start = body.lstrip()[:15].lower()
    return content_type.startswith("text/html") or start.startswith(("<!doctype html", "<html"))


def not_an_api(root: str) -> WrongAddress:
    """A page for people came where JSON was expected."""
    return WrongAddress(tr("A web page answers at {root}, not an API.", root=root), tr("Give the address of its API."))


def no_stream(body: str, content_type: str, root: str, secret: str = "") -> AdvisorError:
    """A success that is no stream of events."""
    if is_html(body, content_type):
        return not_an_api(root)
    said = own_words(body, secret)
    if said:
        return ServerError(tr("The server failed: {said}.", said=said), tr(LOOK_AT_LOG))
    return ServerError(tr("The server sent no stream of events."), tr("Look at what lies between you and it."))


def broken_stream() -> ServerError:
    """An event that is none."""
    return ServerError(tr("The server's stream is broken: an event in it is no JSON."), tr(LOOK_AT_LOG))


def too_long() -> ServerError:
    """A line without an end."""
    return ServerError(tr("The server sent a line of more than 1 MiB, which is no event."), tr(LOOK_AT_LOG))


def in_stream(words: str, secret: str = "") -> ServerError:
    """An error object in the middle of a stream."""
    return ServerError(
        tr("The server failed in the middle of its answer: {words}.", words=cleaned(words, secret)), tr(LOOK_AT_LOG)
    )


def silent(silence_s: float, answered: bool, written: bool) -> ServerError:
    """No byte of use for too long.

    Args:
        silence_s: the limit that passed.
        answered: the headers had come.
        written: at least one token had come.
    """
    waited = seconds(silence_s)
    if written:
        said = tr("The server fell silent in the middle of its answer for {waited}.", waited=waited)
    elif answered:
        said = tr("The server began its answer, but wrote no token for {waited}.", waited=waited)
    else:
        said = tr("The server took the request, but did not answer for {waited}.", waited=waited)
    return ServerError(said, tr("Look at its log; if it is only slow, allow more (--timeout)."))


def cut_short(written: int, asked: int) -> ServerError:
    """A stream that ended well in form, without a reason and before its time."""
    return ServerError(
        trn(
            "The server ended an answer after {written} of {asked} token without a reason.",
            "The server ended an answer after {written} of {asked} tokens without a reason.",
            asked,
            written=written,
            asked=asked,
        ),
        tr("llama-cpp-python does so when another request comes: start it with --interrupt_requests false."),
    )
