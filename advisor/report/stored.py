"""Experiments out of the store: what lists say of them, and the value behind their body."""

from advisor.benchmarks.store.codec import decode
from advisor.benchmarks.store.model import DocumentKind, Figure, StoredDocument, StoredRun
from advisor.benchmarks.stutter.model import Stutter
from advisor.core.retelling import retold
from advisor.core.translation import tr
from advisor.gguf.readable import readable
from advisor.report import formatting as f
from advisor.report.server_document import ServerDocument, document_from


def rows(document: StoredDocument) -> list[tuple[str, str, str]]:
    """Name, figure and stamp of all that it came to."""
    return [(tr(readable(each.name)), figure_words(each), tr(document.stamp)) for each in document.figures]


def figure_words(figure: Figure) -> str:
    """The figure with its unit."""
    if figure.unit == "tokens_per_s":
        return f.tokens_per_s_spread(figure.value, figure.spread)
    return f.seconds(figure.value)


def subject(run: StoredRun, document: StoredDocument) -> str:
    """What was measured, where that is not the model on this machine's own engine; "" otherwise."""
    if document.kind != DocumentKind.SERVER:
        return ""
    engine = run.setup.engine
    model = run.setup.model.name or tr("a server without a list of models")
    if engine is None:
        return tr("{model} served at {place}", model=model, place=document.place)
    by = f"{engine.kind} {engine.version}".rstrip()
    return tr("{model} served by {engine} at {place}", model=model, engine=by, place=document.place)


def experiment_of(document: StoredDocument) -> Stutter | ServerDocument | None:
    """The value behind the body; None where this version cannot understand it."""
    try:
        if document.kind == DocumentKind.STUTTER:
            stutter: Stutter = decode(Stutter, document.body)
            return retold(stutter)
        if document.kind == DocumentKind.SERVER:
            return document_from(document.body)
    except ValueError:
        return None
    return None
