"""The chooser's list as tables and sentences, for the terminal and the window."""

from typing import Final

from advisor.core.evidence import Known
from advisor.core.translation import marked, tr, trc, trn
from advisor.report import formatting as f
from advisor.shortlist.model import Choice, Comfort, Priority, Shortlist
from advisor.shortlist.quality import loss_sentence, loss_words

HEAD: Final = (
    marked("model"), marked("quantisation"), marked("download"), marked("first word after"),
    marked("stream, tokens/s"), marked("quality cost"), marked("comfort"),
)  # fmt: skip
UNKNOWN: Final = marked("unknown")
SORTED: Final = {
    Priority.QUALITY: marked("the comfortable ones by quality, then the nearest to comfortable"),
    Priority.SPEED: marked("the fastest first"),
    Priority.SIZE: marked("the comfortable ones first, then by size"),
}


def rows(found: Shortlist) -> list[tuple[str, ...]]:
    """A row per choice under ``HEAD``, in order."""
    return [
        (
            choice.name,
            choice.recipe,
            f.size(choice.file_bytes),
            wait_cell(choice, found.workload.comfort.longest_wait_s),
            stream_cell(choice),
            loss_words(choice.loss),
            tr(choice.comfort),
        )
        for choice in found.choices
    ]


def wait_cell(choice: Choice, line_s: float) -> str:
    """The range of the wait, held against the comfort line: "4.1–6.2 s"."""
    if not isinstance(choice.expected, Known):
        return tr(UNKNOWN)
    wait = choice.expected.value.wait
    return f.seconds_range(wait.low_s, wait.high_s, line_s)


def stream_cell(choice: Choice) -> str:
    """The range of the stream in tokens per second: "11–16"."""
    if not isinstance(choice.expected, Known):
        return tr(UNKNOWN)
    speed, stream = choice.expected.value.decode_tokens_per_s, choice.expected.value.stream
    low, high = speed * stream.middle_s / stream.high_s, speed * stream.middle_s / stream.low_s
    first, second = (f.number(end, (high - low) / 4) for end in (low, high))
    return first if first == second else f"{first}–{second}"


def headline(found: Shortlist) -> str:
    """How many there are and how they are sorted."""
    comfort = found.workload.comfort
    title = tr(found.workload.title)
    if not found.choices:
        return tr("No model of the catalogue fits this machine for {title}.", title=title)
    said = trn(
        "{n}\u00a0choice for {title}, {comfortable} of them comfortable (first word within {wait}, {speed}); {order}.",
        "{n}\u00a0choices for {title}, {comfortable} of them comfortable (first word within {wait}, {speed}); {order}.",
        len(found.choices), n=f.count(len(found.choices)), title=title,
        comfortable=f.count(found.comfortable) if found.comfortable else trc("choices", "none"),
        wait=f.chosen_seconds(comfort.longest_wait_s), speed=f.chosen_speed(comfort.slowest_tokens_per_s),
        order=tr(SORTED[found.priority]),
    )  # fmt: skip
    return f"{tr('Measure again: the computer was busy meanwhile.')} {said}" if found.disturbed else said


def line_after(found: Shortlist) -> int | None:
    """After how many rows the comfort line is drawn; None where the order does not follow it."""
    if found.priority is Priority.SPEED:
        return None
    return sum(choice.comfort is Comfort.YES for choice in found.choices)


def sentences(choice: Choice) -> tuple[str, ...]:
    """Everything about one choice: size, memory, seconds, what the quantisation costs, where the shape is from."""
    active = ""
    if choice.is_mixture:
        active = tr(", {parameters} of them per token", parameters=f.parameters(choice.active_parameters))
    said = [tr(
        "{name} by {maker}: {parameters} parameters{active}, made for {context} of context; {size} in {recipe}.",
        name=choice.name, maker=choice.maker, parameters=f.parameters(choice.parameters), active=active,
        context=f.tokens(choice.context), size=f.size(choice.file_bytes), recipe=choice.recipe,
    )]  # fmt: skip
    if isinstance(choice.fit, Known):
        said.append(choice.fit.value.words)
    else:
        said.append(tr("Its memory is not known: {reason}.", reason=f.why(choice.fit)))
    if isinstance(choice.expected, Known):
        held = choice.expected.value
        said.append(tr(
            "The first word after {wait}, the answer in {stream} ({source}).",
            wait=f.seconds_range(held.wait.low_s, held.wait.high_s),
            stream=f.seconds_range(held.stream.low_s, held.stream.high_s), source=tr(choice.expected.source),
        ))  # fmt: skip
    else:
        said.append(tr("Its speed is not known: {reason}.", reason=f.why(choice.expected)))
    if not choice.long_enough:
        said.append(tr("The work is longer than the context that it was made for."))
    said.append(loss_sentence(choice.recipe, choice.loss))
    said.append(tr("Shape: {source}.", source=choice.source))
    return tuple(said)


def impossible_words(found: Shortlist) -> str:
    """Models that cannot do the work here; "" where all can."""
    if not found.impossible:
        return ""
    models = f.listed(list(found.impossible))
    return tr("Too large for this machine or too short for this work: {models}.", models=models)
