"""What guessing ahead can gain: tokens per checked guess against the cost of checking it (physics.md 4, eq. 15-20).

Leviathan, Kalman, Matias 2022 (arXiv 2211.17192), with the cost of a step of several tokens as it is measured here in
place of a free one. Costs are in steps of one token: ``v(n)`` is the time of a step of ``n`` tokens over that of one.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from advisor.ceilings.kernels import KernelTable
from advisor.ceilings.predict import decode_step
from advisor.core.evidence import Basis, Fact, Known, Unknown
from advisor.gguf.model import ModelFacts

LONGEST: Final = 64
"""Longest draft that is looked at; the longest that llama.cpp's own documents use."""

_CURVE: Final = (*range(1, 21), 24, 32, 48, LONGEST + 1)
"""Step sizes of a predicted curve; between them the cost runs straight."""

TILE: Final = 4
"""Columns that llama.cpp's products multiply at once on a processor; each one left over is multiplied alone, at what a
single token costs (``forward_mul_mat`` of ggml-cpu's repacked layouts)."""

TILED: Final = "CPU_REPACK"
"""The layout's name; others, and safe mode's plain one, have no such tiles."""

_HALVINGS: Final = 40
_ROUNDING: Final = 1e-9
"""Speed-ups that differ by no more are equal."""

Verify = Callable[[float], float]
"""v(n): the cost of a step of n tokens in steps of one; n may be a mean."""


@dataclass(frozen=True, slots=True)
class StepCosts:
    """The measured or predicted cost of steps of several tokens.

    Attributes:
        points: (tokens, cost in steps of one token), by tokens, the first (1, 1.0).
    """

    points: tuple[tuple[int, float], ...]

    def __post_init__(self) -> None:
        if not self.points or self.points[0] != (1, 1.0):
            raise ValueError("a curve of step costs begins with one token that costs one step")

    def off_by(self, share: float) -> Verify:
        """The same curve ``share`` dearer, or cheaper below 0.

        No step becomes cheaper than one of a single token that was not so already: with F16 weights two tokens run
        another kernel on processors, and took three quarters of what one takes.
        """
        return lambda tokens: max(min(1.0, self(tokens)), self(tokens) * (1 + share))

    def __call__(self, tokens: float) -> float:
        """v(tokens): straight between the points, in proportion beyond the last."""
        for (few, few_cost), (many, many_cost) in zip(self.points, self.points[1:], strict=False):
            if tokens <= many:
                return few_cost + (many_cost - few_cost) * (tokens - few) / (many - few)
        last, last_cost = self.points[-1]
        return last_cost * tokens / last


def step_costs(seconds_by_tokens: Sequence[tuple[int, float]]) -> StepCosts:
    """From seconds of whole steps; raises ValueError where the step of one token is missing."""
    ordered = sorted(seconds_by_tokens)
    if not ordered or ordered[0][0] != 1 or ordered[0][1] <= 0:
        raise ValueError("the step of one token is missing")
    return StepCosts(tuple((tokens, step_s / ordered[0][1]) for tokens, step_s in ordered))


def predicted_costs(model: ModelFacts, table: KernelTable, depth: int = 0, streams: int = 1) -> Fact[StepCosts]:
    """v(n) from the kernel table: logits for all n tokens, each attending over ``depth`` (eq. 19 for several streams).

    With ``streams`` each of them checks n tokens in one step. Unknown with the reason where a decode step is.
    """
    in_tiles = any(row.device == "CPU" and row.layout == TILED for row in table.products)
    seconds: dict[int, float] = {}
    for wanted in dict.fromkeys((1, 2, *(_whole_tiles(tokens * streams, in_tiles) for tokens in _CURVE))):
        step = decode_step(model, table, batch=wanted, depth=depth)
        if isinstance(step, Unknown):
            return step
        seconds[wanted] = step.value.total_s
    alone_s = max(0.0, seconds[2] - seconds[1])
    found = []
    for tokens in _CURVE:
        whole = _whole_tiles(tokens * streams, in_tiles)
        found.append((tokens, seconds[whole] + (tokens * streams - whole) * alone_s))
    return Known(step_costs(found), Basis.ESTIMATED, table.source)


