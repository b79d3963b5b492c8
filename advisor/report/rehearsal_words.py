"""What a rehearsal showed, in words."""

from advisor.core.evidence import Known, Unknown
from advisor.core.numbers import digits
from advisor.rehearsal.model import Rehearsal
from advisor.report import formatting as f

HEAD = ("test", "predicted tokens/s", "range")


def title(done: Rehearsal) -> str:
    """What was rehearsed."""
    name, recipe = done.candidate.name, done.candidate.recipe
    return f"Rehearsal of {name}, {recipe}" if recipe else f"Rehearsal of {name}"


def facts(done: Rehearsal) -> list[tuple[str, str]]:
    """Label and value of what matters first: the wait, the stream, memory, the file."""
    model = done.candidate.facts
    size = f"{f.parameters(model.parameters)} parameters, a file of {f.size(model.file_bytes)}"
    return [
        ("the wait", _seconds(done, "wait")),
        ("the answer", _seconds(done, "stream")),
        ("memory", done.fit.value.words if isinstance(done.fit, Known) else f"Not known: {done.fit.reason}."),
        ("the model", f"{size}; its shape is from {done.candidate.source}"),
        ("how", how(done)),
    ]


def how(done: Rehearsal) -> str:
    """What was measured, and what the range means."""
    rounds = f.plural(done.rounds, "round")
    if not done.small_layers:
        what = f"all {done.layers} layers with random weights were measured in {rounds}"
    else:
        what = (
            f"{done.small_layers} and {done.large_layers} of its {done.layers} layers with random weights were "
            f"measured by turns in {rounds}; what the further layers cost was scaled to all of them"
        )
    return (
        f"{what[:1].upper()}{what[1:]}. It took {f.seconds(done.took_s)} and {f.size(done.scratch_bytes)} of scratch "
        "space, which is free again."
    )


def rows(done: Rehearsal) -> list[tuple[str, str, str]]:
    """One row per test of the whole model."""
    return [
        (
            each.test.test,
            digits(each.test.tokens_per_s, each.margin * each.test.tokens_per_s),
            f"{digits(each.low_tokens_per_s)} to {digits(each.high_tokens_per_s)}",
        )
        for each in done.tests
    ]


def _seconds(done: Rehearsal, which: str) -> str:
    found = done.wait if which == "wait" else done.stream
    if isinstance(found, Unknown):
        return f"Not known: {found.reason}."
    tokens = done.workload.prompt_tokens if which == "wait" else done.workload.answer_tokens
    doing = "to read" if which == "wait" else "to write"
    span = f.seconds_range(found.value.low_s, found.value.high_s)
    words = f"About {f.seconds(found.value.middle_s)} ({span}) {doing} {f.plural(tokens, 'token')}"
    if which == "stream":
        words += f", {f.tokens_per_s(tokens / found.value.middle_s)}"
    return f"{words}."
