"""Everything an advice may rest on, as one frozen value, with the few derived figures that several need."""

from dataclasses import dataclass, field
from typing import Final

from advisor.benchmarks.model import EngineFacts, Phase, Stamp, Sweep, TestResult
from advisor.benchmarks.stutter.model import Stutter
from advisor.ceilings.kernels import KernelTable
from advisor.ceilings.model import Ceilings
from advisor.core.evidence import Known
from advisor.core.numbers import count
from advisor.core.translation import tr
from advisor.diagnosis.model import Finding, Limit, Problem, Timeline, Verdict, Workload
from advisor.diagnosis.phase_evidence import on_gpu
from advisor.diagnosis.selection import Chosen, at_depth, choose
from advisor.diagnosis.waterfall import Waterfall, unlike, waterfall
from advisor.gguf.memory import memory_needed
from advisor.gguf.model import ModelFacts
from advisor.gguf.traffic import Traffic
from advisor.hardware.model import Gpu, Machine

RUNS_DIFFER: Final = 0.03
"""Share by which two runs of one setting differ on a quiet machine of one's own."""

SHARED_RUNS_DIFFER: Final = 0.10
"""The same on a virtual machine, whose host has other guests: 10 to 15 % from one process to the next where parity with
llama-bench was measured (docs/accuracy.md)."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Machine, model, measurements and verdict of one diagnosis.

    Attributes:
        engine: None where it could not be asked.
        ceilings: None where they are not measured.
        tests: measured rows, any order.
        workload, timeline: of a chat those of its average turn (``diagnosis/average_turn.py``).
        asked: the workload as the user says it.
        rows: the rows that the timeline rests on.
        stutter: what running streams felt while a prompt arrived; None where it was not measured.
    """

    machine: Machine
    engine: EngineFacts | None
    model: ModelFacts
    ceilings: Ceilings | None
    tests: tuple[TestResult, ...]
    workload: Workload
    timeline: Timeline
    verdict: Verdict
    asked: Workload
    stutter: Stutter | None = None
    rows: Chosen = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "rows", choose(self.tests, self.asked))

    @property
    def faulty(self) -> bool:
        """Whether something is wrong, so that nothing must be bought."""
        return self.verdict.problem is Problem.FAULT

    @property
    def unreliable(self) -> bool:
        """Whether a row that the timeline rests on must not be believed, so that nothing must be bought either."""
        rows = (self.prefill_row, self.decode_row)
        return any(row is not None and row.conditions.stamp is Stamp.INVALID for row in rows)

    @property
    def traffic(self) -> Traffic | None:
        """What one step reads and computes; None for architectures that are not modelled."""
        return self.model.traffic.or_none()

    @property
    def own_worker(self) -> bool:
        """Whether our own child measures; a llama.cpp build is another program, which can only run settings."""
        return self.engine is not None and self.engine.name == "llama-cpp-python"

    @property
    def is_chat(self) -> bool:
        """Whether the work has several turns."""
        return self.asked.turns > 1

    @property
    def depth_tokens(self) -> int:
        """Tokens in the cache when the answer begins; of a chat on average over its turns, whatever was kept."""
        return self.asked.mean_depth_tokens

    @property
    def writing_depth_tokens(self) -> int:
        """Tokens in the cache in the middle of the answer."""
        return self.asked.writing_depth_tokens

    @property
    def decode_row(self) -> TestResult | None:
        """The decode row that the timeline rests on."""
        return self.rows.decode

    @property
    def deep_decode_row(self) -> TestResult | None:
        """Decode as measured nearest to the depth at which this work writes, in the setting of ``decode_row``."""
        row = self.decode_row
        return None if row is None else at_depth(self.tests, row, self.writing_depth_tokens)

    @property
    def prefill_row(self) -> TestResult | None:
        """The prefill row that the timeline rests on."""
        return self.rows.prefill

    @property
    def runs_on_gpu(self) -> bool:
        """Whether the measured weights lay on a graphics processor."""
        row = self.decode_row or self.prefill_row
        return row is not None and on_gpu(row.device)

    @property
    def runs_differ(self) -> float:
        """Share by which two runs of one and the same setting differ here."""
        guest = isinstance(self.machine.cpu.virtual_machine, Known)
        return SHARED_RUNS_DIFFER if guest else RUNS_DIFFER

    @property
    def partly_on_card(self) -> bool:
        """Whether the engine said that layers lie on a card and on the processor."""
        row = self.decode_row
        devices = [] if row is None else row.device.split("+")
        return "CPU" in devices and len(devices) > 1 and not any(name.startswith("RPC") for name in devices)

    @property
    def cards_used(self) -> int:
        """How many graphics processors hold the measured model, by the names in its row."""
        row = self.decode_row or self.prefill_row
        devices = [] if row is None else row.device.split("+")
        return sum(name != "CPU" for name in devices)

    @property
    def on_unified_memory(self) -> bool:
        """Whether the graphics processor that was measured is known to share the main memory."""
        return self.runs_on_gpu and not self.cards and any(
            gpu.shares_memory.or_none() is True for gpu in self.machine.gpus
        )

    def fits_on_cards(self) -> bool:
        """Whether weights and cache fit the cards that hold them; assumed where no sign of the opposite is known."""
        if self.partly_on_card:
            return False
        totals = [gpu.memory_total_bytes.or_none() for gpu in self.cards]
        known = sorted((total for total in totals if total is not None), reverse=True)
        return not known or self.needed_bytes() <= sum(known[: max(1, self.cards_used)])

    def points(self, sweep: Sweep, phase: Phase) -> tuple[TestResult, ...]:
        """The points of a curve in one phase that can be believed, in the order they were measured."""
        return tuple(
            row for row in self.tests
            if row.sweep is sweep and row.phase is phase and row.conditions.stamp is not Stamp.INVALID
        )  # fmt: skip

    def kernels(self, phase: Phase) -> KernelTable | None:
        """The kernel table where it belongs to the phase's row and nothing disturbed it; None where not."""
        row = self.prefill_row if phase is Phase.PREFILL else self.decode_row
        held = self.ceilings
        if row is None or held is None or not held.kernels or held.disturbed or unlike(row, held):
            return None
        return held.kernels

    def waterfall(self, phase: Phase) -> Waterfall | None:
        """The phase's step taken apart by the kernel table, decode as deep as measured; None where it is not."""
        row = self.prefill_row if phase is Phase.PREFILL else self.deep_decode_row
        return None if row is None else waterfall(row, self.model, self.ceilings).or_none()

    @property
    def cards(self) -> tuple[Gpu, ...]:
        """Graphics processors with memory of their own; NVIDIA's also where that is not known.

        Where another maker's GPU does not tell, it is likelier to be part of the processor, and the gains of a card
        must not be promised for it.
        """
        return tuple(
            gpu
            for gpu in self.machine.gpus
            if gpu.shares_memory.or_none() is False
            or (gpu.shares_memory.or_none() is None and gpu.vendor in ("", "nvidia"))
        )

    @property
    def spare_compute(self) -> float | None:
        """How many tokens one weight read can serve: measured prefill ÷ decode speed (physics.md eq. 14c).

        None while a phase is missing; without the head correction, so rather too high than too low.
        """
        prefill, decode = self.prefill_row, self.decode_row
        if prefill is None or decode is None:
            return None
        return prefill.tokens_per_s / decode.tokens_per_s

    @property
    def bits_per_weight(self) -> float:
        """Average over all tensors."""
        return self.model.bits_per_weight

    def reading_words(self) -> str:
        """The measured prefill speed for sentences: "41.3 tokens/s (pp512 measured here)"."""
        row = self.prefill_row
        if row is None:
            return self.timeline.prefill_speed
        if self.workload.users > 1:
            return tr(
                "{speed} ({test} measured here, shared by {n} people)",
                speed=row.speed_words, test=row.test, n=count(self.workload.users),
            )  # fmt: skip
        return tr("{speed} ({test} measured here)", speed=row.speed_words, test=row.test)

    def cost_s(self, phase: Phase) -> float:
        """Seconds of the request that the phase costs."""
        return self.timeline.wait_s if phase is Phase.PREFILL else self.timeline.stream_s

    def cost_as_measured_s(self, phase: Phase) -> float:
        """Seconds that the phase would cost at the depth of its row throughout, at most what it costs.

        What other weights save per token is the same at every depth, while what attention adds there stays: their
        ratio, measured or reckoned at the row's depth, is of these seconds.
        """
        row = self.prefill_row if phase is Phase.PREFILL else self.decode_row
        if row is None:
            return self.cost_s(phase)
        tokens = self.workload.prompt_tokens if phase is Phase.PREFILL else self.workload.answer_tokens
        return min(self.cost_s(phase), self.workload.users * tokens / row.tokens_per_s)

    def limit(self, phase: Phase) -> Limit:
        """What limits the phase."""
        return self.finding(phase).limit

    def finding(self, phase: Phase) -> Finding:
        """The verdict's finding on the phase."""
        return self.verdict.prefill if phase is Phase.PREFILL else self.verdict.decode

    def stream_bytes(self) -> int:
        """Cache and recurrent state that one stream of this workload holds; 0 where the traffic is unknown."""
        if self.traffic is None:
            return 0
        return self.traffic.kv_bytes_per_token() * self.asked.deepest_tokens + self.traffic.state_bytes

    def needed_bytes(self, streams: int | None = None) -> int:
        """Memory for the weights and the cache of ``streams`` (all users unless given), work buffers not counted."""
        return self.model.weights_bytes + self.stream_bytes() * (self.workload.users if streams is None else streams)

    def streams_within(self, room_bytes: int) -> int:
        """How many of the users' streams fit ``room_bytes`` beside the weights, 0 to all."""
        each = self.stream_bytes()
        left = room_bytes - self.model.weights_bytes
        if left <= 0:
            return 0
        return self.workload.users if each == 0 else min(self.workload.users, left // each)

    def buffers_bytes(self, ubatch: int, depth: int) -> int | None:
        """Estimated work buffers of the engine; None where the model does not tell its widths."""
        if self.model.embedding_length.or_none() is None:
            return None
        need = memory_needed(self.model, depth, ubatch).or_none()
        return None if need is None else need.buffers_bytes

    def room_bytes(self) -> int | None:
        """Memory that weights and cache may take where the measured run had them; None where it is unknown."""
        totals = [self.machine.memory.total_bytes.or_none()]
        if self.runs_on_gpu and self.cards:
            totals = [gpu.memory_total_bytes.or_none() for gpu in self.cards]
        known = [total for total in totals if total is not None]
        return sum(known) if len(known) == len(totals) else None

    def fits_in_memory(self) -> bool | None:
        """Whether weights and cache fit the main memory; None where its size is unknown."""
        total = self.machine.memory.total_bytes
        return self.needed_bytes() <= total.value if isinstance(total, Known) else None
