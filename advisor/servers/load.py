"""What a measurement asks a server to bear, said before it is asked; needs no client."""

from typing import Final

from advisor.core.numbers import count, plural, seconds
from advisor.core.translation import tr
from advisor.servers.model import ServerSettings

FIRST_PROMPTS_TOKENS: Final = (16, 192)
"""Of the requests before anything is measured: two lengths tell what a word costs, and what the template does."""

REPEATS: Final = 2
"""How often the repeated prompt is sent again."""


def load_words(settings: ServerSettings) -> str:
    """What the server is asked to bear at most, before it is asked; one request to an API of its own among it."""
    lengths, users = settings.prompts_tokens, sum(settings.users)
    requests = len(FIRST_PROMPTS_TOKENS) + len(lengths) * settings.repetitions + 1 + 1 + REPEATS + users
    requests += settings.streams + 1 if settings.streams else 0
    prompts = sum(lengths) * settings.repetitions + lengths[-1] * (2 + REPEATS) + users * settings.users_prompt_tokens
    prompts += settings.stutter_prompt_tokens if settings.streams else 0
    most = max([1, *settings.users, settings.streams + 1 if settings.streams else 0])
    return tr(
        "Sends at most {requests}, up to {most} at once, with about {prompts} prompt "
        "tokens in all, and begins none after {budget}.",
        requests=plural(requests, "request", "requests"),
        most=count(most),
        prompts=count(prompts),
        budget=seconds(settings.budget_s),
    )
