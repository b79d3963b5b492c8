"""A request's wait and stream as the kernel table has them, before the model was ever loaded; pure."""

from dataclasses import dataclass
from typing import Final

from advisor.ceilings.kernels import KernelTable
from advisor.ceilings.predict import decode_step, prefill
from advisor.core.dates import day
from advisor.core.evidence import Basis, Fact, Known, Unknown
from advisor.core.translation import tr
from advisor.diagnosis.model import Workload
from advisor.diagnosis.parts import Seconds
from advisor.gguf.model import ModelFacts

PREDICTED_WITHIN: Final = 0.15
"""Either side of a time from the kernel table: predictions of whole models were off by up to 9 % without depth and 14 %
with it, one attention-bound tiny model left aside, and by 20 % on a busy machine (docs/accuracy.md)."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One request of a chat in tokens: what is read, from which depth on, and the depth in the middle of the answer."""

    read: int
    kept: int
    writing_depth: int


@dataclass(frozen=True, slots=True)
class Expected:
    """Of a request, or of a chat's average turn; all its people one after the other.

    Attributes:
        wait, stream: seconds.
        prefill_tokens_per_s, decode_tokens_per_s: per user, at the work's own sizes.
    """

    wait: Seconds
    stream: Seconds
    prefill_tokens_per_s: float
    decode_tokens_per_s: float


def turns_of(work: Workload) -> tuple[Turn, ...]:
    """What each turn reads and writes, as the user's program makes it."""
    turns = []
    for number in range(1, work.turns + 1):
        prompt = work.turn_prompt(number)
        kept = prompt - work.new_tokens if number > 1 and work.prefix_kept else 0
        turns.append(Turn(prompt - kept, kept, prompt + work.answer_tokens // 2))
    return tuple(turns)


def expected(model: ModelFacts, table: KernelTable, work: Workload, within: float = PREDICTED_WITHIN) -> Fact[Expected]:
    """Wait and stream on this machine's kernels; Unknown with the reason where a kernel is not measured.

    Args:
        model: its header's facts, or those of a shape that has no file yet.
        table: of this machine's kernels.
        work: the request.
        within: share by which the prediction may be off, on either side.
    """
    turns = turns_of(work)
    wait_s = stream_s = 0.0
    for turn in turns:
        read, token = prefill(model, table, turn.read, turn.kept), decode_step(model, table, 1, turn.writing_depth)
        if isinstance(read, Unknown):
            return read
        if isinstance(token, Unknown):
            return token
        wait_s += read.value.total_s * work.users / len(turns)
        stream_s += token.value.total_s * work.answer_tokens * work.users / len(turns)
    tokens = sum(turn.read for turn in turns) / len(turns)
    value = Expected(around(wait_s, within), around(stream_s, within), tokens / wait_s, work.answer_tokens / stream_s)
    source = tr("kernels measured here")
    if table.measured_on:
        source = f"{source}, {day(table.measured_on)}"
    return Known(value, Basis.ESTIMATED, source)


def around(middle_s: float, within: float) -> Seconds:
    """A time with the same share on either side of its speed."""
    return Seconds(middle_s, middle_s / (1 + within), middle_s / (1 - within))
