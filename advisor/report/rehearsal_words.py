"""What a rehearsal showed, in words."""

from advisor.core.evidence import Known, Unknown
from advisor.core.numbers import digits
from advisor.core.translation import marked, tr, trn
from advisor.rehearsal.model import Rehearsal
from advisor.report import formatting as f

HEAD = (marked("test"), marked("predicted tokens/s"), marked("range"))


def title(done: Rehearsal) -> str:
    """What was rehearsed."""
    name, recipe = done.candidate.name, done.candidate.recipe
    return tr("Rehearsal of {name}", name=f"{name}, {recipe}" if recipe else name)


def facts(done: Rehearsal) -> list[tuple[str, str]]:
    """Label and value of what matters first: the wait, the stream, memory, the file."""
    model = done.candidate.facts
    shape = tr(
        "{parameters} parameters, a file of {size}; its shape is from {source}",
        parameters=f.parameters(model.parameters), size=f.size(model.file_bytes), source=done.candidate.source,
    )  # fmt: skip
    fit = done.fit.value.words if isinstance(done.fit, Known) else tr("Not known: {reason}.", reason=f.why(done.fit))
    return [
        (tr("the wait"), _seconds(done, "wait")),
        (tr("the answer"), _seconds(done, "stream")),
        (tr("memory"), fit),
        (tr("the model"), shape),
        (tr("how"), how(done)),
    ]


def how(done: Rehearsal) -> str:
    """What was measured, and what the range means."""
    counts = {"layers": done.layers, "n": f.count(done.rounds)}
    if not done.small_layers:
        what = trn(
            "All {layers} layers with random weights were measured in {n}\u00a0round.",
            "All {layers} layers with random weights were measured in {n}\u00a0rounds.", done.rounds, **counts,
        )  # fmt: skip
    else:
        what = trn(
            "{small} and {large} of its {layers} layers with random weights were measured by turns in {n}\u00a0round; "
            "what the further layers cost was scaled to all of them.",
            "{small} and {large} of its {layers} layers with random weights were measured by turns in {n}\u00a0rounds; "
            "what the further layers cost was scaled to all of them.",
            done.rounds, small=done.small_layers, large=done.large_layers, **counts,
        )  # fmt: skip
    took = tr(
        "It took {time} and {size} of scratch space, which is free again.",
        time=f.seconds(done.took_s), size=f.size(done.scratch_bytes),
    )  # fmt: skip
    return f"{what} {took}"


def rows(done: Rehearsal) -> list[tuple[str, str, str]]:
    """One row per test of the whole model."""
    return [
        (
            each.test.test,
            digits(each.test.tokens_per_s, each.margin * each.test.tokens_per_s),
            tr("{low} to {high}", low=digits(each.low_tokens_per_s), high=digits(each.high_tokens_per_s)),
        )
        for each in done.tests
    ]


def _seconds(done: Rehearsal, which: str) -> str:
    found = done.wait if which == "wait" else done.stream
    if isinstance(found, Unknown):
        return tr("Not known: {reason}.", reason=f.why(found))
    time, span = f.seconds(found.value.middle_s), f.seconds_range(found.value.low_s, found.value.high_s)
    if which == "wait":
        tokens = f.tokens(done.workload.prompt_tokens)
        return tr("About {time} ({range}) to read {tokens}.", time=time, range=span, tokens=tokens)
    written = done.workload.answer_tokens
    return tr(
        "About {time} ({range}) to write {tokens}, {speed}.", time=time, range=span, tokens=f.tokens(written),
        speed=f.tokens_per_s(written / found.value.middle_s),
    )  # fmt: skip
