"""A rehearsal as frozen values: what was asked, and what it came to."""

from dataclasses import dataclass
from typing import Final

from advisor.core.evidence import Fact
from advisor.diagnosis.model import Timeline, Workload
from advisor.diagnosis.parts import Seconds
from advisor.gguf.model import ModelFacts
from advisor.rehearsal.blueprint import Blueprint
from advisor.rehearsal.fit import Fit
from advisor.rehearsal.scaling import Scaled

BUDGET_S: Final = 18.0
"""Seconds of a rehearsal, writing and loading included; the aim is 20."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A model to be rehearsed.

    Attributes:
        name: for people.
        recipe: llama.cpp's name of its quantisation; "" where a file of its own says nothing.
        plan: its file without weights, types included.
        facts: what ``inspect`` would say of that file.
        source: where its shape is from.
    """

    name: str
    recipe: str
    plan: Blueprint
    facts: ModelFacts
    source: str


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """What a rehearsal showed.

    Attributes:
        layers: of the whole model.
        large_layers, small_layers: of its stand-ins; ``small_layers`` is 0 where the larger one is the whole model.
        rounds: how often both were measured.
        tests: of the whole model, as scaled.
        fit: its place in memory.
        timeline: one request of the workload; Unknown where a phase is missing.
        wait, stream: the same with their ranges; Unknown likewise.
        scratch_bytes: largest size of the files written.
        took_s: seconds from beginning to end.
        notes: what the user should know, sentences.
    """

    candidate: Candidate
    workload: Workload
    layers: int
    large_layers: int
    small_layers: int
    rounds: int
    tests: tuple[Scaled, ...]
    fit: Fact[Fit]
    timeline: Fact[Timeline]
    wait: Fact[Seconds]
    stream: Fact[Seconds]
    scratch_bytes: int
    took_s: float
    notes: tuple[str, ...] = ()
