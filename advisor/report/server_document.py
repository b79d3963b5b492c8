"""A measured server as one frozen value: reports are made of it, it is kept, and the drawing of a PDF is given it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from advisor.benchmarks.store.codec import decode, encode
from advisor.core.errors import BadFile
from advisor.core.retelling import each_text, retold, told_in
from advisor.core.translation import tr
from advisor.report.privacy import without_personal_paths
from advisor.report.server_words import model_words
from advisor.servers.advice import Comfort, ServerVerdict, advise
from advisor.servers.model import ServerResult, ServerSettings

SCHEMA: Final = "two-machines/server-document/1"
"""Of our own files between two processes; what others read is ``server_json``."""


@dataclass(frozen=True, slots=True)
class ServerDocument:
    """The whole of one run against a server.

    Attributes:
        created_at: ISO 8601 with offset, when it began.
        settings: what was asked for; without a key.
        comfort: the user's lines, by which it is judged.
    """

    created_at: str
    app_version: str
    result: ServerResult
    settings: ServerSettings
    comfort: Comfort
    verdict: ServerVerdict


def server_document(
    created_at: str, app_version: str, result: ServerResult, settings: ServerSettings, comfort: Comfort
) -> ServerDocument:
    """The judged document without what names the user: no key, no home folders, of model files the name alone."""
    facts = result.facts
    named = replace(facts, model=model_words(facts.model), models=tuple(model_words(each) for each in facts.models))
    clean, asked = replace(result, facts=named), replace(settings, key="")
    return without_personal_paths(
        ServerDocument(created_at, app_version, clean, asked, comfort, advise(result, comfort))
    )


def document_values(document: ServerDocument) -> Mapping[str, Any]:
    """The document as plain JSON values."""
    values: Mapping[str, Any] = encode(document)
    return values


def document_from(values: Mapping[str, Any]) -> ServerDocument:
    """The document behind ``document_values``. Raises ValueError."""
    try:
        document: ServerDocument = decode(ServerDocument, dict(values))
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"no document of a server: {error}") from error
    return spoken_server(document)


def spoken_server(document: ServerDocument) -> ServerDocument:
    """The document in the language spoken now: reasons retold, and judged anew where that gives the same verdict."""
    told = retold(document, source=told_in(document))
    if told == document:
        return document
    verdict = advise(told.result, told.comfort)
    same = each_text(verdict, lambda text: "") == each_text(told.verdict, lambda text: "")
    return replace(told, verdict=verdict) if same else told


def read_server_document(path: Path) -> ServerDocument | None:
    """The document in a file of ours; None where it is of another kind, or cannot be read. Raises BadFile."""
    held = own_values(path, SCHEMA)
    try:
        return document_from(held["document"]) if held is not None else None
    except (KeyError, TypeError, ValueError) as error:
        sentence = tr("{file} is no result of this version.", file=path.name)
        raise BadFile(sentence, tr("Measure the server again.")) from error


def own_values(path: Path, schema: str) -> dict[str, Any] | None:
    """What a file of ours of that schema holds; None where it is of another kind, or cannot be read."""
    try:
        held = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None  # whoever reads the other kind says what is wrong with it
    return held if isinstance(held, dict) and held.get("schema") == schema else None


def document_text(document: ServerDocument) -> str:
    """The document as a file of ours."""
    return json.dumps({"schema": SCHEMA, "document": document_values(document)})
