"""ggml's C interface by ctypes: devices, buffers and matrix products of llama_cpp's own native libraries."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from advisor.benchmarks.worker.talk import Failure

TYPE_F32 = 0
TYPE_F16 = 1
TYPE_I32 = 26
DEVICE_KINDS = {0: "cpu", 1: "gpu", 2: "igpu", 3: "accel"}
"""ggml_backend_dev_type of ggml-backend.h."""

_GRAPH_BYTES = 4 << 20
"""Room for tensor headers and a graph of up to 2,048 nodes; no tensor data lives there."""

_P, _I, _L, _S, _B = ctypes.c_void_p, ctypes.c_int, ctypes.c_int64, ctypes.c_size_t, ctypes.c_bool
_F = ctypes.c_float
_SIGNATURES: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "ggml_backend_dev_count": (_S, ()),
    "ggml_backend_dev_get": (_P, (_S,)),
    "ggml_backend_dev_name": (ctypes.c_char_p, (_P,)),
    "ggml_backend_dev_description": (ctypes.c_char_p, (_P,)),
    "ggml_backend_dev_type": (_I, (_P,)),
    "ggml_backend_dev_memory": (None, (_P, ctypes.POINTER(_S), ctypes.POINTER(_S))),
    "ggml_backend_dev_init": (_P, (_P, ctypes.c_char_p)),
    "ggml_backend_dev_buffer_type": (_P, (_P,)),
    "ggml_backend_dev_backend_reg": (_P, (_P,)),
    "ggml_backend_dev_supports_op": (_B, (_P, _P)),
    "ggml_backend_reg_by_name": (_P, (ctypes.c_char_p,)),
    "ggml_backend_reg_get_proc_address": (_P, (_P, ctypes.c_char_p)),
    "ggml_backend_buft_name": (ctypes.c_char_p, (_P,)),
    "ggml_backend_alloc_ctx_tensors_from_buft": (_P, (_P, _P)),
    "ggml_backend_buffer_free": (None, (_P,)),
    "ggml_backend_tensor_set": (None, (_P, _P, _S, _S)),
    "ggml_backend_tensor_get": (None, (_P, _P, _S, _S)),
    "ggml_backend_graph_compute": (_I, (_P, _P)),
    "ggml_backend_synchronize": (None, (_P,)),
    "ggml_backend_free": (None, (_P,)),
    "ggml_free": (None, (_P,)),
    "ggml_new_tensor_2d": (_P, (_P, _I, _L, _L)),
    "ggml_mul_mat": (_P, (_P, _P, _P)),
    "ggml_new_graph": (_P, (_P,)),
    "ggml_build_forward_expand": (None, (_P, _P)),
    "ggml_nbytes": (_S, (_P,)),
    "ggml_row_size": (_S, (_I, _L)),
    "ggml_blck_size": (_L, (_I,)),
    "ggml_type_name": (ctypes.c_char_p, (_I,)),
    "ggml_quantize_chunk": (_S, (_I, _P, _P, _L, _L, _L, _P)),
    "ggml_gallocr_new": (_P, (_P,)),
    "ggml_gallocr_alloc_graph": (_B, (_P, _P)),
    "ggml_gallocr_free": (None, (_P,)),
    "ggml_new_tensor_3d": (_P, (_P, _I, _L, _L, _L)),
    "ggml_mul_mat_id": (_P, (_P, _P, _P, _P)),
    "ggml_rms_norm": (_P, (_P, _P, _F)),
    "ggml_mul": (_P, (_P, _P, _P)),
    "ggml_add": (_P, (_P, _P, _P)),
    "ggml_cpy": (_P, (_P, _P, _P)),
    "ggml_permute": (_P, (_P, _P, _I, _I, _I, _I)),
    "ggml_rope_ext": (_P, (_P, _P, _P, _P, _I, _I, _I, _F, _F, _F, _F, _F, _F)),
    "ggml_flash_attn_ext": (_P, (_P, _P, _P, _P, _P, _F, _F, _F)),
}
_OPTIONAL: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "ggml_backend_cpu_set_n_threads": (None, (_P, _I)),
    "ggml_backend_load_all_from_path": (None, (ctypes.c_char_p,)),
    "ggml_swiglu_split": (_P, (_P, _P, _P)),
    "ggml_geglu_split": (_P, (_P, _P, _P)),
}
"""Functions that older versions lack, or builds that load their devices at run time; None where they do."""


class _InitParams(ctypes.Structure):
    _fields_ = [("mem_size", _S), ("mem_buffer", _P), ("no_alloc", _B)]


class _Props(ctypes.Structure):
    """``ggml_backend_dev_props`` of ggml-backend.h.

    Builds of before September 2025 have no device_id: theirs ends before it, so that the null written here stays.
    Later ones grow at the end, for which there is room.
    """

    _fields_ = [
        ("name", ctypes.c_char_p),
        ("description", ctypes.c_char_p),
        ("memory_free", _S),
        ("memory_total", _S),
        ("type", _I),
        ("device_id", ctypes.c_char_p),
        ("room", ctypes.c_byte * 128),
    ]


class Device(NamedTuple):
    """A device as ggml describes it; memory is 0 and the id "" where the backend does not tell.

    The id is a PCI address ("0000:c1:00.0") for devices on that bus.
    """

    handle: int
    name: str
    description: str
    kind: str
    memory_total_bytes: int
    memory_free_bytes: int
    device_id: str


class BufferType(NamedTuple):
    """Where a weight matrix can lie on a device; extra ones hold it in another layout ("CPU_REPACK", "AMX")."""

    handle: int
    name: str
    extra: bool


class Ggml:
    """The functions of libggml, libggml-base and libggml-cpu, with their signatures declared.

    Raises:
        Failure: ``engine_broken`` when a library or a function is missing.
    """

    def __init__(self, lib_folder: Path) -> None:
        self._libraries = [_load(lib_folder, stem) for stem in ("ggml-base", "ggml-cpu", "ggml")]
        for name, (result, arguments) in _SIGNATURES.items():
            function = self._find(name)
            function.restype = result
            function.argtypes = list(arguments)
            setattr(self, name, function)
        for name, (result, arguments) in _OPTIONAL.items():
            function = self._found(name)
            if function is not None:
                function.restype = result
                function.argtypes = list(arguments)
            setattr(self, name, function)
        self._get_props = self._find("ggml_backend_dev_get_props")
        self._get_props.restype = None
        self._get_props.argtypes = [_P, ctypes.POINTER(_Props)]
        init = self._find("ggml_init")
        init.restype = _P
        init.argtypes = [_InitParams]
        self._init = init
        if _loads_devices(lib_folder) and self.ggml_backend_load_all_from_path is not None:
            # Left to itself, such a build looks beside the interpreter and in the current folder.
            self.ggml_backend_load_all_from_path(os.fsencode(lib_folder))

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)

    def _find(self, name: str) -> Any:
        function = self._found(name)
        if function is None:
            raise Failure(
                "engine_broken", f"The engine's libraries have no function {name}.", "Update llama-cpp-python."
            )
        return function

    def _found(self, name: str) -> Any:
        for library in self._libraries:
            if library is not None and hasattr(library, name):
                return getattr(library, name)
        return None

    def devices(self) -> list[Device]:
        """All devices, in the engine's order."""
        found = []
        for index in range(self.ggml_backend_dev_count()):
            handle = self.ggml_backend_dev_get(index)
            free, total = _S(0), _S(0)
            self.ggml_backend_dev_memory(handle, ctypes.byref(free), ctypes.byref(total))
            found.append(
                Device(
                    handle,
                    _text(self.ggml_backend_dev_name(handle)),
                    _text(self.ggml_backend_dev_description(handle)),
                    DEVICE_KINDS.get(self.ggml_backend_dev_type(handle), "other"),
                    total.value,
                    free.value,
                    device_id(self._get_props, handle),
                )
            )
        return found

    def registry(self, name: str) -> int | None:
        """A family of backends by its name ("RPC", "CUDA"); None where this build has none of that name."""
        handle = self.ggml_backend_reg_by_name(name.encode())
        return int(handle) if handle else None

    def set_threads(self, device: Device, backend: int, threads: int) -> None:
        """Let a CPU backend compute with so many threads."""
        if self.ggml_backend_cpu_set_n_threads is not None:
            self.ggml_backend_cpu_set_n_threads(backend, threads)
            return
        registry = self.ggml_backend_dev_backend_reg(device.handle)
        address = self.ggml_backend_reg_get_proc_address(registry, b"ggml_backend_set_n_threads")
        if not address:
            raise Failure("engine_broken", "The engine has no way to set its threads.", "Update llama-cpp-python.")
        ctypes.CFUNCTYPE(None, _P, _I)(address)(backend, threads)

    def entry(self, name: str) -> Any:
        """A function that takes one handle and gives nothing; raises Failure ``engine_broken`` where it is missing."""
        function = self._find(name)
        function.restype = None
        function.argtypes = [_P]
        return function

    def default_buffer_type(self, device: Device) -> BufferType:
        """The device's own buffer type."""
        default = self.ggml_backend_dev_buffer_type(device.handle)
        return BufferType(default, _text(self.ggml_backend_buft_name(default)), False)

    def buffer_types(self, device: Device, extra: bool) -> Iterator[BufferType]:
        """The device's own buffer type, then (when asked for) its extra ones."""
        yield self.default_buffer_type(device)
        if not extra:
            return
        registry = self.ggml_backend_dev_backend_reg(device.handle)
        address = self.ggml_backend_reg_get_proc_address(registry, b"ggml_backend_dev_get_extra_bufts")
        if not address:
            return
        listing = ctypes.CFUNCTYPE(ctypes.POINTER(_P), _P)(address)(device.handle)
        for handle in listing or ():  # a null-terminated array; a null pointer means none
            if not handle:
                break
            yield BufferType(handle, _text(self.ggml_backend_buft_name(handle)), True)

    def context(self) -> int:
        """A context that holds tensor headers only."""
        handle = self._init(_InitParams(_GRAPH_BYTES, None, True))
        if not handle:
            raise MemoryError
        return int(handle)

    def type_name(self, type_id: int) -> str:
        """Ggml's own name of a type ("q4_K"); empty where this build does not know it."""
        return _text(self.ggml_type_name(type_id))


