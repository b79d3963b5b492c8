"""A test as somebody reports it: another tool, a forum post, a run of our own; what the source does not say is None.

Nothing here counts as measured on this machine: diagnoses, ceilings and the ledger take ``TestResult`` alone.
"""

import math
from dataclasses import dataclass
from typing import Final

from advisor.benchmarks.model import Phase, Sweep, TestResult
from advisor.core.stats import mad, median_interval
from advisor.core.translation import marked, tr

LARGEST: Final = 10**15
"""No figure of a test is larger, in whatever unit; more is damage, and integers of hundreds of digits are no floats."""
DEVIATIONS: Final = 2.0
"""A stated mean ± standard deviation of an unknown number of repetitions stands for the mean ± so many of them: about
95 % of single repetitions, and more than enough for a mean of three or more (llama-bench makes five)."""
WHY: Final = "why"
"""The place of a sentence in which a clause of ours stands."""


@dataclass(frozen=True, slots=True)
class Unread:
    """A sentence on a part of a source that gave no figure.

    It is kept with the run: in English, its places apart, so that whoever shows it speaks the language of the moment.

    Attributes:
        sentence: with ``{named}`` places, or whole.
        values: what stands in the places; "why" is a clause of ours, to be translated as well.
    """

    sentence: str
    values: tuple[tuple[str, str], ...] = ()

    @property
    def words(self) -> str:
        """The sentence in the user's language."""
        return tr(self.sentence, **{name: tr(value) if name == WHY else value for name, value in self.values})

    @property
    def english(self) -> str:
        """The sentence for programs."""
        return self.sentence.format(**dict(self.values)) if self.values else self.sentence


