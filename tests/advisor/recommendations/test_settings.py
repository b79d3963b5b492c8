"""Advice on settings that were swept: batch size, flash attention, cache type, streams, pieces."""

from dataclasses import replace

import pytest

from advisor.benchmarks.model import Conditions, EngineMode, FlashAttention, Phase, Stamp, Sweep
from advisor.benchmarks.trials.model import Pair, SettingTrial, Trial
from advisor.ceilings.kernels import AttentionTime, KernelTable, KernelTime, OperationTime
from advisor.core.evidence import Basis
from advisor.diagnosis.workload import custom, preset
from advisor.gguf.model import MatmulShape
from advisor.recommendations import batch, chunk_prefill, flash_attention, kv_type, tried, ubatch
from advisor.recommendations.streams import together
from advisor.recommendations.wont_help import wont_help
from tests.support.evidence import ceilings, evidence, machine, model, pp, read, recommend, tg, traffic
from tests.support.kernel_tables import MODEL, table
from tests.support.stutters import stutter

PHASES = (pp([41.0, 41.3, 41.6]), tg([11.5, 11.6, 11.7]))


def ruled_out(held):  # type: ignore[no-untyped-def]
    return {one.id: one for one in wont_help(held)}


def long(speed, size, most=2048):  # type: ignore[no-untyped-def]
    speeds = [speed * 0.995, speed, speed * 1.005]
    return replace(pp(speeds, tokens=2048), n_ubatch=size, n_batch=most, sweep=Sweep.UBATCH)


def at_depth(make, speed, **setting):  # type: ignore[no-untyped-def]
    sweep = setting.pop("sweep", Sweep.DEPTH)
    size = 512 if make is pp else 32
    return replace(make([speed * 0.995, speed, speed * 1.005], tokens=size, depth=4000), sweep=sweep, **setting)


C03 = (long(1436.51, 128), long(1932.43, 256), long(2254.45, 512), long(2498.61, 1024))
"""A published curve over the batch size, 7B Q4_0 (case C03)."""


def test_c03_a_larger_batch_reads_faster_and_its_gain_is_the_measured_one() -> None:
    held = evidence(preset("rag"), (pp(2254), tg(60), *C03))
    advice = ubatch.predict(held)
    assert advice.title.replace("\u00a0", " ") == "Read the prompt in pieces of 1,024 tokens"
    assert advice.basis is Basis.MEASURED
    assert advice.saved_s == pytest.approx(held.timeline.wait_s * (1 - 2254.45 / 2498.61), rel=1e-6)
    assert advice.saved_s_low < advice.saved_s < advice.saved_s_high
    assert "llama-server -ub 1024 -b 2048" in [how.command for how in advice.how]
    assert "PARAMETER num_batch 1024" in [how.command for how in advice.how]


def test_the_batch_size_is_tried_on_the_same_prompt() -> None:
    trial = ubatch.predict(evidence(preset("rag"), (pp(2254), tg(60), *C03))).trial
    assert isinstance(trial, SettingTrial)
    (before,), (after,) = trial.before.tests, trial.after.tests
    assert (before.test, after.test) == ("pp2048", "pp2048")
    assert (before.n_ubatch, after.n_ubatch) == (512, 1024)
    assert after.n_batch >= after.n_ubatch
    assert before.sweep is Sweep.PHASES


def test_a_prompt_that_fits_one_piece_gains_nothing_from_larger_ones() -> None:
    assert ubatch.predict(evidence(custom(300, 100), (pp(2254), tg(60), *C03))) is None


def test_a_flat_curve_is_said_to_be_flat() -> None:
    flat = (long(350, 512), long(351, 1024), long(340, 256))
    held = evidence(preset("rag"), (*PHASES, *flat))
    assert ubatch.predict(held) is None
    assert "512 tokens at once" in ruled_out(held)["ubatch"].sentence


def test_a_point_that_is_not_to_be_believed_advises_nothing() -> None:
    busy = Conditions(Stamp.INVALID, ("other programs used 64 % of the CPU",))
    points = tuple(replace(point, conditions=busy) for point in C03)
    assert ubatch.predict(evidence(preset("rag"), (pp(2254), tg(60), *points))) is None


