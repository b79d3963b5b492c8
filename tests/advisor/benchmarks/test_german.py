"""Stamps, ends of children, known faults and what children say, in German: the same facts and figures."""

import ast
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from advisor.benchmarks import child_words, failures, known_faults
from advisor.benchmarks.conditions import Seen, causes_of, judge, noted, others_in, too_busy, was_throttled
from advisor.benchmarks.engines.choosing import engine_from
from advisor.benchmarks.known_faults import FaultId
from advisor.benchmarks.model import Cause, Conditions, EngineCheck, EngineMode, Stamp, merged_reasons
from advisor.benchmarks.placing import layers
from advisor.benchmarks.safe_mode import SafeModes
from advisor.benchmarks.store.connection import explained
from advisor.benchmarks.supervisor import Ending, Outcome
from advisor.core.errors import AdvisorError, UsageError
from advisor.core.evidence import Basis, Known, Missing, Unknown
from advisor.core.translation import tr, use
from advisor.hardware.model import OtherLoad, Power
from tests.support.figures import figures

WORKER = Path(child_words.__file__).with_name("worker")
NBSP = "\u00a0"


def known(value: float) -> Known[float]:
    return Known(value, Basis.MEASURED, "test")


def busy_and_hot() -> Conditions:
    load = OtherLoad(known(0.224), known(0.08), Known(4_000_000, Basis.MEASURED, "test"))
    load = replace(
        load, duration_s=known(10.0), throttle_events=Known(12, Basis.MEASURED, "test"), throttled_s=known(2.5),
        temperature_c=known(97.0), own_major_faults=Known(20_000, Basis.MEASURED, "test"),
    )  # fmt: skip
    plugged = Power(Known(True, Basis.READ, "test"), Unknown("none", Missing.NOT_SUPPORTED))
    return judge((1.0, 2.0, 3.0, 3.1), load, plugged, Seen(paused_s=1.5, biggest="firefox"))


def test_every_reason_of_a_stamp_is_german_with_the_same_figures_and_causes(german: None) -> None:
    said = busy_and_hot()
    use("en")
    english = busy_and_hot()
    assert (said.stamp, said.causes) == (english.stamp, english.causes)
    assert set(said.because).isdisjoint(english.because)
    assert len(said.because) > 7
    use("de")
    assert figures("; ".join(said.because)) == _in_english("; ".join(english.because))
    assert f"andere Programme belegten 22{NBSP}% der CPU, am meisten firefox" in said.because
    assert f"der Rechner lagerte Speicher aus (4,00{NBSP}MB vom Laufwerk zurückgelesen)" in said.because


def _in_english(text: str) -> list[str]:
    use("en")
    try:
        return figures(text)
    finally:
        use("de")


def test_nothing_hangs_on_the_words_of_a_stamp(german: None) -> None:
    said = busy_and_hot()
    assert others_in(said) == (0.224, "firefox")
    assert was_throttled(said)
    held = noted(Conditions(Stamp.VALID, ()), ("sie wurde gekürzt",))
    assert (held.stamp, held.causes) == (Stamp.SUSPECT, (Cause.PLANNED,))


def test_a_stamp_of_an_older_version_is_understood_in_any_language(german: None) -> None:
    old = Conditions(
        Stamp.INVALID,
        ("other programs used 45 % of the CPU, most of all chrome", "the processor was throttled 3 times", "noisy"),
    )
    assert causes_of(old) == (Cause.OTHERS, Cause.THROTTLED, Cause.PLANNED)
    assert others_in(old) == (0.45, "chrome")
    assert was_throttled(old)


def test_reasons_have_one_cause_each() -> None:
    with pytest.raises(ValueError, match="one cause"):
        Conditions(Stamp.SUSPECT, ("on battery", "hot"), causes=(Cause.BATTERY,))


def test_german_reasons_that_differ_in_figures_alone_are_merged(german: None) -> None:
    small, large = (
        Conditions(Stamp.SUSPECT, (tr("the repetitions differ by {share}", share=share),))
        for share in (f"6{NBSP}%", f"über{NBSP}99{NBSP}%")
    )
    assert merged_reasons((small, large)) == [f"die Wiederholungen unterscheiden sich um 6{NBSP}%"]


def test_what_is_said_before_a_run(german: None) -> None:
    assert too_busy(0.3, 0.0, "") == (
        f"Andere Programme belegen 30{NBSP}% der CPU: diese schließen, sonst werden die Werte zu niedrig."
    )


