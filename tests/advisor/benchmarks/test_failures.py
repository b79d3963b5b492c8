"""What the end of a child means when other machines are part of it."""

import pytest

from advisor.benchmarks.failures import explain, is_engine_fault
from advisor.benchmarks.loading import load_failure
from advisor.benchmarks.supervisor import Ending, Outcome

PLACE = "/build/ggml-rpc.cpp:547: "


@pytest.mark.parametrize(
    ("lines", "sentence", "reason"),
    [
        (
            ["RPC server version mismatch: 3.5.0", PLACE + "RPC handshake failed for 10.0.0.2:50052"],
            "The RPC server on the other machine is of another version than this engine.",
            "rpc_version",
        ),
        (
            [PLACE + "Failed to connect to 10.0.0.2:50052"],
            "No RPC server answers at 10.0.0.2:50052.",
            "rpc_unreachable",
        ),
        (
            [PLACE + "Remote RPC server crashed or returned malformed response", "#1 ggml_abort"],
            "The RPC server on the other machine was lost while running decode.",
            "rpc_lost",
        ),
    ],
)
def test_trouble_with_another_machine_is_no_fault_that_safe_mode_could_cure(
    lines: list[str], sentence: str, reason: str
) -> None:
    outcome = Outcome(Ending.CRASHED, signal_name="SIGABRT", log=tuple(lines))
    error = explain(outcome, "decode")
    assert (error.sentence, error.fields["reason"]) == (sentence, reason)
    assert error.hint
    assert not is_engine_fault(outcome)
    assert is_engine_fault(Outcome(Ending.CRASHED, signal_name="SIGABRT", log=("GGML_ASSERT(x) failed",)))


def test_a_program_for_another_processor() -> None:
    error = explain(Outcome(Ending.NOT_STARTED, detail="[Errno 8] Exec format error: 'python3'"), "starting")
    assert error.sentence.startswith("The engine's program is built for another system or processor")
    assert "two-machines engines" in error.hint


LOADING = "llama_model_load: error loading model: "


@pytest.mark.parametrize(
    ("lines", "code", "told"),
    [
        ([LOADING + "unknown model architecture: 'gemma4'"], "unknown_architecture", "its architecture (gemma4)."),
        (["error loading model architecture: unknown model architecture: 'llama4'"], "unknown_architecture",
         "its architecture (llama4)."),
        (["gguf_init: tensor 'x' has invalid ggml type 39 (NONE)", "gguf_init: failed to read tensor info"],
         "unknown_type", "its tensor type 39."),
        (["gguf_init: tensor 'x' has invalid ggml type 42. should be in [0, 42)"], "unknown_type",
         "its tensor type 42."),
        ([LOADING + "error loading model vocabulary: unknown tokenizer: 'plamo2'"], "unknown_tokenizer",
         "its tokenizer (plamo2)."),
        (["warning: failed to mlock 12-byte buffer (after previously locking 0 bytes): Cannot allocate memory",
          LOADING + "missing tensor 'x'"], "load_failed", "could not load the model: missing tensor 'x'."),
        (["ggml_cuda_host_malloc: failed to allocate 8.00 MiB of pinned memory: out of memory",
          LOADING + "missing tensor 'x'"], "load_failed", "missing tensor 'x'."),
        ([LOADING + "mmap failed: Cannot allocate memory"], "out_of_memory", "does not fit"),
        ([LOADING + "CreateFileMappingA failed: The paging file is too small for this operation to complete."],
         "out_of_memory", "does not fit"),
        (["gguf_init_from_file: failed to open GGUF file 'D:/???/m.gguf' (No such file or directory)"], "not_opened",
         "could not open the file"),
        ([LOADING + "failed to open m.gguf: Permission denied"], "not_opened", "could not open the file"),
    ],
)  # fmt: skip
def test_why_a_model_was_not_loaded(lines: list[str], code: str, told: str) -> None:
    found = load_failure(lines, "Update the engine.")
    assert found.code == code
    assert told in found.sentence and "\n" not in found.sentence
    assert (found.hint == "Update the engine.") is code.startswith("unknown")


def test_an_engine_that_is_too_old_for_the_tokenizer() -> None:
    line = "llama_model_load: error loading model: error loading model vocabulary: unknown pre-tokenizer type: 'k2'"
    found = load_failure([line, "llama_model_load_from_file_impl: failed to load model"], "Update the engine.")
    assert found.code == "unknown_tokenizer"
    assert found.sentence == "The file is fine, but this engine does not know its tokenizer (k2)."
    assert found.hint == "Update the engine."
