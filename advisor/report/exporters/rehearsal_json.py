"""The JSON of the command ``rehearse``."""

from typing import Final

from advisor.benchmarks.model import EngineFacts
from advisor.core.evidence import Fact, Known
from advisor.gguf.model import ModelFacts
from advisor.hardware.model import Machine
from advisor.rehearsal.catalogue import CatalogueModel
from advisor.rehearsal.fit import Fit
from advisor.rehearsal.model import Rehearsal
from advisor.rehearsal.scaling import Scaled
from advisor.report import rehearsal_words
from advisor.report.codec import Json, fact_fields, plain_fields
from advisor.report.exporters.as_json import bench_json, measurement_json
from advisor.report.privacy import without_personal_paths

REHEARSE_SCHEMA: Final = "two-machines/rehearse/1"
CATALOGUE_SCHEMA: Final = "two-machines/catalogue/1"


def rehearsal_json(done: Rehearsal, machine: Machine, engine: Fact[EngineFacts]) -> Json:
    """``two-machines rehearse --json``: what was measured of the stand-ins, and what it comes to."""
    model: ModelFacts = done.candidate.facts
    body = bench_json((), machine, engine, model)
    body.pop("tests")
    body.pop("interrupted")
    clean = without_personal_paths(done.candidate.source, model_path=model.path)
    return {
        **body,
        "schema": REHEARSE_SCHEMA,
        "name": done.candidate.name,
        "recipe": done.candidate.recipe,
        "shape_source": clean,
        "layers": done.layers,
        "large_layers": done.large_layers,
        "small_layers": done.small_layers,
        "rounds": done.rounds,
        "scratch_bytes": done.scratch_bytes,
        "took_s": done.took_s,
        "workload": plain_fields(done.workload),
        "tests": [_test(each) for each in done.tests],
        **fact_fields("wait", done.wait),
        **fact_fields("stream", done.stream),
        **_fit(done.fit),
        "sentences": [rehearsal_words.how(done), *done.notes],
    }


def _test(each: Scaled) -> Json:
    small: Json = {"small_stand_in_s": each.small_s}
    if each.small_s is None:
        small["small_stand_in_s_reason"] = "the larger one is the whole model"
    return {
        **measurement_json(each.test),
        "low_tokens_per_s": each.low_tokens_per_s,
        "high_tokens_per_s": each.high_tokens_per_s,
        "large_stand_in_s": each.large_s,
        **small,
        "factor": each.factor,
    }


def _fit(fit: Fact[Fit]) -> Json:
    if not isinstance(fit, Known):
        return fact_fields("fit", fit)
    held = fit.value
    return {
        "fit": {
            **plain_fields(held),
            "fits": held.fits,
            "needed_bytes": held.need.total_bytes,
            "sentence": held.words,
        },
        "fit_source": f"{fit.basis}: {fit.source}",
    }


def catalogue_json(models: tuple[CatalogueModel, ...]) -> Json:
    """``two-machines rehearse --list --json``."""
    return {"schema": CATALOGUE_SCHEMA, "models": [_entry(model) for model in models]}


def _entry(model: CatalogueModel) -> Json:
    fields = plain_fields(model)
    fields["shape"]["more"] = dict(model.shape.more)
    return fields
