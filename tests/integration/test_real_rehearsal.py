"""Drawn-up models on the real engine: every architecture of the catalogue loads and computes, whole and cut."""

from dataclasses import replace
from pathlib import Path

import pytest

from advisor.benchmarks.engines.embedded import EmbeddedEngine
from advisor.benchmarks.engines.engine import Listening
from advisor.benchmarks.job import Job, Placement, PlannedTest
from advisor.benchmarks.model import Phase, TestSpec
from advisor.benchmarks.steadiness import Repeat
from advisor.benchmarks.supervisor import Limits
from advisor.core.evidence import Missing, Unknown
from advisor.core.progress import CancelToken
from advisor.gguf.architecture import read_model
from advisor.hardware.model import Power
from advisor.rehearsal import stand_in
from advisor.rehearsal.blueprint import Blueprint, blueprint, known_architectures
from advisor.rehearsal.catalogue import CatalogueModel, load
from advisor.rehearsal.cutting import cut
from advisor.rehearsal.recipes import quantised
from advisor.rehearsal.shape import Shape
from tests.support.engine_mode import engine_mode
from tests.support.small_shapes import small

pytestmark = [pytest.mark.engine, pytest.mark.timeout(300)]

MAINS = Power(Unknown("no battery", Missing.NOT_APPLICABLE), Unknown("none", Missing.NOT_SUPPORTED))
PP = TestSpec(phase=Phase.PREFILL, n_prompt=24, n_gen=0, n_threads=1, n_batch=2048, n_ubatch=512)
TG = TestSpec(phase=Phase.DECODE, n_prompt=0, n_gen=4, n_threads=1, n_batch=2048, n_ubatch=512)

# One of each kind: what differs in more than numbers.
KINDS: dict[tuple[str, frozenset[str]], CatalogueModel] = {}
for _model in load():
    KINDS.setdefault((_model.shape.architecture, frozenset(name for name, _ in _model.shape.more)), _model)
_OTHERS = known_architectures() - {architecture for architecture, _ in KINDS}


def runs(plan: Blueprint, path: Path) -> None:
    stand_in.write(plan, path, CancelToken())
    assert read_model(path).parameters == plan.parameters
    tests = tuple(PlannedTest(spec, Repeat(1, 1, 1.0, 0.0), 0.5) for spec in (PP, TG))
    job = Job(path, tests, engine_mode(), Placement(), "CPU", "an engine")
    silent = Listening(lambda _: None, lambda _: None, lambda _i, _s: None, lambda _: None)
    measured = EmbeddedEngine().measure(job, Limits(60, 120), MAINS, silent, CancelToken())
    assert measured.error is None
    assert [test.test for test in measured.tests] == ["pp24", "tg4"]


@pytest.mark.parametrize("model", KINDS.values(), ids=lambda model: model.name)
def test_the_engine_runs_what_is_drawn_up(model: CatalogueModel, tmp_path: Path) -> None:
    runs(quantised(blueprint(small(model.shape)), "Q4_K_M"), tmp_path / "model.gguf")


OF_EXPERTS = {"experts": 8, "experts_used": 2, "expert_feed_forward": 256, "feed_forward": 0}
FURTHER: dict[str, dict[str, object]] = {
    "command-r": {"tied": True}, "gemma": {"tied": True}, "exaone4": {"window": 64},
    "dots1": {**OF_EXPERTS, "kv_heads": 4, "feed_forward": 512, "dense_layers": 1, "shared_feed_forward": 256},
    "granitemoe": {**OF_EXPERTS, "shared_feed_forward": 256},
    "hunyuan-moe": {**OF_EXPERTS, "shared_feed_forward": 256},
    "nemotron_h": {
        "more": (("attends", 2), ("feeds", 4), ("conv", 4), ("state", 64), ("groups", 2), ("ranks", 4), ("inner", 512))
    },
    "olmoe": {**OF_EXPERTS, "kv_heads": 4},
    "qwen2moe": {**OF_EXPERTS, "shared_feed_forward": 256},
}  # fmt: skip
"""What shapes of architectures need that no model of the catalogue has."""


@pytest.mark.parametrize("architecture", sorted(_OTHERS))
def test_the_engine_runs_architectures_that_no_model_of_the_catalogue_has(architecture: str, tmp_path: Path) -> None:
    plain = Shape(architecture, 4, 256, 4, 2, 64, 512, 512, 4096)
    shape = replace(plain, **FURTHER.get(architecture, {}))  # type: ignore[arg-type]
    runs(quantised(blueprint(shape), "Q8_0"), tmp_path / "model.gguf")


@pytest.mark.parametrize(
    "name", ["Gemma-3-4B", "Qwen3.5-35B-A3B", "DeepSeek-V3", "Nemotron-3-Nano-30B-A3B", "gpt-oss-20b", "Gemma-4-31B"]
)
def test_the_engine_runs_a_few_of_a_models_layers(name: str, tmp_path: Path) -> None:
    shape = next(model.shape for model in load() if model.name == name)
    plan = quantised(blueprint(small(shape, layers=24)), "Q8_0")
    runs(cut(plan, range(12, 24)), tmp_path / "model.gguf")


@pytest.mark.parametrize("recipe", ["F16", "BF16", "Q5_K_M", "Q4_0", "IQ4_XS", "MXFP4", "Q3_K_M", "Q2_K", "IQ3_M"])
def test_random_weights_of_every_type_are_numbers(recipe: str, tmp_path: Path) -> None:
    shape = next(model.shape for model in load() if model.name == "Qwen3-30B-A3B")
    runs(quantised(blueprint(small(shape)), recipe), tmp_path / "model.gguf")
