"""The chooser's list as tables and sentences, for the terminal and the window."""

from typing import Final

from advisor.core.evidence import Known
from advisor.report import formatting as f
from advisor.shortlist.model import Choice, Comfort, Priority, Shortlist
from advisor.shortlist.quality import loss_sentence, loss_words

HEAD: Final = ("model", "quantisation", "download", "first word after", "stream, tokens/s", "quality cost", "comfort")
UNKNOWN: Final = "unknown"
SORTED: Final = {
    Priority.QUALITY: "the comfortable ones by quality, then the nearest to comfortable",
    Priority.SPEED: "the fastest first",
    Priority.SIZE: "the comfortable ones first, then by size",
}


def rows(found: Shortlist) -> list[tuple[str, ...]]:
    """A row per choice under ``HEAD``, in order."""
    return [
        (
            choice.name,
            choice.recipe,
            f.size(choice.file_bytes),
            wait_cell(choice),
            stream_cell(choice),
            loss_words(choice.loss),
            str(choice.comfort),
        )
        for choice in found.choices
    ]


def wait_cell(choice: Choice) -> str:
    """The range of the wait: "4.1–6.2 s"."""
    if not isinstance(choice.expected, Known):
        return UNKNOWN
    wait = choice.expected.value.wait
    return f.seconds_range(wait.low_s, wait.high_s)


def stream_cell(choice: Choice) -> str:
    """The range of the stream in tokens per second: "11–16"."""
    if not isinstance(choice.expected, Known):
        return UNKNOWN
    speed, stream = choice.expected.value.decode_tokens_per_s, choice.expected.value.stream
    low, high = speed * stream.middle_s / stream.high_s, speed * stream.middle_s / stream.low_s
    first, second = (f.number(end, (high - low) / 4) for end in (low, high))
    return first if first == second else f"{first}–{second}"


def headline(found: Shortlist) -> str:
    """How many there are and how they are sorted."""
    comfort = found.workload.comfort
    line = f"first word within {f.seconds(comfort.longest_wait_s)}, {f.tokens_per_s(comfort.slowest_tokens_per_s)}"
    if not found.choices:
        return f"No model of the catalogue fits this machine for {found.workload.title}."
    return (
        f"{f.plural(len(found.choices), 'choice')} for {found.workload.title}, {found.comfortable} of them comfortable "
        f"({line}); {SORTED[found.priority]}."
    )


def line_after(found: Shortlist) -> int | None:
    """After how many rows the comfort line is drawn; None where the order does not follow it."""
    if found.priority is Priority.SPEED:
        return None
    return sum(choice.comfort is Comfort.YES for choice in found.choices)


def sentences(choice: Choice) -> tuple[str, ...]:
    """Everything about one choice: size, memory, seconds, what the quantisation costs, where the shape is from."""
    said = [
        f"{choice.name} by {choice.maker}: {f.parameters(choice.parameters)} parameters"
        + (f", {f.parameters(choice.active_parameters)} of them per token" if choice.is_mixture else "")
        + f", made for {f.tokens(choice.context)} of context; {f.size(choice.file_bytes)} in {choice.recipe}.",
        choice.fit.value.words if isinstance(choice.fit, Known) else f"Its memory is not known: {choice.fit.reason}.",
    ]
    if isinstance(choice.expected, Known):
        held = choice.expected.value
        said.append(
            f"The first word after {f.seconds_range(held.wait.low_s, held.wait.high_s)}, the answer in "
            f"{f.seconds_range(held.stream.low_s, held.stream.high_s)} ({choice.expected.source})."
        )
    else:
        said.append(f"Its speed is not known: {choice.expected.reason}.")
    if not choice.long_enough:
        said.append("The work is longer than the context that it was made for.")
    said.append(loss_sentence(choice.recipe, choice.loss))
    said.append(f"Shape: {choice.source}.")
    return tuple(said)


def impossible_words(found: Shortlist) -> str:
    """Models that cannot do the work here; "" where all can."""
    if not found.impossible:
        return ""
    return f"Too large for this machine or too short for this work: {f.listed(list(found.impossible))}."
