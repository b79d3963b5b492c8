"""Words for what the result names by keys: phases, stamps, and where a figure comes from."""

from typing import Any, Final

from advisor.benchmarks.model import Phase, Stamp
from advisor.core.evidence import Fact, Known
from advisor.core.translation import marked, tr
from advisor.report import formatting as f
from advisor.report import wording

PHASES: Final = {Phase.PREFILL: marked("Prefill"), Phase.DECODE: marked("Decode")}
STAMPS: Final = {Stamp.VALID: marked("valid"), Stamp.SUSPECT: marked("suspect"), Stamp.INVALID: marked("invalid")}


def stamp(value: Stamp) -> str:
    """Sign and word."""
    return f"{wording.STAMP_SIGN[value]} {tr(STAMPS[value])}"


def source(value: Fact[Any]) -> str:
    """Basis and source of what is known; empty where there is none."""
    return f"{f.basis_word(value.basis)}: {f.origin_words(value)}" if isinstance(value, Known) else ""
