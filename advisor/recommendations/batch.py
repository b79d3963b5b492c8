"""Batch the users: one weight read serves a token of each."""

from typing import Final

from advisor.benchmarks.model import Phase, TestResult
from advisor.benchmarks.sharing import ROOM_SHARE
from advisor.benchmarks.trials.model import TrialPlan
from advisor.ceilings.bounds import measured_balance_batch
from advisor.core.numbers import count, plural, size, speed, times_range
from advisor.diagnosis.context import excess_tokens
from advisor.recommendations import trying
from advisor.recommendations.evidence import Evidence
from advisor.recommendations.model import Advice, HowTo
from advisor.recommendations.saving import from_factors
from advisor.recommendations.streams import Together, curve, nearly_free, together
from advisor.servers.facts import ServerKind
from advisor.servers.flags import Aim, command

ID: Final = "batch"

TRIED_TOKENS: Final = 16
"""Tokens that each stream writes in the experiment."""

MOST_TRIED: Final = 32
DEEPEST_TRIED: Final = 8192
"""Streams and depth of the largest experiment; one stream alone, or filling the caches, would take minutes for more."""


def predict(evidence: Evidence) -> Advice | None:
    """For several people at once: decode together, up to the memory there is; nothing where that gains nothing."""
    users = evidence.workload.users
    if users < 2 or evidence.faulty or excess_tokens(evidence.asked, evidence.model):
        return None
    streams = _streams(evidence)
    found = together(evidence, streams) if streams > 1 else None
    row = evidence.decode_row
    if found is None or row is None:
        return None
    tokens = streams * evidence.asked.deepest_tokens
    saving = from_factors(evidence.timeline.stream_s, found.low, found.middle, found.high)
    return Advice(
        id=ID,
        phase=Phase.DECODE,
        title=_title(streams, users),
        detail=(
            f"One read of the weights writes a token for everybody: {times_range(found.low, found.high)} the "
            f"throughput of taking turns. The prompts still queue.{_limit(evidence, streams)}"
        ),
        saved_s=saving.middle_s,
        saved_s_low=saving.low_s,
        saved_s_high=saving.high_s,
        basis=found.basis,
        how=(
            HowTo("llama-server", "Slots that decode together; continuous batching is on by default.",
                  command(ServerKind.LLAMA_SERVER, Aim.TOGETHER, streams).replace("CONTEXT", str(tokens))),
            HowTo("Ollama", "One request at a time unless told otherwise.",
                  command(ServerKind.OLLAMA, Aim.TOGETHER, streams)),
            HowTo("LM Studio", f"Set “Max Concurrent Predictions” to {streams} (default 4)."),
            HowTo("vLLM", "Batches by itself.", command(ServerKind.VLLM, Aim.TOGETHER, streams)),
            HowTo("this app", "Measure the whole curve.", "two-machines sweep batch MODEL"),
        ),
        cost=_cost(evidence, streams),
        undo="lower the number again",
        evidence=(
            f"The timeline assumes that {count(users)} people share the decode speed evenly; {found.source}. "
            f"{_how_many_words(evidence, found)}"
        ),
        trial=_trial(row, streams, evidence.depth_tokens),
    )


def _streams(evidence: Evidence) -> int:
    """As many of the users' streams as fit the memory; all of them where its size or a stream's is not known."""
    room = evidence.room_bytes()
    return evidence.workload.users if room is None else evidence.streams_within(int(room * ROOM_SHARE))


def _how_many_words(evidence: Evidence, found: Together) -> str:
    """Up to how many streams another one costs next to nothing: measured, else from the two speeds alone (14c)."""
    free = nearly_free(evidence)
    if free is not None:
        together_words = ", ".join(
            f"{count(point.streams)} write {speed(point.tokens_per_s)} together" for point in curve(evidence)
        )
        first = curve(evidence)[0].streams
        until = f"up to {count(free)} are nearly free"
        if free < 2:
            until = "already the second one" if first == 2 else f"{count(first)} together"
            until += f" {'lengthens' if first == 2 else 'lengthen'} each step"
        return f"Measured: {together_words}; {until}."
    prefill, decode, traffic = evidence.prefill_row, evidence.decode_row, evidence.traffic
    if prefill is None or decode is None or traffic is None:
        return "How many are nearly free is not known."
    balance = measured_balance_batch(traffic, prefill.tokens_per_s, decode.tokens_per_s)
    if balance < 2:
        return "Reading is hardly faster than writing here, so that no further stream is free."
    return (
        f"Prefill at {prefill.speed_words} and decode at {decode.speed_words} balance at "
        f"{plural(balance, 'stream')}: beyond, another one is no longer free."
    )


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


def _trial(row: TestResult, streams: int, depth: int) -> TrialPlan | None:
    """The same number of tokens at the request's depth, by one stream after the other and by all together."""
    if streams > MOST_TRIED or depth > DEEPEST_TRIED:
        return None
    now = trying.spec_of(row, n_gen=streams * TRIED_TOKENS, n_depth=depth, n_streams=1)
    then = trying.spec_of(row, n_gen=TRIED_TOKENS, n_depth=depth, n_streams=streams)
    return trying.against((now,), (then,), "one stream after the other", f"{streams} streams together")
