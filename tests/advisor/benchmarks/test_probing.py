"""Which devices are said to hold the weights before they are loaded."""

from dataclasses import replace

import pytest

from advisor.benchmarks.job import Placement
from advisor.benchmarks.model import EngineDevice, EngineFacts
from advisor.benchmarks.probing import MIN_READ_BYTES, ceilings_request, weights_device
from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.gguf.model import ModelFacts
from advisor.hardware.model import Machine
from tests.support import documents

NONE = Unknown("invented", Missing.NOT_SUPPORTED)
KINDS = {"CPU": "cpu", "BLAS": "accel", "iGPU0": "igpu"}


def engine(*names: str) -> Known[EngineFacts]:
    devices = tuple(EngineDevice(name, name, KINDS.get(name, "gpu"), NONE, NONE) for name in names)
    return Known(EngineFacts("e", "1", "b", "", "python", True, devices), Basis.READ, "invented")


@pytest.mark.parametrize(
    ("devices", "placement", "said"),
    [
        (("CPU",), Placement(), "CPU"),
        (("BLAS", "CPU"), Placement(), "CPU"),
        (("CUDA0", "CPU"), Placement(), "CUDA0"),
        (("CUDA0", "CUDA1", "CPU"), Placement(), "CUDA0+CUDA1"),
        (("CUDA0", "iGPU0", "CPU"), Placement(), "CUDA0"),
        (("iGPU0", "CPU"), Placement(), "iGPU0"),
        (("CUDA0", "CPU", "RPC0"), Placement(rpc_servers=("a:1",)), "RPC0+CUDA0"),
        (("CUDA0", "CPU"), Placement(devices=("CPU",)), "CPU"),
        (("CUDA0", "CUDA1", "CPU"), Placement(devices=("CUDA1",)), "CUDA1"),
        (("CUDA0", "CPU"), Placement(gpu_layers=0), "CPU"),
        (("CUDA0", "CPU"), Placement(gpu_layers=10), "CUDA0+CPU"),
        (("CUDA0", "CPU"), Placement(gpu_layers=19), "CUDA0"),
        (("CUDA0", "CPU"), Placement(tensor_overrides=(("exps", "CPU"),)), "CUDA0+CPU"),
        (("CUDA0", "CPU"), Placement(tensor_overrides=(("exps", "CUDA0"),)), "CUDA0"),
    ],
)
def test_what_llama_cpp_would_choose_or_the_user_did(devices: tuple[str, ...], placement: Placement, said: str) -> None:
    assert weights_device(engine(*devices), placement, layers=18) == said


def test_an_unknown_engine_is_taken_for_the_processor() -> None:
    assert weights_device(NONE) == "CPU"


def machine(l3_bytes: Fact[int], available_bytes: int = 64 * 2**30, logical: int = 2) -> Machine:
    held = documents.machine()
    return replace(
        held,
        cpu=replace(held.cpu, l3_bytes=l3_bytes, l2_bytes=NONE, logical=logical),
        memory=replace(held.memory, available_bytes=Known(available_bytes, Basis.READ, "test")),
    )


def small_model(step_bytes: int) -> ModelFacts:
    """A model of so many bytes whose traffic is not modelled."""
    return replace(documents.model(), traffic=NONE, weights_bytes=step_bytes)


@pytest.mark.parametrize(
    ("step_mib", "l3", "largest_mib"),
    [
        (247, Known(32 * 2**20, Basis.READ, "test"), 247),  # the model itself lies beyond four times the cache
        (247, Known(96 * 2**20, Basis.READ, "test"), 384),  # a model that the cache helps: memory itself is read, too
        (247, Known(480 * 2**20, Basis.READ, "test"), 1024),  # a virtual machine that shows its host's cache
        (247, NONE, 1024),
        (20000, Known(32 * 2**20, Basis.READ, "test"), 1024),  # no more than a GiB is read
    ],
)
def test_the_read_curve_ends_beyond_the_caches_or_at_the_model(step_mib: int, l3: Fact[int], largest_mib: int) -> None:
    read = ceilings_request(small_model(step_mib * 2**20), machine(l3), NONE)["read"]
    assert max(read["bytes"], *read["curve"]) == largest_mib * 2**20
    assert read["curve"][0] == MIN_READ_BYTES
    assert read["curve"] == sorted(read["curve"])


def test_a_small_memory_limits_what_is_read() -> None:
    read = ceilings_request(small_model(20_000_000_000), machine(NONE, 400 * 2**20), NONE)["read"]
    assert max(read["bytes"], *read["curve"]) == 100 * 2**20


@pytest.mark.parametrize(
    ("l3_mib", "logical", "available_gib", "largest_mib"),
    [
        (384, 192, 64, 1536),  # a Threadripper whose caches would hold a third of a GiB
        (1152, 192, 256, 4608),  # an EPYC with stacked cache
        (1152, 192, 4, 1024),  # the same in a container with little memory
        (300, 2, 16, 1024),  # a virtual machine that shows its host's cache
        (96, 16, 64, 384),
    ],
)
def test_large_caches_are_read_past_where_they_are_the_machines_own(
    l3_mib: int, logical: int, available_gib: int, largest_mib: int
) -> None:
    cache = Known(l3_mib * 2**20, Basis.READ, "test")
    held = machine(cache, available_gib * 2**30, logical)
    read = ceilings_request(small_model(247 * 2**20), held, NONE)["read"]
    assert max(read["curve"]) == largest_mib * 2**20
