"""How to get an engine that computes on a GPU, for those whose own does not; the guide's page *gpu* tells more."""

from typing import Final

GPU_WAYS: Final = (
    "1. Unpack llama.cpp's release for your card (CUDA, Vulkan or ROCm; github.com/ggml-org/llama.cpp/releases) into "
    "~/llama.cpp; it is found by itself.",
    "2. Or make a Python with such an engine: python -m venv ~/venv, then, with CMAKE_ARGS=-DGGML_CUDA=on (or VULKAN, "
    "HIP), ~/venv/bin/python -m pip install llama-cpp-python.",
    "3. Then choose it: Engine… in the window, or --engine NAME on the command line (two-machines engines lists the "
    "names).",
)
