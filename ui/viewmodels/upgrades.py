"""The page *Upgrades*: what the form says as a question, and the answers as a table with details; pure."""

import math
from collections.abc import Iterable, Mapping
from typing import Final

from advisor.core.errors import UsageError
from advisor.core.evidence import Fact, Known, Unknown
from advisor.core.retelling import retold
from advisor.core.translation import marked, tr
from advisor.core.units import GB
from advisor.diagnosis.parts import Seconds
from advisor.recommendations.saving import Factors
from advisor.report import formatting as fmt
from advisor.report import whatif_words as words
from advisor.whatif.judging import buys_cell, fit_words, range_words
from advisor.whatif.model import Considered, Processor, Question, WhatIf
from advisor.whatif.money import Money
from ui.viewmodels.cell_table import Cell, CellRow, CellTable, Span
from ui.viewmodels.upgrades_state import UpgradesForm, UpgradesState

HEAD: Final = (
    marked("Change"), marked("Buys you"), marked("Prefill"), marked("Decode"), marked("First word"), marked("Answer"),
    marked("Room"), marked("Price"),
)  # fmt: skip
PRICE_TIP: Final = marked("Type its price at the right")


def question_of(form: UpgradesForm, slot_bytes_per_s: float | None) -> Question:
    """The form in base units; a processor needs both of its fields."""
    processor = Processor(form.cores, form.ghz * 1e9) if form.cores and form.ghz else None
    return Question(
        cards=(form.device.strip(),) if form.device.strip() else (),
        memory_bytes_per_s=form.memory_gb_per_s * GB or None,
        processor=processor,
        network=form.network,
        gpu_layers=form.gpu_layers if form.gpu_layers >= 0 else None,
        link_bytes_per_s=slot_bytes_per_s,
        device_memory_bytes=round(form.device_memory_gb * GB) or None,
        device_bytes_per_s=form.device_gb_per_s * GB or None,
    )


def present_upgrades(
    considered: Considered, form: UpgradesForm, prices: Mapping[str, float], selected: str = ""
) -> UpgradesState:
    """The state of the page."""
    answers = considered.answers
    chosen = next((answer for answer in answers if answer.change.name == selected), answers[0] if answers else None)
    state = UpgradesState(
        empty="",
        now=words.present_words(considered.base),
        notes=considered.notes,
        table=_table(answers, prices, form),
    )
    if chosen is None:
        return state
    name = chosen.change.name
    return UpgradesState(
        empty="",
        now=state.now,
        notes=state.notes,
        table=state.table,
        selected=name,
        title=name,
        sentences=words.answer_sentences(considered.base, chosen, money_of(chosen, prices.get(name, 0.0), form)),
        assumptions=tuple((fmt.capital(one.name), one.value, one.source) for one in chosen.change.assumptions),
        limits=chosen.change.limits,
        price=prices.get(name, 0.0),
    )


def money_of(answer: WhatIf, price: float, form: UpgradesForm) -> Money | None:
    """The price against what the change saves; None without a price or a known saving."""
    if price <= 0 or isinstance(answer.saved, Unknown):
        return None
    return Money(price, answer.saved.value, float(form.requests_per_day), float(form.years))


def _table(answers: tuple[WhatIf, ...], prices: Mapping[str, float], form: UpgradesForm) -> CellTable:
    prefill, decode = (
        _scale(fact.value for fact in facts if isinstance(fact, Known))
        for facts in ([a.change.prefill for a in answers], [a.change.decode for a in answers])
    )
    rows = []
    for answer, cells in zip(answers, words.whatif_rows(answers), strict=True):
        change = answer.change
        price = prices.get(change.name, 0.0)
        money = money_of(answer, price, form)
        worth = money.price_per_saved_s if money else None
        rows.append(
            CellRow(
                change.name,
                (
                    Cell(
                        fmt.capital(change.name), change.name.lower(), f"{change.name}: {change.kind}, {change.where}"
                    ),
                    Cell(buys_cell(answer), answer.buys, fmt.sentence(answer.words)),
                    _factors(change.prefill, prefill, "prefill"),
                    _factors(change.decode, decode, "decode"),
                    Cell(cells[3], _middle(answer.wait)),
                    Cell(cells[4], _middle(answer.stream)),
                    Cell(cells[5], cells[5], fit_words(change.fit)),
                    Cell(
                        fmt.number(price) if price else "",
                        worth if worth is not None else math.inf,
                        tr("{price} for each second of a request", price=fmt.number(worth)) if worth
                        else tr(PRICE_TIP),
                    ),
                ),
            )
        )
    return CellTable(tuple(tr(name) for name in HEAD), tuple(rows))


def _scale(factors: Iterable[Factors]) -> tuple[float, float]:
    """Logarithms of the ends of a column's scale; now, a factor of 1, is always on it."""
    held = list(factors)
    low = min([factor.low for factor in held], default=1.0)
    high = max([factor.high for factor in held], default=1.0)
    return math.log(min(low, 1.0)), math.log(max(high, 1.0))


def _factors(fact: Fact[Factors], scale: tuple[float, float], phase: str) -> Cell:
    if isinstance(fact, Unknown):
        return Cell(tr("unknown"), 0.0, fmt.sentence(retold(fact.reason)))
    low, high = scale
    room = max(high - low, 1e-9)

    def place(value: float) -> float:
        return min(1.0, max(0.0, (math.log(value) - low) / room))

    gain = fact.value
    span = Span(place(gain.low), place(gain.middle), place(gain.high), place(1.0), phase)
    said = f"{fmt.sentence(retold(fact.source))} {tr('The line is now.')}"
    return Cell(range_words(gain), gain.middle, said, span)


def _middle(fact: Fact[Seconds]) -> float:
    return fact.value.middle_s if isinstance(fact, Known) else math.inf


def slot_rate(slot: str) -> float | None:
    """Bytes per second of "4x16"; None for "". Raises UsageError for anything else."""
    from advisor.whatif.slots import slot_bytes_per_s

    if not slot:
        return None
    rate = slot_bytes_per_s(slot)
    if rate is None:
        raise UsageError(
            tr("{slot} is no slot.", slot=repr(slot)), tr("Write it as 4x16: generation and lanes.")
        )
    return rate
