"""Task ``quantise``: make a file of fewer bits per weight with the engine's own quantiser.

The native call cannot be interrupted: who wants it stopped ends the process, and removes what it had written.
"""

from __future__ import annotations

import ctypes
import os
import re
from typing import Any

from advisor.benchmarks import protocol
from advisor.benchmarks.worker import llama, placement
from advisor.benchmarks.worker.talk import Failure, Talk

_TENSOR = re.compile(r"^\[ *(\d+)/ *(\d+)\]")
"""How a line about a tensor begins in llama-quant.cpp: ``[  12/ 236] blk.0.attn_k.weight ...``."""
_NEW_SIZE = re.compile(r"quant size *= *([\d.]+) Mi?B")
_MIB = 1 << 20

_SIGNS = (
    ("requantizing from type", "already_quantised", "The file is quantised already.", "Start from its F16 file."),
    (
        "requires an imatrix",
        "needs_imatrix",
        "So few bits per weight need an importance matrix, which is not made here.",
        "Choose a type of four bits or more.",
    ),
    (
        "unknown model architecture",
        "unknown_architecture",
        "This engine does not know the model's architecture.",
        placement.UPDATE_HINT,
    ),
    ("invalid output file type", "bad_type", "This engine cannot make files of that type.", "Choose another type."),
    ("iostream error", "no_space", "The quantised file could not be written.", "There may be too little room there."),
)
"""What the engine prints when it gives up, and what that means: code, sentence, hint."""


def run(request: dict[str, Any], talk: Talk) -> None:
    """Quantise ``model`` into ``target``, which must not exist.

    Request fields: ``model`` (the first file of a set), ``target``, ``file_type`` (llama.cpp's number), ``threads``,
    ``requantise``, and ``dry_run`` to be told only how large it would become.

    The result holds ``bytes`` of the new file, or with ``dry_run`` those that its weights will take.

    Raises:
        Failure: ``target_exists``, ``engine_old``, and the codes of ``_SIGNS``.
    """
    target = str(request["target"])
    dry_run = bool(request.get("dry_run"))
    if os.path.lexists(target):
        raise Failure("target_exists", f"{os.path.basename(target)} exists already.", "Remove it first.")  # noqa: PTH119
    lib, _ggml = llama.open_engine()
    lib.llama_backend_init()
    params = _params(lib, request, dry_run)
    log = _Log(lib, talk)
    talk.progress("Reading the model")
    status = lib.llama_model_quantize(os.fsencode(str(request["model"])), os.fsencode(target), ctypes.byref(params))
    talk.raise_if_stopped()
    if status != 0:
        raise _meaning(log.lines, str(request["model"]))
    if dry_run and not log.new_bytes:
        raise Failure("engine_old", "This llama-cpp-python does not tell sizes as expected.", placement.UPDATE_HINT)
    written = log.new_bytes if dry_run else os.path.getsize(target)  # noqa: PTH202
    talk.say(protocol.RESULT, stopped=False, bytes=written)


def _params(lib: Any, request: dict[str, Any], dry_run: bool) -> Any:
    """The engine's defaults with what was asked for; fields that this binding lacks keep out of it."""
    try:
        params = lib.llama_model_quantize_default_params()
    except AttributeError as error:
        raise Failure("engine_old", "This llama-cpp-python cannot quantise.", placement.UPDATE_HINT) from error
    if dry_run and not hasattr(params, "dry_run"):
        raise Failure("engine_old", "This llama-cpp-python cannot tell sizes beforehand.", placement.UPDATE_HINT)
    params.nthread = int(request["threads"])
    params.ftype = int(request["file_type"])
    params.allow_requantize = bool(request["requantise"])
    if dry_run:
        params.dry_run = True
    return params


class _Log(llama.Log):
    """Tells the parent which tensor is being worked on."""

    def __init__(self, lib: Any, talk: Talk) -> None:
        self._talk = talk
        self.new_bytes = 0
        super().__init__(lib)

    def hear(self, line: str) -> None:
        tensor = _TENSOR.match(line)
        if tensor is not None:
            self._talk.say(protocol.ROW, tensor=int(tensor[1]), tensors=int(tensor[2]))
        size = _NEW_SIZE.search(line)
        if size is not None:
            self.new_bytes = round(float(size[1]) * _MIB)


def _meaning(lines: list[str], path: str) -> Failure:
    """Why the quantiser gave up, from what it printed."""
    for sign, code, sentence, hint in _SIGNS:
        if any(sign in line for line in lines):
            return Failure(code, sentence, hint)
    said = lines[-1].replace(path, os.path.basename(path)) if lines else "it did not say why"  # noqa: PTH119
    return Failure("quantise_failed", f"The engine could not quantise the model: {said}.", placement.UPDATE_HINT)
