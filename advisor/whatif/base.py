"""The present that everything is compared with: a diagnosis, or the kernel table where nothing was measured; pure."""

from typing import Final

from advisor.benchmarks.model import Phase
from advisor.ceilings.model import Ceilings
from advisor.ceilings.predict import UBATCH, decode_step, prefill
from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.core.numbers import capital
from advisor.core.translation import marked, tr
from advisor.diagnosis.expected import PREDICTED_WITHIN, expected, turns_of
from advisor.diagnosis.model import Limit, Workload
from advisor.gguf.memory import memory_needed
from advisor.gguf.model import ModelFacts
from advisor.hardware.model import Machine
from advisor.recommendations.evidence import Evidence
from advisor.recommendations.faster_memory import reading_share
from advisor.recommendations.partly import Demand, Here, demand_of
from advisor.whatif.model import Base

MAIN_MEMORY_SHARE: Final = 0.9
"""Of the main memory for a model; the rest is the system's."""

COMPUTED_DECODE: Final = 0.5
"""Share of a token that waits for the memory at most, where decode was found to be limited by something else."""

FAULT: Final = marked("Something is wrong on this machine: clear that up first, and buy nothing on these figures.")
BUSY: Final = marked("The computer was busy while its kernels were measured, so that it may be faster than this says.")
UNRELIABLE: Final = marked("The run was disturbed: measure again before anything is bought.")


def from_evidence(evidence: Evidence, source: str) -> Fact[Base]:
    """The present as a diagnosis measured it; Unknown where a phase or the model's traffic is not known."""
    demand, read, write = demand_of(evidence), evidence.prefill_row, evidence.decode_row
    if demand is None:
        return Unknown(tr("the traffic of this architecture is not modelled"), Missing.NOT_SUPPORTED)
    if read is None or write is None:
        return Unknown(tr("both phases must be measured first"), Missing.NOT_YET)
    here = Here(demand, read.tokens_per_s, read.n_prompt, write.tokens_per_s, write.n_depth)
    spread = max(read.relative_spread or 0.0, write.relative_spread or 0.0)
    reading = reading_share(evidence)
    if evidence.limit(Phase.DECODE) not in (Limit.MEMORY, Limit.UNKNOWN):
        reading = min(reading, COMPUTED_DECODE)
    rate = None if evidence.ceilings is None else evidence.ceilings.read_bytes_per_s.or_none()
    room = evidence.room_bytes()
    return Known(
        Base(
            machine=evidence.machine,
            model=evidence.model,
            work=evidence.workload,
            asked=evidence.asked,
            here=here,
            wait_s=evidence.timeline.wait_s,
            stream_s=evidence.timeline.stream_s,
            differ=min(0.3, evidence.runs_differ + spread),
            reading_share=reading,
            prefill_reading_share=_prompt_reading(here, rate),
            read_bytes_per_s=rate,
            on_card=evidence.runs_on_gpu,
            room_bytes=None if room is None else round(room * MAIN_MEMORY_SHARE),
            basis=Basis.MEASURED,
            source=source,
            doubt=tr(FAULT) if evidence.faulty else tr(UNRELIABLE) if evidence.unreliable else "",
        ),
        Basis.MEASURED,
        source,
    )


def from_kernels(machine: Machine, model: ModelFacts, ceilings: Ceilings, work: Workload, source: str) -> Fact[Base]:
    """The present as the kernels measured here have it, for a model that was not run; on the processor only."""
    traffic, layers, table = model.traffic, model.layers.or_none(), ceilings.kernels
    if isinstance(traffic, Unknown):
        return traffic
    if not layers:
        return Unknown(tr("the file does not say how many layers the model has"), Missing.NOT_SUPPORTED)
    found = expected(model, table, work)
    read, token = prefill(model, table, UBATCH), decode_step(model, table)
    for fact in (found, read, token):
        if isinstance(fact, Unknown):
            return fact
    assert isinstance(found, Known)
    assert isinstance(read, Known)
    assert isinstance(token, Known)
    turns = turns_of(work)
    depth = round(sum(turn.writing_depth for turn in turns) / len(turns))
    cache = traffic.value.kv_bytes_per_token() * work.deepest_tokens + traffic.value.state_bytes
    need = memory_needed(model, depth).or_none()
    demand = Demand(traffic.value, layers, depth, cache * work.users, 0 if need is None else need.buffers_bytes)
    here = Here(demand, UBATCH / read.value.total_s, UBATCH, 1 / token.value.total_s, 0)
    rate = ceilings.read_bytes_per_s.or_none()
    reading = token.value.matrices_s / token.value.total_s
    if rate is not None:
        reading = min(reading, traffic.value.step_bytes() / rate / token.value.total_s)
    total = machine.memory.total_bytes.or_none()
    return Known(
        Base(
            machine=machine,
            model=model,
            work=work,
            asked=work,
            here=here,
            wait_s=found.value.wait.middle_s,
            stream_s=found.value.stream.middle_s,
            differ=PREDICTED_WITHIN,
            reading_share=reading,
            prefill_reading_share=_prompt_reading(here, rate),
            read_bytes_per_s=rate,
            on_card=False,
            room_bytes=None if total is None else round(total * MAIN_MEMORY_SHARE),
            basis=Basis.ESTIMATED,
            source=source,
            doubt=f"{tr(BUSY)} {capital(ceilings.disturbed)}." if ceilings.disturbed else "",
        ),
        Basis.ESTIMATED,
        source,
    )


def _prompt_reading(here: Here, read_bytes_per_s: float | None) -> float:
    """Share of a prompt's time that its weights need to come from memory once per batch; 0 where that is unknown."""
    if read_bytes_per_s is None or not here.n_prompt:
        return 0.0
    batch = min(UBATCH, here.n_prompt)
    return min(1.0, here.demand.traffic.weight_bytes(batch) / read_bytes_per_s / (batch / here.prefill_tokens_per_s))