def ramp(**seconds_by_columns):  # type: ignore[no-untyped-def]
    """A model of one kind of matrix, and kernels with these seconds by number of columns."""
    shape = MatmulShape("Q4_K", 12, 4096, 14336, 4_190_000_000, 119)
    facts = replace(model(traffic(parameters=119 * 4096 * 14336, head_share=0)), matmuls=(shape,),
                    embedding_length=read(4096))
    products = tuple(
        KernelTime("Q4_K", 4096, 14336, int(columns[1:]), "", 4, "CPU", (seconds,))
        for columns, seconds in seconds_by_columns.items()
    )
    attention = (AttentionTime(32, 8, 128, 128, 1, 4096, 4, "CPU", (1e-6,)),
                 AttentionTime(32, 8, 128, 128, 512, 512, 4, "CPU", (1e-6,)))
    small = (OperationTime("add", 4096, 1, 4, "CPU", (1e-9,)),)
    bounds = replace(ceilings(facts.traffic.value), kernels=KernelTable(products, attention, small, "2026-11-29"))
    return facts, bounds


def test_without_a_sweep_the_kernels_measured_here_tell_the_better_size() -> None:
    facts, bounds = ramp(c1=5.7e-4, c64=0.014, c256=0.040, c512=0.104)
    step_s = 119 * 0.104
    held = evidence(preset("rag"), (pp(512 / step_s), tg(14)), facts=facts, bounds=bounds)
    advice = ubatch.predict(held)
    assert advice.title.replace("\u00a0", " ").endswith("256 tokens")
    assert advice.basis is Basis.ESTIMATED
    assert advice.saved_s == pytest.approx(held.timeline.wait_s * (1 - 80 / 104), rel=0.02)
    assert "it frees about" in advice.cost


def test_kernels_that_gain_with_columns_leave_the_size_alone() -> None:
    facts, bounds = ramp(c1=5.7e-4, c64=0.014, c256=0.053, c512=0.104)
    held = evidence(preset("rag"), (pp(512 / 119 / 0.104), tg(14)), facts=facts, bounds=bounds)
    assert ubatch.predict(held) is None


FLASH = Sweep.FLASH_ATTENTION


def test_flash_attention_follows_the_sweep_and_the_loss_of_the_other_phase_counts() -> None:
    rows = (*PHASES, at_depth(pp, 30), at_depth(tg, 8),
            at_depth(pp, 36, sweep=FLASH, flash_attention=FlashAttention.OFF),
            at_depth(tg, 7.8, sweep=FLASH, flash_attention=FlashAttention.OFF))
    held = evidence(preset("rag"), rows)
    advice = flash_attention.predict(held)
    assert advice.title == "Switch flash attention off"
    assert advice.phase is Phase.PREFILL
    assert advice.other_saved_s < 0 < advice.saved_s
    assert 0 < advice.saved_s_low < advice.saved_s < advice.saved_s_high <= held.timeline.wait_s * (1 - 30 / 36) * 1.3
    trial = advice.trial
    assert isinstance(trial, SettingTrial)
    # a prompt is read at half of its depth on average, and the trial's ratio is said of the whole of it
    assert {test.test for test in trial.after.tests} == {"pp512 @ d1744", "tg32 @ d4000"}
    assert all(test.flash_attention is FlashAttention.OFF for test in trial.after.tests)
    assert all(test.flash_attention is FlashAttention.AUTO for test in trial.before.tests)


def test_flash_attention_is_not_advised_for_a_net_loss_or_by_chance_or_in_safe_mode() -> None:
    def advised(prefill, decode, **more):  # type: ignore[no-untyped-def]
        rows = (*PHASES, at_depth(pp, 30), at_depth(tg, 8),
                at_depth(pp, prefill, sweep=FLASH, flash_attention=FlashAttention.OFF),
                at_depth(tg, decode, sweep=FLASH, flash_attention=FlashAttention.OFF))
        return flash_attention.predict(evidence(preset("rag"), tuple(replace(row, **more) for row in rows)))

    assert advised(30.1, 8.0) is None
    assert advised(31, 4) is None
    assert advised(36, 9) is not None
    assert advised(36, 9, mode=EngineMode.NO_FLASH_ATTENTION) is None


