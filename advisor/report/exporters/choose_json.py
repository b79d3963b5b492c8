"""The JSON of the command ``choose``."""

from typing import Final

from advisor.report.codec import Json, plain, plain_fields
from advisor.report.shortlist_words import sentences
from advisor.shortlist.model import Choice, Shortlist

CHOOSE_SCHEMA: Final = "two-machines/choose/1"


def choose_json(found: Shortlist) -> Json:
    """``two-machines choose --json``."""
    return {
        "schema": CHOOSE_SCHEMA,
        "workload": plain(found.workload),
        "sorted_by": str(found.priority),
        "choices": [_choice(choice) for choice in found.choices],
        "impossible": list(found.impossible),
        "notes": list(found.notes),
        "disturbed": found.disturbed,
    }


def _choice(choice: Choice) -> Json:
    return {**plain_fields(choice), "fits": choice.fits, "sentences": list(sentences(choice))}
