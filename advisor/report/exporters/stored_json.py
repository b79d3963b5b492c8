"""An experiment out of the store as JSON, part of ``history``."""

from advisor.benchmarks.store.model import StoredDocument
from advisor.benchmarks.stutter.model import Stutter
from advisor.report.codec import Json, plain_fields
from advisor.report.exporters.server_json import server_json
from advisor.report.exporters.stutter_json import stutter_json
from advisor.report.server_document import ServerDocument
from advisor.report.stored import experiment_of


def stored_json(document: StoredDocument) -> Json:
    """What it came to, and the whole of it where it was read whole: as the command that measured it writes it."""
    found = experiment_of(document) if document.body else None
    whole: Json = {}
    if isinstance(found, Stutter):
        whole = {"stutter": stutter_json(found)}
    elif isinstance(found, ServerDocument):
        whole = {"server": server_json(found.result, found.settings, found.verdict)}
    return {
        "kind": document.kind,
        "place": document.place,
        "stamp": document.stamp,
        "figures": [plain_fields(figure) for figure in document.figures],
        **whole,
    }
