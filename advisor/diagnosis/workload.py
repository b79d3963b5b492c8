"""The user's request: presets with published comfort lines, or the user's own numbers.

Comfort lines come from published figures, so that nobody's taste decides what counts as slow:

- 10 s without a sign of life is the limit for holding someone's attention (Nielsen,
  https://www.nngroup.com/articles/response-times-3-important-limits).
- Adults read English non-fiction silently at 238 words a minute (Brysbaert 2019, Journal of Memory and Language
  109:104047); at 0.75 words per token (Gemini documentation: 100 tokens are 60 to 80 words) that is 5.3 tokens/s.
- Shared services promise 2 s to the first token and 100 ms per token, 10 tokens/s (MLPerf Inference rules,
  conversational Llama-3.1-8B, 23 July 2026).
"""

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from advisor.benchmarks.phrases import tokens
from advisor.core.errors import UsageError
from advisor.core.numbers import count, written
from advisor.core.translation import marked, tr
from advisor.diagnosis.model import Comfort, Workload

ATTENTION_S: Final = 10.0
"""Longest wait that holds a person's attention (Nielsen)."""

WORDS_PER_MINUTE: Final = 238.0
"""Silent reading of English non-fiction, adults (Brysbaert 2019)."""

WORDS_PER_TOKEN: Final = 0.75
"""English text; an assumption that is shown wherever it matters."""

READING_TOKENS_PER_S: Final = round(WORDS_PER_MINUTE / 60 / WORDS_PER_TOKEN, 1)
"""Reading speed in tokens per second: 5.3 (physics.md eq. 30)."""

SERVICE_WAIT_S: Final = 2.0
"""Time to the first token that a shared service promises (MLPerf Inference, conversational)."""

SERVICE_TOKENS_PER_S: Final = 10.0
"""100 ms per token (MLPerf Inference, conversational): text that is waited for rather than read along."""

READING: Final = Comfort(longest_wait_s=ATTENTION_S, slowest_tokens_per_s=READING_TOKENS_PER_S)
"""Someone reads along while the answer appears."""

WAITING: Final = Comfort(longest_wait_s=ATTENTION_S, slowest_tokens_per_s=SERVICE_TOKENS_PER_S)
"""Someone waits for the whole: code that must be complete to run, a long text that is read afterwards."""

SERVICE: Final = Comfort(longest_wait_s=SERVICE_WAIT_S, slowest_tokens_per_s=READING_TOKENS_PER_S)
"""Several people share the machine: a service's wait, a reader's stream."""

CUSTOM_ID: Final = "custom"

PRESETS: Final[Mapping[str, Workload]] = MappingProxyType({
    preset.id: preset
    for preset in (
        Workload("chat", marked("Chat"), 1_500, 1_200, 250, 1, READING, turns=6, prefix_kept=True),
        Workload("rag", marked("Answer from documents (RAG)"), 4_000, 600, 300, 1, READING),
        Workload("summarise", marked("Summarise a document"), 6_000, 200, 400, 1, READING),
        Workload("coding", marked("Coding agent"), 16_000, 12_000, 600, 1, WAITING),
        Workload("long-writing", marked("Long writing"), 200, 100, 2_000, 1, WAITING),
        Workload("many-users", marked("Many users"), 1_000, 500, 300, 8, SERVICE),
    )
})
"""Preset id -> workload, in the order of the menu; titles are in the user's language where they are shown.

The token counts are typical sizes, meant to be moved: a chat of six turns that opens with instructions and a question,
ten passages under a system prompt, a dozen pages, an agent's tools and open files, a short request for a long text,
eight people with a question each. A chat counts as kept from turn to turn, since llama-server, Ollama and LM Studio
do so by themselves; the verdict says what it costs where a program reads it again.
"""


def preset(name: str) -> Workload:
    """The preset of that id.

    Raises:
        UsageError: for an unknown id; the hint lists the valid ones.
    """
    try:
        return PRESETS[name]
    except KeyError:
        raise UsageError(
            tr("There is no workload named “{name}”.", name=name),
            tr("Choose one of: {names}.", names=", ".join(PRESETS)),
            {"workload": name},
        ) from None


def custom(
    prompt: int,
    answer: int,
    shared: int = 0,
    users: int = 1,
    comfort: Comfort = READING,
    title: str = "",
    turns: int = 1,
    prefix_kept: bool = False,
) -> Workload:
    """A workload from the user's own numbers.

    Args:
        prompt: tokens of the whole prompt, at least 1.
        answer: tokens of the answer, at least 1.
        shared: prompt tokens that are the same every time, 0 to ``prompt``.
        users: people at once, at least 1.
        comfort: longest wait and slowest stream that are still fine.
        title: as shown; made from the numbers when empty.
        turns: of a chat, at least 1.
        prefix_kept: whether the program keeps what it has read from turn to turn.

    Raises:
        UsageError: for numbers that make no request, naming the first one that is wrong.
    """
    for words, value in (
        (marked("The prompt must be at least 1, not {value}."), prompt),
        (marked("The answer must be at least 1, not {value}."), answer),
        (marked("The number of people must be at least 1, not {value}."), users),
        (marked("The number of turns must be at least 1, not {value}."), turns),
    ):
        if value < 1:
            raise UsageError(tr(words, value=value), "", {"value": value})
    if not 0 <= shared <= prompt:
        raise UsageError(
            tr("The part that is the same every time must lie between 0 and the prompt's {prompt}, not at {shared}.",
               prompt=tokens(prompt), shared=count(shared)),
            tr("Give a smaller shared part, or a longer prompt."), {"shared": shared, "prompt": prompt},
        )  # fmt: skip
    for words, figure in (
        (marked("The longest wait must be above 0, not {value}."), comfort.longest_wait_s),
        (marked("The slowest stream must be above 0, not {value}."), comfort.slowest_tokens_per_s),
    ):
        if not 0 < figure < math.inf:
            raise UsageError(tr(words, value=written(f"{figure:g}")), "", {"value": figure})
    text = title or tr("{prompt} in, {answer} out", prompt=tokens(prompt), answer=count(answer))
    return Workload(CUSTOM_ID, text, prompt, shared, answer, users, comfort, turns, prefix_kept)
