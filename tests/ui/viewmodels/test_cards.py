from dataclasses import replace

from advisor.core.evidence import Basis, Known, Missing, Unknown
from advisor.diagnosis.workload import preset
from advisor.gguf.traffic import RecurrentLayer, Traffic
from tests.support import documents
from tests.support.documents import read
from ui.viewmodels.machine_card import machine_warning, present_machine
from ui.viewmodels.model_card import present_model
from ui.viewmodels.rows import Row, row

NBSP = "\u00a0"
RAG = preset("rag")


def by_label(rows: tuple[Row, ...]) -> dict[str, Row]:
    return {row.label: row for row in rows}


def test_the_four_kinds_of_facts_look_different() -> None:
    assert row("Speed", Known(2.0, Basis.MEASURED, "probe"), str) == Row("Speed", "2.0", "measured", tip="probe")
    assert row("Name", Known("x", Basis.READ, "kernel"), str).badge == ""
    assert row("Speed", Unknown("no permission to ask"), str) == Row(
        "Speed", "unknown", detail="no permission to ask", tone="muted"
    )
    assert row("GPU", Unknown("no GPU here", Missing.NOT_APPLICABLE), str).value == "none"
    assert row("Speed", Unknown("not measured yet", Missing.NOT_YET), str).value == "not measured yet"


def test_the_machine_before_it_is_read() -> None:
    card = present_machine(None, None)
    assert card.rows == ()
    assert card.waiting


def test_the_machine_of_the_pictures() -> None:
    rows = by_label(present_machine(documents.machine(), documents.ceilings()).rows)
    assert rows["CPU"].value == "Core i7-1360P"
    assert rows["Memory"].value == f"33.4{NBSP}GB"
    assert (rows["Bandwidth"].value, rows["Bandwidth"].badge) == (f"61.4{NBSP}GB/s", "measured")
    assert rows["Compute"].value == f"0.74{NBSP}TFLOP/s"
    assert rows["GPU"].detail == "shares memory"
    assert rows["Power"].value == "mains"


def test_ceilings_on_their_way() -> None:
    rows = by_label(present_machine(documents.machine(), None, measuring=True).rows)
    assert rows["Bandwidth"].value == "measuring…"


def test_a_machine_that_hides_everything_says_so_everywhere() -> None:
    card = present_machine(documents.bare_document().machine, None)
    assert all(one.value for one in card.rows)
    assert not [one for one in card.rows if one.value in ("0", "None", f"0{NBSP}B")]
    assert by_label(card.rows)["GPU"].detail == "no NVML library"


def test_what_makes_figures_read_low_is_said() -> None:
    machine = documents.machine()
    assert machine_warning(None) == machine_warning(machine) == ""
    busy = replace(machine, load=replace(machine.load, cpu_busy_fraction=read(0.35)))
    assert machine_warning(busy) == f"other programs were using 35{NBSP}% of the CPU: figures may read low"
    battery = replace(machine, power=replace(machine.power, on_battery=read(True)))
    assert machine_warning(battery).startswith("on battery")


def test_the_model_of_the_pictures() -> None:
    card = present_model(documents.model(), documents.machine(), RAG)
    assert card.name == "Llama-3.1-8B-Instruct"
    assert card.summary == f"Q4_K_M · 8.03{NBSP}B parameters · 4.92{NBSP}GB file"
    assert card.shares_text.startswith(f"Q4_K 79{NBSP}%, Q6_K 21{NBSP}%")
    assert abs(sum(share.fraction for share in card.shares) - 1) < 1e-9
    rows = by_label(card.rows)
    assert rows["Read per token"].value == f"4.62{NBSP}GB"
    assert rows["+ per 1,000 context"].value == f"131{NBSP}MB"
    assert rows["Work per token"].value == f"15.0{NBSP}GFLOP"
    assert rows["Memory"].value.startswith("✓ ")
    assert rows["Memory"].value.endswith(f"of 33.4{NBSP}GB")
    assert card.can_benchmark


def test_a_model_too_large_is_said_in_words_and_colour() -> None:
    machine = documents.machine()
    small = replace(machine, memory=replace(machine.memory, total_bytes=read(4_000_000_000)))
    fits = by_label(present_model(documents.model(), small, RAG).rows)["Memory"]
    assert (fits.value[0], fits.tone) == ("✕", "bad")
    full = replace(machine, memory=replace(machine.memory, available_bytes=read(1_000_000_000)))
    fits = by_label(present_model(documents.model(), full, RAG).rows)["Memory"]
    assert (fits.value[0], fits.tone) == ("⚠", "warning")


def test_memory_counts_what_the_engine_allocates() -> None:
    """States of every stream count, blocks for prediction do not, the cache is whole and so is the scratch space."""
    model = documents.model()
    assert isinstance(model.traffic, Known)
    plain = replace(model.traffic.value, attention=(), head_elements=0)
    many = replace(RAG, prompt_tokens=1000, answer_tokens=24, users=4)

    def shown(traffic: Traffic) -> str:
        facts = replace(model, traffic=read(traffic), matmuls=(), embedding_length=read(1000), weights_bytes=10**9)
        return by_label(present_model(facts, None, many).rows)["Memory needed"].value

    # scratch space: 4 bytes × 512 tokens × (4,096 cells + 3 rows of 1,000)
    assert shown(plain) == f"1.01{NBSP}GB"
    assert shown(replace(plain, recurrent=(RecurrentLayer("state", 0, 25_000_000),))) == f"1.41{NBSP}GB"
    assert shown(replace(plain, unread_bytes=5 * 10**8, unloaded_bytes=5 * 10**8)) == f"515{NBSP}MB"


def test_an_unknown_architecture_says_why() -> None:
    card = present_model(documents.bare_document().model, documents.machine(), RAG)
    (one,) = card.rows
    assert one.value == "unknown"
    assert "mamba9" in one.detail
    assert card.notes


def test_no_model_is_an_empty_card() -> None:
    card = present_model(None, documents.machine(), RAG)
    assert card.name == ""
    assert not card.can_benchmark
