"""Which smaller file is advised, what it is said to save, and what is said of its quality."""

from dataclasses import replace

import pytest

from advisor.benchmarks.probing import ceilings_request
from advisor.benchmarks.trials.model import QuantiseTrial
from advisor.ceilings.kernels import AttentionTime, KernelTable, KernelTime, OperationTime
from advisor.ceilings.quantised import FILE_TYPES, is_original, quantised
from advisor.core.evidence import Basis, Known, Missing, Unknown
from advisor.diagnosis.workload import preset
from advisor.gguf.architecture import read_model
from advisor.gguf.quant_types import TYPES
from advisor.recommendations import quantise
from advisor.recommendations.evidence import Evidence
from advisor.recommendations.model import Advice
from advisor.recommendations.quantise import PUBLISHED
from advisor.recommendations.ranking import predictions
from tests.support.evidence import GIB, ceilings, engine, evidence, machine, model, pp, tg, traffic
from tests.support.gguf_builder import decoder

FAST = (pp(400), tg(20))
SHAPES = {"layers": 8, "embed": 1024, "heads": 16, "kv_heads": 4, "ff": 4096, "vocab": 32000}


@pytest.fixture
def f16(tmp_path):  # type: ignore[no-untyped-def]
    return read_model(decoder(**SHAPES, keys={"general.file_type": 1}).write(tmp_path / "My Model-F16.gguf"))  # type: ignore[arg-type]


def fat(name="long-writing", **more):  # type: ignore[no-untyped-def]
    facts = model(traffic(15e9, 7.5e9), bits=16.0, label="F16", types={"F16": 15_000_000_000})
    return evidence(preset(name), FAST, facts=facts, **more)


def test_the_usual_target_and_a_finer_one_for_code() -> None:
    assert "Q4_K_M" in quantise.predict(fat()).title
    assert "Q6_K" in quantise.predict(fat("coding")).title


def test_it_can_be_tried_with_the_engine_that_can_quantise() -> None:
    def offered(held: Evidence) -> Advice:
        return next(one for one in predictions(held) if one.id == quantise.ID)

    advice = offered(fat(runtime=engine()))
    assert advice.trial == QuantiseTrial("Q4_K_M")
    assert any("two-machines try model.gguf quantise" in how.command for how in advice.how)
    other = offered(fat(runtime=replace(engine(), name="llama-bench")))
    assert other.trial is None
    assert offered(fat()).trial is None


@pytest.mark.parametrize(("memory", "label"), [
    (12, "Q8_0"), (7, "Q6_K"), (6, "Q5_K_M"), (5.5, "Q4_K_M"), (4.6, "Q3_K_M"), (4, "Q2_K"),
])
def test_what_does_not_fit_gets_the_finest_file_that_does(memory, label) -> None:
    """With a tenth of the memory left to the system: a file that fills it to the brim swaps as well."""
    held = fat("long-writing", computer=machine(memory_bytes=round(memory * GIB)))
    assert label in quantise.predict(held).title


def test_nothing_is_advised_where_not_even_the_smallest_fits() -> None:
    assert quantise.predict(fat(computer=machine(memory_bytes=2 * GIB))) is None


@pytest.mark.parametrize("memory", [2, 3, 4, 5, 6, 8, 12, 16, 24, 64])
@pytest.mark.parametrize("name", ["chat", "coding", "rag", "long-writing"])
def test_never_below_four_bits_unless_to_fit(memory, name) -> None:
    held = fat(name, computer=machine(memory_bytes=memory * GIB))
    advice = quantise.predict(held)
    if advice is not None and any(label in advice.title for label in ("Q3", "Q2")):
        assert held.needed_bytes() - held.model.weights_bytes + held.model.parameters * 4.8944 / 8 > 0.9 * memory * GIB


def test_quality_names_its_source_and_grows_with_the_loss() -> None:
    detail = quantise.predict(fat()).detail
    assert "perplexity +2.8\u00a0% from F16" in detail
    assert "README" in detail
    losses = [row.kld for row in PUBLISHED.values()]
    assert losses == sorted(losses)


def test_commands_are_exact_for_an_unquantised_file(f16) -> None:
    held = evidence(preset("long-writing"), FAST, facts=f16, runtime=engine())
    commands = [how.command for how in quantise.predict(held).how]
    assert 'llama-quantize "My Model-F16.gguf" "My Model-F16-Q4_K_M.gguf" Q4_K_M' in commands
    assert "ollama create NAME --quantize q4_K_M -f Modelfile" in commands


def test_a_quantised_file_is_not_the_one_to_start_from(tmp_path) -> None:
    made = decoder(**SHAPES, quant="Q8_0", keys={"general.file_type": 7})  # type: ignore[arg-type]
    q8 = read_model(made.write(tmp_path / "m-Q8_0.gguf"))
    assert not is_original(q8)
    advice = quantise.predict(evidence(preset("long-writing"), FAST, facts=q8))
    assert any("twice loses more" in how.words for how in advice.how)
    assert "from Q8_0" in advice.detail