def _whole_tiles(columns: int, in_tiles: bool) -> int:
    """The columns that are multiplied together; the rest follows one by one."""
    return max(1, columns - columns % TILE) if in_tiles and columns != 2 else columns


def free(_tokens: float) -> float:
    """A step of any number of tokens costs one: what eq. 16 assumes."""
    return 1.0


def expected_tokens(acceptance: float, n_draft: int) -> float:
    """Tokens that one step gives when each guess is right with ``acceptance``, 0 to 1, up to the first wrong one (15).

    At least 1: the step itself gives a token after the last right guess.
    """
    if acceptance >= 1:
        return n_draft + 1.0
    return float((1 - acceptance ** (n_draft + 1)) / (1 - acceptance))


def speed_up(
    acceptance: float, n_draft: int, draft_cost: float = 0.0, verify: Verify = free, guessed: float = 1.0
) -> float:
    """Speed with guessing over speed without (16; 17 with a measured ``verify``); 1 for ``n_draft`` 0.

    Args:
        acceptance: chance that a guess is right, 0 to 1.
        n_draft: tokens guessed per step.
        draft_cost: of one guess, in steps of the large model; 0 for n-grams.
        verify: v(n).
        guessed: share of steps in which there is a guess at all; the others are ordinary ones.
    """
    if n_draft == 0:
        return 1.0
    tokens = guessed * expected_tokens(acceptance, n_draft) + 1 - guessed
    return tokens / (guessed * (n_draft * draft_cost + verify(n_draft + 1)) + 1 - guessed)


@dataclass(frozen=True, slots=True)
class Counts:
    """What guessing did on a text.

    Attributes:
        steps: of the large model, at least 1.
        drafts: steps in which there was a guess.
        guessed: guessed tokens; drafts are shorter than asked for where a text has no more to offer.
        accepted: those that were right.
    """

    steps: int
    drafts: int
    guessed: int
    accepted: int


def counted_speed_up(counts: Counts, verify: Verify, draft_cost: float = 0.0) -> float:
    """Speed with guessing over speed without on a text whose guesses were counted: eq. 17 with its own lengths."""
    if not counts.drafts:
        return 1.0
    share, length = counts.drafts / counts.steps, counts.guessed / counts.drafts
    tokens = 1 + counts.accepted / counts.steps
    return tokens / (share * (length * draft_cost + verify(1 + length)) + 1 - share)


@dataclass(frozen=True, slots=True)
class Draft:
    """The best length of a draft; ``n_draft`` 0 means "do not use", and then ``speed_up`` is 1."""

    n_draft: int
    speed_up: float


def best_draft(acceptance: float, draft_cost: float = 0.0, verify: Verify = free, longest: int = LONGEST) -> Draft:
    """The length from 0 to ``longest`` with the highest speed-up, the shorter one of equals."""
    best = Draft(0, 1.0)
    for n_draft in range(1, longest + 1):
        gain = speed_up(acceptance, n_draft, draft_cost, verify)
        if gain > best.speed_up * (1 + _ROUNDING):
            best = Draft(n_draft, gain)
    return best


def break_even(n_draft: int, draft_cost: float = 0.0, verify: Verify = free) -> float | None:
    """Share of right guesses from which drafts of that length gain (18 for one guess); None where none is enough."""
    if speed_up(1.0, n_draft, draft_cost, verify) <= 1:
        return None
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if speed_up(middle, n_draft, draft_cost, verify) > 1:
            high = middle
        else:
            low = middle
    return high


def lowest_break_even(draft_cost: float = 0.0, verify: Verify = free, longest: int = LONGEST) -> float | None:
    """The lowest share of right guesses from which drafts of any length gain; None where no length ever does."""
    found = [break_even(n, draft_cost, verify) for n in range(1, longest + 1)]
    return min((each for each in found if each is not None), default=None)


def acceptance_from(accepted_per_guess: float, n_draft: int) -> float:
    """The chance that a guess is right from a counter: mean accepted tokens per draft of ``n_draft`` (20, inverted)."""
    wanted = min(max(accepted_per_guess, 0.0), float(n_draft))
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if expected_tokens(middle, n_draft) - 1 < wanted:
            low = middle
        else:
            high = middle
    return (low + high) / 2