def test_flash_attention_without_a_difference_is_ruled_out() -> None:
    rows = (*PHASES, at_depth(pp, 30), at_depth(tg, 8),
            at_depth(pp, 30.05, sweep=FLASH, flash_attention=FlashAttention.OFF),
            at_depth(tg, 8.01, sweep=FLASH, flash_attention=FlashAttention.OFF))
    assert "flash-attention" in ruled_out(evidence(preset("rag"), rows))


def test_the_cache_in_8_bits_by_its_sweep() -> None:
    rows = (*PHASES, at_depth(pp, 30), at_depth(tg, 8),
            at_depth(pp, 30, sweep=Sweep.KV_TYPE, kv_type="q8_0"),
            at_depth(tg, 9.2, sweep=Sweep.KV_TYPE, kv_type="q8_0"))
    held = evidence(preset("rag"), rows)
    advice = kv_type.predict(held)
    assert (advice.phase, advice.basis) == (Phase.DECODE, Basis.MEASURED)
    assert advice.saved_s == pytest.approx(held.timeline.stream_s * (1 - 8 / 9.2), rel=0.02)
    assert "It frees 264\u00a0MB" in advice.detail  # 47 % of 4,300 tokens of 131 kB
    assert "quality" in advice.cost
    assert "llama-server -ctk q8_0 -ctv q8_0 -fa on" in [how.command for how in advice.how]
    slower = (*rows[:4], rows[4], replace(rows[5], samples_s=tuple(s * 1.4 for s in rows[5].samples_s)))
    assert kv_type.predict(evidence(preset("rag"), slower)) is None
    assert "saves memory only" in ruled_out(evidence(preset("rag"), slower))["kv-type"].sentence


def test_an_unmeasured_cache_type_is_guessed_at_only_where_memory_limits_and_may_lose() -> None:
    work = custom(16_000, 2_000)
    held = evidence(work, (pp(400), tg(11.6)), bounds=ceilings())
    advice = kv_type.predict(held)
    assert advice.saved_s_low < 0 < advice.saved_s < advice.saved_s_high < held.timeline.stream_s * 0.5
    assert advice.basis is Basis.ESTIMATED
    unpacking = evidence(work, (pp(400), tg(4)), bounds=ceilings())
    assert kv_type.predict(unpacking) is None
    shallow = evidence(custom(200, 100), (pp(400), tg(11.6)), bounds=ceilings())
    assert kv_type.predict(shallow) is None
    assert "1\u00a0%" in ruled_out(shallow)["kv-type"].sentence


# D16: S_TG for 1 to 32 streams
D16 = ((2, 97.42), (4, 124.21), (8, 129.60), (16, 228.14), (32, 443.64))


def streams(count, speed):  # type: ignore[no-untyped-def]
    tokens = count * 16
    return replace(tg(speed, tokens=16), n_streams=count, sweep=Sweep.BATCH, samples_s=(tokens / speed,) * 3)


@pytest.mark.parametrize(("count", "speed"), D16)
def test_d16_the_measured_curve_is_the_prediction_with_its_flat_step_at_8(count, speed) -> None:
    held = evidence(custom(128, 128, users=count), (pp(1048.05), tg(66.14), *(streams(*point) for point in D16)))
    advice = batch.predict(held)
    assert advice.basis is Basis.MEASURED
    assert advice.saved_s == pytest.approx(held.timeline.stream_s * (1 - 66.14 / speed), rel=1e-6)
    assert "8 write 130\u00a0tokens/s together" in advice.evidence
    assert "already the second one lengthens each step" in advice.evidence


