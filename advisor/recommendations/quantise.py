"""Fewer bits per weight: fewer bytes per decoded token, for some quality."""

from dataclasses import dataclass
from typing import Final

from advisor.benchmarks.model import Phase
from advisor.core.evidence import Basis
from advisor.core.numbers import digits, percent, size, speed
from advisor.recommendations.evidence import Evidence
from advisor.recommendations.model import Advice, HowTo
from advisor.recommendations.saving import from_factors

ID: Final = "quantise"

TARGET: Final = "Q4_K_M"

TARGET_BITS: Final = 4.8944
"""Bits per weight of Q4_K_M, Llama-3.1-8B (llama.cpp tools/quantize/README.md; physics.md 8)."""

FATTER_FROM: Final = 5.5
"""Below this a step to Q4_K_M saves less than a tenth of the bytes, within the spread of its speed."""

LOW_BIT_LABELS: Final = ("Q4", "IQ4", "Q3", "IQ3", "Q2", "IQ2", "IQ1", "Q1", "TQ", "MXFP4", "NVFP4")
"""Labels of files that are quantised this far already: what is fat in them (a tied embedding, rows that no 4-bit block
divides) is so because the quantiser left it."""

REALISED_LOW: Final = 0.4
REALISED_MIDDLE: Final = 0.6
"""Share of the byte ratio's gain that measured speed realises: 0.57 from Q8_0 and 0.65 from F16 to Q4_K_M on a GPU
(physics.md E34, section 8), 0.50 and 0.66 on a processor (0.4). The byte ratio itself is the upper end."""


@dataclass(frozen=True, slots=True)
class _Quality:
    from_bits: float
    words: str


QUALITY: Final = (
    _Quality(12.0, "perplexity +2.4 % from F16 on an 8B model"),
    _Quality(8.0, "perplexity +2.4 % from Q8_0 on an 8B model"),
    _Quality(6.0, "perplexity +2.1 % from Q6_K on an 8B model"),
    _Quality(0.0, "perplexity +1.5 % from Q5_K_M on an 8B model"),
)
"""LLaMA-3-8B, wikitext-2, with an importance matrix (llama.cpp tools/perplexity/README.md)."""


def predict(evidence: Evidence) -> Advice | None:
    """A Q4_K_M file of the same model, where the present one is clearly fatter."""
    traffic, row = evidence.traffic, evidence.decode_row
    bits = evidence.bits_per_weight
    label = (evidence.model.label.or_none() or "").upper()
    if traffic is None or row is None or bits < FATTER_FROM or label.startswith(LOW_BIT_LABELS):
        return None
    depth = evidence.workload.prompt_tokens
    shrink = TARGET_BITS / bits
    now = traffic.step_bytes(1, depth)
    then = now - traffic.weight_bytes() * (1 - shrink)
    ratio = now / then
    low, middle = 1 + REALISED_LOW * (ratio - 1), 1 + REALISED_MIDDLE * (ratio - 1)
    saving = from_factors(evidence.timeline.stream_s, low, middle, ratio)
    rate = evidence.timeline.decode_tokens_per_s
    quality = next(held.words for held in QUALITY if bits >= held.from_bits)
    return Advice(
        id=ID,
        phase=Phase.DECODE,
        title=f"Take the {TARGET} file of this model",
        detail=(
            f"{size(now)} → {size(then)} read per token: decode {digits(rate)} → "
            f"{digits(rate * low)}–{speed(rate * ratio)}. Quality: {quality}; small models lose more."
        ),
        saved_s=saving.middle_s,
        saved_s_low=saving.low_s,
        saved_s_high=saving.high_s,
        basis=Basis.ESTIMATED,
        how=(
            HowTo("llama.cpp", "From the F16 file where there is one; quantising twice loses more.",
                  f"llama-quantize MODEL-F16.gguf MODEL-{TARGET}.gguf {TARGET}"),
            HowTo("Ollama", "From a Modelfile that names the F16 weights.",
                  f"ollama create NAME --quantize {TARGET[0].lower()}{TARGET[1:]} -f Modelfile"),
            HowTo("LM Studio", f"Choose the {TARGET} file in the model's list of downloads."),
        ),
        cost="some quality, and prefill about 5 to 11 % slower where it was measured",
        undo="keep the present file and open it again",
        evidence=(
            f"The file holds {digits(bits)} bits per weight, {TARGET} {digits(TARGET_BITS)}; measured elsewhere, "
            f"{percent(REALISED_MIDDLE)} of the byte ratio's gain arrives."
        ),
    )
