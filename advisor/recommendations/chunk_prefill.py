"""Read other people's prompts in pieces, so that running streams do not stand still meanwhile (physics.md 5)."""

from dataclasses import dataclass
from typing import Final

from advisor.benchmarks.model import Phase, Stamp, Sweep, TestResult
from advisor.benchmarks.phrases import tokens as of_tokens
from advisor.benchmarks.stutter.model import CHUNK_STEP, STALL_S, largest_within, slower_at, worst_at
from advisor.benchmarks.trials.model import ChunkTrial
from advisor.ceilings.mixed import Arrival, PredictedPauses, keeps, predict_pauses
from advisor.ceilings.predict import prefill
from advisor.core.evidence import Basis, Known
from advisor.core.numbers import count, percent, seconds
from advisor.core.translation import marked, tr, trn
from advisor.recommendations.evidence import Evidence
from advisor.recommendations.model import Advice, HowTo
from advisor.recommendations.saving import within
from advisor.servers.flags import SETTINGS, Aim, stall_command

ID: Final = "chunk-prefill"

LEAST_CHUNK: Final = 64
"""Fewer tokens at once hardly share a weight read any more, and prompts get very slow."""

SURELY: Final = 1.5
"""Predicted pauses of small pieces came out up to a third too low (docs/accuracy.md), so a predicted size is chosen
with that to spare."""

LONGEST_PAUSE: Final = marked("of the longest pause")
"""What the seconds saved are of."""

MOST_DEPTH: Final = 1024
"""Tokens that streams start with when it is tried: deeper ones pause hardly longer and only take memory."""

WORTH: Final = 1.5
"""A pause that shrinks by less is not worth a slower prompt."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """One size of piece.

    Attributes:
        tokens: prompt tokens per step.
        stall_s: how long running streams wait for each piece (eq. 22).
        slower: by which factor the whole prompt takes longer than with the present size, at least 1.
        basis: measured where a sweep gave the slowdown, else estimated.
        now_s: how long they wait at the present size.
        pauses: measured by a stutter experiment, estimated from the kernel table, or computed from the prefill speed.
        among: streams that ran in that experiment; 0 without one.
    """

    tokens: int
    stall_s: float
    slower: float
    basis: Basis
    now_s: float
    pauses: Basis = Basis.COMPUTED
    among: int = 0


def stall_s(tokens: int, prefill_tokens_per_s: float) -> float:
    """Time that one piece keeps running streams waiting (eq. 21)."""
    return tokens / prefill_tokens_per_s


def largest_chunk(budget_s: float, prefill_tokens_per_s: float) -> int:
    """Most tokens per step for a stall of at most ``budget_s``, in whole tiles, at least ``LEAST_CHUNK`` (eq. 24)."""
    tokens = round(budget_s * prefill_tokens_per_s, 6)  # a rate that was divided and multiplied again lies a hair below
    return max(LEAST_CHUNK, int(tokens) // CHUNK_STEP * CHUNK_STEP)


def pieces(prompt: int, chunk: int) -> int:
    """Stalls while a prompt is read (eq. 22)."""
    return -(-prompt // chunk)


def predict(evidence: Evidence) -> Advice | None:
    """Only for several people, where somebody's prompt stops the others for longer than a stream may pause."""
    workload, row = evidence.workload, evidence.prefill_row
    if workload.users < 2 or row is None or evidence.faulty:
        return None
    rate = workload.users * evidence.timeline.prefill_tokens_per_s
    present = min(workload.prompt_tokens, row.n_batch)
    found = _from_stutter(evidence, row, present) or _from_kernels(evidence, row, present) or _chunk(
        evidence, row, rate, present
    )
    now_s = found.now_s
    if found.tokens >= present or now_s < WORTH * found.stall_s:
        return None
    less_s, spread = now_s - found.stall_s, evidence.runs_differ + (row.relative_spread or 0.0)
    least_s = less_s * (1 - spread)
    if found.pauses is Basis.ESTIMATED:
        least_s = min(least_s, max(0.0, now_s - SURELY * found.stall_s))
    saving = within(evidence.timeline.stream_s, least_s, less_s, less_s * (1 + spread))
    stalls = pieces(workload.prompt_tokens, row.n_batch)
    still = "" if found.stall_s <= WORTH * STALL_S else tr(" Smaller pieces would make prompts much slower.")
    return Advice(
        id=ID,
        phase=Phase.DECODE,
        title=tr("Read prompts in pieces of {tokens}", tokens=of_tokens(found.tokens)),
        detail=f"{_stalls(now_s, stalls, found.stall_s)}{still}",
        saved_s=saving.middle_s,
        saved_s_low=saving.low_s,
        saved_s_high=saving.high_s,
        saves_what=LONGEST_PAUSE,
        basis=found.pauses,
        how=_how(found.tokens, workload.users - 1),
        cost=_cost(found),
        undo=tr("set it back to {value}", value=count(row.n_batch)),
        evidence=_evidence(evidence, found, present),
        trial=ChunkTrial(
            workload.prompt_tokens, workload.users - 1, min(evidence.writing_depth_tokens, MOST_DEPTH), present,
            found.tokens, STALL_S, now_s,
        ),
    )


