"""Which devices are said to hold the weights before they are loaded."""

import pytest

from advisor.benchmarks.job import Placement
from advisor.benchmarks.model import EngineDevice, EngineFacts
from advisor.benchmarks.probing import weights_device
from advisor.core.evidence import Basis, Known, Missing, Unknown

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
