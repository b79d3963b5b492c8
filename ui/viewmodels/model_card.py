"""The model card: what the file holds, and what one token costs."""

from dataclasses import dataclass, field
from typing import Final

from advisor.core.evidence import Known
from advisor.core.retelling import retold
from advisor.core.translation import marked, tr
from advisor.diagnosis.model import Workload
from advisor.gguf.memory import memory_needed
from advisor.gguf.model import ModelFacts
from advisor.hardware.model import Machine
from advisor.report import formatting as fmt
from ui.viewmodels.rows import Row

SHOWN_SHARES: Final = 3
SHOWN_NOTES: Final = 3
CONTEXT_STEP: Final = 1000
MEMORY_TIP: Final = marked(
    "weights that the engine loads, cache and states of this workload, scratch space (estimated)"
)


@dataclass(frozen=True, slots=True)
class Share:
    """One part of the bar: ``fraction`` of the whole, 0 to 1."""

    label: str
    fraction: float


@dataclass(frozen=True, slots=True)
class ModelCard:
    """State of the card; ``name`` is empty while no model is open."""

    name: str = ""
    summary: str = ""
    path: str = ""
    shares: tuple[Share, ...] = ()
    shares_text: str = ""
    rows: tuple[Row, ...] = ()
    notes: tuple[str, ...] = field(default=())
    can_benchmark: bool = False


def present_model(model: ModelFacts | None, machine: Machine | None, workload: Workload) -> ModelCard:
    """The card's state; memory is counted for this workload's context."""
    if model is None:
        return ModelCard()
    label = model.label.or_none()
    parts = [
        *([label] if label else []),
        tr("{count} parameters", count=fmt.parameters(model.parameters)),
        tr("{size} file", size=fmt.size(model.file_bytes)),
    ]
    shares = _shares(model)
    return ModelCard(
        name=model.name,
        summary=" · ".join(parts),
        path=str(model.path),
        shares=shares,
        shares_text=", ".join(f"{share.label} {fmt.percent(share.fraction)}" for share in shares),
        rows=_rows(model, machine, workload),
        notes=tuple(tr(note) for note in model.notes[:SHOWN_NOTES]),
        can_benchmark=model.has_decode,
    )


def _shares(model: ModelFacts) -> tuple[Share, ...]:
    """The largest tensor types by bytes, the rest as one."""
    total = sum(model.types.values())
    if total <= 0:
        return ()
    parts = list(model.types.items())
    shown = parts if len(parts) <= SHOWN_SHARES + 1 else parts[:SHOWN_SHARES]
    shares = [Share(name, size / total) for name, size in shown]
    if len(shown) < len(parts):
        shares.append(Share(tr("others"), sum(size for _, size in parts[SHOWN_SHARES:]) / total))
    return tuple(shares)


def _rows(model: ModelFacts, machine: Machine | None, workload: Workload) -> tuple[Row, ...]:
    traffic = model.traffic
    if not isinstance(traffic, Known):
        return (Row(tr("Per token"), tr("unknown"), detail=retold(traffic.reason), tone="muted"),)
    step = traffic.value
    rows = [
        Row(tr("Read per token"), fmt.size(step.bytes_per_token()), tip=tr("weights streamed for one decoded token")),
        Row(tr("+ per {tokens} context", tokens=fmt.count(CONTEXT_STEP)), fmt.size(step.kv_read_bytes(CONTEXT_STEP)),
            tip=tr("keys and values read per decoded token, F16")),
        Row(tr("Work per token"), fmt.flop(step.flop_per_decoded_token()), tip=tr("operations of one decoded token")),
    ]
    if model.experts:
        rows.append(Row(tr("Experts"), tr("{part} of {whole}", part=model.experts_used, whole=model.experts),
                        tip=tr("used by one token")))
    context = (workload.prompt_tokens + workload.answer_tokens) * workload.users
    needed = memory_needed(model, context, sequences=workload.users)
    if isinstance(needed, Known):
        rows.append(_fits(needed.value.total_bytes, machine))
    return tuple(rows)


def _fits(needed: int, machine: Machine | None) -> Row:
    total = machine.memory.total_bytes.or_none() if machine else None
    if machine is None or total is None:
        return Row(tr("Memory needed"), fmt.size(needed), tip=tr(MEMORY_TIP))
    free = machine.memory.available_bytes.or_none()
    tip = tr("{parts}; out of the main memory", parts=tr(MEMORY_TIP))
    text = _of(fmt.size(needed), fmt.size(total))
    if needed > total:
        return Row(tr("Memory"), f"✕ {text}", tone="bad", tip=tip)
    if free is not None and needed > free:
        return Row(tr("Memory"), f"⚠ {text}", detail=tr("only {size} free now", size=fmt.size(free)), tone="warning",
                   tip=tip)
    return Row(tr("Memory"), f"✓ {text}", tone="good", tip=tip)


def _of(part: str, whole: str) -> str:
    """"6.1 of 32 GB": the unit once where both share it."""
    number, _, unit = part.partition(fmt.NBSP)
    return tr("{part} of {whole}", part=number if whole.endswith(fmt.NBSP + unit) else part, whole=whole)
