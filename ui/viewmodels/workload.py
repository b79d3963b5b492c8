"""The workload card: presets, the numbers of the work, the comfort line, and what a slider's position means."""

import math
from dataclasses import dataclass, replace
from typing import Final

from advisor.core.translation import marked, tr
from advisor.diagnosis.model import Workload
from advisor.diagnosis.workload import CUSTOM_ID, PRESETS, custom
from ui.viewmodels.rows import plain

SLIDER_STEPS: Final = 1000
CUSTOM_TITLE: Final = marked("Your own numbers")
MOST_TURNS: Final = 64
MOST_ANSWER: Final = 16_384
MOST_USERS: Final = 64


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
    """One number that the user sets; ``value`` and ``range`` count in steps of ``1 / scale``."""

    key: str
    label: str
    value: int
    range: Range
    unit: str
    tip: str
    scale: int = 1


@dataclass(frozen=True, slots=True)
class WorkloadCard:
    """State of the card.

    Attributes:
        presets: (id, title) in the order of the menu, own numbers last.
        comfort: the comfort line in words; ``comfort_quantities`` change it.
        kept: whether the program keeps a chat from turn to turn; ``kept_matters`` where there are turns.
        count_tip: what counting a prompt file does, or what it waits for; ``can_count`` tells which.
    """

    preset: str
    presets: tuple[tuple[str, str], ...]
    quantities: tuple[Quantity, ...]
    comfort: str
    comfort_quantities: tuple[Quantity, ...] = ()
    kept: bool = False
    kept_matters: bool = False
    can_count: bool = False
    count_tip: str = ""


MOST_PROMPT: Final = 131_072
STREAM_SCALE: Final = 10
"""The slowest stream is set in tenths of a token per second."""


def reach(usual: int, value: int) -> int:
    """Where a slider ends: at ``usual``, or eight or 64 (…) times as far for a number from elsewhere that is beyond.

    Were it to end at the number itself, the scale would shrink under every step down.
    """
    while usual < value:
        usual *= 8
    return usual


def present_workload(workload: Workload, model: str = "", at_rest: bool = True) -> WorkloadCard:
    """The card's state.

    Args:
        workload: what is asked.
        model: name of the open model, whose tokenizer counts prompt files; empty without one.
        at_rest: whether nothing is being measured, which counting would disturb.
    """
    tokens, speed = " " + tr("tokens"), tr("tokens/s")
    comfort = workload.comfort
    count_tip = tr("Count the tokens of a text file with this model's own tokenizer")
    if not model:
        count_tip = tr("Open a model first: each has its own tokenizer")
    elif not at_rest:
        count_tip = tr("Not while something is being measured")
    return WorkloadCard(
        preset=workload.id if workload.id in PRESETS else CUSTOM_ID,
        presets=(*((w.id, tr(w.title)) for w in PRESETS.values()), (CUSTOM_ID, tr(CUSTOM_TITLE))),
        quantities=(
            Quantity("prompt", tr("Prompt"), workload.prompt_tokens,
                     Range(1, reach(MOST_PROMPT, workload.prompt_tokens)), tokens,
                     tr("everything the model reads before it answers")),
            Quantity("shared", tr("same every time"), workload.shared_tokens, Range(0, workload.prompt_tokens), tokens,
                     tr("the part of the prompt that does not change: system prompt, tools, history")),
            Quantity("answer", tr("Answer"), workload.answer_tokens,
                     Range(1, reach(MOST_ANSWER, workload.answer_tokens)), tokens, tr("what the model writes")),
            Quantity("users", tr("People at once"), workload.users, Range(1, reach(MOST_USERS, workload.users)), "",
                     tr("requests that run side by side")),
            Quantity("turns", tr("Turns of a chat"), workload.turns, Range(1, reach(MOST_TURNS, workload.turns)), "",
                     tr("each adds its message and the answer before it to what the model must know")),
        ),
        comfort=tr(
            "Comfort line: first word within {wait}, then at least {speed}.",
            wait=plain(comfort.longest_wait_s, "s"), speed=plain(comfort.slowest_tokens_per_s, speed),
        ),
        comfort_quantities=(
            Quantity("wait", tr("Longest wait"), max(1, round(comfort.longest_wait_s)), Range(1, 600), " s",
                     tr("until the first word; after about 10 s people turn to something else (Nielsen)")),
            Quantity("slowest", tr("Slowest stream"), max(1, round(comfort.slowest_tokens_per_s * STREAM_SCALE)),
                     Range(5, 1000), f" {speed}", tr("most people read 5.3 tokens a second (Brysbaert 2019)"),
                     STREAM_SCALE),
        ),
        kept=workload.prefix_kept,
        kept_matters=workload.turns > 1,
        can_count=bool(model) and at_rest,
        count_tip=count_tip,
    )


def with_quantity(workload: Workload, key: str, value: int) -> Workload:
    """The workload with one number changed; the shared part never exceeds the prompt.

    A comfort line of one's own leaves the preset in place, since the work is the same.
    """
    if key == "wait":
        return replace(workload, comfort=replace(workload.comfort, longest_wait_s=float(value)))
    if key == "slowest":
        return replace(workload, comfort=replace(workload.comfort, slowest_tokens_per_s=value / STREAM_SCALE))
    numbers = {
        "prompt": workload.prompt_tokens, "shared": workload.shared_tokens,
        "answer": workload.answer_tokens, "users": workload.users, "turns": workload.turns,
    }
    numbers[key] = value
    numbers["shared"] = min(numbers["shared"], numbers["prompt"])
    changed = custom(
        numbers["prompt"], numbers["answer"], numbers["shared"], numbers["users"], workload.comfort,
        turns=numbers["turns"], prefix_kept=workload.prefix_kept,
    )
    return workload if _numbers(changed) == _numbers(workload) else changed


def with_kept(workload: Workload, kept: bool) -> Workload:
    """The workload whose program keeps a chat from turn to turn, or does not."""
    return replace(workload, prefix_kept=kept)


def with_preset(workload: Workload, preset: str) -> Workload:
    """The preset's workload; for own numbers the present ones stay."""
    if preset in PRESETS:
        return PRESETS[preset]
    return with_quantity(workload, "users", workload.users)


def _numbers(workload: Workload) -> tuple[int, ...]:
    return (
        workload.prompt_tokens, workload.shared_tokens, workload.answer_tokens, workload.users, workload.turns
    )
