"""Batch the users: one weight read serves a token of each."""

from typing import Final

from advisor.benchmarks.model import Phase, Sweep
from advisor.core.evidence import Basis
from advisor.core.numbers import count, size, times, times_range
from advisor.diagnosis.context import excess_tokens
from advisor.recommendations.evidence import Evidence
from advisor.recommendations.model import Advice, HowTo
from advisor.recommendations.saving import from_factors

ID: Final = "batch"

LOW_POWER: Final = 0.50
MIDDLE_POWER: Final = 0.65
HIGH_POWER: Final = 0.92
"""Throughput of B streams over one, as B to a power, in published curves: at B = 8 the factors 3.3, 3.3 and 6.7 are
the powers 0.57, 0.57 and 0.91 (physics.md 3, curves a to c)."""


ROOM_SHARE: Final = 0.9
"""Share of the memory that weights and cache may fill; the system and the engine's work buffers need the rest."""


def predict(evidence: Evidence) -> Advice | None:
    """For several people at once: decode together, up to the arithmetic that is spare and the memory there is."""
    users, spare = evidence.workload.users, evidence.spare_compute
    if users < 2 or spare is None or evidence.faulty or excess_tokens(evidence.workload, evidence.model):
        return None
    streams = _streams(evidence)
    if streams < 2:
        return None
    most = max(1.0, spare)
    measured = _measured(evidence, streams)
    low, middle, high = measured or tuple(
        min(streams**power, most) for power in (LOW_POWER, MIDDLE_POWER, HIGH_POWER)
    )
    tokens = streams * (evidence.workload.prompt_tokens + evidence.workload.answer_tokens)
    saving = from_factors(evidence.timeline.stream_s, low, middle, high)
    return Advice(
        id=ID,
        phase=Phase.DECODE,
        title=_title(streams, users),
        detail=(
            f"One read of the weights writes a token for everybody: {times_range(low, high)} the throughput of taking "
            f"turns. The prompts still queue.{_limit(evidence, streams)}"
        ),
        saved_s=saving.middle_s,
        saved_s_low=saving.low_s,
        saved_s_high=saving.high_s,
        basis=Basis.MEASURED if measured else Basis.ESTIMATED,
        how=(
            HowTo("llama-server", "Slots that decode together; continuous batching is on by default.",
                  f"llama-server -np {streams} -c {tokens}"),
            HowTo("Ollama", "One request at a time unless told otherwise.",
                  f"OLLAMA_NUM_PARALLEL={streams} ollama serve"),
            HowTo("LM Studio", f"Set “Max Concurrent Predictions” to {streams} (default 4)."),
            HowTo("vLLM", "Batches by itself.", f"vllm serve MODEL --max-num-seqs {streams}"),
        ),
        cost=_cost(evidence, streams),
        undo="lower the number again",
        evidence=(
            f"The timeline assumes that {count(users)} people share the decode speed evenly; "
            + (
                f"{count(streams)} streams together were measured here."
                if measured
                else f"prefill runs {times(spare)} as fast as decode, so that many tokens fit one weight read."
            )
        ),
    )


def _measured(evidence: Evidence, streams: int) -> tuple[float, float, float] | None:
    """Throughput of exactly so many streams over one, lowest, middle and highest; None where it was not measured."""
    row = evidence.decode_row
    together = [test for test in evidence.tests if test.sweep is Sweep.BATCH and test.n_streams == streams]
    if row is None or not together:
        return None
    ratio = together[0].tokens_per_s / row.tokens_per_s
    spread = (together[0].relative_spread or 0.0) + (row.relative_spread or 0.0)
    return max(1.0, ratio * (1 - spread)), max(1.0, ratio), max(1.0, ratio * (1 + spread))


def _streams(evidence: Evidence) -> int:
    """As many of the users' streams as fit the memory; all of them where its size or a stream's is not known."""
    room = evidence.room_bytes()
    return evidence.workload.users if room is None else evidence.streams_within(int(room * ROOM_SHARE))


def _title(streams: int, users: int) -> str:
    if streams < users:
        return f"Decode {count(streams)} of the {count(users)} streams together"
    return f"Decode the {count(users)} streams together"


def _limit(evidence: Evidence, streams: int) -> str:
    room = evidence.room_bytes()
    if room is None or streams >= evidence.workload.users:
        return ""
    return (
        f" No more than {count(streams)} at a time: all {count(evidence.workload.users)} need "
        f"{size(evidence.needed_bytes())}, and the memory holds {size(room)}."
    )


def _cost(evidence: Evidence, streams: int) -> str:
    slower = "each stream is a little slower than alone"
    each = evidence.stream_bytes()
    if not each:
        return f"memory for each stream's cache; {slower}"
    return f"{size(each)} of memory for each stream's cache, {size(evidence.needed_bytes(streams))} in all; {slower}"
