"""Makes a quantised file, and says how far it strays from another one; both in a child."""

import math
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, Final

from advisor.benchmarks import failures, protocol
from advisor.benchmarks.job import OWN_CHOICE, Placement, wire_placement
from advisor.benchmarks.launch import Launch
from advisor.benchmarks.model import FlashAttention
from advisor.benchmarks.supervisor import Ending, Limits, Outcome, run_child
from advisor.benchmarks.trials.model import Quality
from advisor.core.errors import AdvisorError, BadFile, EngineError, UsageError
from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.core.numbers import size
from advisor.core.progress import CancelToken
from advisor.core.translation import marked, tr
from advisor.gguf.quant_types import FILE_TYPE_LABELS
from advisor.gguf.readable import readable

SIZING_LIMITS: Final = Limits(silence_s=60.0, total_s=120.0)
MAKING_LIMITS: Final = Limits(silence_s=900.0, total_s=4 * 3600.0)
"""The engine is silent while it works on one tensor, and the experts of one layer may be gigabytes."""
COMPARING_LIMITS: Final = Limits(silence_s=300.0, total_s=1800.0)

NOT_MADE: Final = frozenset({
    "IQ1_S", "IQ1_M", "IQ2_XXS", "IQ2_XS", "IQ2_S", "IQ2_M", "IQ3_XXS", "Q2_K_S", "NVFP4", "MXFP4_MOE", "F32",
})
"""File types that need an importance matrix, or are not made by quantising a finished file."""
ALIASES: Final = {"Q3_K": "Q3_K_M", "Q4_K": "Q4_K_M", "Q5_K": "Q5_K_M"}
"""Short names that llama-quantize takes, too."""

TEXT: Final = "opticks-query-31.txt"
TEXT_NAME: Final = marked("Newton, Opticks, Query 31")
TEXT_TOKENS: Final = 11_000
"""About as many as it is to most models."""
STORE_BYTES: Final = 2_500_000_000
"""What may be kept of the first model's answers: all of the text for vocabularies of up to 250,000 tokens."""
QUALITY_BUDGET_S: Final = 60.0
_COMPARING: Final = marked("comparing the files")

Fraction = Callable[[float], None]
"""Hears how far the work is, 0 to 1."""


@dataclass(frozen=True, slots=True)
class Quantising:
    """One file to be made.

    Attributes:
        source: the model, the first file of a set; only ever read.
        target: a file that does not exist yet.
        label: llama.cpp's name of the file type, as ``known_label`` gives it.
        threads: of the processor.
        requantise: the source is quantised already.
    """

    source: Path
    target: Path
    label: str
    threads: int
    requantise: bool


def known_label(name: str) -> str:
    """The file type's name as llama.cpp writes it.

    Raises:
        UsageError: there is no such type, or it is not made here.
    """
    label = ALIASES.get(name.upper(), name.upper())
    can = [known for known in FILE_TYPE_LABELS.values() if known not in NOT_MADE]
    if label in NOT_MADE:
        raise UsageError(
            tr("Files of the type {label} cannot be made here.", label=label),
            tr("Choose one of: {names}.", names=", ".join(can)),
        )
    if label not in can:
        shown = readable(name) or tr("(empty)")
        raise UsageError(
            tr("There is no file type named {shown}.", shown=shown), tr("Choose one of: {names}.", names=", ".join(can))
        )
    return label


def predicted_bytes(job: Quantising, launch: Launch, cancel: CancelToken) -> int | None:
    """Bytes that the weights will take, asked of the engine; None where this binding cannot tell beforehand.

    Raises:
        AdvisorError: the engine cannot quantise this model to that type. ``Cancelled`` when stopped.
    """
    outcome = run_child(_request(job, dry_run=True), launch, SIZING_LIMITS, lambda _message: None, cancel)
    if outcome.failure is not None and outcome.failure.get("code") == "engine_old":
        return None
    return _bytes(outcome, marked("reading the model"))


def quantise(job: Quantising, launch: Launch, progress: Fraction, cancel: CancelToken) -> int:
    """Make the file; returns its bytes.

    Whatever happens but success, nothing is left at ``target`` - but a file that was there before stays.

    Raises:
        BadFile: the target exists already.
        AdvisorError: the engine failed, or the disk is full. ``Cancelled`` when stopped.
    """
    if job.target.exists() or job.target.is_symlink():
        raise BadFile(
            tr("{name} exists already.", name=readable(job.target.name)), tr("Remove it, or choose another name.")
        )

    def take(message: Mapping[str, Any]) -> None:
        if message["kind"] == protocol.ROW:
            tensor, tensors = protocol.count(message, "tensor"), protocol.count(message, "tensors")
            progress(min(1.0, (tensor - 1) / tensors))

    made = False
    try:
        outcome = run_child(_request(job), launch, MAKING_LIMITS, take, cancel)
        written = _bytes(outcome, marked("quantising the model"))
        made = True
    finally:
        if not made:
            with suppress(OSError):
                job.target.unlink(missing_ok=True)
    return written


@dataclass(frozen=True, slots=True)
class Comparing:
    """Two files whose answers to one text are compared.

    Attributes:
        models: the source first, then what was made from it.
        store: a file for what the first one says; it is removed in any case.
        threads: of the processor.
        extra_buffers: as the engine likes it; False in safe mode.
        budget_s: seconds after which less text is compared.
        store_bytes: most that ``store`` may hold.
    """

    models: tuple[Path, Path]
    store: Path
    threads: int
    extra_buffers: bool = True
    flash_attention: FlashAttention = FlashAttention.AUTO
    placement: Placement = OWN_CHOICE
    budget_s: float = QUALITY_BUDGET_S
    store_bytes: int = STORE_BYTES


