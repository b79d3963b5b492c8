"""What an engine is asked to measure."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from advisor.benchmarks.model import EngineMode, FlashAttention, Phase, TestSpec
from advisor.benchmarks.pacing import Cost
from advisor.benchmarks.steadiness import Repeat

WARM_UP_STEPS: Final = 8
"""Decode steps of one warm-up, as the worker makes them."""
WARM_UPS: Final = 2
"""Warm-ups until two agree, at best."""
LONG_WARM_UP_S: Final = 3.0
"""After one of this length the worker makes no second one."""
CONTEXT_S: Final = 0.1
"""Making and freeing a context, starting threads, telling the parent."""


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


OWN_CHOICE: Final = Placement()
"""Everything as the engine likes it."""


@dataclass(frozen=True, slots=True)
class PlannedTest:
    """One test, how often, and what it will probably cost; rough until the first is measured.

    Attributes:
        repetition_s: seconds of one repetition, its depth already filled.
        fill_s: seconds of filling the cache to the test's depth.
        essential: it runs in any case; the others are left out where time runs short or they cannot be run.
    """

    spec: TestSpec
    repeat: Repeat
    repetition_s: float
    fill_s: float = 0.0
    essential: bool = True

    @property
    def cost(self) -> Cost:
        """Seconds of filling, warm-ups and the repetitions that a steady machine needs."""
        spec = self.spec
        warm_up_s = self.repetition_s * (
            min(1.0, spec.n_ubatch / spec.n_prompt) if spec.phase is Phase.PREFILL else WARM_UP_STEPS / spec.n_gen
        )
        warm_ups = 0 if not self.repeat.budget_s else WARM_UPS if warm_up_s < LONG_WARM_UP_S else 1
        work_s = warm_ups * warm_up_s + expected_repetitions(self.repeat) * self.repetition_s
        # What a saved cache must agree in to be restored; contexts of several streams refuse that of one.
        same = (spec.n_depth, spec.kv_type, spec.flash_attention, spec.n_streams)
        key = ", ".join(map(str, same)) if spec.n_depth else ""
        if spec.phase is Phase.PREFILL:
            return Cost(key, self.fill_s, work_s, 0.0, CONTEXT_S)
        return Cost(key, self.fill_s, 0.0, work_s, CONTEXT_S)


def expected_repetitions(repeat: Repeat) -> int:
    """Repetitions that a steady machine needs: three tell how far they differ, and they differ little there."""
    return min(repeat.maximum, max(repeat.minimum, 3))


@dataclass(frozen=True, slots=True)
class Job:
    """The tests of one child.

    Attributes:
        model: the file that the engine is given.
        device: name of the device that will hold the weights, for the results.
        engine: name and version, for the results.
        notes: reasons known beforehand why the results are only suspect.
        budget_s: seconds from the start of the child after which no further test that is not essential is begun;
            None for no limit.
        real_use: a decode test whose settings text is written with after the tests; None for no text.
    """

    model: Path
    tests: tuple[PlannedTest, ...]
    mode: EngineMode
    placement: Placement
    device: str
    engine: str
    notes: tuple[str, ...] = ()
    budget_s: float | None = None
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


def wire_model(model: Path, mode: EngineMode, placement: Placement) -> dict[str, Any]:
    """The part of a request from which the worker loads a model (``worker/llama.load_model``)."""
    return {
        "model": str(model),
        "use_extra_bufts": mode < EngineMode.NO_EXTRA_BUFFERS,
        **wire_placement(placement),
    }


def wire_request(job: Job) -> dict[str, Any]:
    """The job as the request of the worker's task ``phases``."""
    request: dict[str, Any] = {
        "task": "phases",
        **wire_model(job.model, job.mode, job.placement),
        "budget_s": job.budget_s,
        "tests": [
            {
                **wire_spec(spec),
                "repeat": _repeat(test.repeat),
                "repetition_s": test.repetition_s,
                "cost": list(test.cost),
                "essential": test.essential,
            }
            for test, spec in zip(job.tests, job.specs, strict=True)
        ],
    }
    if job.real_use is not None:
        request["real_use"] = wire_spec(in_mode(job.real_use, job.mode))
    return request


def wire_placement(placement: Placement) -> dict[str, Any]:
    """Where the model goes, as fields of a request."""
    return {
        "n_gpu_layers": placement.gpu_layers,
        "devices": list(placement.devices),
        "tensor_overrides": [list(pair) for pair in placement.tensor_overrides],
        "tensor_split": list(placement.tensor_split),
        "rpc_servers": list(placement.rpc_servers),
    }


def wire_spec(spec: TestSpec) -> dict[str, Any]:
    """The fields of a test that the worker needs."""
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
