"""When text is written after the tests, and with which settings."""

from dataclasses import replace

import pytest

from advisor.benchmarks.job import Job, wire_request
from advisor.benchmarks.model import EngineMode
from advisor.benchmarks.planning import BenchSettings, Plan, Purpose, make_plan
from advisor.core.evidence import Known
from tests.support import documents


def plan(settings: BenchSettings) -> Plan:
    ceilings = Known(documents.ceilings(), documents.engine().basis, "test")  # type: ignore[union-attr]
    return make_plan(documents.model(), documents.machine(), ceilings, settings, Purpose(1000, 200))


LONG = BenchSettings(budget_s=10_000.0)


def test_text_ends_a_plan_with_the_settings_of_its_decode_test() -> None:
    planned = plan(replace(LONG, n_threads=3))
    assert planned.real_use is not None
    assert (planned.real_use.spec.n_gen, planned.real_use.spec.n_threads) == (64, 3)
    assert planned.tests_budget_s == 10_000.0 - planned.text_s
    without = plan(replace(LONG, n_threads=3, real_use=False))
    assert without.real_use is None
    assert without.tests_budget_s == 10_000.0
    assert planned.predicted_s == pytest.approx(without.predicted_s + planned.text_s)


def test_it_is_left_out_where_there_is_no_time_or_nothing_to_compare_with() -> None:
    assert plan(BenchSettings(budget_s=10.0)).real_use is None
    assert plan(replace(LONG, n_gen=0)).real_use is None
    assert plan(replace(LONG, n_depth=512)).real_use is None
    assert plan(replace(LONG, n_streams=4)).real_use is None
    assert plan(BenchSettings()).real_use is None


def test_the_child_is_asked_for_it_in_the_mode_of_the_run() -> None:
    planned = plan(LONG)
    assert planned.real_use is not None
    job = Job(
        documents.model().path, planned.tests, EngineMode.ONE_THREAD, BenchSettings().placement, "CPU", "an engine",
        real_use=planned.real_use.spec,
    )  # fmt: skip
    asked = wire_request(job)["real_use"]
    assert (asked["n_gen"], asked["n_threads"], asked["flash_attention"]) == (64, 1, "off")
