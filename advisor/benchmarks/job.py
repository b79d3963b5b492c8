"""What an engine is asked to measure."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from advisor.benchmarks.model import EngineMode, FlashAttention, TestSpec
from advisor.benchmarks.steadiness import Repeat

WARM_UP_S: Final = 0.5
"""What the short warm-ups before a test take at least."""


@dataclass(frozen=True, slots=True)
class Placement:
    """Where the engine puts the model.

    Attributes:
        devices: ggml names ("CUDA0", "RPC0") to use, in order; empty for the engine's own choice, ("CPU",) for the
            processor alone.
        gpu_layers: layers off the CPU; -1 for as many as fit.
        tensor_overrides: pairs of a regular expression on tensor names and the buffer type that they go to, as
            llama.cpp's ``--override-tensor`` (experts on the CPU: ``("exps", "CPU")``).
        tensor_split: share of the layers per device; empty for the engine's own choice.
        rpc_servers: "host:port" of other machines whose devices join in.
    """

    devices: tuple[str, ...] = ()
    gpu_layers: int = -1
    tensor_overrides: tuple[tuple[str, str], ...] = ()
    tensor_split: tuple[float, ...] = ()
    rpc_servers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PlannedTest:
    """One test, how often, and the seconds that one repetition will take; rough until the first is measured."""

    spec: TestSpec
    repeat: Repeat
    repetition_s: float

    @property
    def predicted_s(self) -> float:
        """Seconds of warm-up and the smallest number of repetitions."""
        return WARM_UP_S + self.repeat.minimum * self.repetition_s


@dataclass(frozen=True, slots=True)
class Job:
    """The tests of one child.

    Attributes:
        model: the file that the engine is given.
        device: name of the device that will hold the weights, for the results.
        engine: name and version, for the results.
        notes: reasons known beforehand why the results are only suspect.
        real_use: a decode test whose settings text is written with after the tests; None for no text.
    """

    model: Path
    tests: tuple[PlannedTest, ...]
    mode: EngineMode
    placement: Placement
    device: str
    engine: str
    notes: tuple[str, ...] = ()
    real_use: TestSpec | None = None

    @property
    def specs(self) -> tuple[TestSpec, ...]:
        """The tests as the mode lets them run."""
        return tuple(in_mode(test.spec, self.mode) for test in self.tests)


def in_mode(spec: TestSpec, mode: EngineMode) -> TestSpec:
    """The test without what a step of the safe-mode ladder gives up."""
    if mode >= EngineMode.NO_FLASH_ATTENTION:
        spec = replace(spec, flash_attention=FlashAttention.OFF)
    if mode >= EngineMode.ONE_THREAD:
        spec = replace(spec, n_threads=1)
    return spec


def wire_request(job: Job) -> dict[str, Any]:
    """The job as the request of the worker's task ``phases``."""
    request: dict[str, Any] = {
        "task": "phases",
        "model": str(job.model),
        "use_extra_bufts": job.mode < EngineMode.NO_EXTRA_BUFFERS,
        "n_gpu_layers": job.placement.gpu_layers,
        "devices": list(job.placement.devices),
        "tensor_overrides": [list(pair) for pair in job.placement.tensor_overrides],
        "tensor_split": list(job.placement.tensor_split),
        "rpc_servers": list(job.placement.rpc_servers),
        "tests": [
            {**_wire_spec(spec), "repeat": _repeat(test.repeat)}
            for test, spec in zip(job.tests, job.specs, strict=True)
        ],
    }
    if job.real_use is not None:
        request["real_use"] = _wire_spec(in_mode(job.real_use, job.mode))
    return request


def _wire_spec(spec: TestSpec) -> dict[str, Any]:
    return {
        "n_prompt": spec.n_prompt,
        "n_gen": spec.n_gen,
        "n_depth": spec.n_depth,
        "n_streams": spec.n_streams,
        "n_threads": spec.n_threads,
        "n_batch": spec.n_batch,
        "n_ubatch": spec.n_ubatch,
        "flash_attention": str(spec.flash_attention),
        "kv_type": spec.kv_type,
    }


def _repeat(repeat: Repeat) -> dict[str, float]:
    """As JSON can hold it: no limit is left out, and the worker's default is none."""
    return {name: value for name, value in repeat._asdict().items() if value != float("inf")}
