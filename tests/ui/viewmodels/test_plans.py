"""How much to measure, and how long that takes."""

from dataclasses import replace

from advisor.benchmarks.planning import PlanKind
from advisor.diagnosis.workload import preset
from tests.support import documents as d
from ui.viewmodels.plans import PlanChoice, present_plans


def texts(choice: PlanChoice) -> list[str]:
    return [option.text.replace("\u00a0", " ") for option in choice.options]


def test_without_ceilings_there_is_no_time() -> None:
    choice = present_plans(PlanKind.QUICK, d.model(), d.machine(), d.engine(), None, preset("rag"))
    assert texts(choice) == ["Quick", "Standard", "Thorough"]
    assert choice.chosen == "quick"


def test_each_plan_has_its_time() -> None:
    choice = present_plans(PlanKind.STANDARD, d.model(), d.machine(), d.engine(), d.ceilings(), preset("rag"))
    quick, standard, thorough = texts(choice)
    assert quick.startswith("Quick · about ")
    assert standard == "Standard · about 70 s"
    assert thorough == "Thorough · about 15 min"
    assert choice.chosen == "standard"
    assert all(option.tip for option in choice.options)


def test_a_file_that_writes_nothing_has_no_time() -> None:
    model = replace(d.model(), has_decode=False)
    choice = present_plans(PlanKind.QUICK, model, d.machine(), d.engine(), d.ceilings(), preset("rag"))
    assert texts(choice) == ["Quick", "Standard", "Thorough"]
