"""Words that verdicts and advice share, in the user's language: phases, counts with their nouns, lists."""

from collections.abc import Mapping, Sequence
from functools import reduce
from types import MappingProxyType
from typing import Final

from advisor.benchmarks.model import FlashAttention, Phase
from advisor.core.numbers import capital, count
from advisor.core.translation import marked, tr, trc, trn

PHASES: Final[Mapping[Phase, str]] = MappingProxyType({
    Phase.PREFILL: marked("prefill"), Phase.DECODE: marked("decode"),
})  # fmt: skip

FLASH_ATTENTION: Final[Mapping[FlashAttention, str]] = MappingProxyType({
    FlashAttention.AUTO: marked("flash attention auto"),
    FlashAttention.ON: marked("flash attention on"),
    FlashAttention.OFF: marked("flash attention off"),
})  # fmt: skip


def flash_attention(setting: FlashAttention) -> str:
    """The setting in words: "flash attention on"."""
    return tr(FLASH_ATTENTION[setting])


def phase_word(phase: Phase) -> str:
    """The phase inside a sentence: "prefill"."""
    return tr(PHASES[phase])


def phase_name(phase: Phase) -> str:
    """The phase at the beginning of a sentence: "Prefill"."""
    return capital(phase_word(phase))


def tokens(number: float) -> str:
    """A count of tokens: "1 token", "4,000 tokens"."""
    return trn("{n}\u00a0token", "{n}\u00a0tokens", number, n=count(number))


def threads(number: float) -> str:
    """A count of threads."""
    return trn("{n}\u00a0thread", "{n}\u00a0threads", number, n=count(number))


def layers(number: float) -> str:
    """A count of a model's layers."""
    return trn("{n}\u00a0layer", "{n}\u00a0layers", number, n=count(number))


def guesses(number: float) -> str:
    """A count of guessed tokens."""
    return trn("{n}\u00a0guess", "{n}\u00a0guesses", number, n=count(number))


def setting_name(name: str) -> str:
    """A setting that may differ between two runs, by its English name, which is its key."""
    return trc("setting", "engine") if name == "engine" else tr(name)  # elsewhere engines are counted


def joined(parts: Sequence[str]) -> str:
    """Parts with "and" between them: "a and b and c"."""
    return reduce(lambda one, other: tr("{one} and {other}", one=one, other=other), parts) if parts else ""


def safe_mode_words() -> str:
    """What safe mode adds to unpacking, to stand behind another sentence."""
    return tr(" Safe mode, without the engine's fast weight layout, adds to it.")
