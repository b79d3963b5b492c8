"""What costs nothing and changes all other figures: builds, other programs, heat, memory settings."""

from dataclasses import replace

import pytest

from advisor.benchmarks.conditions import Seen, judge, others_in, was_throttled
from advisor.benchmarks.model import Conditions, EngineCheck, EngineMode, Phase, Stamp
from advisor.ceilings.model import ArithmeticProbe
from advisor.core.evidence import Known, Missing, Unknown
from advisor.diagnosis.workload import preset
from advisor.gguf.model import MatmulShape
from advisor.hardware.model import MemoryModule, OtherLoad, Power
from advisor.recommendations import close_program, cool_down, engine_build, faster_memory
from tests.support.evidence import GIB, ceilings, device, engine, evidence, machine, model, pp, read, recommend, tg

NOTHING = Unknown("not asked", Missing.NOT_YET)
SAFE = EngineCheck(
    EngineMode.NO_EXTRA_BUFFERS, "it crashed", "This looks like the known fault of llama.cpp's AMX code.",
    'To mend it, build the engine without AMX: CFLAGS="-mno-amx-tile" python -m pip install llama-cpp-python',
)
SAFE_ROWS = (pp(41.3, safe=True), tg(11.6, safe=True))


def safe_engine(check=SAFE):  # type: ignore[no-untyped-def]
    return engine(devices=[replace(device("CPU", "cpu"), self_test=read(check))])


def probe(kernel, flop_per_s):  # type: ignore[no-untyped-def]
    return ArithmeticProbe(kernel, 2, 640, 2048, 512, 10**9, (10**9 / flop_per_s,))


def test_safe_mode_names_the_fault_and_the_command_that_mends_it() -> None:
    advice = engine_build.predict(evidence(preset("rag"), SAFE_ROWS, runtime=safe_engine()))
    assert "known fault of llama.cpp's AMX code" in advice.detail
    assert advice.how[0].command.startswith('CFLAGS="-mno-amx-tile" python -m pip')
    assert 0 == advice.saved_s_low < advice.saved_s < advice.saved_s_high
    assert advice.other_saved_s > 0
    assert not advice.costs_money


def test_a_crash_without_a_name_is_rebuilt_plainly() -> None:
    unknown = EngineCheck(EngineMode.ONE_THREAD, "it crashed")
    advice = engine_build.predict(evidence(preset("rag"), SAFE_ROWS, runtime=safe_engine(unknown)))
    assert "pip install --force-reinstall" in advice.how[0].command


def test_what_the_fast_layout_gives_is_measured_where_it_was_probed() -> None:
    shape = MatmulShape("Q4_K", 12, 640, 2048, 10**8, 100)
    facts = replace(model(), matmuls=(shape,))
    bounds = replace(ceilings(), arithmetic_probes=(
        probe("ggml Q4_K", 100e9), probe("ggml Q4_K, CPU_REPACK layout", 150e9), probe("ggml Q4_K, AMX layout", 900e9),
    ))
    held = evidence(preset("rag"), SAFE_ROWS, runtime=safe_engine(), facts=facts, bounds=bounds)
    advice = engine_build.predict(held)
    assert "1.5×" in advice.evidence
    assert advice.saved_s_high == pytest.approx(held.timeline.wait_s / 3)


@pytest.mark.parametrize(
    ("extensions", "info", "said"),
    [
        (("avx2",), "AVX = 1 | F16C = 1 | SSE3 = 1", "AVX2"),
        (("avx2",), "AVX = 1 | AVX2 = 1 | SSE3 = 1", ""),
        (("avx2", "avx512f"), "AVX = 1 | AVX2 = 1 | SSE3 = 1", "AVX-512"),
        (("avx2", "avx512f"), "AVX = 1 | AVX2 = 1 | AVX512 = 1", ""),
        (("dotprod", "neon"), "NEON = 1 | ARM_FMA = 1", "dot products"),
        (("dotprod", "neon"), "NEON = 1 | DOTPROD = 1", ""),
        (("sse4_2",), "SSE3 = 1", ""),
        (("avx2",), "", ""),
    ],
)
def test_instructions_that_the_build_leaves_unused(extensions, info, said) -> None:
    here = machine()
    here = replace(here, cpu=replace(here.cpu, extensions=extensions))
    runtime = replace(engine(), system_info=info)
    advice = engine_build.predict(evidence(preset("rag"), (pp(41.3), tg(11.6)), computer=here, runtime=runtime))
    assert (said in advice.detail if said else advice is None)


