"""What cannot help, with its number; silent where the evidence does not say so."""

from dataclasses import replace

import pytest

from advisor.benchmarks.model import Sweep
from advisor.diagnosis.workload import custom, preset
from advisor.recommendations.wont_help import wont_help
from tests.support.evidence import C01_SWEEP, GIB, ceilings, evidence, gpu, machine, model, pp, tg, traffic


def items(held):  # type: ignore[no-untyped-def]
    return {one.id: one for one in wont_help(held)}


def test_memory_bound_decode_rules_out_cores_and_processors_d06() -> None:
    found = items(evidence(preset("rag"), (pp(41.3), tg(11.6)), bounds=ceilings()))
    assert "13.3\u00a0tokens/s" in found["more-cores"].sentence
    assert "61.4\u00a0GB/s" in found["faster-cpu"].evidence
    assert "arithmetic" in found["faster-memory"].sentence
    assert "3.6×" in found["speculate"].evidence
    assert "more-gpus" not in found
    assert "new-hardware" not in found


def test_where_the_depth_of_the_work_was_measured_its_ceiling_is_named() -> None:
    deep = replace(tg(10.2), n_depth=4096, sweep=Sweep.DEPTH)
    found = items(evidence(preset("rag"), (pp(41.3), tg(11.6), deep), bounds=ceilings()))
    assert "at a depth of 4,096\u00a0tokens" in found["more-cores"].sentence
    assert "13.3\u00a0tokens/s" not in found["more-cores"].sentence
    assert "at a depth of 4,096\u00a0tokens" in found["faster-cpu"].sentence


def test_v1_a_flat_sweep_rules_out_more_cores() -> None:
    found = items(evidence(preset("rag"), C01_SWEEP))
    assert "flat from 8 to 32 threads" in found["more-cores"].sentence
    assert "16.7" in found["more-cores"].evidence


def test_unpacking_does_not_rule_out_cores() -> None:
    flows = traffic(246_587_904, 268e6)
    found = items(evidence(preset("chat"), (pp(900), tg(33)), facts=model(flows, bits=7.36),
                           bounds=ceilings(flows, 28e9, 4e11)))
    assert "more-cores" not in found
    assert "faster-cpu" not in found
    assert "smaller-quantisation" not in found


def test_v8_and_d07_cards_are_ruled_out_by_memory_and_number() -> None:
    flows = traffic(4.374e9, 7.07e9)
    held = evidence(preset("rag"), (pp(5554, on="CUDA0"), tg(150.3, on="CUDA0")), facts=model(flows),
                    bounds=ceilings(flows, 856e9, 100e12), computer=machine(gpus=[gpu()]))
    found = items(held)
    assert "9.23" in found["more-gpus"].evidence
    assert "bandwidth" in found["bigger-card"].sentence
    assert "more-cores" not in found


def test_v8_a_second_card_is_not_ruled_out_where_the_model_does_not_fit() -> None:
    flows = traffic(39e9, 70e9)
    held = evidence(preset("rag"), (pp(200, on="CUDA0"), tg(13.5, on="CUDA0")), facts=model(flows),
                    bounds=ceilings(flows, 856e9, 100e12), computer=machine(gpus=[gpu()]))
    assert "more-gpus" not in items(held)


@pytest.mark.parametrize(("bits", "expected"), [(4.9, True), (3.2, True), (8.5, False)])
def test_a_smaller_quantisation(bits, expected) -> None:
    held = evidence(custom(100, 3_000), (pp(41.3), tg(5)), facts=model(bits=bits), bounds=ceilings())
    assert ("smaller-quantisation" in items(held)) is expected


def test_a_fat_file_does_not_shorten_the_wait_by_quantising() -> None:
    held = evidence(preset("rag"), (pp(41.3), tg(8)), facts=model(bits=8.5, label="Q8_0"), bounds=ceilings())
    assert "quantise-for-prefill" in items(held)


def test_a_fault_rules_out_new_hardware() -> None:
    found = items(evidence(preset("rag"), (pp(5), tg(11.6)), bounds=ceilings()))
    assert next(iter(found)) == "new-hardware"
    assert "slower than writing" in found["new-hardware"].evidence


def test_many_users_d12_d18() -> None:
    found = items(evidence(preset("many-users"), (pp(100), tg(60)), bounds=ceilings()))
    assert "under load" in found["speculate"].evidence
    assert "1,084" in found["batch-for-prefill"].evidence


def test_disk_and_memory_where_the_model_fits() -> None:
    held = evidence(preset("rag"), (pp(41.3), tg(11.6)), bounds=ceilings())
    assert {"faster-disk", "more-memory"} <= items(held).keys()
    tight = evidence(preset("rag"), (pp(41.3), tg(11.6)), bounds=ceilings(), computer=machine(memory_bytes=6 * GIB))
    assert "more-memory" not in items(tight)


def test_a_shorter_answer_saves_little_of_a_wait() -> None:
    assert "12.9\u00a0s" in items(evidence(preset("rag"), (pp(41.3), tg(11.6))))["shorter-answer"].sentence
