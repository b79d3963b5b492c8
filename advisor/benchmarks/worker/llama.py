"""The llama_cpp binding, loaded without its Python layer, and the few calls that measuring needs."""

import ctypes
import hashlib
import importlib
import importlib.util
import os
import re
import sys
import types
from pathlib import Path
from typing import Any

from advisor.benchmarks import protocol
from advisor.benchmarks.worker.talk import Failure, Talk

SPLIT_MODE_LAYER = 1
GPU_LAYERS_ALL = -1

_INSTALL_HINT = 'Install it with: python -m pip install "llama-cpp-python>=0.3.16"'


def package_folder() -> Path:
    """Where the package llama_cpp lies; raises Failure ``engine_missing``."""
    try:
        spec = importlib.util.find_spec("llama_cpp")
    except (ImportError, ValueError):
        spec = None
    if spec is None or not spec.submodule_search_locations:
        raise Failure("engine_missing", "The package llama-cpp-python is not installed in this Python.", _INSTALL_HINT)
    return Path(next(iter(spec.submodule_search_locations)))


def bind() -> Any:
    """The module ``llama_cpp.llama_cpp`` (raw C interface).

    The package's ``__init__`` also loads numpy, jinja2 and a web stack, 0.1 s that every child would pay; a bare
    package module in its place lets the submodule be imported alone.

    Raises:
        Failure: ``engine_missing`` when it is not installed, ``engine_broken`` when its libraries do not load.
    """
    folder = package_folder()
    if "llama_cpp" not in sys.modules:
        package = types.ModuleType("llama_cpp")
        package.__path__ = [str(folder)]
        sys.modules["llama_cpp"] = package
    try:
        return importlib.import_module("llama_cpp.llama_cpp")
    except (ImportError, OSError, RuntimeError, FileNotFoundError, AttributeError) as error:
        raise Failure(
            "engine_broken",
            f"llama-cpp-python is installed but does not load: {error}",
            "A library it needs may be missing, or it was built for another system; reinstall it: "
            "python -m pip install --force-reinstall --no-cache-dir llama-cpp-python",
        ) from error


def version(folder: Path) -> str:
    """The binding's version from its own source, without importing it; "unknown" where it has none."""
    for line in (folder / "__init__.py").read_text(encoding="utf-8").splitlines():
        if line.startswith("__version__"):
            return line.split("=", 1)[1].strip().strip("\"'")
    return "unknown"


def build_id(folder: Path) -> str:
    """Twelve hex digits over the native libraries: the same build gives the same, another build another."""
    digest = hashlib.sha256()
    seen: set[Path] = set()
    for library in sorted((folder / "lib").glob("*")):
        real = library.resolve()
        if real in seen or not real.is_file() or not any(part in real.name for part in ("llama", "ggml")):
            continue
        seen.add(real)
        digest.update(real.name.encode())
        digest.update(real.read_bytes())
    return digest.hexdigest()[:12]


_kept: list[object] = []
"""Python objects that native code may still call."""


_BUFFER = re.compile(r"(\S+) model buffer size = +([\d.]+) MiB")
_OFFLOADED = re.compile(r"offloaded (\d+)/(\d+) layers to GPU")


class Log:
    """Native log lines: errors and warnings go to standard error, where the parent keeps the last ones.

    What the engine says about where the weights went is kept: ``buffers`` (buffer type -> bytes) and ``offloaded``
    (layers on a GPU, layers that could be).

    The native side keeps the callback for good, so the object must live as long as the process (``_kept``).
    """

    def __init__(self, lib: Any) -> None:
        self.lines: list[str] = []
        self.buffers: dict[str, int] = {}
        self.offloaded: list[int] = []
        self._callback = lib.llama_log_callback(self._on_line)
        lib.llama_log_set(self._callback, None)
        _kept.append(self)

    def _on_line(self, level: int, text: bytes, _user: object) -> None:
        if level not in (_WARNING, _ERROR):
            self._read_placement(text)
            return
        line = text.decode("utf-8", "replace").rstrip()
        if line:
            self.lines.append(line)
            print(line, file=sys.stderr, flush=True)  # noqa: T201 (the child's log channel)

    def _read_placement(self, text: bytes) -> None:
        words = text.decode("utf-8", "replace")
        if found := _BUFFER.search(words):
            name = found.group(1)
            self.buffers[name] = self.buffers.get(name, 0) + round(float(found.group(2)) * 2**20)
        elif found := _OFFLOADED.search(words):
            self.offloaded = [int(found.group(1)), int(found.group(2))]


_WARNING, _ERROR = 3, 4
"""GGML_LOG_LEVEL_WARN and _ERROR of ggml.h."""


def placement() -> dict[str, Any]:
    """Where the last loaded model's weights went by the engine's own words; empty values where it did not say."""
    log = next((kept for kept in reversed(_kept) if isinstance(kept, Log)), None)
    return {"buffers": log.buffers, "offloaded": log.offloaded} if log is not None else {}