@pytest.mark.parametrize(
    ("outcome", "stage", "sentence"),
    [
        (
            Outcome(Ending.CRASHED, signal_name="SIGILL"), "warming up for prefill",
            "Die Engine ist beim Aufwärmen für Prefill abgestürzt (SIGILL): ein Prozessorbefehl wurde verweigert.",
        ),
        (Outcome(Ending.CRASHED, signal_name="SIGSEGV"), "decode", "Die Engine ist beim Decode abgestürzt (SIGSEGV)."),
        (
            Outcome(Ending.CRASHED, signal_name="SIGABRT", log=("failed to allocate buffer",)), "loading the model",
            "Der Speicher ist beim Laden des Modells ausgegangen.",
        ),
        (
            Outcome(Ending.HUNG, detail="seit 60 s kein Lebenszeichen"), "writing text",
            "Die Engine ist beim Schreiben von Text hängen geblieben: seit 60 s kein Lebenszeichen.",
        ),
        (
            Outcome(Ending.LEFT, exit_code=3, log=("bye",)), "prefill",
            "Die Engine hat sich beim Prefill ohne Ergebnis beendet (Exit-Code 3).",
        ),
        (
            Outcome(Ending.FAILED, failure={"code": "x", "sentence": "The engine has no device CUDA9.", "hint": ""}),
            "starting", "Die Engine hat kein Gerät CUDA9.",
        ),
    ],
)  # fmt: skip
def test_the_end_of_a_child(german: None, outcome: Outcome, stage: str, sentence: str) -> None:
    error = failures.explain(outcome, stage)
    assert error.sentence == sentence
    assert error.fields["stage"] == stage  # what logic reads stays as it is


def test_a_known_fault_keeps_its_report_and_its_command_in_german(german: None) -> None:
    fault = known_faults.told(FaultId.AMX)
    assert "ggml-org/llama.cpp#26954" in fault.sentence and fault.sentence.startswith("Das sieht nach")
    assert fault.remedy.endswith(known_faults.REBUILD) and "-mno-amx-tile" in fault.remedy


def test_a_remembered_check_is_told_in_the_language_it_is_read_in(tmp_path: Path) -> None:
    path = tmp_path / "safe_mode.json"
    check = EngineCheck(
        EngineMode.NO_EXTRA_BUFFERS, failures.crashed_before("warming up for prefill", "SIGILL"), "x", "y",
        "2026-01-02", "warming up for prefill", "SIGILL", FaultId.NO_AVX2,
    )  # fmt: skip
    SafeModes(path).remember("build", "a CPU", "CPU", check)
    found = []
    for language in ("de", "en"):
        use(language)
        read = SafeModes(path).find("build", "a CPU", "CPU")
        assert read is not None
        found.append((read.happened, read.fault))
        SafeModes(path).remember("build", "a CPU", "CPU", read)
    use("en")
    assert found == [
        (
            "die Engine ist beim Aufwärmen für Prefill abgestürzt (SIGILL)",
            "Diese Engine wurde für neuere Prozessoren gebaut: Dieser CPU fehlt AVX2.",
        ),
        (
            "the engine crashed while warming up for prefill (SIGILL)",
            "This engine was built for newer processors: this CPU lacks AVX2.",
        ),
    ]


def test_refusals_name_what_was_typed(german: None) -> None:
    with pytest.raises(UsageError) as refused:
        engine_from("/no/such/engine")
    assert refused.value.sentence == "Es gibt keine Datei und keinen Ordner /no/such/engine."
    with pytest.raises(UsageError, match="viele ist keine Anzahl von Schichten"):
        layers("viele")
    error = explained(PermissionError(13, "denied"), Path("results.sqlite"))
    assert isinstance(error, AdvisorError)
    assert error.sentence == (
        "Die Ergebnisdatei kann nicht benutzt werden: für die Datei oder ihren Ordner fehlt die Berechtigung."
    )


@pytest.mark.parametrize(
    ("english", "said"),
    [
        ("Prefill, repetition 2 of 5", "Prefill, Wiederholung 2 von 5"),
        ("Loading the model, 45 %", "Das Modell wird geladen, 45 %"),
        (
            "Writing prose that repeats nothing, guessing, round 2 of 5",
            "„Prosa ohne Wiederholungen“ wird geschrieben, mit Raten, Durchgang 2 von 5",
        ),
        (
            "This model cannot guess for the other: its vocabulary has 32,000 tokens and the model's 151,936.",
            "Dieses Modell kann nicht für das andere raten: sein Vokabular hat 32.000 Tokens und das des Modells "
            "151.936.",
        ),
        ("what nobody foresaw", "what nobody foresaw"),
        ("", ""),
    ],
)
def test_what_a_child_says(german: None, english: str, said: str) -> None:
    assert child_words.translated(english) == said
    use("en")
    assert child_words.translated(english) == english


def test_every_sentence_that_the_child_can_say_is_known() -> None:
    """Failures, what it is doing and why it leaves things out; a new sentence of the worker has to be noted."""
    shapes = [shape for _, shape in child_words._shapes()]
    said = set(_said_by_the_worker())
    assert len(said) > 60
    unknown = {text for text in said if not any(shape.fullmatch(text) for shape in shapes)}
    assert unknown == {"python -m pip install numpy"}  # a command has no words


def _said_by_the_worker() -> Iterator[str]:
    for path in WORKER.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            name = node.func.attr if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else ""
            called = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
            if isinstance(node, ast.Call) and called == "Failure":
                yield from filter(None, (_text(argument) for argument in node.args[1:]))
            elif isinstance(node, ast.Call) and name == "progress":
                yield from filter(None, (_text(argument) for argument in node.args))


def _text(node: ast.expr) -> str:
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else _place(part) for part in node.values)
    return ""


def _place(part: ast.expr) -> str:
    """What a place may hold: a figure, or a count with its noun."""
    call = part.value if isinstance(part, ast.FormattedValue) else None
    counts = isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "counted"
    return f"7 {_text(call.args[1])}s" if counts and isinstance(call, ast.Call) else "7"
