"""Fewer bits per weight: fewer bytes per decoded token, for some quality."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

from advisor.benchmarks.model import Phase
from advisor.benchmarks.sharing import ROOM_SHARE
from advisor.benchmarks.trials.model import QuantiseTrial
from advisor.ceilings.other_hardware import decode_on
from advisor.ceilings.predict import decode_step, prefill
from advisor.ceilings.quantised import FILE_TYPES, is_original, quantised
from advisor.core.evidence import Basis, Known
from advisor.core.numbers import digits, fixed, percent, size, speed_range
from advisor.core.translation import tr
from advisor.gguf.model import ModelFacts
from advisor.gguf.traffic import Traffic
from advisor.recommendations.card_speed import card_of
from advisor.recommendations.evidence import Evidence
from advisor.recommendations.model import Advice, HowTo
from advisor.recommendations.saving import from_factors, gains

ID: Final = "quantise"

USUAL: Final = "Q4_K_M"
EXACTING: Final = "Q6_K"
"""For code, where one wrong token breaks the whole: a fifth of the usual one's divergence."""

FATTER_FROM: Final = 5.5
"""Below this a step to Q4_K_M saves less than a tenth of the bytes, within the spread of its speed."""
WORTH_FROM: Final = 1.1
"""A file whose bytes are not at least a tenth fewer is not worth a download."""

LOW_BIT_LABELS: Final = ("Q4", "IQ4", "Q3", "IQ3", "Q2", "IQ2", "IQ1", "Q1", "TQ", "MXFP4", "NVFP4")
"""Labels of files that are quantised this far already: what is fat in them (a tied embedding, rows that no 4-bit block
divides) is so because the quantiser left it."""

REALISED_LOW: Final = 0.4
REALISED_MIDDLE: Final = 0.6
"""Share of the byte ratio's gain that measured speed realises: 0.57 from Q8_0 and 0.65 from F16 to Q4_K_M on a GPU
(physics.md E34, section 8), 0.50, 0.66, 0.72 and 0.84 on processors without depth. The byte ratio itself is the upper
end."""

TABLE_ERROR: Final = 0.12
"""Worst error of speeds predicted from the kernel table (docs/accuracy.md); the range of a ratio of two."""


@dataclass(frozen=True, slots=True)
class Published:
    """What llama.cpp's own tables say of a file type.

    Attributes:
        bits: per weight, Llama 3.1 8B (tools/quantize/README.md).
        perplexity: on wikitext-2, Llama 3 8B, without importance matrix (tools/perplexity/README.md).
        kld: mean divergence from F16 there; None where it is not given.
    """

    bits: float
    perplexity: float
    kld: float


PUBLISHED: Final[Mapping[str, Published]] = MappingProxyType({
    "F16": Published(16.0005, 6.2332, 0.00055),
    "Q8_0": Published(8.5008, 6.2343, 0.00136),
    "Q6_K": Published(6.5633, 6.2534, 0.00545),
    "Q5_K_M": Published(5.7036, 6.2886, 0.01076),
    "Q4_K_M": Published(4.8944, 6.4071, 0.03127),
    "Q3_K_M": Published(3.9960, 6.8885, 0.1019),
    "Q2_K": Published(3.1593, 9.7516, 0.445),
})
"""Read for physics.md 8; the finest first."""

SOURCE: Final = "llama.cpp's tools/perplexity/README.md, Llama 3 8B"


def predict(evidence: Evidence) -> Advice | None:
    """A smaller file of the same model, where the present one is clearly fatter or does not fit its memory."""
    found = _target(evidence)
    if found is None or evidence.traffic is None or evidence.decode_row is None:
        return None
    label, after = found
    now = evidence.traffic.step_bytes(1, evidence.decode_row.n_depth)
    then = _step_bytes(evidence, label, after)
    ratio = now / then
    if ratio < WORTH_FROM:
        return None
    whole = _whole_on_card(evidence, label, after)
    measured = None if whole else _by_table(evidence, after)
    low, middle, high = (
        whole or measured or (1 + REALISED_LOW * (ratio - 1), 1 + REALISED_MIDDLE * (ratio - 1), ratio)
    )
    saving = from_factors(evidence.cost_as_measured_s(Phase.DECODE), low, middle, high)
    rate, stream_s = evidence.timeline.decode_tokens_per_s, evidence.timeline.stream_s
    slowest, fastest = (rate * stream_s / (stream_s - saved_s) for saved_s in (saving.low_s, saving.high_s))
    reading = _prefill_factor(evidence, after)
    return Advice(
        id=ID,
        phase=Phase.DECODE,
        title=tr("Take the {label} file of this model", label=label),
        detail=tr(
            "{now} → {then} read per token: decode {slow} → {fast}.{fits} Quality: {quality}",
            now=size(now), then=size(then), slow=digits(rate), fast=speed_range(slowest, fastest),
            fits=_fits_words(evidence), quality=_quality(evidence, label),
        ),
        saved_s=saving.middle_s,
        saved_s_low=saving.low_s,
        saved_s_high=saving.high_s,
        basis=Basis.ESTIMATED,
        how=_how(evidence, label),
        cost=_cost(reading),
        undo=tr("keep the present file and open it again"),
        evidence=_evidence(evidence, label, measured is not None, whole is not None),
        other_saved_s=0.0 if reading is None else evidence.cost_as_measured_s(Phase.PREFILL) * (1 - reading),
        trial=QuantiseTrial(label),
    )