def test_a_number_between_two_measured_ones_is_estimated_between_them() -> None:
    held = evidence(custom(128, 128, users=6), (pp(1048.05), tg(66.14), *(streams(*point) for point in D16)))
    found = together(held, 6)
    assert found.basis is Basis.ESTIMATED
    assert 124.21 / 66.14 < found.middle < 129.60 / 66.14
    assert found.low < 124.21 / 66.14 and found.high > 129.60 / 66.14


def test_how_many_are_nearly_free_comes_from_the_two_speeds_where_no_curve_is_measured() -> None:
    """DGX Spark, Qwen2.5-7B Q8_0: 2250 ÷ 29.43, less the head, is 71 (physics.md E18)."""
    flows = replace(traffic(7.512e9), block_elements=6_525_288_448, head_elements=544_997_376)
    held = evidence(preset("many-users"), (pp(2250), tg(29.43)), facts=model(flows))
    assert "balance at 71\u00a0streams" in batch.predict(held).evidence


def test_deep_caches_are_not_shared_by_a_batch() -> None:
    rows = (pp(2250), tg(29.1), streams(8, 194.15))
    deep = (*rows, replace(tg(15, tokens=32, depth=16_000), sweep=Sweep.DEPTH))
    near = together(evidence(custom(16_000, 300, users=8), rows), 8)
    far = together(evidence(custom(16_000, 300, users=8), deep), 8)
    assert near.middle == pytest.approx(194.15 / 29.1)
    assert 1 < far.middle < 3


def test_streams_are_tried_on_equal_work() -> None:
    advice = batch.predict(evidence(preset("many-users"), (pp(2250), tg(29.4))))
    (before,), (after,) = advice.trial.before.tests, advice.trial.after.tests
    assert (before.n_streams, after.n_streams) == (1, 8)
    assert before.tokens == after.tokens


def test_d18_batching_is_no_help_against_a_wait() -> None:
    found = ruled_out(evidence(custom(15_000, 1, users=4), (pp(1000), tg(60))))
    assert "1,084" in found["batch-for-prefill"].evidence


def test_v9_and_d13_a_stall_of_a_step_and_the_piece_that_keeps_it_short() -> None:
    assert chunk_prefill.stall_s(8192, 2400) == pytest.approx(3.41, abs=0.005)
    assert chunk_prefill.largest_chunk(0.2, 2400) == 480
    big = replace(pp(2400, on="CUDA0"), n_batch=8192, n_ubatch=8192)
    held = evidence(custom(72_000, 400, users=3), (big, tg(30, on="CUDA0")))
    advice = chunk_prefill.predict(held)
    assert advice.title.replace("\u00a0", " ") == "Read prompts in pieces of 480 tokens"
    assert "3.4\u00a0s, 9 times" in advice.detail
    assert advice.saves_what == "of the longest pause"
    commands = [how.command for how in advice.how]
    assert "vllm serve MODEL --max-num-batched-tokens 480" in commands
    assert any("--chunked-prefill-size 480" in command for command in commands)


@pytest.mark.parametrize(("chunk", "stall"), [(8192, 3.641), (2048, 0.910), (512, 0.228)])
def test_e24(chunk, stall) -> None:
    assert chunk_prefill.stall_s(chunk, 2250) == pytest.approx(stall, abs=0.0006)
    assert chunk_prefill.pieces(8192, chunk) == 8192 // chunk


@pytest.mark.parametrize(("chunk", "rate"), [(64, 1020), (128, 1404), (256, 1729), (512, 1955), (2048, 2168)])
def test_e26_the_cautious_end_of_the_band(chunk, rate) -> None:
    row = replace(pp(2250), n_ubatch=10**6, n_batch=10**6)
    held = evidence(custom(8192, 300, users=2), (row, tg(1 / 0.0343)))
    slower, basis = chunk_prefill._slower(held, row, chunk)
    assert 2250 / slower == pytest.approx(rate, rel=0.002)
    assert basis is Basis.ESTIMATED


