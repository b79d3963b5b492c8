"""Counts a prompt file's tokens in a child, with the tokenizer of the model that will read it."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from advisor.benchmarks import failures, protocol
from advisor.benchmarks.launch import Launch
from advisor.benchmarks.supervisor import Ending, Limits, run_child
from advisor.core.errors import BadFile, EngineError
from advisor.core.numbers import size
from advisor.core.progress import CancelToken
from advisor.core.translation import marked, tr

LIMITS: Final = Limits(silence_s=60.0, total_s=120.0)

MOST_BYTES: Final = 16 * 10**6
"""Some four million tokens of English, above any model's context; a file beyond it is something else than a prompt."""

TEXT_HINT: Final = marked("Save the prompt as plain text in UTF-8.")


@dataclass(frozen=True, slots=True)
class Counted:
    """A prompt file, counted.

    Attributes:
        tokens: of the whole text and what opens one; a chat's template adds some of its own.
        characters: of the text.
        tokenise_s: seconds that the tokenizer took.
    """

    name: str
    tokens: int
    characters: int
    tokenise_s: float


def count_tokens(model: Path, text: Path, cancel: CancelToken, launch: Launch | None = None) -> Counted:
    """The tokens of a text file to a model.

    Args:
        model: the file that the engine opens.
        text: a text in UTF-8.
        cancel: stops the child within a second.
        launch: how the child is started; None for this Python.

    Raises:
        BadFile: the text cannot be read, is no file, empty, too large or no text.
        EngineError, Cancelled: as any work of the engine.
    """
    check_text(text)
    request = {"task": "tokenise", "model": os.fspath(model), "text": os.fspath(text.absolute())}
    outcome = run_child(request, launch or Launch(), LIMITS, lambda _message: None, cancel)
    if outcome.ending is not Ending.DONE or outcome.result is None:
        raise failures.explain(outcome, marked("counting the tokens of the prompt"))
    try:
        return Counted(
            text.name,
            protocol.count(outcome.result, "tokens", 1),
            protocol.count(outcome.result, "characters", 1),
            protocol.seconds(outcome.result, "tokenise_s"),
        )
    except protocol.ProtocolError as error:
        raise EngineError(
            tr("The engine's answer about the prompt file could not be understood."),
            tr("Update it: python -m pip install --upgrade llama-cpp-python"),
        ) from error


def check_text(path: Path) -> None:
    """Refuse what cannot be a prompt, before a child is started for it.

    Raises:
        BadFile: one sentence on why.
    """
    name = path.name or str(path)
    try:
        if path.is_dir():
            raise BadFile(tr("{name} is a folder, not a prompt.", name=name), tr("Give a text file."))
        if path.exists() and not path.is_file():
            raise BadFile(tr("{name} is no ordinary file.", name=name), tr("Give a text file."))
        length = path.stat().st_size
        if length > MOST_BYTES:
            raise BadFile(
                tr(
                    "{name} has {size}, which is more than any model reads at once ({most} at most).",
                    name=name, size=size(length), most=size(MOST_BYTES),
                ),
                tr("Give the text of one prompt."),
            )
        raw = path.read_bytes()
    except OSError as error:
        why = tr("The prompt file {name} cannot be read ({error}).", name=name, error=error.strerror or error)
        raise BadFile(why, tr("Check its path, and that you may read it.")) from error
    if not raw.strip():
        raise BadFile(
            tr("{name} is empty, so there is no prompt in it.", name=name), tr("Give the text of one prompt.")
        )
    if b"\0" in raw:
        raise BadFile(tr("{name} is not a text but a binary file.", name=name), tr(TEXT_HINT))
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadFile(
            tr("{name} is not in UTF-8: byte {byte} does not belong there.", name=name, byte=error.start + 1),
            tr(TEXT_HINT),
        ) from error
