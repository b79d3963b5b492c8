"""Many streams: how many are advised, what they gain, and that they fit the memory."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.benchmarks.model import Sweep
from advisor.core.evidence import Basis, Known
from advisor.diagnosis.workload import custom, preset
from advisor.recommendations import (
    add_gpu,
    batch,
)
from advisor.recommendations.streams import curve, together
from tests.support.evidence import (
    GIB,
    LAPTOP,
    commands,
    evidence,
    gpu,
    laptop,
    machine,
    pp,
    recommend,
    tg,
)


def test_many_users_are_batched_up_to_the_spare_arithmetic() -> None:
    advice = batch.predict(evidence(preset("many-users"), (pp(2250), tg(29.4))))
    assert "-np 8" in commands(advice)
    assert "OLLAMA_NUM_PARALLEL=8" in commands(advice)
    tight = batch.predict(evidence(preset("many-users"), (pp(30), tg(29.4))))
    assert tight.saved_s < advice.saved_s
    assert batch.predict(laptop()) is None


def test_more_streams_than_the_memory_holds_are_never_advised() -> None:
    crowd = evidence(custom(4000, 300, users=1000), (pp(2250), tg(29.4)))
    assert crowd.fits_in_memory() is False
    advice = batch.predict(crowd)
    streams = int(commands(advice).split("-np ")[1].split()[0])
    room = crowd.room_bytes()
    assert room is not None
    assert 2 <= streams < 1000
    assert crowd.needed_bytes(streams) <= room < crowd.needed_bytes()
    assert f"{streams} of the 1,000 streams" in advice.title
    assert f"-c {streams * 4300} " in commands(advice)
    assert f"No more than {streams} at a time" in advice.detail
    assert "1000" not in commands(advice)


def test_a_curve_at_depth_is_held_against_its_own_lone_stream() -> None:
    """Eight streams with their caches take 0.1 s a step, and one alone 0.05: four times the throughput."""
    at_depth = (
        replace(tg(20, tokens=16), sweep=Sweep.BATCH, n_depth=1000),
        replace(tg(10, tokens=16), sweep=Sweep.BATCH, n_depth=1000, n_streams=8),
    )
    deep = evidence(preset("many-users"), (pp(2250), tg(29.4), *at_depth))
    found = together(deep, 8)
    assert found is not None
    assert found.basis is Basis.MEASURED
    assert found.low < 4 < found.high
    shallow = tuple(replace(row, n_depth=0, sweep=Sweep.BATCH) for row in (tg(100, tokens=16), tg(400, tokens=16)))
    mixed = (*deep.tests, shallow[0], replace(shallow[1], n_streams=4))
    assert {point.streams for point in curve(replace(deep, tests=mixed))} == {8}  # never of two depths at once


def test_what_is_reckoned_is_as_unsure_as_runs_of_this_machine_are() -> None:
    points = tuple(replace(tg(speed), sweep=Sweep.BATCH, n_streams=n) for n, speed in ((2, 50), (16, 200)))

    def width(computer) -> float:  # type: ignore[no-untyped-def]
        held = evidence(preset("many-users"), (pp(2250), tg(29.4), *points), computer=computer)
        found = together(held, 8)
        assert found is not None
        return found.high / found.low

    own = machine()
    guest = replace(own, cpu=replace(own.cpu, virtual_machine=Known("KVM", Basis.READ, "a test")))
    assert width(guest) > width(own)


@pytest.mark.parametrize("memory_bytes", [4 * GIB, 6 * GIB])
def test_batching_is_dropped_where_not_even_two_streams_fit(memory_bytes) -> None:
    held = evidence(custom(9000, 300, users=8), (pp(2250), tg(29.4)), computer=machine(memory_bytes=memory_bytes))
    assert batch.predict(held) is None


def test_streams_on_a_card_are_counted_against_its_memory() -> None:
    held = evidence(custom(4000, 300, users=100), (pp(2250, on="CUDA0"), tg(80, on="CUDA0")),
                    computer=machine(memory_bytes=256 * GIB, gpus=[gpu(memory_bytes=8 * GIB)]))
    assert held.room_bytes() == 8 * GIB
    assert "-np 5 " in commands(batch.predict(held))


def test_a_card_for_a_crowd_is_one_that_can_be_bought() -> None:
    held = evidence(custom(4000, 300, users=1000), LAPTOP)
    assert add_gpu.predict(held).title.replace("\u00a0", " ") == "Add a graphics card with 24 GB or more"


@given(memory=st.integers(1, 512), users=st.integers(1, 100_000), prompt=st.integers(1, 200_000))
def test_no_advice_needs_more_memory_than_there_is(memory, users, prompt) -> None:
    held = evidence(custom(prompt, 300, users=users), (pp(2250), tg(29.4)), computer=machine(memory_bytes=memory * GIB))
    for advice in recommend(held):
        for how in advice.how:
            if "-np " in how.command:
                assert held.needed_bytes(int(how.command.split("-np ")[1].split()[0])) <= memory * GIB


def test_streams_that_were_measured_together_are_no_estimate() -> None:
    """Eight people on a DGX Spark: 194.15 tokens/s together, 29.10 alone (physics.md 3, curve b)."""
    work = custom(1000, 300, users=8)
    together = replace(tg(29.1), n_streams=8, sweep=Sweep.BATCH, samples_s=(8 * 128 / 194.15,))
    estimated = batch.predict(evidence(work, (pp(2250), tg(29.1))))
    measured = batch.predict(evidence(work, (pp(2250), tg(29.1), together)))
    assert estimated is not None
    assert measured is not None
    assert (estimated.basis, measured.basis) == (Basis.ESTIMATED, Basis.MEASURED)
    assert "6.5–6.9×" in measured.detail
    assert estimated.saved_s_low < measured.saved_s < estimated.saved_s_high
