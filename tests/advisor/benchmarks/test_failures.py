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


def test_an_engine_that_is_too_old_for_the_tokenizer() -> None:
    line = "llama_model_load: error loading model: error loading model vocabulary: unknown pre-tokenizer type: 'k2'"
    found = load_failure([line, "llama_model_load_from_file_impl: failed to load model"], "Update the engine.")
    assert found.code == "unknown_tokenizer"
    assert found.sentence == "The file is fine, but this engine does not know its tokenizer (k2)."
    assert found.hint == "Update the engine."
