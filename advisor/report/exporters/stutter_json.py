"""The JSON of the stutter experiment: of ``sweep chunk``, and as part of a diagnosis."""

from typing import Final

from advisor.benchmarks.model import EngineFacts
from advisor.benchmarks.stutter.model import STALL_S, Stutter, largest_within
from advisor.core.evidence import Fact, Known
from advisor.gguf.model import ModelFacts
from advisor.hardware.model import Machine
from advisor.report.codec import Json, fact_fields, plain_fields
from advisor.report.exporters.as_json import bench_json
from advisor.report.privacy import without_personal_paths
from advisor.report.stutter_words import sentences

CHUNK_SCHEMA: Final = "two-machines/chunk/1"


def chunk_json(
    stutter: Stutter, budget_s: float, machine: Machine, engine: Fact[EngineFacts], model: ModelFacts
) -> Json:
    """``two-machines sweep chunk --json``: the token clocks of every round, and what they come to."""
    clean = without_personal_paths(stutter, model_path=model.path)
    body = bench_json((), machine, engine, model, clean.interrupted)
    body.pop("tests")
    found = largest_within(clean.pauses(), budget_s)
    reason = {} if found is not None else {"largest_chunk_tokens_reason": "no size that was measured keeps the budget"}
    return {
        **body, "schema": CHUNK_SCHEMA, "stall_budget_s": budget_s, "largest_chunk_tokens": found, **reason,
        "sentences": sentences(clean, budget_s), "stutter": stutter_json(clean),
    }  # fmt: skip


def stutter_json(stutter: Stutter) -> Json:
    """The experiment with the figures of every size beside its clocks."""
    result = plain_fields(stutter)
    for pauses, row in zip(stutter.pauses(), result["sizes"], strict=True):
        figures = plain_fields(pauses, frozenset({"chunk_tokens"}))
        if pauses.slower is None:
            figures["slower_reason"] = "the prompt was not read in one go in the same rounds"
        if pauses.error is None:
            figures["error_reason"] = "nothing was predicted"
        row["figures"] = figures
    result["counted_rounds"] = list(stutter.counted_rounds)
    return result


def stutter_fields(stutter: Fact[Stutter]) -> Json:
    """The fields of a diagnosis."""
    result = fact_fields("stutter", stutter)
    if isinstance(stutter, Known):
        result["stutter"] = stutter_json(stutter.value)
        result["stutter"]["stall_budget_s"] = STALL_S
    return result
