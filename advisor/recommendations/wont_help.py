"""What people buy or change that cannot help here, in one list.

A rule speaks only where the evidence of this diagnosis supports it; published figures are named as such.
"""

from collections.abc import Callable
from typing import Final

from advisor.recommendations import ruled_out_parts as parts
from advisor.recommendations import ruled_out_settings as settings
from advisor.recommendations.evidence import Evidence
from advisor.recommendations.model import WontHelp

RULES: Final[tuple[Callable[[Evidence], WontHelp | None], ...]] = (
    parts.new_hardware,
    parts.comfortable,
    parts.more_cores,
    parts.faster_cpu,
    parts.bigger_card,
    parts.more_cards,
    parts.faster_memory,
    parts.more_memory,
    parts.other_machine,
    settings.smaller_quantisation,
    settings.quantise_for_prefill,
    settings.batching,
    settings.speculation,
    settings.shorter_answer,
    settings.shorter_prompt,
    settings.cache_type,
    settings.flash_attention_setting,
    settings.batch_size,
    parts.faster_disk,
)
"""In the order of what they usually cost."""


def wont_help(evidence: Evidence) -> tuple[WontHelp, ...]:
    """Everything that the evidence rules out, what costs most money first."""
    found = (rule(evidence) for rule in RULES)
    return tuple(item for item in found if item is not None)