def test_measured_pauses_take_the_place_of_computed_ones() -> None:
    rows = (pp(1070), tg(30))
    held = evidence(custom(2048, 300, users=5), rows)
    computed = chunk_prefill.predict(held)
    assert computed.basis is Basis.COMPUTED
    measured = chunk_prefill.predict(replace(held, stutter=stutter()))
    assert measured.basis is Basis.MEASURED
    assert "160" in measured.title
    assert (measured.trial.before_tokens, measured.trial.after_tokens, measured.trial.streams) == (2048, 160, 4)
    assert measured.trial.pause_s == pytest.approx(1.9)
    assert measured.saved_s == pytest.approx(1.9 - 0.19, rel=0.02)
    assert "Measured here among 4\xa0running streams" in measured.evidence
    other = replace(held, stutter=stutter(device="CUDA0"))
    assert chunk_prefill.predict(other) == computed
    disturbed = replace(held, stutter=stutter(conditions=Conditions(Stamp.INVALID, ("swapping",))))
    assert chunk_prefill.predict(disturbed) == computed


def test_pauses_from_the_kernels_are_an_estimate_and_say_so() -> None:
    rows = (pp(1070), tg(30))
    kernels = replace(ceilings(), kernels=table(threads=rows[0].n_threads))
    advice = chunk_prefill.predict(evidence(custom(2048, 300, users=5), rows, facts=MODEL, bounds=kernels))
    assert advice.basis is Basis.ESTIMATED
    assert advice.evidence.startswith("By the engine's own operations, measured here: ")
    assert advice.saved_s_low < advice.saved_s < advice.saved_s_high


def test_a_tried_piece_saves_of_the_pause_and_not_of_the_request() -> None:
    held = evidence(custom(2048, 300, users=5), (pp(1070), tg(30)))
    advice = chunk_prefill.predict(held)
    assert tried.cost_s(advice, held) == advice.trial.pause_s
    pair = Pair(Phase.DECODE, "longest pause of a stream", (2.0, 2.0, 2.0), (0.2, 0.2, 0.2))
    trial = Trial(advice.id, "a", "b", (pair,), Conditions(Stamp.VALID, ()), "2026-11-30", plan=advice.trial)
    shown = tried.apply(advice, trial, held)
    assert shown.saved_s == pytest.approx(1.8)
    assert shown.basis is Basis.MEASURED
    assert tried.newest(advice, (trial,)) is trial
    assert not tried.same(advice.trial, replace(advice.trial, after_tokens=64))


def test_d15_a_long_prompt_freezes_the_other_streams_and_nobody_else() -> None:
    rows = (pp(1000), tg(40))
    assert chunk_prefill.predict(evidence(custom(2000, 300), rows)) is None
    advice = chunk_prefill.predict(evidence(custom(2000, 300, users=2), rows))
    assert "stand still for 2.0\u00a0s" in advice.detail
    assert chunk_prefill.predict(evidence(custom(100, 300, users=2), rows)) is None


def test_d14_pieces_make_prompts_slower_and_the_advice_says_by_how_much() -> None:
    sweep = (long(2254.45, 512), long(1436.51, 128))
    held = evidence(custom(2000, 300, users=2), (pp(700), tg(40), *sweep))
    advice = chunk_prefill.predict(held)
    assert advice.title.replace("\u00a0", " ").endswith("128 tokens")
    assert "prompts take 57\u00a0% longer" in advice.cost
    assert "not the whole faster" in advice.detail
    unmeasured = chunk_prefill.predict(evidence(custom(2000, 300, users=2), (pp(700), tg(40))))
    assert "about" in unmeasured.cost


def test_a_very_slow_machine_gets_the_smallest_sensible_piece() -> None:
    advice = chunk_prefill.predict(evidence(preset("many-users"), (pp(40), tg(6))))
    assert "64\u00a0tokens" in advice.title
    assert "much slower" in advice.detail


def test_chunks_and_batches_rank_together_for_many_users() -> None:
    found = [one.id for one in recommend(evidence(preset("many-users"), (pp(340), tg(29.4)), computer=machine()))]
    assert {"batch", "chunk-prefill"} <= set(found)