def unread(sentence: str, **values: object) -> Unread:
    """The sentence, which is ``marked`` where it stands, with these values in its places."""
    return Unread(sentence, tuple((name, str(value)) for name, value in values.items()))


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedTest:
    """One speed of one phase.

    Attributes:
        tokens: read or written by each stream in one repetition.
        tokens_per_s: of all streams together.
        deviation_tokens_per_s: as the source states it; None where it does not, or states 0, as tools do for a single
            repetition.
        samples_tokens_per_s: single repetitions in order; empty where the source gives none.
        n_depth: tokens in the cache before.
        n_gpu_layers: as asked for.
        flash_attention: "on", "off", "auto".
        kv_type: of both halves of the cache, "f16" or "q8_0/f16" where they differ.
        engine: name and build.
        device: where the weights lay, or what the engine was built for, as the source says.
        on_curve: a point of a curve and not one of the two phases themselves.
        remarks: clauses that go wherever the figure goes (its stamp, "safe mode").
        line: of the source, from 1.
        own_json: the source's own row as it came, as JSON, where it was one of llama-bench; "" otherwise. With it the
            row is given back as it was.
    """

    phase: Phase
    tokens: int | None
    tokens_per_s: float
    deviation_tokens_per_s: float | None = None
    samples_tokens_per_s: tuple[float, ...] = ()
    n_depth: int | None = None
    n_streams: int | None = None
    n_threads: int | None = None
    n_batch: int | None = None
    n_ubatch: int | None = None
    n_gpu_layers: int | None = None
    flash_attention: str | None = None
    kv_type: str | None = None
    engine: str | None = None
    device: str | None = None
    on_curve: bool = False
    remarks: tuple[str, ...] = ()
    line: int | None = None
    own_json: str = ""

    def __post_init__(self) -> None:
        speeds = (self.tokens_per_s, *self.samples_tokens_per_s)
        if any(not math.isfinite(speed) or speed <= 0 for speed in speeds):
            raise ValueError(marked("a speed that no clock can have shown"))
        counts = (self.tokens, self.n_streams, self.n_threads, self.n_batch, self.n_ubatch)
        if any(count is not None and count < 1 for count in counts) or (self.n_depth or 0) < 0:
            raise ValueError(marked("a test of nothing"))
        if any(count is not None and count > LARGEST for count in (*counts, self.n_depth)):
            raise ValueError(marked("a test of more than can be"))

    @property
    def test(self) -> str:
        """llama-bench's name, with a question mark for what is not known: ``pp512``, ``tg? @ d4096``."""
        tokens = "?" if self.tokens is None else self.tokens
        name = f"{'pp' if self.phase is Phase.PREFILL else 'tg'}{tokens}"
        name += f" x {self.n_streams}" if (self.n_streams or 1) > 1 else ""
        return f"{name} @ d{self.n_depth}" if self.n_depth else name

    @property
    def spread_tokens_per_s(self) -> float | None:
        """The deviation as the source states it, else the samples' median absolute one; None where neither is there.

        In this order, so that one result reads the same from each of a tool's forms, of which only some hold samples.
        """
        return self.deviation_tokens_per_s or self.mad_tokens_per_s

    @property
    def mad_tokens_per_s(self) -> float | None:
        """Median absolute deviation of the samples; None where the source gives none, or a single one."""
        return mad(self.samples_tokens_per_s) if self.samples_tokens_per_s else None

    @property
    def interval_tokens_per_s(self) -> tuple[float, float] | None:
        """Where the true speed lies, from samples if there are two, else from the stated deviation; None without."""
        samples = self.samples_tokens_per_s
        if len(samples) > 1:
            return median_interval(samples) or (min(samples), max(samples))
        if not self.deviation_tokens_per_s:
            return None
        reach = DEVIATIONS * self.deviation_tokens_per_s
        return max(self.tokens_per_s - reach, 0.0), self.tokens_per_s + reach


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedRun:
    """What one source says about one model on one machine.

    Attributes:
        tool: "llama-bench".
        form: "Markdown table".
        source: file name without its folder, or "standard input".
        model: as the source names it, "" unknown; likewise ``quantisation`` ("Q4_K_M"), ``cpu``, ``build``.
        model_bytes: of the weights, as exact as the source is.
        gpus: names in the source's order.
        measured_at: ISO 8601, "" unknown.
        request: of several requests that the source holds, which one, from 1; None where it is no single request's
            figures, or the only one. Prompts and answers of different requests are never put together.
        unread: what looks like figures and could not be read; runs kept by older versions have whole sentences.
    """

    tool: str
    form: str
    source: str
    tests: tuple[ReportedTest, ...]
    model: str = ""
    quantisation: str = ""
    model_bytes: int | None = None
    parameters: int | None = None
    cpu: str = ""
    gpus: tuple[str, ...] = ()
    build: str = ""
    measured_at: str = ""
    request: int | None = None
    unread: tuple[Unread | str, ...] = ()

    @property
    def unread_words(self) -> tuple[str, ...]:
        """What could not be read, in the user's language."""
        return tuple(each if isinstance(each, str) else each.words for each in self.unread)

    @property
    def unread_english(self) -> tuple[str, ...]:
        """The same for programs."""
        return tuple(each if isinstance(each, str) else each.english for each in self.unread)


def reported(result: TestResult) -> ReportedTest:
    """A test of our own in this form, with everything known."""
    held = result.conditions
    remarks = [f"{held.stamp}: {', '.join(held.because)}"] if held.because else []
    remarks += [marked("safe mode")] if result.safe_mode else []
    remarks += [] if result.complete else [marked("not complete")]
    return ReportedTest(
        phase=result.phase,
        tokens=result.tokens // result.n_streams,
        tokens_per_s=result.tokens_per_s,
        samples_tokens_per_s=result.samples_tokens_per_s,
        n_depth=result.n_depth,
        n_streams=result.n_streams,
        n_threads=result.n_threads,
        n_batch=result.n_batch,
        n_ubatch=result.n_ubatch,
        flash_attention=str(result.flash_attention),
        kv_type=result.kv_type,
        engine=result.engine,
        device=result.device,
        on_curve=result.sweep is not Sweep.PHASES,
        remarks=tuple(remarks),
    )