def test_the_stamp_is_read_back_in_its_own_words() -> None:
    busy = OtherLoad(Known(0.44, NOTHING.kind, "t"), NOTHING, NOTHING)  # type: ignore[arg-type]
    stamp = judge((1.0, 1.0, 1.0), busy, Power(NOTHING, NOTHING), Seen(biggest="Web browser"))
    assert others_in(stamp) == (0.44, "Web browser")
    unnamed = judge((1.0, 1.0, 1.0), busy, Power(NOTHING, NOTHING))
    assert others_in(unnamed) == (0.44, "")
    assert others_in(Conditions(Stamp.VALID, ())) is None
    hot = replace(busy, others_busy_fraction=NOTHING, throttle_events=read(3))
    assert was_throttled(judge((1.0, 1.0, 1.0), hot, Power(NOTHING, NOTHING)))


def test_the_program_that_is_in_the_way_is_named_and_closed_first() -> None:
    busy = Conditions(Stamp.INVALID, ("other programs used 44\u00a0% of the CPU, most of all backup",))
    held = evidence(preset("rag"), (pp(41.3, conditions=busy), tg(11.6)), bounds=ceilings())
    first = recommend(held)[0]
    assert (first.id, first.title) == (close_program.ID, "Close backup")
    assert first.saved_s == pytest.approx(held.timeline.wait_s * 0.44, rel=1e-6)
    assert not any(one.costs_money for one in recommend(held))
    assert close_program.predict(evidence(preset("rag"), (pp(41.3), tg(11.6)))) is None


V6 = ((204.8, 137.9, 154.0, 162.6, 149.2), (21.1, 18.9, 18.8, 17.5, 18.1))
"""Repetitions of a 7B in 4 bits on a fanless laptop: prefill, decode."""


def test_v6_both_speeds_are_shown_and_heat_is_named() -> None:
    advice = cool_down.predict(evidence(preset("rag"), (pp(V6[0]), tg(V6[1]))))
    assert "heat" in advice.detail
    assert "205\u00a0tokens/s cold to 154\u00a0tokens/s sustained" in advice.detail
    assert "21.1\u00a0tokens/s cold to 18.1\u00a0tokens/s sustained" in advice.detail
    assert advice.saved_s_low == 0
    assert advice.other_saved_s > 0


def test_speeds_that_hold_need_no_cooling_and_a_guest_cannot_tell() -> None:
    assert cool_down.predict(evidence(preset("rag"), (pp([41, 41.3, 41.2, 41.1]), tg(11.6)))) is None
    guest = machine(virtual=True)
    assert cool_down.predict(evidence(preset("rag"), (pp(V6[0]), tg(V6[1])), computer=guest)) is None
    hot = Conditions(Stamp.SUSPECT, ("the processor was throttled 3\u00a0times at 97 °C",))
    advice = cool_down.predict(evidence(preset("rag"), (pp(41.3, conditions=hot), tg(11.6)), computer=guest))
    assert "97 °C" in advice.evidence


def module(slot: str, running_mts: int, rated_mts: int = 4800) -> MemoryModule:
    return MemoryModule(slot, 16 * GIB, read("DDR5"), read(rated_mts * 1e6), read(running_mts * 1e6), read(64))


def decode_problem(*modules: MemoryModule):  # type: ignore[no-untyped-def]
    here = machine()
    here = replace(here, memory=replace(here.memory, modules=modules))
    return evidence(preset("long-writing"), (pp(41.3), tg(4.5)), bounds=ceilings(bytes_per_s=25e9), computer=here)


def test_a_second_module_costs_money_and_a_setting_does_not() -> None:
    second = faster_memory.predict(decode_problem(module("DIMM 1", 4800)))
    assert (second.title, second.costs_money) == ("Add a second memory module", True)
    setting = faster_memory.predict(decode_problem(module("CHANNEL A", 4800, 6000), module("CHANNEL B", 4800, 6000)))
    assert "rated speed" in setting.title
    assert not setting.costs_money
    moved = faster_memory.predict(decode_problem(module("CHANNEL A DIMM 0", 4800), module("CHANNEL A DIMM 1", 4800)))
    assert not moved.costs_money
    assert second.saved_s == pytest.approx(moved.saved_s)
    assert setting.saved_s < second.saved_s


def test_only_the_reading_part_of_a_token_gets_faster() -> None:
    held = decode_problem(module("DIMM 1", 4800))
    share = faster_memory.reading_share(held)
    assert share == pytest.approx(4.5 * 4.62e9 / 25e9, rel=0.01)
    advice = faster_memory.predict(held)
    assert advice.saved_s_high == pytest.approx(held.timeline.stream_s * (1 - (1 - share + share / 2)))
    assert advice.phase is Phase.DECODE
