"""A job as command lines of llama-bench: one process for neighbouring tests of equal settings."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from advisor.benchmarks.engines.llama_bench_help import Abilities
from advisor.benchmarks.job import Job, Placement
from advisor.benchmarks.model import EngineMode, FlashAttention, Phase, TestSpec
from advisor.core.errors import EngineError
from advisor.core.translation import marked, tr

UPDATE_HINT: Final = marked("Update llama.cpp, or choose another engine: two-machines engines")


@dataclass(frozen=True, slots=True)
class Group:
    """Tests that one process runs, in its own order: prompts first.

    Attributes:
        tests: index in the job and the test.
        repetitions: of each.
    """

    tests: tuple[tuple[int, TestSpec], ...]
    repetitions: int


def groups(job: Job) -> tuple[Group, ...]:
    """Neighbours together that differ in their tokens only, in the job's order.

    The program repeats a fixed number of times, so that is the least number that was planned.
    """
    found: list[Group] = []
    for index, (planned, spec) in enumerate(zip(job.tests, job.specs, strict=True)):
        repetitions = planned.repeat.minimum
        last = found[-1] if found else None
        if last and last.repetitions == repetitions and _fits(last.tests[-1][1], spec):
            found[-1] = Group((*last.tests, (index, spec)), repetitions)
        else:
            found.append(Group(((index, spec),), repetitions))
    return tuple(found)


def _fits(before: TestSpec, spec: TestSpec) -> bool:
    in_order = not (before.phase is Phase.DECODE and spec.phase is Phase.PREFILL)
    return in_order and _settings(before) == _settings(spec)


def _settings(spec: TestSpec) -> tuple[object, ...]:
    return spec.n_depth, spec.n_threads, spec.n_batch, spec.n_ubatch, spec.flash_attention, spec.kv_type


def arguments(group: Group, model: Path, mode: EngineMode, placement: Placement, can: Abilities) -> list[str]:
    """The words after the program's name.

    Raises:
        EngineError: when this version has no option for what is asked.
    """
    specs = [spec for _, spec in group.tests]
    first = specs[0]
    words = ["-m", str(model), "-r", str(group.repetitions), "-o", "jsonl" if can.jsonl else "json"]
    words += ["-p", _tokens(spec.n_prompt for spec in specs), "-n", _tokens(spec.n_gen for spec in specs)]
    words += ["-t", str(first.n_threads), "-b", str(first.n_batch)]
    words += ["-ub", str(first.n_ubatch)] if can.first("-ub") else []
    if first.n_depth:
        words += [_need(can, tr("tokens that are already in the cache"), "-d"), str(first.n_depth)]
    if first.kv_type != "f16":
        words += [_need(can, tr("the type of the KV cache"), "-ctk"), first.kv_type, "-ctv", first.kv_type]
    if first.flash_attention is not FlashAttention.AUTO:
        words += [_need(can, tr("flash attention"), "-fa"), "1" if first.flash_attention is FlashAttention.ON else "0"]
    elif can.flash_attention_auto:
        words += ["-fa", "auto"]
    if mode >= EngineMode.NO_EXTRA_BUFFERS:
        words += without_extra_buffers(can)
    words += ["--progress"] if can.first("--progress") else []
    return words + placing(placement, can)


def without_extra_buffers(can: Abilities) -> list[str]:
    """What makes the program leave its repacked layouts out; empty where this version cannot."""
    if can.first("--repack"):
        return ["--repack", "0"]
    option = can.first("-nr", "--no-repack")
    return [option, "1"] if option and can.no_repack_takes_value else [option] if option else []


def placing(placement: Placement, can: Abilities) -> list[str]:
    """The options of a placement; servers of other machines first, because devices are looked up as they are read.

    Raises:
        EngineError: when this version has no option for it, or the option cannot carry it.
    """
    words: list[str] = []
    if placement.rpc_servers:
        words += [_need(can, tr("other machines (it was built without RPC)"), "-rpc", "--rpc")]
        words += [",".join(placement.rpc_servers)]
    chosen = [name for name in placement.devices if name != "CPU"]
    if chosen:
        words += [_need(can, tr("a choice of devices"), "-dev"), "/".join(chosen)]
    elif placement.devices:
        words += ["-dev", "none"] if can.first("-dev") else ["-ngl", "0"]
    if placement.gpu_layers >= 0:
        words += ["-ngl", str(placement.gpu_layers)]
    if placement.tensor_split:
        words += ["-ts", "/".join(f"{share:g}" for share in placement.tensor_split)]
    if placement.tensor_overrides:
        pairs = [f"{pattern}={buffer}" for pattern, buffer in placement.tensor_overrides]
        if any("," in pair or ";" in pair for pair in pairs):
            raise EngineError(
                tr("llama-bench takes no comma and no semicolon in a tensor pattern."),
                tr("Write the pattern without them, or use the engine embedded."),
            )
        words += [_need(can, tr("a place for single tensors"), "-ot"), ";".join(pairs)]
    return words


def _tokens(counts: Iterable[int]) -> str:
    """The numbers that are not 0, or 0 alone, which stands for "none of this kind"."""
    return ",".join(str(count) for count in counts if count) or "0"


def _need(can: Abilities, what: str, *names: str) -> str:
    option = can.first(*names)
    if not option:
        raise EngineError(tr("This llama-bench has no option for {what}.", what=what), tr(UPDATE_HINT))
    return option
