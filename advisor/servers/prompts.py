"""Prompts of a wished length that no cache has seen: random words, of which the server itself says how many tokens."""

import random
from typing import Final

from advisor.core.stats import straight_line

_NOUNS: Final = """
    time year people way day man thing woman life child world school state family student group country problem hand
    part place case week company system program question work number night point home water room mother area money
    story fact month lot right study book eye job word business issue side kind head house service friend father
    power hour game line end member law car city community name president team minute idea body information back
    parent face level office door health person art war history party result change morning reason research girl guy
    moment air teacher force education foot boy age policy music market sense nation plan college interest death
    experience effect use class control field development role effort rate heart drug show leader light voice wife
    police mind price report decision son view relationship town road arm difference value building action season
    society tax director position player record paper space ground form event official matter center couple site
    project activity star table need court oil situation cost industry figure street image phone data picture
    practice piece land product doctor wall patient worker news test movie north love support technology step baby
    computer type attention film tree source organization hair look century evidence window culture chance brother
    energy period course summer plant opportunity
"""

WORDS: Final = tuple(_NOUNS.split())
"""Common nouns: one token each with most vocabularies."""

FIRST_GUESS: Final = 1.1
"""Tokens per word until the server has counted."""


class Prompts:
    """Makes prompts and learns from each count of the server how long a word is.

    Args:
        seed: None for another one each run, so that a second run does not find the first one's prompts in the cache.
    """

    def __init__(self, seed: int | None = None) -> None:
        self._random = random.Random(seed)
        self._first = self._random.sample(range(100_000, 1_000_000), 4096)
        self._counts: dict[int, float] = {}

    def learn(self, prompt: str, tokens: int | None) -> None:
        """Take the server's count of a prompt that was made here."""
        if tokens:
            self._counts[len(prompt.split())] = float(tokens)

    @property
    def counted(self) -> bool:
        """Whether the server has counted any prompt."""
        return bool(self._counts)

    def tokens_of(self, words: int) -> float:
        """Tokens that so many words should come to."""
        overhead, per_word = self._line()
        return overhead + per_word * words

    def unique(self, tokens: int) -> str:
        """A prompt of about so many tokens that differs from all others from its first word on."""
        overhead, per_word = self._line()
        words = max(round((tokens - overhead) / per_word), 1)
        if not self._first:
            self._first = self._random.sample(range(100_000, 1_000_000), 4096)
        return " ".join([str(self._first.pop()), *self._random.choices(WORDS, k=words - 1)])

    def _line(self) -> tuple[float, float]:
        """Tokens of the template around every prompt, and per word."""
        if len(self._counts) >= 2:
            overhead, per_word = straight_line(list(self._counts.items()))
            if per_word > 0 and overhead >= 0:
                return overhead, per_word
        if self._counts:
            words = max(self._counts)
            return 0.0, self._counts[words] / words
        return 0.0, FIRST_GUESS
