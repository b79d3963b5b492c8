"""The chooser's kernels: what is asked of the machine, what is told meanwhile, and what becomes of failures."""

from types import SimpleNamespace
from typing import Any

import pytest

from advisor.benchmarks.kernel_plan import kernel_request
from advisor.core.errors import EngineError
from advisor.core.evidence import Missing, Unknown
from advisor.core.progress import CancelToken, Progress
from advisor.core.units import GIB
from advisor.gguf.quant_types import BY_NAME
from advisor.rehearsal import recipes
from advisor.rehearsal.catalogue import find
from advisor.session.events import Remark
from advisor.session.shortlisting import DENSE, MIXTURE, TYPES, place_here
from advisor.shortlist.choosing import recipes_of
from tests.support import documents
from tests.support.yardsticks import table

USUAL = ("Llama-3.1-8B", "Qwen2.5-7B", "Gemma-3-4B", "Qwen3-30B-A3B", "gpt-oss-20b", "Mixtral-8x7B", "GLM-4.5-Air",
         "Nemotron-3-Nano-30B-A3B", "Qwen2.5-0.5B", "LFM2-8B-A1B")  # fmt: skip


class _Pipeline:
    """Measures nothing, and keeps what was asked."""

    def __init__(self, engine: Any = None, error: EngineError | None = None) -> None:
        self.engine = engine or documents.engine()
        self.error = error
        self.asked: list[Any] = []

    def read_machine(self) -> Any:
        return documents.machine()

    def read_engine(self, cancel: CancelToken) -> Any:
        return self.engine

    def measure_ceilings(self, model: Any, machine: Any, listener: Any, cancel: Any, engine: Any, **more: Any) -> Any:
        self.asked.append((model, more["also"], more["more_types"]))
        listener(Progress(0.5, "Measuring how fast this machine reads and computes", 3.0))
        if self.error is not None:
            raise self.error
        return SimpleNamespace(kernels=table(), disturbed="")


def test_both_yardsticks_are_measured_at_once() -> None:
    pipeline, heard = _Pipeline(), list[Any]()
    place = place_here(pipeline, heard.append, CancelToken())  # type: ignore[arg-type]
    ((dense, mixture, types),) = pipeline.asked
    assert (dense.name, mixture.name) == (DENSE[0], MIXTURE[0])
    assert mixture.experts > 0
    assert len(types) == len(TYPES)
    assert place.table == table()
    assert heard == [Progress(0.5, "Measuring kernels in every quantisation")]


def test_an_engine_that_fails_leaves_a_list_without_speeds() -> None:
    heard: list[Any] = []
    failing = _Pipeline(error=EngineError("The engine crashed.", "Update it."))
    assert not place_here(failing, heard.append, CancelToken()).table  # type: ignore[arg-type]
    assert heard[-1] == Remark("The engine crashed.", "Update it.")
    absent = _Pipeline(Unknown("no engine is installed", Missing.TOOL_MISSING))
    assert not place_here(absent, heard.append, CancelToken()).table  # type: ignore[arg-type]
    assert heard[-1] == Remark("Speeds are not known: no engine is installed.")
    assert not absent.asked


@pytest.mark.parametrize("name", USUAL)
def test_every_type_of_a_usual_model_is_measured(name: str) -> None:
    dense, mixture = (recipes.facts(find(each).shape, recipe, each) for each, recipe in (DENSE, MIXTURE))
    groups = kernel_request(dense, 2, GIB, [BY_NAME[each].id for each in TYPES], mixture)["products"]["groups"]
    known = {(group["type_name"], "used" in group) for group in groups}
    model = find(name)
    for recipe in recipes_of(model):
        facts = recipes.facts(model.shape, recipe, name)
        missing = [shape for shape in facts.matmuls if (shape.type_name, shape.expert) not in known]
        assert not missing, recipe