def _stalls(now_s: float, stalls: int, stall_s: float) -> str:
    """What the others feel now, and in pieces."""
    if stalls > 1:
        return tr(
            "While somebody's prompt is read, all other streams stand still for {now}, {n} times; in pieces they get a "
            "token every {then}. It makes streams smoother, not the whole faster.",
            now=seconds(now_s), n=count(stalls), then=seconds(stall_s),
        )  # fmt: skip
    return tr(
        "While somebody's prompt is read, all other streams stand still for {now}; in pieces they get a token every "
        "{then}. It makes streams smoother, not the whole faster.",
        now=seconds(now_s), then=seconds(stall_s),
    )  # fmt: skip


def _evidence(evidence: Evidence, found: Chunk, present: int) -> str:
    if found.pauses is Basis.COMPUTED:
        return trn(
            "{n}\u00a0prompt token per step at {speed} is {now} without a token for anybody else.",
            "{n}\u00a0prompt tokens per step at {speed} are {now} without a token for anybody else.",
            present,
            n=count(present), speed=evidence.reading_words(), now=seconds(found.now_s),
        )  # fmt: skip
    how = (
        trn("Measured here among {n}\u00a0running stream", "Measured here among {n}\u00a0running streams", found.among,
            n=count(found.among))
        if found.among
        else tr("By the engine's own operations, measured here")
    )  # fmt: skip
    return trn(
        "{how}: {n}\u00a0prompt token per step make {now} without a token for anybody else, {pieces} make {then}.",
        "{how}: {n}\u00a0prompt tokens per step make {now} without a token for anybody else, {pieces} make {then}.",
        present,
        how=how, n=count(present), now=seconds(found.now_s), pieces=of_tokens(found.tokens),
        then=seconds(found.stall_s),
    )  # fmt: skip


def _from_stutter(evidence: Evidence, row: TestResult, present: int) -> Chunk | None:
    """From a stutter experiment of the same setting that reaches the present size; None without one."""
    held = evidence.stutter
    if held is None or held.conditions.stamp is Stamp.INVALID or (held.device, held.mode, held.spec.n_ubatch) != (
        row.device, row.mode, row.n_ubatch
    ):
        return None
    pauses = held.pauses()
    now_s = worst_at(pauses, present)
    if now_s is None:
        return None
    tokens = min(largest_within(pauses, STALL_S) or pauses[0].chunk_tokens, present)
    worst_s, slower, base = worst_at(pauses, tokens), slower_at(pauses, tokens), slower_at(pauses, present)
    assert worst_s is not None
    if slower is None or base is None:
        slower, basis = _slower(evidence, row, tokens)
    else:
        slower, basis = max(1.0, slower / base), Basis.MEASURED
    return Chunk(tokens, worst_s, slower, basis, now_s, Basis.MEASURED, held.spec.n_streams)