def _target(evidence: Evidence) -> tuple[str, ModelFacts | None] | None:
    """The file type to advise, and the model as it would be; None for none.

    Never below Q4_K_M except where nothing finer fits the memory: decode gains little more there, while the loss
    explodes (physics.md 8).
    """
    model, room = evidence.model, evidence.room_bytes()
    if room is not None and is_too_large(evidence):
        for label in FILE_TYPES:
            after = quantised(model, label)
            weights = after.weights_bytes if after else model.parameters * PUBLISHED[label].bits / 8
            needed = evidence.needed_bytes(1) - model.weights_bytes + weights
            if weights < model.weights_bytes and needed <= ROOM_SHARE * room:
                return label, after
        return None
    if not _is_fat(model):
        return None
    label = EXACTING if evidence.workload.id == "coding" else USUAL
    return label, quantised(model, label)


def is_too_large(evidence: Evidence) -> bool:
    """Whether not even one stream fits where the model was measured; a second one can wait for its turn."""
    room = evidence.room_bytes()
    return evidence.partly_on_card or (room is not None and evidence.needed_bytes(1) > room)


def further_types(model: ModelFacts) -> tuple[int, ...]:
    """Ids of the weight types of the files that may be advised and that this one lacks, in order.

    What their products take tells the gain: predicted ×2.60, measured ×2.61, where by bytes ×1.9 to ×3.2 were possible
    (docs/accuracy.md).
    """
    if not _is_fat(model):
        return ()
    files = [quantised(model, label) for label in (USUAL, EXACTING)]
    wanted = {shape.type_id for file in files if file is not None for shape in file.matmuls}
    return tuple(sorted(wanted - {shape.type_id for shape in model.matmuls}))


def _is_fat(model: ModelFacts) -> bool:
    """Whether a file of the usual size would be clearly smaller."""
    present = (model.label.or_none() or "").upper()
    return model.bits_per_weight >= FATTER_FROM and not present.startswith(LOW_BIT_LABELS)


def _step_bytes(evidence: Evidence, label: str, after: ModelFacts | None) -> float:
    """Bytes that one token reads of the smaller file: from its types, else from the published bits per weight."""
    assert evidence.traffic is not None
    assert evidence.decode_row is not None
    depth = evidence.decode_row.n_depth
    if after is not None and isinstance(after.traffic, Known):
        return after.traffic.value.step_bytes(1, depth)
    shrink = PUBLISHED[label].bits / evidence.bits_per_weight
    return evidence.traffic.step_bytes(1, depth) - evidence.traffic.weight_bytes() * (1 - shrink)


def _by_table(evidence: Evidence, after: ModelFacts | None) -> tuple[float, float, float] | None:
    """Low, middle and high speed-up of a decode step from kernels measured here; None where a type is missing.

    The table's error, and on top of it that two runs of one setting differ.
    """
    table = evidence.kernels(Phase.DECODE)
    if table is None or after is None or evidence.decode_row is None:
        return None
    depth = evidence.decode_row.n_depth
    now, then = decode_step(evidence.model, table, 1, depth), decode_step(after, table, 1, depth)
    if not isinstance(now, Known) or not isinstance(then, Known):
        return None
    middle = now.value.total_s / then.value.total_s
    within = math.hypot(TABLE_ERROR, evidence.runs_differ)
    return middle * (1 - within), middle, middle * (1 + within)


def _whole_on_card(evidence: Evidence, label: str, after: ModelFacts | None) -> tuple[float, float, float] | None:
    """Speed-up of a step that no longer crosses between card and processor; None where nothing does, or is known."""
    row, card = evidence.decode_row, card_of(evidence.cards[0]) if evidence.cards else None
    if row is None or card is None or not evidence.partly_on_card:
        return None
    found = decode_on(card, _traffic_of(evidence, label, after), depth=row.n_depth)
    if not isinstance(found, Known):
        return None
    gained = gains(found.value, row)
    return gained.low, gained.middle, gained.high


