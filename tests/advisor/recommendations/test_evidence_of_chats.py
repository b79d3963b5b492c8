"""Advice on a chat: what a turn costs on average, and the depth and memory that the whole chat reaches."""

from dataclasses import replace

from advisor.benchmarks.model import Phase
from advisor.core.evidence import Basis, Known
from advisor.diagnosis.workload import custom
from advisor.recommendations import shorten_prompt
from tests.support.evidence import ceilings, evidence, model, pp, tg
from tests.support.kernel_tables import table

CHAT = custom(1_500, 250, shared=1_200, turns=6, prefix_kept=True)
ROWS = (pp(100.0), tg(10.0))


def test_a_kept_chat_reads_little_and_still_reaches_deep() -> None:
    held = evidence(CHAT, ROWS)
    assert held.workload.prompt_tokens == (1_500 + 5 * 300) / 6
    assert held.depth_tokens == 1_500 + 2.5 * 550
    assert held.asked.deepest_tokens == 1_500 + 5 * 550 + 250
    assert held.traffic is not None
    assert held.stream_bytes() == held.traffic.kv_bytes_per_token() * held.asked.deepest_tokens


def test_a_chat_that_fits_the_context_is_not_told_to_cut_its_prompt() -> None:
    facts = replace(model(), context_length=Known(6_144, Basis.READ, "test"))
    held = evidence(replace(CHAT, prefix_kept=False), ROWS, facts=facts)
    advice = shorten_prompt.predict(held)
    assert advice is None or "Cut the prompt" not in advice.title


def test_kernels_count_only_for_the_run_that_they_belong_to() -> None:
    bounds = replace(ceilings(), kernels=table(threads=4))
    assert evidence(CHAT, ROWS, bounds=bounds).kernels(Phase.DECODE) is not None
    assert evidence(CHAT, ROWS, bounds=replace(bounds, disturbed="other load")).kernels(Phase.DECODE) is None
    other = replace(ceilings(), kernels=table(threads=12))
    assert evidence(CHAT, ROWS, bounds=other).kernels(Phase.DECODE) is None
