"""Variables that steer an engine: kept, told where they slow it, and nothing private among them."""

from dataclasses import replace

import pytest

from advisor.benchmarks.engine_variables import slowing, steering
from advisor.core.evidence import Known
from advisor.report.exporters.markdown import document_markdown
from advisor.session.cautions import warn_of_variables
from advisor.session.events import Event, Remark
from tests.support.documents import complete_document
from tests.support.evidence import device, engine


def test_what_steers_an_engine_is_kept_and_the_rest_is_not() -> None:
    """Case F11."""
    environment = {
        "GGML_CUDA_ENABLE_UNIFIED_MEMORY": "1", "CUDA_VISIBLE_DEVICES": "0,1", "OMP_NUM_THREADS": "4",
        "HIP_VISIBLE_DEVICES": "", "HOME": "/home/someone", "PATH": "/usr/bin", "LANG": "de_DE.UTF-8",
    }  # fmt: skip
    assert steering(environment) == (
        "CUDA_VISIBLE_DEVICES=0,1", "GGML_CUDA_ENABLE_UNIFIED_MEMORY=1", "HIP_VISIBLE_DEVICES=", "OMP_NUM_THREADS=4",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("name", "value", "kept"),
    [
        ("CUDA_PATH", r"C:\Program Files\NVIDIA GPU Computing Toolkit\CUDA\v12.4", ()),
        ("CUDA_PATH_V12_4", r"C:\CUDA", ()),
        ("VK_ICD_FILENAMES", "/home/someone/icd.json", ()),
        ("LLAMA_API_KEY", "sk-1234", ()),
        ("LLAMA_ARG_MODEL", "m.gguf", ()),
        ("LLAMA_CACHE", "/home/someone/models", ("LLAMA_CACHE",)),
        ("CUDA_VISIBLE_DEVICES", "GPU-6d0e1a2b-1111-2222-3333-444455556666", ("CUDA_VISIBLE_DEVICES",)),
        ("CUDA_VISIBLE_DEVICES", "MIG-6d0e1a2b-1111-2222-3333-444455556666", ("CUDA_VISIBLE_DEVICES",)),
        ("GGML_VK_VISIBLE_DEVICES", "x" * 100, ("GGML_VK_VISIBLE_DEVICES",)),
    ],
)
def test_nothing_private_is_kept(name: str, value: str, kept: tuple[str, ...]) -> None:
    assert steering({name: value}) == kept


@pytest.mark.parametrize("value", ["1", "0", ""])
def test_unified_memory_slows_cards_whatever_its_value(value: str) -> None:
    variables = steering({"GGML_CUDA_ENABLE_UNIFIED_MEMORY": value})
    (said,) = slowing(variables, ["CPU", "CUDA0"])
    assert "GGML_CUDA_ENABLE_UNIFIED_MEMORY" in said and "Remove it" in said
    assert slowing(variables, ["ROCm0"]) and not slowing(variables, ["CPU"]) and not slowing(variables, ["Vulkan0"])


@pytest.mark.parametrize(
    ("variable", "device_name", "slows"),
    [
        ("CUDA_LAUNCH_BLOCKING=1", "CUDA0", True),
        ("CUDA_LAUNCH_BLOCKING=0", "CUDA0", False),
        ("GGML_CUDA_DISABLE_GRAPHS=1", "CUDA0", True),
        ("GGML_VK_DISABLE_COOPMAT=1", "Vulkan0", True),
        ("GGML_METAL_FUSION_DISABLE=1", "Metal", True),
        ("GGML_VK_DISABLE_COOPMAT=1", "CUDA0", False),
        ("CUDA_VISIBLE_DEVICES=0", "CUDA0", False),
    ],
)
def test_others_that_slow_a_device(variable: str, device_name: str, slows: bool) -> None:
    assert bool(slowing((variable,), [device_name])) is slows


def test_it_is_said_before_a_run_and_in_the_report() -> None:
    slowed = replace(engine(devices=[device("CUDA0", "gpu")]), variables=("GGML_CUDA_ENABLE_UNIFIED_MEMORY=1",))
    heard: list[Event] = []
    warn_of_variables(slowed, heard.append)
    assert [type(event) for event in heard] == [Remark]
    document = complete_document()
    assert isinstance(document.engine, Known)
    assert "Environment variables" not in document_markdown(document)
    told = replace(document, engine=replace(document.engine, value=slowed))
    assert "Environment variables: GGML_CUDA_ENABLE_UNIFIED_MEMORY=1" in document_markdown(told)
