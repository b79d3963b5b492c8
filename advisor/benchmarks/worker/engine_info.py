"""Task ``engine``: what the engine is and which devices it can use."""

from __future__ import annotations

import sys
from typing import Any

from advisor.benchmarks import protocol
from advisor.benchmarks.worker import llama, rpc
from advisor.benchmarks.worker.ggml import Ggml
from advisor.benchmarks.worker.talk import Talk


def run(request: dict[str, Any], talk: Talk) -> None:
    """Answer with version, build, system info and devices; those of the request's ``rpc_servers`` with their link."""
    folder = llama.package_folder()
    libraries = llama.library_folder(folder)
    if sys.platform == "win32":
        llama.bind()  # it tells Windows where the libraries of graphics drivers are
    # Elsewhere ggml first: libllama then finds it by its name; the other way round its files would be loaded twice.
    ggml = Ggml(libraries)
    lib = llama.native(libraries)
    lib.llama_backend_init()
    links = {device.handle: rpc.link(ggml, device) for device in rpc.register(ggml, request.get("rpc_servers") or ())}
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
                "link": links.get(device.handle),
                "device_id": device.device_id,
            }
            for device in ggml.devices()
        ],
    )