@dataclass(slots=True)
class _Sums:
    """The last row of sums, and how far the work is."""

    progress: Fraction
    last: Mapping[str, Any] = field(default_factory=dict)

    def take(self, message: Mapping[str, Any]) -> None:
        if message["kind"] != protocol.ROW:
            return
        if "kept" in message:
            self.progress(protocol.count(message, "kept") / protocol.count(message, "chunks") / 2)
        elif "tokens" in message:
            _checked(message)
            self.last = message
            self.progress(0.5 + protocol.count(message, "chunk") / protocol.count(message, "chunks") / 2)


def compare(job: Comparing, launch: Launch, progress: Fraction, cancel: CancelToken) -> Fact[Quality]:
    """How far the second file strays from the first; of a part of the text where it was stopped or time ran out.

    Unknown with the reason where nothing was compared; never raises for what goes wrong in the child.
    """
    sums = _Sums(progress)
    try:
        with as_file(files("resources").joinpath("texts").joinpath(TEXT)) as text:
            request = {
                "task": "quality",
                "models": [str(model) for model in job.models],
                "text": str(text),
                "store": str(job.store),
                "store_bytes": job.store_bytes,
                "budget_s": job.budget_s,
                "n_threads": job.threads,
                "use_extra_bufts": job.extra_buffers,
                "flash_attention": str(job.flash_attention),
                **wire_placement(job.placement),
            }
            outcome = run_child(request, launch, COMPARING_LIMITS, sums.take, cancel)
    finally:
        with suppress(OSError):
            job.store.unlink(missing_ok=True)
    if sums.last and outcome.ending is not Ending.BABBLED:
        return _quality(sums.last, _why_early(outcome))
    if outcome.ending is Ending.CANCELLED:
        return Unknown(tr("it was stopped before"), Missing.NOT_YET)
    if outcome.ending is Ending.DONE:
        return Unknown(tr("the measuring process compared nothing"))
    return Unknown(failures.explain(outcome, _COMPARING).sentence.rstrip("."))


def standard_error(total: float, total_of_squares: float, count: int) -> float:
    """Of a mean, from sums over ``count`` values, at least 2."""
    mean = total / count
    return math.sqrt(max(0.0, total_of_squares / count - mean * mean) / (count - 1))


def _why_early(outcome: Outcome) -> str:
    if outcome.ending is Ending.DONE:
        return ""
    if outcome.ending is Ending.CANCELLED:
        return tr("It was stopped.")
    return failures.explain(outcome, _COMPARING).sentence


def _quality(row: Mapping[str, Any], ended: str) -> Fact[Quality]:
    tokens = int(row["tokens"])
    if tokens < 2:
        return Unknown(tr("too little text was compared"))
    quality = Quality(
        mean_kld=max(0.0, row["kld"] / tokens),
        kld_error=standard_error(row["kld"], row["kld_squared"], tokens),
        same_top=row["same_top"] / tokens,
        perplexity_before=math.exp(row["nll_before"] / tokens),
        perplexity_after=math.exp(row["nll_after"] / tokens),
        tokens=tokens,
        text=tr(TEXT_NAME),
        ended=ended,
    )
    return Known(quality, Basis.MEASURED, tr("as llama-perplexity --kl-divergence does, with 512 tokens of context"))


def _checked(row: Mapping[str, Any]) -> None:
    """Raises ProtocolError for sums that cannot be."""
    tokens, same = protocol.count(row, "tokens"), row.get("same_top")
    if not isinstance(same, int) or isinstance(same, bool) or not 0 <= same <= tokens:
        raise protocol.ProtocolError(f"{same!r} of {tokens} top tokens are the same")
    for name, most in _MOST.items():
        value = row.get(name)
        if not isinstance(value, int | float) or isinstance(value, bool) or not -tokens <= value <= most * tokens:
            raise protocol.ProtocolError(f"{name} is {value!r} over {tokens} tokens")


_MOST: Final = {"kld": 700.0, "kld_squared": 490_000.0, "nll_before": 700.0, "nll_after": 700.0}
"""No mean is above these: logarithms of probabilities in float64 end at 745. Rounding may take a divergence below 0."""


def _request(job: Quantising, dry_run: bool = False) -> dict[str, Any]:
    number = next(number for number, label in FILE_TYPE_LABELS.items() if label == job.label)
    return {
        "task": "quantise",
        "model": str(job.source),
        "target": str(job.target),
        "file_type": number,
        "threads": job.threads,
        "requantise": job.requantise,
        "dry_run": dry_run,
    }


def _bytes(outcome: Outcome, doing: str) -> int:
    if outcome.ending is not Ending.DONE or outcome.result is None:
        raise _explained(outcome, doing)
    try:
        return protocol.count(outcome.result, "bytes")
    except protocol.ProtocolError as error:
        raise _explained(replace(outcome, ending=Ending.BABBLED, detail=str(error)), doing) from error


def _explained(outcome: Outcome, doing: str) -> AdvisorError:
    error = failures.explain(outcome, doing)
    if error.fields.get("reason") == "bad_type":
        return UsageError(error.sentence, error.hint, error.fields)
    return error


def no_room(needed_bytes: int, free_bytes: int, what: str) -> EngineError:
    """The refusal for a disk with too little room."""
    return EngineError(
        tr(
            "{what} needs {needed}, and {free} are free on the disk for scratch files.",
            what=what, needed=size(needed_bytes), free=size(free_bytes),
        ),
        tr("Make room there, or set TWO_MACHINES_HOME to a folder on another disk."),
        {"reason": "no_space", "needed_bytes": needed_bytes, "free_bytes": free_bytes},
    )
