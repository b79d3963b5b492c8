"""The list of engines as text for a terminal."""

from collections.abc import Sequence
from typing import Final

from advisor.benchmarks.engines.getting import GPU_WAYS
from advisor.benchmarks.engines.listed import ListedEngine
from advisor.cli import terminal
from advisor.cli.summaries import device_words
from advisor.core.evidence import Known, Missing, Unknown
from advisor.core.numbers import plural
from advisor.core.processes import is_bundle
from advisor.report import formatting as f
from advisor.session.engine_list import list_engines

__all__ = ["list_engines", "show_engines"]

BUNDLE_WORDS: Final = (
    "This bundle's engine computes on the CPU. To measure on a GPU, give it an engine that can:"
)


def show_engines(listed: Sequence[ListedEngine]) -> None:
    """A block for each engine, its name first."""
    print(f"{plural(len(listed), 'engine')} on this machine; choose one with --engine NAME")
    for each in listed:
        terminal.show_pairs(each.found.id, _pairs(each))
    if is_bundle() and len(listed) == 1:
        for line in (BUNDLE_WORDS, *GPU_WAYS):
            terminal.show_paragraph(line)


def _pairs(each: ListedEngine) -> list[tuple[str, str]]:
    found = each.found
    pairs = [("Kind", f"{found.kind} ({found.because})"), ("Path", str(found.path))]
    if isinstance(each.facts, Unknown):
        pairs.append(("Does not work", each.facts.reason))
    else:
        facts = each.facts.value
        pairs.append(("Version", f"{facts.name} {facts.version} (build {facts.build})"))
        pairs += [("Device", device_words(device)) for device in facts.devices]
    if isinstance(each.check, Known):
        speeds = ", ".join(f"{test.test} {f.tokens_per_s(test.tokens_per_s)}" for test in each.check.value)
        safe = ", safe mode" if any(test.safe_mode for test in each.check.value) else ""
        pairs.append(("Check", f"{speeds}{safe}"))
    elif each.check.kind is not Missing.NOT_YET:
        pairs.append(("Check", f"failed: {each.check.reason}"))
    return pairs
