"""A second card for a model that lies on the present ones only in part: it adds memory, and that is what lacks here."""

from typing import Final

from advisor.benchmarks.model import Phase, TestResult
from advisor.ceilings.other_hardware import SpeedRange, decode_on, prefill_on
from advisor.core.evidence import Basis, Fact, Known
from advisor.core.numbers import size, speed_range
from advisor.core.translation import tr
from advisor.diagnosis.model import Problem
from advisor.hardware.model import Gpu
from advisor.recommendations.card_speed import card_of
from advisor.recommendations.evidence import Evidence
from advisor.recommendations.model import Advice, HowTo
from advisor.recommendations.offload import present_split, saving_of
from advisor.recommendations.partly import ROOM_SHARE, split
from advisor.recommendations.saving import Saving, from_factors, gains

ID: Final = "second-gpu"

NO_SAVING: Final = Saving(0.0, 0.0, 0.0)


def predict(evidence: Evidence) -> Advice | None:
    """An equal card beside the present one; only for a phase that is a problem."""
    row, traffic = evidence.decode_row, evidence.traffic
    if evidence.verdict.problem not in (Problem.PREFILL, Problem.DECODE) or not evidence.partly_on_card:
        return None
    totals = [card.memory_total_bytes.or_none() for card in evidence.cards]
    known = [total for total in totals if total is not None]
    if row is None or traffic is None or not known or len(known) != len(totals):
        return None
    present, now = present_split(evidence, row, traffic), split(evidence, sum(known))
    if present is None or now is None or now.off_stored_bytes <= 0:
        return None
    card = evidence.cards[0]
    whole = evidence.needed_bytes() <= ROOM_SHARE * (sum(known) + known[0])
    share = 1.0 if whole else min(1.0, ROOM_SHARE * known[0] / now.off_stored_bytes)
    low, middle, high = (share * held for held in present.off_bytes)
    read, write = NO_SAVING, saving_of(evidence, present, low, middle, high)
    if whole:
        read, write = _whole(evidence, card, write)
    reads = evidence.verdict.problem is Problem.PREFILL
    main, other = (read, write) if reads else (write, read)
    if main.middle_s <= 0:
        return None
    return Advice(
        id=ID,
        phase=Phase.PREFILL if reads else Phase.DECODE,
        title=tr("Add a second card like the {gpu}", gpu=card.name.or_none() or tr("graphics processor")),
        detail=_detail(evidence, write, sum(known) + known[0], whole),
        saved_s=main.middle_s,
        saved_s_low=main.low_s,
        saved_s_high=main.high_s,
        basis=Basis.ESTIMATED,
        how=_how(whole),
        cost=tr("money, a slot and a power supply that can feed it"),
        undo=tr("return it; measure both phases within the return period"),
        evidence=tr(
            "Decode at {speed} on {device}: about {off} of {bytes} per token come from main memory. Split by layers, "
            "cards work one after the other: a second one adds memory, not speed of its own.",
            speed=row.speed_words, device=row.device, off=size(present.off_bytes[1]),
            bytes=size(traffic.step_bytes(1, row.n_depth)),
        ),
        other_saved_s=other.middle_s,
        costs_money=True,
    )


def _whole(evidence: Evidence, gpu: Gpu, reckoned: Saving) -> tuple[Saving, Saving]:
    """Of (wait, stream) with nothing left to the processor, as such cards were measured; writing else as reckoned."""
    read, write, card = evidence.prefill_row, evidence.decode_row, card_of(gpu)
    traffic = evidence.traffic
    if read is None or write is None or traffic is None or card is None:
        return NO_SAVING, reckoned
    reading = prefill_on(card, traffic, prompt=read.n_prompt, depth=read.n_depth)
    writing = decode_on(card, traffic, depth=write.n_depth)
    return (
        _saving(evidence.timeline.wait_s, reading, read) or NO_SAVING,
        _saving(evidence.timeline.stream_s, writing, write) or reckoned,
    )


def _saving(cost_s: float, there: Fact[SpeedRange], row: TestResult) -> Saving | None:
    if not isinstance(there, Known):
        return None
    gained = gains(there.value, row)
    return from_factors(cost_s, gained.low, gained.middle, gained.high)


def _detail(evidence: Evidence, write: Saving, room_bytes: int, whole: bool) -> str:
    stream_s, rate = evidence.timeline.stream_s, evidence.timeline.decode_tokens_per_s
    left_s = [max(stream_s - saved_s, 1e-9) for saved_s in (write.low_s, write.high_s)]
    values = {
        "room": size(room_bytes),
        "needed": size(evidence.needed_bytes()),
        "speed": speed_range(rate * stream_s / left_s[0], rate * stream_s / left_s[1]),
    }
    if whole:
        return tr("Together they hold the {needed} needed in {room}, and nothing is left to the processor: decode "
                  "{speed}.", **values)
    return tr("Together they hold {room} of the {needed} needed, so less is left to the processor: decode {speed}.",
              **values)


def _how(whole: bool) -> tuple[HowTo, ...]:
    put = (
        tr("With both cards in place, put all layers on them.")
        if whole
        else tr("With both cards in place, put as much as fits on them.")
    )
    return (
        HowTo("llama-server", put, f"llama-server -ngl {'all' if whole else 'auto'}"),
        HowTo("Ollama", tr("Used by itself when the driver is found."), "ollama ps"),
        HowTo("LM Studio", tr("Raise “GPU Offload” to what fits in the model's load settings.")),
    )
