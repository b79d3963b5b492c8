"""The llama_cpp binding, loaded without its Python layer, and the few calls that measuring needs."""

from __future__ import annotations

import ctypes
import hashlib
import importlib
import importlib.util
import os
import sys
import types
from pathlib import Path
from typing import Any

from advisor.benchmarks.loading import load_failure
from advisor.benchmarks.worker import placement
from advisor.benchmarks.worker.ggml import Ggml, broken
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
        sentence = f"The package llama-cpp-python is not installed in this Python ({sys.executable})."
        raise Failure("engine_missing", sentence, _INSTALL_HINT)
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
        raise broken("llama-cpp-python", error) from error


def open_engine() -> tuple[Any, Ggml]:
    """The binding and ggml's functions, both of one copy of the libraries.

    A wheel holds no links, so each library lies there under several names, as files of their own. What is loaded
    first is found by its name later; ggml loaded second would be another ggml, with other devices than llama's.
    On Windows the binding comes first, because it says where the libraries of graphics drivers are.

    Raises:
        Failure: ``engine_missing``, ``engine_broken``.
    """
    libraries = library_folder(package_folder())
    if sys.platform == "win32":
        lib = bind()
        return lib, Ggml(libraries)
    ggml = Ggml(libraries)
    return bind(), ggml


def library_folder(folder: Path) -> Path:
    """Where the package's native libraries lie; the variable is the binding's own."""
    return Path(os.environ.get("LLAMA_CPP_LIB_PATH") or folder / "lib")


def native(libraries: Path) -> Any:
    """The library llama with the three functions that say what it is, which all builds have had for years.

    The binding declares some 230 functions and imports what it needs for that; saying what the engine is takes none
    of them. On Windows the binding does the loading, as it knows where the libraries of graphics drivers are.

    Raises:
        Failure: ``engine_broken``.
    """
    if sys.platform == "win32":
        return bind()
    name = "libllama.dylib" if sys.platform == "darwin" else "libllama.so"
    try:
        lib = ctypes.CDLL(str(libraries / name))
        lib.llama_print_system_info.restype = ctypes.c_char_p
        lib.llama_supports_gpu_offload.restype = ctypes.c_bool
        lib.llama_backend_init.restype = None
    except (OSError, AttributeError) as error:
        raise broken("llama-cpp-python", error) from error
    return lib


def version(folder: Path) -> str:
    """The binding's version from its own source, without importing it; "unknown" where it has none."""
    for line in (folder / "__init__.py").read_text(encoding="utf-8").splitlines():
        if line.startswith("__version__"):
            return line.split("=", 1)[1].strip().strip("\"'")
    return "unknown"


_HASHED_BYTES = 8 << 20
"""From each end of a library: all of any CPU build, and not the half gigabyte of a CUDA build."""


def build_id(libraries: Path) -> str:
    """Twelve hex digits over the native libraries: the same build gives the same, another build another.

    Packages hold every library up to three times, under its name and under names with a version; one is enough.
    """
    digest = hashlib.sha256()
    for library in sorted(libraries.glob("*")):
        if library.suffix in (".so", ".dylib", ".dll") and any(part in library.name for part in ("llama", "ggml")):
            digest.update(f"{library.name} {library.stat().st_size}".encode())
            with library.open("rb") as file:
                digest.update(file.read(_HASHED_BYTES))
                file.seek(-min(_HASHED_BYTES, file.tell()), os.SEEK_END)
                digest.update(file.read())
    return digest.hexdigest()[:12]


_kept: list[object] = []
"""Python objects that native code may still call."""


class Log:
    """Native log lines: errors and warnings go to standard error, where the parent keeps the last ones.

    The native side keeps the callback for good, so the object must live as long as the process (``_kept``).
    """

    def __init__(self, lib: Any) -> None:
        self.lines: list[str] = []
        self.placed: list[str] = []
        """Lines of any level that say where weights went."""
        self._callback = lib.llama_log_callback(self._on_line)
        lib.llama_log_set(self._callback, None)
        _kept.append(self)

    def _on_line(self, level: int, text: bytes, _user: object) -> None:
        line = text.decode("utf-8", "replace").rstrip()
        self.hear(line)
        if level not in (_WARNING, _ERROR):
            return
        if line:
            self.lines.append(line)
            print(line, file=sys.stderr, flush=True)  # noqa: T201 (the child's log channel)

    def hear(self, line: str) -> None:
        """A line of any level, or the piece of one that the engine printed in one go."""
        if placement.tells_of_placement(line):
            self.placed.append(line)


_WARNING, _ERROR = 3, 4
"""GGML_LOG_LEVEL_WARN and _ERROR of ggml.h."""


