"""What an experiment is given, for tests that run the real engine on small models."""

from dataclasses import replace
from pathlib import Path

import numpy

from advisor.benchmarks.engines.embedded import EmbeddedEngine
from advisor.benchmarks.job import OWN_CHOICE
from advisor.benchmarks.model import EngineFacts, EngineMode
from advisor.gguf.architecture import read_model
from advisor.hardware.detect import read_machine
from advisor.session.trial_context import TrialContext
from tests.support.engine_mode import engine_mode
from tests.support.evidence import pp, tg
from tests.support.families import FAMILIES

FACTS = EngineFacts("llama-cpp-python", "0", "build", "", "python", False, ())


def context_for(
    model: Path, scratch: Path, *, prefill: float = 2_000, decode: float = 500, budget_s: float = 10.0,
    threads: int = 1, rounds: int = 3, advice: str = "test", mode: EngineMode | None = None,
) -> TrialContext:
    """The experiment's context for a model on this machine; the speeds are what a diagnosis would have measured.

    Without a ``mode`` it is the one that the self-test finds.
    """
    return TrialContext(
        advice=advice, engine=EmbeddedEngine(), facts=FACTS, machine=read_machine(), model=read_model(model),
        mode=engine_mode() if mode is None else mode, placement=OWN_CHOICE, device="CPU",
        prefill=replace(pp(prefill), n_threads=threads),
        decode=replace(tg(decode), n_threads=threads), scratch=scratch, created_at="2026-11-30T00:00:00+00:00",
        rounds=rounds, budget_s=budget_s,
    )  # fmt: skip


def tiny(family: str, folder: Path) -> Path:
    """A tiny model of a family with random weights, so that what it answers depends on what it read."""
    made = FAMILIES[family]()
    path = made.write(folder / f"{family}.gguf")
    random = numpy.random.default_rng(0)
    with path.open("r+b") as file:
        for tensor, offset in zip(made.tensors, made.offsets(), strict=True):
            kind = {"F16": numpy.float16, "F32": numpy.float32}[str(tensor.type)]
            values = random.standard_normal(tensor.bytes // numpy.dtype(kind).itemsize) * 0.2
            if "ssm_a" in str(tensor.name):
                values = -abs(values)  # a state that grows has no answer
            file.seek(made.data_start + offset)
            file.write(values.astype(kind).tobytes())
    return path
