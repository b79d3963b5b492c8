"""Tries a quantisation: makes the file in a scratch folder, compares speed and quality, and removes it again."""

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

from advisor.benchmarks import quantising
from advisor.benchmarks.job import in_mode
from advisor.benchmarks.launch import Launch
from advisor.benchmarks.model import EngineMode, Phase
from advisor.benchmarks.quantising import Comparing, Quantising
from advisor.benchmarks.trials.model import Arm, Quality, QuantiseTrial, SettingTrial, Trial
from advisor.ceilings.quantised import is_original, quantised
from advisor.core.errors import EngineError, UsageError
from advisor.core.evidence import Fact, Missing, Unknown
from advisor.core.numbers import size
from advisor.core.progress import CancelToken, Progress
from advisor.core.translation import tr
from advisor.core.units import MIB
from advisor.gguf.architecture import read_model
from advisor.gguf.model import ModelFacts
from advisor.gguf.readable import readable
from advisor.session import trial_setting
from advisor.session.discovery import find_models
from advisor.session.events import Event, Listener
from advisor.session.originals import original_of
from advisor.session.scratch import scratch_folder
from advisor.session.trial_context import TrialContext

MADE_BY: Final = 0.25
COMPARED_BY: Final = 0.7
"""Share of the whole after which the file is made, and its speed compared; the rest is its quality."""

MADE_BYTES_PER_S: Final = 40e6
"""Bytes of the source that the quantiser works through in a second, for the time that is told beforehand."""

SPARE_BYTES: Final = 64 * MIB
"""Room that is left free on the disk in any case."""

SPACE_ERROR: Final = 1.01
"""The engine tells sizes in hundredths of a MiB, and pads each tensor."""


def run(context: TrialContext, plan: QuantiseTrial, listener: Listener, cancel: CancelToken) -> Trial:
    """Both files by turns, then how far the new one strays from what it was made of.

    The source is only read. Nothing of the experiment is left on the disk, however it ends.

    Raises:
        UsageError: no such file type, or the file has it already.
        EngineError: the engine cannot quantise, too little room, or it failed.
        Cancelled: stopped before anything could be compared.
    """
    launch = context.launch
    if launch is None:
        raise EngineError(
            tr("Only llama-cpp-python can quantise, and the engine in use is {engine}.", engine=context.facts.name),
            tr("Choose another one: two-machines engines"),
        )
    label = quantising.known_label(plan.to)
    if context.model.label.or_none() == label:
        raise UsageError(tr("This file is {label} already.", label=label), tr("Choose a type of fewer bits."))
    source, notes = _source(context.model, cancel)
    before = context.model.label.or_none() or tr("the present file")
    with scratch_folder(context.scratch) as folder:
        made = _make(context, source, folder / f"{label}.gguf", label, launch, _part(listener, 0.0, MADE_BY), cancel)
        ways = _ways(context, before, label, made.engine_file)
        trial = trial_setting.run(context, ways, _part(listener, MADE_BY, COMPARED_BY), cancel)
        quality = _quality(context, source, made, launch, _part(listener, COMPARED_BY, 1.0), cancel)
    sizes = tr(
        "The file has {before} as it is and {after} as {label}.",
        before=size(context.model.file_bytes), after=size(made.file_bytes), label=label,
    )
    return replace(trial, quality=quality, notes=(*trial.notes, sizes, *notes))


def predicted_s(context: TrialContext, plan: QuantiseTrial) -> float:
    """Seconds that it will take: making the file, the rounds, and both files' answers to the text."""
    making_s = context.model.file_bytes / MADE_BYTES_PER_S
    answers_s = 2 * quantising.TEXT_TOKENS / context.prefill.tokens_per_s
    rounds_s = trial_setting.predicted_s(context, _ways(context, "", plan.to, None))
    return making_s + rounds_s + min(_quality_budget_s(context), answers_s)


def _ways(context: TrialContext, before: str, label: str, made: Path | None) -> SettingTrial:
    """The diagnosed tests with both files."""
    specs = tuple(context.spec(phase) for phase in Phase)
    return SettingTrial(Arm(before, specs, context.placement), Arm(label, specs, context.placement, model=made))


def _quality_budget_s(context: TrialContext) -> float:
    return min(quantising.QUALITY_BUDGET_S, context.budget_s)


def _source(model: ModelFacts, cancel: CancelToken) -> tuple[ModelFacts, tuple[str, ...]]:
    """What the new file is made of, and what has to be said of that."""
    if is_original(model):
        return model, ()
    found = original_of(model, find_models((), cancel).models)
    if found is not None:
        name = readable(found.path.name)
        return found, (
            tr(
                "The new file was made from {name} on this machine; the quality is measured against that one.",
                name=name,
            ),
        )
    return model, (tr("It was made from a quantised file: quality is lower than from the original."),)


def _make(
    context: TrialContext,
    source: ModelFacts,
    target: Path,
    label: str,
    launch: Launch,
    listener: Listener,
    cancel: CancelToken,
) -> ModelFacts:
    """The facts of the new file."""
    threads = context.machine.cpu.usable_threads
    job = Quantising(source.engine_file, target, label, threads, requantise=not is_original(source))
    listener(Progress(0.0, tr("Looking how large {label} becomes", label=label)))
    weights_bytes = quantising.predicted_bytes(job, launch, cancel)
    if weights_bytes is None:
        predicted = quantised(source, label)
        weights_bytes = predicted.weights_bytes if predicted is not None else source.weights_bytes
    needed = round(SPACE_ERROR * weights_bytes) + source.file_bytes - source.weights_bytes
    free = shutil.disk_usage(target.parent).free
    if needed + SPARE_BYTES > free:
        raise quantising.no_room(needed, free, tr("The {label} file", label=label))
    words = tr("Making the {label} file", label=label)
    quantising.quantise(job, launch, lambda fraction: listener(Progress(fraction, words)), cancel)
    return read_model(target)


def _quality(
    context: TrialContext,
    source: ModelFacts,
    made: ModelFacts,
    launch: Launch,
    listener: Listener,
    cancel: CancelToken,
) -> Fact[Quality]:
    if cancel.cancelled:
        return Unknown(tr("it was stopped before"), Missing.NOT_YET)
    spec = in_mode(context.spec(Phase.PREFILL), context.mode)
    room = shutil.disk_usage(made.path.parent).free - SPARE_BYTES
    job = Comparing(
        (source.engine_file, made.engine_file),
        made.path.with_name("answers"),
        spec.n_threads,
        extra_buffers=context.mode < EngineMode.NO_EXTRA_BUFFERS,
        flash_attention=spec.flash_attention,
        placement=context.placement,
        budget_s=_quality_budget_s(context),
        store_bytes=max(0, min(quantising.STORE_BYTES, room)),
    )
    words = tr("Comparing what both files say to {name}", name=tr(quantising.TEXT_NAME))
    return quantising.compare(job, launch, lambda fraction: listener(Progress(fraction, words)), cancel)


def _part(listener: Listener, start: float, end: float) -> Callable[[Event], None]:
    """Hears the progress of one part as that of the whole; what is left of the parts that follow is not known."""

    def hear(event: Event) -> None:
        if isinstance(event, Progress):
            event = replace(event, fraction=start + (end - start) * event.fraction, left_s=None)
        listener(event)

    return hear
