"""Steps of a prompt among running streams: what is read between reckoned steps agrees with reckoning them all."""

import pytest

from advisor.ceilings.kernels import AttentionTime, KernelTable, KernelTime
from advisor.ceilings.mixed import STEPS, Arrival, keeps, mixed_step, predict_pauses
from advisor.core.evidence import Known, Unknown
from tests.advisor.ceilings.test_predict import UP, small_model

MODEL = small_model(UP)
TABLE = KernelTable(
    (
        *(KernelTime("Q4_K", 256, 1024, n, "", 2, "CPU", (s,)) for n, s in ((1, 1e-3), (8, 2e-3), (512, 0.1))),
        *(KernelTime("Q8_0", 256, 1000, n, "", 2, "CPU", (1e-3,)) for n in (1, 512)),
    ),
    tuple(
        AttentionTime(4, 2, 64, 64, columns, cells, 2, "CPU", (s,))
        for columns, cells, s in ((1, 256, 1e-5), (1, 4096, 1e-4), (512, 512, 1e-3), (512, 4096, 1e-2))
    ),
)


@pytest.mark.parametrize(("prompt", "chunk"), [(4096, 32), (4096, 512), (4000, 96), (513, 512), (100, 100), (1, 1)])
def test_reckoning_some_steps_comes_to_what_all_of_them_do(prompt: int, chunk: int) -> None:
    arrival = Arrival(prompt, streams=3, depth=256, ubatch=512)
    pauses = predict_pauses(MODEL, TABLE, arrival, chunk)
    assert isinstance(pauses, Known)
    every_s = []
    for turn, read in enumerate(range(0, prompt, chunk)):
        step = mixed_step(MODEL, TABLE, arrival, read, min(chunk, prompt - read), turn)
        assert isinstance(step, Known)
        every_s.append(step.value)
    assert pauses.value.worst_s == pytest.approx(max(every_s))
    assert pauses.value.first_token_s == pytest.approx(sum(every_s), rel=0.01)
    if len(every_s) <= STEPS:
        assert pauses.value.first_token_s == pytest.approx(sum(every_s))


def test_a_size_keeps_a_budget_where_its_longest_step_does() -> None:
    arrival = Arrival(4000, streams=3, depth=256, ubatch=512)
    pauses = predict_pauses(MODEL, TABLE, arrival, 96)
    assert isinstance(pauses, Known)
    worst_s = pauses.value.worst_s
    assert keeps(MODEL, TABLE, arrival, 96, worst_s * 1.001)
    assert not keeps(MODEL, TABLE, arrival, 96, worst_s * 0.999)


def test_nothing_is_predicted_or_kept_without_kernels() -> None:
    arrival = Arrival(100, streams=1, depth=0, ubatch=512)
    assert isinstance(predict_pauses(MODEL, KernelTable(), arrival, 50), Unknown)
    assert not keeps(MODEL, KernelTable(), arrival, 50, 1e9)
