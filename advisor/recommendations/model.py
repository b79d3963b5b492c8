"""Advice as frozen values."""

from dataclasses import dataclass
from typing import Final

from advisor.benchmarks.model import Phase
from advisor.benchmarks.trials.model import Trial, TrialPlan
from advisor.core.evidence import Basis
from advisor.core.translation import marked

PER_REQUEST: Final = marked("per request")
PER_TURN: Final = marked("per turn")
"""Of a chat, on average over its turns."""


@dataclass(frozen=True, slots=True)
class HowTo:
    """One way of carrying an advice out; ``command`` is exact and can be copied, empty where words suffice."""

    where: str
    """"llama-server", "Ollama", "LM Studio", "this app", "your program"."""
    words: str
    command: str = ""


@dataclass(frozen=True, slots=True)
class Advice:
    """A prediction for this user's work on this machine.

    Attributes:
        id: stable name ("shorten-prompt").
        title: imperative, short.
        detail: one sentence: what changes and by how much.
        saved_s: seconds saved per request in ``phase``, the middle; ``low <= saved_s <= high``, none above what the
            phase costs. A negative low means that it may also lose.
        cost: what it costs the user, one clause.
        undo: the way back, one clause.
        evidence: the measured numbers used, one sentence.
        other_saved_s: seconds saved in the other phase on top of ``saved_s``, the middle; 0 where the advice touches
            one phase only, negative where that phase loses.
        saves_what: what the seconds are of, to stand behind them; the request unless it says otherwise. A key: it is in
            the user's language where it is shown.
        costs_money: True for advice to buy something; never given while something is wrong.
        trial: how it can be tried here; None where it cannot.
        tried: the experiment that answered it; its figures then stand in ``saved_s`` and ``basis`` is measured.
    """

    id: str
    phase: Phase
    title: str
    detail: str
    saved_s: float
    saved_s_low: float
    saved_s_high: float
    basis: Basis
    how: tuple[HowTo, ...]
    cost: str
    undo: str
    evidence: str
    other_saved_s: float = 0.0
    saves_what: str = PER_REQUEST
    costs_money: bool = False
    trial: TrialPlan | None = None
    tried: Trial | None = None


@dataclass(frozen=True, slots=True)
class WontHelp:
    """Something people buy or change that cannot help here, with the number that says so."""

    id: str
    sentence: str
    evidence: str
