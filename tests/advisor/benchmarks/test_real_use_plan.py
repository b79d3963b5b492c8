"""When text is written after the tests, and with which settings."""

from advisor.benchmarks.job import Job, wire_request
from advisor.benchmarks.model import EngineMode
from advisor.benchmarks.planning import BenchSettings, Plan, two_phases
from advisor.core.evidence import Known
from tests.support import documents


def plan(settings: BenchSettings) -> Plan:
    ceilings = Known(documents.ceilings(), documents.engine().basis, "test")  # type: ignore[union-attr]
    return two_phases(documents.model(), documents.machine(), ceilings, settings)


def test_text_follows_a_run_without_a_limit_with_the_settings_of_its_decode_test() -> None:
    planned = plan(BenchSettings(n_threads=3))
    assert planned.real_use is not None
    assert (planned.real_use.spec.n_gen, planned.real_use.spec.n_threads) == (64, 3)
    without = plan(BenchSettings(n_threads=3, real_use=False))
    assert without.real_use is None
    assert planned.predicted_s == without.predicted_s + planned.real_use.repetition_s


def test_it_is_left_out_where_there_is_no_time_or_nothing_to_compare_with() -> None:
    assert plan(BenchSettings(budget_s=20.0)).real_use is None
    assert plan(BenchSettings(budget_s=10_000.0)).real_use is not None
    assert plan(BenchSettings(n_gen=0)).real_use is None
    assert plan(BenchSettings(n_depth=512)).real_use is None


def test_the_child_is_asked_for_it_in_the_mode_of_the_run() -> None:
    planned = plan(BenchSettings())
    assert planned.real_use is not None
    job = Job(
        documents.model().path, planned.tests, EngineMode.ONE_THREAD, BenchSettings().placement, "CPU", "an engine",
        real_use=planned.real_use.spec,
    )  # fmt: skip
    asked = wire_request(job)["real_use"]
    assert (asked["n_gen"], asked["n_threads"], asked["flash_attention"]) == (64, 1, "off")