def device_id(get_props: Callable[[int, Any], None], handle: int) -> str:
    """What ``ggml_backend_dev_get_props`` gives as the device's id; "" where the backend or the build has none."""
    props = _Props()  # all zero
    get_props(handle, ctypes.byref(props))
    return _text(props.device_id)


def _text(value: bytes | None) -> str:
    return value.decode("utf-8", "replace") if value else ""


_OTHER_ARCHITECTURE = ("wrong ELF class", "incompatible architecture", "wrong architecture", "WinError 193")
"""What loaders say of a library for another processor: glibc's, macOS' new and old, Windows'."""


def broken(what: str, error: Exception) -> Failure:
    """Why the engine's libraries do not load."""
    again = "python -m pip install --force-reinstall --no-cache-dir llama-cpp-python"
    if any(sign in str(error) for sign in _OTHER_ARCHITECTURE):
        return Failure(
            "wrong_architecture",
            f"The llama-cpp-python of this Python ({sys.executable}) is built for another kind of processor.",
            f"Install it anew there: {again}",
        )
    return Failure(
        "engine_broken",
        f"{what} is installed but does not load: {error}",
        f"A library it needs may be missing, or it was built for another system; reinstall it: {again}",
    )


def _loads_devices(folder: Path) -> bool:
    """Whether this build has one library for each kind of processor (``GGML_BACKEND_DL``) and loads the best."""
    return any(folder.glob("libggml-cpu-*.so")) or any(folder.glob("ggml-cpu-*.dll"))


def _load(folder: Path, stem: str) -> Any:
    names = {"win32": (f"{stem}.dll", f"lib{stem}.dll"), "darwin": (f"lib{stem}.dylib",)}
    for name in names.get(sys.platform, (f"lib{stem}.so",)):
        if (folder / name).exists():
            try:
                return ctypes.CDLL(str(folder / name))
            except OSError as error:
                raise broken(name, error) from error
    return None
