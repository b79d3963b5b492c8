"""Batch the users: one weight read serves a token of each."""

from typing import Final

from advisor.benchmarks.model import Phase
from advisor.core.evidence import Basis
from advisor.core.numbers import count, times, times_range
from advisor.recommendations.evidence import Evidence
from advisor.recommendations.model import Advice, HowTo
from advisor.recommendations.saving import from_factors

ID: Final = "batch"

LOW_POWER: Final = 0.50
MIDDLE_POWER: Final = 0.65
HIGH_POWER: Final = 0.92
"""Throughput of B streams over one, as B to a power, in published curves: at B = 8 the factors 3.3, 3.3 and 6.7 are
the powers 0.57, 0.57 and 0.91 (physics.md 3, curves a to c)."""


def predict(evidence: Evidence) -> Advice | None:
    """For several people at once: decode together, up to the arithmetic that is spare here."""
    users, spare = evidence.workload.users, evidence.spare_compute
    if users < 2 or spare is None or evidence.faulty:
        return None
    most = max(1.0, spare)
    low, middle, high = (min(users**power, most) for power in (LOW_POWER, MIDDLE_POWER, HIGH_POWER))
    saving = from_factors(evidence.timeline.stream_s, low, middle, high)
    return Advice(
        id=ID,
        phase=Phase.DECODE,
        title=f"Decode the {count(users)} streams together",
        detail=(
            f"One read of the weights writes a token for everybody: {times_range(low, high)} the throughput of taking "
            "turns. The prompts still queue."
        ),
        saved_s=saving.middle_s,
        saved_s_low=saving.low_s,
        saved_s_high=saving.high_s,
        basis=Basis.ESTIMATED,
        how=(
            HowTo("llama-server", "Slots that decode together; continuous batching is on by default.",
                  f"llama-server -np {users}"),
            HowTo("Ollama", "One request at a time unless told otherwise.",
                  f"OLLAMA_NUM_PARALLEL={users} ollama serve"),
            HowTo("LM Studio", f"Set “Max Concurrent Predictions” to {users} (default 4)."),
            HowTo("vLLM", "Batches by itself.", f"vllm serve MODEL --max-num-seqs {users}"),
        ),
        cost="memory for each stream's cache; each stream is a little slower than alone",
        undo="lower the number again",
        evidence=(
            f"The timeline assumes that {count(users)} people share the decode speed evenly; prefill runs "
            f"{times(spare)} as fast as decode, so that many tokens fit one weight read."
        ),
    )