def _from_kernels(evidence: Evidence, row: TestResult, present: int) -> Chunk | None:
    """From the kernel table, which knows what is in the cache and that streams take part of each step."""
    table, workload = evidence.kernels(Phase.PREFILL), evidence.workload
    if table is None or present <= LEAST_CHUNK:
        return None
    depth = min(evidence.writing_depth_tokens, MOST_DEPTH)
    arrival = Arrival(workload.prompt_tokens, workload.users - 1, depth, row.n_ubatch)

    def pauses(tokens: int) -> PredictedPauses | None:
        return predict_pauses(evidence.model, table, arrival, tokens).or_none()

    now = pauses(present)
    if now is None:
        return None
    low, high = LEAST_CHUNK // CHUNK_STEP, present // CHUNK_STEP
    while low < high:
        middle = (low + high + 1) // 2
        if keeps(evidence.model, table, arrival, middle * CHUNK_STEP, STALL_S / SURELY):
            low = middle
        else:
            high = middle - 1
    tokens = low * CHUNK_STEP
    found = pauses(tokens)
    if found is None:
        return None
    slower, basis = max(1.0, found.first_token_s / now.first_token_s), Basis.ESTIMATED
    return Chunk(tokens, found.worst_s, slower, basis, now.worst_s, Basis.ESTIMATED)


def _chunk(evidence: Evidence, row: TestResult, rate: float, present: int) -> Chunk:
    """The largest piece whose stall fits at the measured speed, and what it really takes at its own."""
    tokens = min(largest_chunk(STALL_S, rate), present)
    slower, basis = _slower(evidence, row, tokens)
    return Chunk(tokens, stall_s(tokens, rate / slower), slower, basis, stall_s(present, rate))


def _slower(evidence: Evidence, row: TestResult, chunk: int) -> tuple[float, Basis]:
    """How much longer a prompt takes in pieces: from the sweep, from the kernels, else as a step between its bounds.

    The last is the no-overlap form of eq. 12, in which each piece reads the weights once on top of its arithmetic; it
    is the cautious one of the two.
    """
    if chunk >= row.n_ubatch:
        return 1.0, Basis.MEASURED
    points = evidence.points(Sweep.UBATCH, Phase.PREFILL)
    base = next((point for point in points if point.n_ubatch == row.n_ubatch), None)
    near = [point for point in points if chunk <= point.n_ubatch < row.n_ubatch]
    if base is not None and near:
        point = min(near, key=lambda held: held.n_ubatch)
        if point.n_ubatch <= 2 * chunk:
            return max(1.0, base.tokens_per_s / point.tokens_per_s), Basis.MEASURED
    table = evidence.kernels(Phase.PREFILL)
    if table is not None:
        steps = [prefill(evidence.model, table, row.n_ubatch, 0, size) for size in (chunk, row.n_ubatch)]
        small, large = (step.value.total_s if isinstance(step, Known) else 0.0 for step in steps)
        if small > 0 and large > 0:
            return max(1.0, small / large), Basis.ESTIMATED
    decode = evidence.decode_row
    if decode is None:
        return 1.0, Basis.ESTIMATED
    more_s = (1 / chunk - 1 / row.n_ubatch) / decode.tokens_per_s
    return 1.0 + more_s * row.tokens_per_s, Basis.ESTIMATED


def _cost(found: Chunk) -> str:
    if found.slower <= 1.005:
        return tr("prompts take as long as before")
    longer = percent(found.slower - 1)
    if found.basis is Basis.MEASURED:
        return tr("prompts take {share} longer, so the first word comes later", share=longer)
    return tr("prompts take about {share} longer, so the first word comes later", share=longer)


def _how(chunk: int, streams: int) -> tuple[HowTo, ...]:
    return tuple(
        HowTo(kind.value, tr(chosen.words).replace("{value}", str(chunk)), stall_command(kind, chosen, chunk, streams))
        for (kind, aim), chosen in SETTINGS.items()
        if aim is Aim.STALL
    )