def load_model(lib: Any, ggml: Ggml, request: dict[str, Any], talk: Talk) -> tuple[Any, dict[str, Any]]:
    """Load the request's model, and say where its weights went (``placement.told``); reports progress, can be stopped.

    Raises:
        Failure: ``unknown_architecture``, ``load_failed``, what ``placement.apply`` raises, or ``Stopped``.
    """
    log = Log(lib)
    params = lib.llama_model_default_params()
    params.n_gpu_layers = int(request.get("n_gpu_layers", GPU_LAYERS_ALL))
    params.split_mode = SPLIT_MODE_LAYER
    params.vocab_only = bool(request.get("vocab_only", False))
    if hasattr(params, "use_extra_bufts"):
        params.use_extra_bufts = bool(request.get("use_extra_bufts", True))
    kept = placement.apply(lib, params, request, ggml)

    @lib.llama_progress_callback  # type: ignore[untyped-decorator]
    def on_progress(fraction: float, _user: object) -> bool:
        if talk.due():
            talk.progress(f"Loading the model, {100 * fraction:.0f} %")
        return not talk.stop_requested

    params.progress_callback = on_progress
    path = str(request["model"])
    model = lib.llama_model_load_from_file(os.fsencode(path), params)
    talk.raise_if_stopped()
    del kept
    if not model:
        lines = [line.replace(path, os.path.basename(path)) for line in log.lines]  # noqa: PTH119
        raise Failure(*load_failure(lines, placement.UPDATE_HINT))
    return model, placement.told(log.placed, [device.name for device in ggml.devices()])


KV_TYPES = {"f32": 0, "f16": 1, "q4_0": 2, "q4_1": 3, "q5_0": 6, "q5_1": 7, "q8_0": 8, "iq4_nl": 20, "bf16": 30}
"""ggml's numbers of the types that a KV cache may have."""
_FLASH_ATTENTION = {"auto": -1, "off": 0, "on": 1}


def new_context(
    lib: Any, model: Any, test: dict[str, Any], at_least: int = 0, swa_full: bool = False, shared_cells: int = 0
) -> Any:
    """A context as llama-bench makes it for one test (fields of ``TestSpec``); windows are not stored in full.

    ``at_least`` is the smallest context in tokens per stream; with ``swa_full`` layers with a window keep everything.
    ``shared_cells`` makes one cache of so many tokens that all streams share, as llama-server's is by default: only
    then does the engine compute tokens of different streams, and different numbers of them, in one piece.

    Raises:
        Failure: ``context_failed`` when the engine cannot allocate it.
    """
    streams = int(test["n_streams"])
    n_ctx = max(int(test["n_prompt"]) + int(test["n_gen"]) + int(test["n_depth"]), at_least)
    params = lib.llama_context_default_params()
    params.n_ctx = shared_cells or n_ctx * streams
    if shared_cells and hasattr(params, "kv_unified"):  # builds without the switch know no other cache
        params.kv_unified = True
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
        params.swa_full = swa_full
    context = lib.llama_init_from_model(model, params)
    if not context:
        raise Failure(
            "context_failed",
            f"The engine could not make a context of {params.n_ctx} tokens.",
            "There may be too little free memory; choose a smaller prompt or model.",
        )
    return context


NO_VOCABULARY = 0
"""LLAMA_VOCAB_TYPE_NONE of llama.h."""


def vocabulary(lib: Any, model: Any) -> Any:
    """The model's tokenizer; raises Failure ``no_vocabulary`` where it has none."""
    vocab = lib.llama_model_get_vocab(model)
    if lib.llama_vocab_type(vocab) == NO_VOCABULARY:
        raise Failure("no_vocabulary", "The model has no tokenizer, so it can neither read nor write text.")
    return vocab


def token_array(tokens: list[int]) -> Any:
    """The tokens as the C array that ``llama_batch_get_one`` takes; keep it alive while the batch is used."""
    return (ctypes.c_int32 * len(tokens))(*tokens)


def tokenise(lib: Any, vocab: Any, text: str, special: bool = False) -> list[int]:
    """The text in the model's tokens, with the one that begins a text where the model wants it.

    ``special`` reads names of control tokens in the text as those tokens.

    Raises:
        Failure: ``no_vocabulary`` when the tokenizer refuses.
    """
    raw = text.encode()
    count = -(len(raw) + 8)
    for _ in range(2):  # vocabularies of bytes need more room, and say how much
        room = (ctypes.c_int32 * max(1, -count))()
        count = lib.llama_tokenize(vocab, raw, len(raw), room, len(room), True, special)
        if count >= 0:
            break
    if count < 1:
        raise Failure("no_vocabulary", f"The model's tokenizer refused plain text (it returned {count}).")
    return list(room[:count])


def decode_at(lib: Any, context: Any, tokens: list[int], position: int, wanted: list[bool]) -> None:
    """Run tokens of one sequence from ``position`` on; logits are kept where ``wanted`` says so.

    Raises:
        Failure: ``decode_failed``.
    """
    batch = lib.llama_batch_init(len(tokens), 0, 1)
    try:
        batch.n_tokens = len(tokens)
        for index, token in enumerate(tokens):
            batch.token[index] = token
            batch.pos[index] = position + index
            batch.n_seq_id[index] = 1
            batch.seq_id[index][0] = 0
            batch.logits[index] = wanted[index]
        check(lib.llama_decode(context, batch))
    finally:
        lib.llama_batch_free(batch)


def check(status: int) -> None:
    """Raise Failure ``decode_failed`` unless ``llama_decode`` returned 0."""
    if status != 0:
        raise Failure(
            "decode_failed",
            f"The engine could not process a batch (llama_decode returned {status}).",
            "There may be too little free memory for this context.",
        )


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
