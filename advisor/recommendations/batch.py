"""Batch the users: one weight read serves a token of each."""

from typing import Final

from advisor.benchmarks.model import Phase, TestResult
from advisor.benchmarks.sharing import ROOM_SHARE
from advisor.benchmarks.trials.model import TrialPlan
from advisor.ceilings.bounds import measured_balance_batch
from advisor.core.numbers import count, size, speed, times_range
from advisor.core.translation import tr, trn
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
        detail=tr(
            "One read of the weights writes a token for everybody: {gain} the throughput of taking turns. The prompts "
            "still queue.{limit}",
            gain=times_range(found.low, found.high), limit=_limit(evidence, streams),
        ),
        saved_s=saving.middle_s,
        saved_s_low=saving.low_s,
        saved_s_high=saving.high_s,
        basis=found.basis,
        how=(
            HowTo("llama-server", tr("Slots that decode together; continuous batching is on by default."),
                  command(ServerKind.LLAMA_SERVER, Aim.TOGETHER, streams).replace("CONTEXT", str(tokens))),
            HowTo("Ollama", tr("One request at a time unless told otherwise."),
                  command(ServerKind.OLLAMA, Aim.TOGETHER, streams)),
            HowTo("LM Studio", tr("Set “Max Concurrent Predictions” to {n} (default 4).", n=streams)),
            HowTo("vLLM", tr("Batches by itself."), command(ServerKind.VLLM, Aim.TOGETHER, streams)),
            HowTo(tr("this app"), tr("Measure the whole curve."), "two-machines sweep batch MODEL"),
        ),
        cost=_cost(evidence, streams),
        undo=tr("lower the number again"),
        evidence=tr(
            "The timeline assumes that {n} people share the decode speed evenly; {source}. {free}",
            n=count(users), source=found.source, free=_how_many_words(evidence, found),
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
        measured = ", ".join(
            tr("{n} write {speed} together", n=count(point.streams), speed=speed(point.tokens_per_s))
            for point in curve(evidence)
        )
        first = curve(evidence)[0].streams
        if free >= 2:
            return tr("Measured: {curve}; up to {n} are nearly free.", curve=measured, n=count(free))
        if first == 2:
            return tr("Measured: {curve}; already the second one lengthens each step.", curve=measured)
        return tr("Measured: {curve}; {n} together lengthen each step.", curve=measured, n=count(first))
    prefill, decode, traffic = evidence.prefill_row, evidence.decode_row, evidence.traffic
    if prefill is None or decode is None or traffic is None:
        return tr("How many are nearly free is not known.")
    balance = measured_balance_batch(traffic, prefill.tokens_per_s, decode.tokens_per_s)
    if balance < 2:
        return tr("Reading is hardly faster than writing here, so that no further stream is free.")
    return trn(
        "Prefill at {read} and decode at {write} balance at {n}\u00a0stream: beyond, another one is no longer free.",
        "Prefill at {read} and decode at {write} balance at {n}\u00a0streams: beyond, another one is no longer free.",
        balance,
        read=prefill.speed_words, write=decode.speed_words, n=count(balance),
    )  # fmt: skip


def _title(streams: int, users: int) -> str:
    if streams < users:
        return tr("Decode {n} of the {all} streams together", n=count(streams), all=count(users))
    return tr("Decode the {n} streams together", n=count(users))


def _limit(evidence: Evidence, streams: int) -> str:
    room = evidence.room_bytes()
    if room is None or streams >= evidence.workload.users:
        return ""
    return tr(
        " No more than {n} at a time: all {all} need {needed}, and the memory holds {room}.",
        n=count(streams), all=count(evidence.workload.users), needed=size(evidence.needed_bytes()), room=size(room),
    )  # fmt: skip


def _cost(evidence: Evidence, streams: int) -> str:
    each = evidence.stream_bytes()
    if not each:
        return tr("memory for each stream's cache; each stream is a little slower than alone")
    return tr(
        "{each} of memory for each stream's cache, {all} in all; each stream is a little slower than alone",
        each=size(each), all=size(evidence.needed_bytes(streams)),
    )  # fmt: skip


def _trial(row: TestResult, streams: int, depth: int) -> TrialPlan | None:
    """The same number of tokens at the request's depth, by one stream after the other and by all together."""
    if streams > MOST_TRIED or depth > DEEPEST_TRIED:
        return None
    now = trying.spec_of(row, n_gen=streams * TRIED_TOKENS, n_depth=depth, n_streams=1)
    then = trying.spec_of(row, n_gen=TRIED_TOKENS, n_depth=depth, n_streams=streams)
    return trying.against(
        (now,), (then,), tr("one stream after the other"), tr("{n} streams together", n=streams)
    )