def load_model(lib: Any, request: dict[str, Any], talk: Talk) -> Any:
    """Load the request's model; reports progress, can be stopped.

    Raises:
        Failure: ``unknown_architecture``, ``load_failed``, or ``Stopped``.
    """
    log = Log(lib)
    params = lib.llama_model_default_params()
    params.n_gpu_layers = int(request.get("n_gpu_layers", GPU_LAYERS_ALL))
    params.split_mode = SPLIT_MODE_LAYER
    if hasattr(params, "use_extra_bufts"):
        params.use_extra_bufts = bool(request.get("use_extra_bufts", True))

    @lib.llama_progress_callback  # type: ignore[untyped-decorator]
    def on_progress(fraction: float, _user: object) -> bool:
        if talk.due():
            talk.progress(f"Loading the model, {100 * fraction:.0f} %")
        return not talk.stop_requested

    params.progress_callback = on_progress
    path = str(request["model"])
    model = lib.llama_model_load_from_file(os.fsencode(path), params)
    talk.raise_if_stopped()
    if not model:
        raise _load_failure([line.replace(path, os.path.basename(path)) for line in log.lines])  # noqa: PTH119
    return model


def _load_failure(lines: list[str]) -> Failure:
    text = "\n".join(lines)
    reason = next(
        (line.split("error loading model:", 1)[1].strip() for line in lines if "error loading model:" in line), ""
    )
    if "unknown model architecture" in text:
        return Failure(
            "unknown_architecture",
            f"The file is fine, but this engine does not know its architecture ({reason or 'unknown'}).",
            "Update the engine: python -m pip install --upgrade llama-cpp-python",
        )
    if "invalid ggml type" in text:
        number = text.split("invalid ggml type", 1)[1].split(".")[0].strip()
        return Failure(
            "unknown_type",
            f"The file is fine, but this engine does not know its tensor type {number}.",
            "Update the engine: python -m pip install --upgrade llama-cpp-python",
        )
    if protocol.tells_of_memory_shortage(lines):
        return Failure(
            "out_of_memory",
            "The model does not fit into the free memory.",
            "Close other programs, or use a smaller model or quantisation.",
        )
    return Failure(
        "load_failed",
        f"The engine could not load the model{': ' + reason if reason else ''}.",
        "The file may be damaged, or newer than this engine.",
    )


KV_TYPES = {"f32": 0, "f16": 1, "q4_0": 2, "q4_1": 3, "q5_0": 6, "q5_1": 7, "q8_0": 8, "iq4_nl": 20, "bf16": 30}
"""ggml's numbers of the types that a KV cache may have."""
_FLASH_ATTENTION = {"auto": -1, "off": 0, "on": 1}


def new_context(lib: Any, model: Any, test: dict[str, Any], at_least: int = 0) -> Any:
    """A context as llama-bench makes it for one test (fields of ``TestSpec``); windows are not stored in full.

    ``at_least`` is the smallest context in tokens per stream.

    Raises:
        Failure: ``context_failed`` when the engine cannot allocate it.
    """
    streams = int(test["n_streams"])
    n_ctx = max(int(test["n_prompt"]) + int(test["n_gen"]) + int(test["n_depth"]), at_least)
    params = lib.llama_context_default_params()
    params.n_ctx = n_ctx * streams
    params.n_seq_max = streams
    params.n_batch = int(test["n_batch"])
    params.n_ubatch = int(test["n_ubatch"])
    params.n_threads = int(test["n_threads"])
    params.n_threads_batch = int(test["n_threads"])
    params.type_k = params.type_v = KV_TYPES[test["kv_type"]]
    if hasattr(params, "flash_attn_type"):
        params.flash_attn_type = _FLASH_ATTENTION[test["flash_attention"]]
    elif hasattr(params, "flash_attn"):  # before llama.cpp b6325 it was a plain switch, off by default
        params.flash_attn = test["flash_attention"] == "on"
    if hasattr(params, "swa_full"):
        params.swa_full = False
    context = lib.llama_init_from_model(model, params)
    if not context:
        raise Failure(
            "context_failed",
            f"The engine could not make a context of {n_ctx * streams} tokens.",
            "There may be too little free memory; choose a smaller prompt or model.",
        )
    return context


def token_array(tokens: list[int]) -> Any:
    """The tokens as the C array that ``llama_batch_get_one`` takes; keep it alive while the batch is used."""
    return (ctypes.c_int32 * len(tokens))(*tokens)


class Steps:
    """Batches of decode steps, made before the clock runs: one token for each of ``n_streams`` sequences.

    A single stream uses the engine's own counting of positions; several are numbered from ``n_depth``.
    """

    def __init__(self, lib: Any, tokens: list[int], n_streams: int, n_depth: int) -> None:
        self._lib = lib
        self._streams = n_streams
        self._depth = n_depth
        self._tokens = tokens
        if n_streams == 1:
            arrays = [token_array([token]) for token in tokens]
            self._kept = arrays
            self._single = [lib.llama_batch_get_one(array, 1) for array in arrays]
            return
        self._shared = lib.llama_batch_init(n_streams, 0, 1)
        self._shared.n_tokens = n_streams
        for stream in range(n_streams):
            self._shared.n_seq_id[stream] = 1
            self._shared.seq_id[stream][0] = stream
            self._shared.logits[stream] = 1

    def batch(self, index: int) -> Any:
        """The batch of step ``index``, from 0; of several streams it is valid until the next call."""
        if self._streams == 1:
            return self._single[index % len(self._single)]
        shared, tokens = self._shared, self._tokens
        for stream in range(self._streams):
            shared.token[stream] = tokens[(index + 7 * stream) % len(tokens)]
            shared.pos[stream] = self._depth + index
        return shared

    def close(self) -> None:
        """Free what native code holds for several streams."""
        if self._streams > 1:
            self._lib.llama_batch_free(self._shared)
