"""Steps in which running streams get their token and a prompt is read on (physics.md 5), from the kernel table."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from advisor.ceilings.kernels import KernelTable
from advisor.ceilings.predict import step_of
from advisor.core.evidence import Basis, Fact, Known, Unknown
from advisor.core.translation import tr
from advisor.gguf.model import ModelFacts

STEPS: Final = 8
"""Steps of a long prompt that are reckoned: sizes are searched for whenever the workload changes."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """A prompt that arrives while streams are running.

    Attributes:
        prompt_tokens: of the prompt, at least 1.
        streams: that decode meanwhile.
        depth: tokens in the cache of each.
        ubatch: tokens that the engine computes at once.
    """

    prompt_tokens: int
    streams: int
    depth: int
    ubatch: int


@dataclass(frozen=True, slots=True)
class PredictedPauses:
    """What is expected of one size of pieces.

    Attributes:
        worst_s: longest step, which is the longest gap between two tokens of a stream.
        first_token_s: all steps of the prompt.
    """

    worst_s: float
    first_token_s: float


def predict_pauses(model: ModelFacts, table: KernelTable, arrival: Arrival, chunk: int) -> Fact[PredictedPauses]:
    """The steps of a prompt that is read in pieces of ``chunk`` tokens, the whole of it where that is less.

    Of many steps some are reckoned and the others read between them, since what a step costs grows evenly with what is
    before it.

    Returns:
        Unknown with the reason where the model's traffic or one of its weight types is unknown.
    """
    pieces = -(-arrival.prompt_tokens // chunk)
    spread = {round(index * (pieces - 1) / (STEPS - 1)) for index in range(STEPS)}
    chosen = sorted(spread | {max(0, pieces - 2)})  # the last whole piece: the last of all may be short
    steps_s: list[float] = []
    for index in chosen:
        step = _piece(model, table, arrival, chunk, index)
        if isinstance(step, Unknown):
            return step
        steps_s.append(step.value)
    total_s = (steps_s[0] + steps_s[-1]) / 2 + sum(
        (until - begin) * (first_s + last_s) / 2
        for (begin, until), (first_s, last_s) in zip(pairwise(chosen), pairwise(steps_s), strict=True)
    )
    return Known(
        PredictedPauses(max(steps_s), total_s), Basis.ESTIMATED, table.source
    )


def keeps(model: ModelFacts, table: KernelTable, arrival: Arrival, chunk: int, budget_s: float) -> bool:
    """Whether no step of that size takes longer than ``budget_s``, from the last two; False where it is unknown."""
    pieces = -(-arrival.prompt_tokens // chunk)
    steps = (_piece(model, table, arrival, chunk, index) for index in {pieces - 1, max(0, pieces - 2)})
    return all(isinstance(step, Known) and step.value <= budget_s for step in steps)


def _piece(model: ModelFacts, table: KernelTable, arrival: Arrival, chunk: int, index: int) -> Fact[float]:
    """The step that reads the piece of that number, from 0."""
    read = index * chunk
    return mixed_step(model, table, arrival, read, min(chunk, arrival.prompt_tokens - read), index)


def mixed_step(
    model: ModelFacts, table: KernelTable, arrival: Arrival, read: int, tokens: int, turns: int = 0
) -> Fact[float]:
    """Seconds of one step: a token of every stream, then ``tokens`` of the prompt of which ``read`` are in the cache.

    ``turns`` are the steps of the prompt before it, in which every stream wrote a token too.

    The engine cuts it into pieces of ``ubatch`` tokens in that order. Models with recurrent layers need as many tokens
    of each sequence in a piece, so that the first piece holds one of each.
    """
    streams, last = arrival.streams, read + tokens >= arrival.prompt_tokens
    recurrent = isinstance(model.traffic, Known) and model.traffic.value.state_bytes > 0
    total_s, begin, others = 0.0, 0, streams
    while begin < tokens or others:
        now = min(others, arrival.ubatch)
        room = 1 if recurrent and now else arrival.ubatch - now
        size = min(room, tokens - begin)
        running = ((1, arrival.depth),) * now
        outputs = now + (1 if last and begin + size == tokens and size else 0)
        piece = step_of(model, table, (*running, *(((size, read + begin),) if size else ())), outputs, turns)
        if isinstance(piece, Unknown):
            return piece
        total_s += piece.value.total_s
        others, begin = others - now, begin + size
    return Known(total_s, Basis.ESTIMATED, tr("kernel table"))