def table(model_facts, seconds_per_byte, *, head="Q6_K") -> KernelTable:  # type: ignore[no-untyped-def]
    """Products whose time goes with the bytes, in every type that the files have."""
    products = [
        KernelTime(shape.type_name, shape.inputs, shape.outputs, columns, "", 4, "CPU",
                   (seconds_per_byte * shape.bytes / shape.count * (1 if columns == 1 else 20),))
        for label in ("", "Q4_K_M")
        for shape in (quantised(model_facts, label) if label else model_facts).matmuls  # type: ignore[union-attr]
        for columns in (1, 512)
    ]  # fmt: skip
    attention = [AttentionTime(16, 4, 64, 64, columns, 4096, 4, "CPU", (1e-5,)) for columns in (1, 512)]
    return KernelTable(tuple(products), tuple(attention), (OperationTime("add", 1024, 1, 4, "CPU", (1e-6,)),), "today")


def test_kernels_measured_here_take_the_place_of_published_gains(f16) -> None:
    bounds = replace(ceilings(), kernels=table(f16, 1e-10))
    held = evidence(preset("long-writing"), FAST, facts=f16, bounds=bounds)
    advice, plain = quantise.predict(held), quantise.predict(replace(held, ceilings=ceilings()))
    assert "measured here" in advice.evidence
    assert "measured elsewhere" in plain.evidence
    assert advice.saved_s_high - advice.saved_s_low < plain.saved_s_high - plain.saved_s_low
    assert advice.saved_s > plain.saved_s  # here the whole byte ratio arrives
    assert advice.other_saved_s > 0  # and here prompts gain, too
    assert plain.other_saved_s == 0
    assert "slower" not in advice.cost


def test_measured_kernels_may_promise_more_than_the_bytes_say(f16) -> None:
    """Products of F16 that their arithmetic holds, where those of fewer bits are held by their bytes."""
    kernels = table(f16, 1e-10)
    slow = tuple(
        replace(row, samples_s=(2 * row.typical_s,)) if row.type_name == "F16" else row for row in kernels.products
    )
    bounds = replace(ceilings(), kernels=replace(kernels, products=slow))
    held = evidence(preset("long-writing"), FAST, facts=f16, bounds=bounds)
    assert held.traffic is not None
    after = quantised(f16, "Q4_K_M").traffic.value  # type: ignore[union-attr]
    ratio = held.traffic.step_bytes(1, 0) / after.step_bytes(1, 0)
    by_bytes_s = held.timeline.stream_s * (1 - 1 / ratio)
    assert quantise.predict(held).saved_s > by_bytes_s
    assert quantise.predict(replace(held, ceilings=ceilings())).saved_s_high == pytest.approx(by_bytes_s)


def test_a_machine_whose_runs_differ_more_gets_a_wider_range(f16) -> None:
    bounds = replace(ceilings(), kernels=table(f16, 1e-10))

    def width_s(computer) -> float:  # type: ignore[no-untyped-def]
        held = evidence(preset("long-writing"), FAST, facts=f16, bounds=bounds, computer=computer)
        advice = quantise.predict(held)
        return advice.saved_s_high - advice.saved_s_low

    own = machine()
    guest = replace(own, cpu=replace(own.cpu, virtual_machine=Known("KVM", Basis.READ, "a test")))
    assert width_s(guest) > width_s(own)


def test_types_of_the_advised_files_are_measured_beside_those_of_a_fat_one(f16, tmp_path) -> None:
    assert [TYPES[number].name for number in quantise.further_types(f16)] == ["Q4_K", "Q6_K"]
    asked = ceilings_request(f16, machine(), Unknown("", Missing.NOT_YET), more_types=quantise.further_types(f16))
    named = {group["type_name"] for group in asked["kernels"]["products"]["groups"]}
    assert named == {"F16", "Q4_K", "Q6_K"}
    made = decoder(**SHAPES, quant="Q4_K", keys={"general.file_type": 15})  # type: ignore[arg-type]
    assert quantise.further_types(read_model(made.write(tmp_path / "m-Q4_K_M.gguf"))) == ()


def test_fewer_bytes_are_never_predicted_to_be_slower_where_memory_limits(f16) -> None:
    kernels = table(f16, 1e-10)
    sizes = {}
    for label in FILE_TYPES:
        after = quantised(f16, label)
        assert after is not None
        assert isinstance(after.traffic, Known)
        sizes[label] = after.traffic.value.step_bytes(1, 0)
        assert after.weights_bytes < f16.weights_bytes
        assert after.file_bytes - after.weights_bytes == f16.file_bytes - f16.weights_bytes
    assert list(sizes.values()) == sorted(sizes.values(), reverse=True)
    assert kernels


def test_no_saving_is_more_than_the_phase_costs(f16) -> None:
    held = evidence(preset("long-writing"), FAST, facts=f16, bounds=replace(ceilings(), kernels=table(f16, 1e-10)))
    advice = quantise.predict(held)
    assert advice.saved_s_low <= advice.saved_s <= advice.saved_s_high <= held.timeline.stream_s
