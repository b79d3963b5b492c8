"""All advice for one diagnosis, most seconds saved first."""

from collections.abc import Callable, Iterable
from typing import Final

from advisor.recommendations import (
    add_gpu,
    batch,
    chunk_prefill,
    close_program,
    cool_down,
    engine_build,
    faster_memory,
    find_fault,
    flash_attention,
    kv_type,
    offload,
    plug_in,
    quantise,
    reuse_prefix,
    shorten_prompt,
    speculate,
    threads,
    ubatch,
    use_gpu,
)
from advisor.recommendations.evidence import Evidence
from advisor.recommendations.model import Advice

ADVICE: Final[tuple[Callable[[Evidence], Advice | None], ...]] = (
    shorten_prompt.predict,
    reuse_prefix.predict,
    use_gpu.predict,
    offload.predict,
    add_gpu.predict,
    quantise.predict,
    speculate.predict,
    threads.predict,
    ubatch.predict,
    flash_attention.predict,
    kv_type.predict,
    faster_memory.predict,
    batch.predict,
    chunk_prefill.predict,
    engine_build.predict,
    find_fault.predict,
    close_program.predict,
    cool_down.predict,
    plug_in.predict,
)

NOTICEABLE_S: Final = 0.1
"""A tenth of a second feels instant (Nielsen): saving less changes nothing for anybody."""

NOTICEABLE_SHARE: Final = 0.01
"""Less than one per cent of the request drowns in the spread of any measurement."""

FIRST: Final = (find_fault.ID, plug_in.ID, close_program.ID)
"""They change every other figure, so they come before what was computed from these."""


def recommend(evidence: Evidence) -> tuple[Advice, ...]:
    """What to do, most seconds saved on this workload first.

    Never something to buy while something is wrong or the figures are not to be believed.
    """
    found = (predict(evidence) for predict in ADVICE)
    floor_s = max(NOTICEABLE_S, NOTICEABLE_SHARE * evidence.timeline.total_s)
    return rank(
        advice for advice in found
        if advice is not None
        and advice.saved_s > 0
        and (advice.id in FIRST or advice.saved_s + advice.other_saved_s >= floor_s)
        and not ((evidence.faulty or evidence.unreliable) and advice.costs_money)
    )


def rank(advice: Iterable[Advice]) -> tuple[Advice, ...]:
    """Advice by seconds saved in its phase, ties by id, independent of the order it comes in.

    What must be put right before any other figure counts (a fault, a saving profile) stands first.
    """
    return tuple(sorted(advice, key=lambda one: (one.id not in FIRST, -one.saved_s, one.id)))
