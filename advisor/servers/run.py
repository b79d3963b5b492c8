"""One run against one server: what the parts of a measurement share."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Union

from advisor.core.errors import AdvisorError
from advisor.core.progress import Progress
from advisor.core.stats import median
from advisor.core.translation import tr
from advisor.servers import failures
from advisor.servers.client import ServerClient
from advisor.servers.exchange import CountOrigin, Exchange, Failure
from advisor.servers.load import FIRST_PROMPTS_TOKENS
from advisor.servers.model import ServerResult, ServerSettings
from advisor.servers.prompts import Prompts
from advisor.servers.recording import Recording

ROOM_TOKENS: Final = 64
"""Kept free in the context: templates and the error of a prompt's estimated length."""


@dataclass(frozen=True, slots=True)
class Note:
    """Something to be told aloud while work goes on."""

    sentence: str
    hint: str = ""


Event = Union[Progress, Note, ServerResult]
"""A ``ServerResult`` is what is known until now; it comes after each part."""
Listener = Callable[[Event], None]


FIRST_ANSWER_TOKENS: Final = 8


class OutOfTime(Exception):
    """The budget is spent; what was recorded until then is kept."""


class GaveUp(Exception):
    """A second part failed: whatever else would be asked of this server would fail as well."""


class Run:
    """The state of one run.

    Args:
        client: talks to the server, facts already read.
        settings: what is asked for.
        result: facts, and nothing measured.
        listen: hears progress, notes and partial results.
        steps: of the whole run, for the progress.
    """

    def __init__(
        self, client: ServerClient, settings: ServerSettings, result: ServerResult, listen: Listener, steps: int
    ) -> None:
        self.client = client
        self.settings = settings
        self.result = result
        self.prompts = Prompts()
        self._listen = listen
        self._steps = max(steps, 1)
        self._done = 0

    @property
    def left_s(self) -> float:
        """Seconds of the budget that are left."""
        return self.settings.budget_s - self.client.now_s()

    def step(self, phase: str, steps: int = 1) -> None:
        """Tell what begins now; it counts as so many steps."""
        self._listen(Progress(min(self._done / self._steps, 1.0), phase))
        self._done += steps

    def keep(self, **parts: Any) -> None:
        """Take parts into the result and show it."""
        self.result = replace(self.result, requests=self.client.requests, spent_s=self.client.now_s(), **parts)
        self._listen(self.result)

    def leave_out(self, sentence: str) -> None:
        """Say what is not tried."""
        if sentence not in self.result.left_out:
            self.keep(left_out=(*self.result.left_out, sentence))

    def fail(self, part: str, failure: Failure) -> None:
        """A part failed; the run goes on, once. Raises GaveUp at the second part."""
        self.keep(failures={**self.result.failures, part: failure})
        if len(self.result.failures) > 1:
            raise GaveUp

    def fits(self, seconds: float) -> bool:
        """Whether something of this predicted length still fits the budget."""
        return seconds <= self.left_s

    def longest_prompt(self, answer_tokens: int) -> int:
        """Tokens that a prompt may have, so that it fits the context together with its answer."""
        context = self.result.facts.context_tokens.or_none()
        return 10**7 if context is None else max(context - answer_tokens - ROOM_TOKENS, 1)

    async def ask(self, prompt_tokens: int, answer_tokens: int) -> Exchange:
        """One request with a prompt of its own. Raises OutOfTime."""
        return (await self.ask_together([self.prompts.unique(prompt_tokens)], answer_tokens))[0]

    async def ask_together(
        self, prompts: Sequence[str], answer_tokens: int, records: Sequence[Recording] = ()
    ) -> list[Exchange]:
        """One request per prompt, all at once. Raises OutOfTime.

        ``records``, one per prompt, hold what came where this is ended early.
        """
        held = records or [Recording(self.client.now_s()) for _ in prompts]
        asked = zip(prompts, held, strict=True)
        try:
            async with asyncio.timeout(max(self.left_s, 0.0)):
                found = await asyncio.gather(*(self.client.exchange(p, answer_tokens, record) for p, record in asked))
        except TimeoutError:
            raise OutOfTime from None
        return [self.counted(each, prompt) for each, prompt in zip(found, prompts, strict=True)]

    def counted(self, exchange: Exchange, prompt: str) -> Exchange:
        """The exchange with its prompt's length, which is estimated where the server does not count."""
        if exchange.prompt_tokens is not None:
            self.prompts.learn(prompt, exchange.prompt_tokens)
            return exchange
        if not self.prompts.counted:
            return exchange
        tokens = round(self.prompts.tokens_of(len(prompt.split())))
        return replace(exchange, prompt_tokens=tokens, prompt_counted=CountOrigin.ESTIMATED)

    def request_s(self, prompt_tokens: int, answer_tokens: int, users: int = 1) -> float:
        """What a request should take, by the single ones; 0 while nothing is known.

        A token of prompt counts as in the request that read fastest, which is a long one: in short ones it is overhead.

        With several users it is as if all were computed one after the other, which no good server needs.
        """
        reading = [
            each.first_token_s / each.prompt_tokens
            for each in self.result.singles
            if each.first_token_s and each.prompt_tokens
        ]
        writing = [speed for each in self.result.singles if (speed := each.decode_tokens_per_s)]
        read_s = min(reading) * prompt_tokens if reading else 0.0
        write_s = answer_tokens / median(writing) if writing else 0.0
        return (read_s + write_s) * users


async def calibrate(run: Run) -> None:
    """Small requests that are not measured: they warm up, show what the server takes, and count prompts.

    Raises AdvisorError where the server does not answer, OutOfTime.
    """
    run.step(tr("First requests"))
    for tokens in FIRST_PROMPTS_TOKENS:
        prompt = run.prompts.unique(min(tokens, run.longest_prompt(FIRST_ANSWER_TOKENS)))
        (first,) = await run.ask_together([prompt], FIRST_ANSWER_TOKENS)
        if first.failure is not None and not first.arrivals_s:
            raise _error(first.failure)
        if first.prompt_counted is not CountOrigin.USAGE or first.prompt_tokens is None:
            run.prompts.learn(prompt, await run.client.count_prompt(prompt))


def _error(failure: Failure) -> AdvisorError:
    kind = failures.WrongAddress if failure.exit_code == failures.WrongAddress.exit_code else failures.ServerError
    return kind(failure.sentence, failure.hint)
