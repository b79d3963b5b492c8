"""Task ``engine``: what the engine is and which devices it can use."""

import sys
from typing import Any

from advisor.benchmarks import protocol
from advisor.benchmarks.worker import llama
from advisor.benchmarks.worker.ggml import Ggml
from advisor.benchmarks.worker.talk import Talk


def run(_request: dict[str, Any], talk: Talk) -> None:
    """Answer with version, build, system info and devices."""
    folder = llama.package_folder()
    libraries = llama.library_folder(folder)
    if sys.platform == "win32":
        llama.bind()  # it tells Windows where the libraries of graphics drivers are
    # Elsewhere ggml first: libllama then finds it by its name; the other way round its files would be loaded twice.
    ggml = Ggml(libraries)
    lib = llama.native(libraries)
    lib.llama_backend_init()
    talk.say(
        protocol.RESULT,
        version=llama.version(folder),
        build=llama.build_id(libraries),
        system_info=(lib.llama_print_system_info() or b"").decode("utf-8", "replace").strip(),
        gpu_offload=bool(lib.llama_supports_gpu_offload()),
        devices=[
            {
                "name": device.name,
                "description": device.description,
                "kind": device.kind,
                "memory_total_bytes": device.memory_total_bytes,
                "memory_free_bytes": device.memory_free_bytes,
                "device_id": device.device_id,
            }
            for device in ggml.devices()
        ],
    )
