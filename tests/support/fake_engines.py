"""Invented engines to choose from: this Python, a CUDA build in another one, and a build that does not start."""

import threading
from dataclasses import replace
from pathlib import Path

from advisor.benchmarks.engines.listed import EMBEDDED, EngineKind, FoundEngine
from advisor.benchmarks.model import EngineDevice, EngineFacts, TestResult
from advisor.core.errors import UsageError
from advisor.core.evidence import Basis, Fact, Known, Unknown
from advisor.core.progress import CancelToken
from tests.support import documents
from tests.support.fake_pipeline import FakePipeline
from ui.bridge.doors import EngineDoors

OWN = FoundEngine(EMBEDDED, EngineKind.EMBEDDED, Path("/home/maria/venv/bin/python3.11"), "the program runs in it")
CUDA = FoundEngine(
    "llama-cuda", EngineKind.PYTHON, Path("/home/maria/miniforge3/envs/llama-cuda/bin/python3"), "conda lists it"
)
BROKEN = FoundEngine(
    "llama-bench:llama-b4102", EngineKind.LLAMA_BENCH, Path("/home/maria/Downloads/llama-b4102/build/bin/llama-bench"),
    "a build of llama.cpp in llama-b4102",
)
ADDED = FoundEngine("llama-cuda", EngineKind.LLAMA_BENCH, Path("/srv/llama-cuda/bin/llama-bench"), "you picked it")
WHY = "llama-bench ended at once: libcudart.so.12 is missing. Install CUDA 12"
NO_ENGINE_THERE = "There is neither a Python nor llama-bench in /home/maria/music."


def cuda_facts() -> Known[EngineFacts]:
    """What the CUDA build says of itself."""
    own = documents.engine()
    assert isinstance(own, Known)
    memory: Fact[int] = Known(12_480_000_000, Basis.READ, "ggml")
    card = EngineDevice("CUDA0", "NVIDIA GeForce RTX 3060", "gpu", memory, memory)
    facts = replace(
        own.value, version="0.3.30", build="77aa02b", gpu_offload=True, python=str(CUDA.path),
        devices=(card, *own.value.devices),
    )  # fmt: skip
    return Known(facts, Basis.READ, "asked in a child process")


NOBODY = "no RPC server answers at nobody:50052"


def with_devices(known: Fact[EngineFacts], rpc_servers: tuple[str, ...]) -> Fact[EngineFacts]:
    """The engine with one more device for each RPC server, first as llama.cpp lists them."""
    assert isinstance(known, Known)
    memory: Fact[int] = Known(32_000_000_000, Basis.READ, "ggml")
    others = tuple(
        EngineDevice(f"RPC{number}", f"the machine at {server}", "gpu", memory, memory)
        for number, server in enumerate(rpc_servers)
    )
    return replace(known, value=replace(known.value, devices=(*others, *known.value.devices)))


class FakeEngines:
    """Stands for the disk and the engines; counts what it is asked, and waits in a check where it is told to."""

    def __init__(self, hold: bool = False) -> None:
        self.asked: list[str] = []
        self.checked: list[str] = []
        self.cancelled: list[str] = []
        self.found = (OWN, CUDA, BROKEN)
        self.result: Fact[tuple[TestResult, ...]] = Known(
            (documents.prefill_test(), documents.decode_test()), Basis.MEASURED, "the sample model"
        )
        self.error: Exception | None = None
        self.pipelines: dict[str, FakePipeline] = {}
        self.go = threading.Event()
        if not hold:
            self.go.set()

    def doors(self) -> EngineDoors:
        """What the window is given."""
        return EngineDoors(lambda: self.found, self._add, self._ask, self._check, self._pipeline)

    def _add(self, path: Path) -> FoundEngine:
        if path.name == "music":
            raise UsageError(NO_ENGINE_THERE)
        return CUDA if path.name == "llama-cuda" and "miniforge3" in path.parts else ADDED

    def _ask(self, found: FoundEngine, cancel: CancelToken, rpc_servers: tuple[str, ...]) -> Fact[EngineFacts]:
        self.asked.append(found.id)
        if found is BROKEN:
            return Unknown(WHY)
        if any("nobody" in server for server in rpc_servers):
            return Unknown(NOBODY)
        known = documents.engine() if found is OWN else cuda_facts()
        return with_devices(known, rpc_servers)

    def _check(
        self, found: FoundEngine, facts: Fact[EngineFacts], cancel: CancelToken
    ) -> Fact[tuple[TestResult, ...]]:
        self.checked.append(found.id)
        while not self.go.wait(0.01):
            if cancel.cancelled:
                self.cancelled.append(found.id)
            cancel.raise_if_cancelled()
        if self.error is not None:
            raise self.error
        return self.result

    def _pipeline(self, found: FoundEngine) -> FakePipeline:
        made = FakePipeline(engine=documents.engine() if found is OWN else cuda_facts())
        return self.pipelines.setdefault(found.id, made)