def _traffic_of(evidence: Evidence, label: str, after: ModelFacts | None) -> Traffic:
    """Of the smaller file: from its types, else with all weights shrunk alike."""
    assert evidence.traffic is not None
    if after is not None and isinstance(after.traffic, Known):
        return after.traffic.value
    shrink, now = PUBLISHED[label].bits / evidence.bits_per_weight, evidence.traffic
    return replace(
        now, dense_bytes=round(now.dense_bytes * shrink), head_bytes=round(now.head_bytes * shrink),
        expert_bytes=round(now.expert_bytes * shrink),
    )  # fmt: skip


def _fits_words(evidence: Evidence) -> str:
    """What the bytes alone do not say, where the present file is too large."""
    if not is_too_large(evidence):
        return ""
    if evidence.runs_on_gpu:
        return tr(" It then fits the graphics card's memory whole.")
    return tr(" It then fits the memory, which counts for more than the bytes.")


def _prefill_factor(evidence: Evidence, after: ModelFacts | None) -> float | None:
    """Seconds of reading a prompt afterwards ÷ now, from kernels measured here."""
    table = evidence.kernels(Phase.PREFILL)
    if table is None or after is None:
        return None
    now, then = prefill(evidence.model, table), prefill(after, table)
    if not isinstance(now, Known) or not isinstance(then, Known):
        return None
    return then.value.total_s / now.value.total_s


def _cost(factor: float | None) -> str:
    if factor is None:
        return tr("some quality, and prefill about 5 to 11 % slower where it was measured")
    if factor > 1.02:
        return tr("some quality, and prefill about {share} slower", share=percent(factor - 1))
    return tr("some quality")


def _quality(evidence: Evidence, label: str) -> str:
    """What others measured for the step from the present file to that one."""
    present = next(
        (name for name, row in PUBLISHED.items() if evidence.bits_per_weight >= row.bits * 0.95), label
    )
    if present == label:
        return tr("as published for {label} ({source}).", label=label, source=SOURCE)
    risen = PUBLISHED[label].perplexity / PUBLISHED[present].perplexity - 1
    return tr(
        "perplexity +{risen}\u00a0% from {label} on an 8B model ({source}); other models differ.",
        risen=fixed(risen * 100, 1), label=present, source=SOURCE,
    )  # fmt: skip


def _how(evidence: Evidence, label: str) -> tuple[HowTo, ...]:
    path = evidence.model.path
    source, target, said = _quoted(path.name), _quoted(f"{path.stem}-{label}.gguf"), tr("Writes a new file beside it.")
    if not is_original(evidence.model):
        source, target = "MODEL-F16.gguf", f"MODEL-{label}.gguf"
        said = tr("From the F16 file where there is one; quantising twice loses more.")
    ways = [HowTo("llama.cpp", said, f"llama-quantize {source} {target} {label}")]
    if label in OLLAMA:
        ways.append(
            HowTo("Ollama", tr("From a Modelfile whose FROM names the F16 weights."),
                  f"ollama create NAME --quantize {label[0].lower()}{label[1:]} -f Modelfile")
        )
    ways += [
        HowTo("LM Studio", tr("Choose the {label} file in the model's list of downloads.", label=label)),
        HowTo("vLLM", tr("It has formats of its own: take an AWQ, GPTQ or FP8 version of the model.")),
    ]
    if evidence.own_worker:
        ways.append(
            HowTo(tr("this app"),
                  tr("Makes the file in a scratch folder, measures speed and quality, and removes it again."),
                  f"two-machines try {_quoted(path.name)} {ID}")
        )
    return tuple(ways)


OLLAMA: Final = frozenset({"Q8_0", "Q4_K_M"})
"""File types that ``ollama create --quantize`` makes (its docs/import.md, 2025)."""


def _quoted(name: str) -> str:
    return f'"{name}"' if " " in name else name


def _evidence(evidence: Evidence, label: str, by_table: bool, whole: bool) -> str:
    bits, published = digits(evidence.bits_per_weight), digits(PUBLISHED[label].bits)
    if whole:
        return tr(
            "The file holds {bits} bits per weight, {label} {published}; estimated from published measurements of such "
            "cards with the whole model on them.",
            bits=bits, label=label, published=published,
        )  # fmt: skip
    if by_table:
        return tr(
            "The file holds {bits} bits per weight, {label} {published}; the time of a step comes from products of "
            "both types measured here.",
            bits=bits, label=label, published=published,
        )  # fmt: skip
    return tr(
        "The file holds {bits} bits per weight, {label} {published}; measured elsewhere, {share} of the byte ratio's "
        "gain arrives.",
        bits=bits, label=label, published=published, share=percent(REALISED_MIDDLE),
    )  # fmt: skip
