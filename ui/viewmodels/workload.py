"""The workload card: presets, four numbers, and what a slider's position means."""

import math
from dataclasses import dataclass
from typing import Final

from advisor.diagnosis.model import Workload
from advisor.diagnosis.workload import CUSTOM_ID, PRESETS, custom
from ui.viewmodels.rows import plain

SLIDER_STEPS: Final = 1000
CUSTOM_TITLE: Final = "Your own numbers"


@dataclass(frozen=True, slots=True)
class Range:
    """A number that a slider sets, on a logarithmic scale from ``low`` to ``high``; ``low`` may be 0."""

    low: int
    high: int

    def position(self, value: int) -> int:
        """Slider position, 0 to ``SLIDER_STEPS``."""
        value = min(max(value, self.low), self.high)
        span = math.log1p(self.high - self.low)
        return round(SLIDER_STEPS * math.log1p(value - self.low) / span) if span else 0

    def value(self, position: int) -> int:
        """The number at a position, rounded to two digits as people say numbers."""
        exact = math.expm1(position / SLIDER_STEPS * math.log1p(self.high - self.low)) + self.low
        if position <= 0:
            return self.low
        if position >= SLIDER_STEPS:
            return self.high
        step = 10 ** max(0, math.floor(math.log10(max(exact, 1))) - 1)
        return int(min(max(round(exact / step) * step, self.low), self.high))


@dataclass(frozen=True, slots=True)
class Quantity:
    """One of the four numbers."""

    key: str
    label: str
    value: int
    range: Range
    unit: str
    tip: str


@dataclass(frozen=True, slots=True)
class WorkloadCard:
    """State of the card; ``presets`` holds (id, title) in the order of the menu, own numbers last."""

    preset: str
    presets: tuple[tuple[str, str], ...]
    quantities: tuple[Quantity, ...]
    comfort: str


def present_workload(workload: Workload) -> WorkloadCard:
    """The card's state."""
    tokens = " tokens"
    return WorkloadCard(
        preset=workload.id if workload.id in PRESETS else CUSTOM_ID,
        presets=(*((w.id, w.title) for w in PRESETS.values()), (CUSTOM_ID, CUSTOM_TITLE)),
        quantities=(
            Quantity("prompt", "Prompt", workload.prompt_tokens, Range(1, 131_072), tokens,
                     "everything the model reads before it answers"),
            Quantity("shared", "same every time", workload.shared_tokens, Range(0, workload.prompt_tokens), tokens,
                     "the part of the prompt that does not change: system prompt, tools, history"),
            Quantity("answer", "Answer", workload.answer_tokens, Range(1, 16_384), tokens, "what the model writes"),
            Quantity("users", "People at once", workload.users, Range(1, 64), "", "requests that run side by side"),
        ),
        comfort=f"Comfort line: first word within {plain(workload.comfort.longest_wait_s, 's')}, then at least "
                f"{plain(workload.comfort.slowest_tokens_per_s, 'tokens/s')}.",
    )


def with_quantity(workload: Workload, key: str, value: int) -> Workload:
    """The workload with one number changed; the shared part never exceeds the prompt."""
    numbers = {
        "prompt": workload.prompt_tokens, "shared": workload.shared_tokens,
        "answer": workload.answer_tokens, "users": workload.users,
    }
    numbers[key] = value
    numbers["shared"] = min(numbers["shared"], numbers["prompt"])
    changed = custom(
        numbers["prompt"], numbers["answer"], numbers["shared"], numbers["users"], workload.comfort
    )
    return workload if _same_numbers(changed, workload) else changed


def with_preset(workload: Workload, preset: str) -> Workload:
    """The preset's workload; for own numbers the present ones stay."""
    if preset in PRESETS:
        return PRESETS[preset]
    return with_quantity(workload, "users", workload.users)


def _same_numbers(first: Workload, second: Workload) -> bool:
    return (
        (first.prompt_tokens, first.shared_tokens, first.answer_tokens, first.users)
        == (second.prompt_tokens, second.shared_tokens, second.answer_tokens, second.users)
    )
