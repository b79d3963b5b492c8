"""Where one request's seconds go: a blank screen while the prompt is read, then the stream of the answer.

The first token comes out of the prefill itself, so the wait is the prompt over the prefill speed; the answer then
takes one decode step per token (the last step writes the end mark). Reading is cold: nothing is reused.
"""

from collections.abc import Sequence
from typing import Final

from advisor.benchmarks.curves import DepthFit
from advisor.benchmarks.model import NO_REAL_USE, NOT_LOADED, Phase, RealUse, TestResult
from advisor.benchmarks.phrases import joined, phase_word
from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.core.numbers import count, percent, times
from advisor.core.translation import tr, trn
from advisor.diagnosis.courses import Courses
from advisor.diagnosis.model import Timeline, Workload
from advisor.diagnosis.pace import pace_of
from advisor.diagnosis.selection import choose, same_setting
from advisor.gguf.traffic import Traffic

WORTH_SAYING: Final = 0.02
"""Share of extra bytes by depth below which it is not mentioned: it drowns in the spread of any measurement."""

MANY_TIMES: Final = 2.0
"""Share of extra bytes from which "62× as many" reads better than a percentage."""


def timeline(
    workload: Workload,
    tests: Sequence[TestResult],
    traffic: Traffic | None = None,
    load_s: Fact[float] = NOT_LOADED,
    real_use: Fact[RealUse] = NO_REAL_USE,
) -> Fact[Timeline]:
    """The request's seconds from measured speeds.

    With two or more depths measured, the time per token grows with depth as they do; with one, its speed is assumed
    throughout and ``basis`` says so. For several people at once the figures are those of the last in line when all
    ask at the same moment.

    Args:
        workload: the request.
        tests: measured rows, any order.
        traffic: to say how much more work depth adds where it was not measured.
        load_s: seconds that loading the model took.
        real_use: text written with tokenizer and samplers.

    Returns:
        Unknown with the reason while a phase is not measured.
    """
    rows = choose(tests, workload)
    for phase, row in ((Phase.PREFILL, rows.prefill), (Phase.DECODE, rows.decode)):
        if row is None:
            return Unknown(tr("{phase} is not measured", phase=phase_word(phase)), Missing.NOT_YET)
    assert rows.prefill is not None
    assert rows.decode is not None

    prompt, answer, users = workload.prompt_tokens, workload.answer_tokens, workload.users
    prefill = pace_of(same_setting(tests, rows.prefill), rows.prefill, traffic)
    decode = pace_of(same_setting(tests, rows.decode), rows.decode, traffic)
    wait = prefill.takes(prompt, 0).times(users)
    stream = decode.takes(answer, prompt).times(users)
    wait_s, stream_s = wait.middle_s, stream.middle_s

    measured = tr("{prefill} and {decode} measured here", prefill=rows.prefill.test, decode=rows.decode.test)
    said = [measured, _depth_words(prefill.line, decode.line)]
    if len(decode.line.depths) < 2:
        said.append(_extra_bytes_words(traffic, rows.decode, prompt + answer // 2))
    if users > 1:
        said.append(tr(
            "{n} people asking at the same moment: prompts are read one after another and the decode speed is shared "
            "evenly, both assumed; decoding several together was not measured and would be faster",
            n=count(users),
        ))  # fmt: skip
    basis = "; ".join(words for words in said if words)
    maker = Courses(workload, prefill, decode, traffic, load_s, real_use, basis)
    chat = maker.chat()
    value = Timeline(
        wait_s=wait_s,
        stream_s=stream_s,
        total_s=wait_s + stream_s,
        prefill_tokens_per_s=prompt / wait_s,
        decode_tokens_per_s=answer / stream_s,
        basis=basis,
        prefill_test=rows.prefill.test,
        decode_test=rows.decode.test,
        prefill_spread_tokens_per_s=_spread(rows.prefill, prompt / wait_s),
        decode_spread_tokens_per_s=_spread(rows.decode, answer / stream_s),
        first_time=maker.first_time(),
        afterwards=maker.afterwards(),
        chat=chat.again,
        chat_kept=chat.kept,
        turns=chat.turns,
        kept_basis=maker.kept_basis(),
    )
    return Known(value, Basis.COMPUTED, value.basis)


def _spread(row: TestResult, tokens_per_s: float) -> float | None:
    """The row's relative deviation, carried over to the speed that was made of it."""
    return None if row.relative_spread is None else row.relative_spread * tokens_per_s


def _depth_words(prefill: DepthFit, decode: DepthFit) -> str:
    flat = [phase for phase, line in ((Phase.PREFILL, prefill), (Phase.DECODE, decode)) if len(line.depths) < 2]
    grown = [line for line in (prefill, decode) if len(line.depths) > 1]
    words = []
    if grown:
        depths = sorted({depth for line in grown for depth in line.depths})
        words.append(trn(
            "following depth as measured at {depths} token", "following depth as measured at {depths} tokens",
            depths[-1], depths=joined([count(depth) for depth in depths]),
        ))  # fmt: skip
    if len(flat) == 2:
        words.append(tr("the same speed assumed at every depth"))
    elif flat:
        words.append(tr("the same {phase} speed assumed at every depth", phase=phase_word(flat[0])))
    return "; ".join(words)


def _extra_bytes_words(traffic: Traffic | None, row: TestResult, depth: int) -> str:
    """How much slower decode may be at a depth where it was not measured, from the bytes of the cache."""
    if traffic is None or depth <= row.n_depth:
        return ""
    here = traffic.step_bytes(1, row.n_depth)
    extra = traffic.step_bytes(1, depth) / here - 1 if here > 0 else 0.0
    if extra < WORTH_SAYING:
        return ""
    if extra >= MANY_TIMES:
        return tr("with the cache, each token there reads up to {times} as many bytes", times=times(1 + extra))
    return tr("the cache adds up to {share} to the bytes of each token there", share=percent(extra))
