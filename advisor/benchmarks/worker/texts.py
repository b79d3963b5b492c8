"""Two short texts to be continued, one that repeats its prompt and one that does not, and their tokens.

Both were written for this program. What speculation gains depends on how far the next words can be guessed, so each
trial names the text that it ran on. A text has a prompt and the continuation that a person would write.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from advisor.benchmarks.worker import llama

EDIT, PROSE = "edit", "prose"
"""Names of the texts: a program written again with a small change, and prose."""

_CODE = '''class Ledger:
    """Money that came in and went out, by name."""

    def __init__(self, owner, currency):
        self.owner = owner
        self.currency = currency
        self.entries = []

    def add(self, name, value, day):
        if value == 0:
            raise ValueError("an entry of nothing says nothing")
        self.entries.append((day, name, value))

    def total(self, name):
        total = 0
        for day, other, value in self.entries:
            if other == name:
                total = total + value
        return total

    def largest(self, count):
        ordered = sorted(self.entries, key=lambda entry: abs(entry[2]), reverse=True)
        return ordered[:count]

    def between(self, first, last):
        found = Ledger(self.owner, self.currency)
        for day, name, value in self.entries:
            if first <= day <= last:
                found.add(name, value, day)
        return found

    def summary(self):
        names = sorted(set(name for day, name, value in self.entries))
        lines = [self.owner + ", in " + self.currency]
        for name in names:
            lines.append(name + ": " + str(self.total(name)))
        return "\\n".join(lines)
'''

_EDIT_PROMPT = (
    "Below is a file of a program. It is written again after it, the same line by line, but with the word value "
    "changed to amount.\n\nThe file as it was:\n\n" + _CODE + "\nThe file with the change:\n\n"
)

_PROSE_PROMPT = (
    "A lighthouse keeper retired last spring after thirty-one years. Her letters, found by a nephew, describe storms, "
    "broken lamps, migrating geese and one unexpected visitor. Here follows what she wrote about that visit.\n\n"
)
_PROSE = (
    "He arrived rowing, which nobody sensible attempts beyond October, carrying a crate wrapped in sailcloth and "
    "smelling strongly of oranges. I offered soup. Between spoonfuls my guest explained how clockwork birds had been "
    "fashionable at certain southern courts, until some minister grew jealous and banned them; eleven survived, ten "
    "silent. Inside our kitchen he wound the last. It tilted its brass head, considered both candles, then produced "
    "four notes so pure that even the stove seemed to pause. Why bring it here, I asked. Because salt ruins "
    "mechanisms, he answered, therefore no thief would search an island. We argued about that logic past midnight, "
    "drank what remained of my late husband's plum brandy, and agreed upon nothing except weather. At dawn he left "
    "westward, lighter by one box. Since then I have oiled those tiny gears each Sunday, told neighbours some "
    "nonsense concerning mice, and never again felt quite alone during fog. Should anybody inherit this shelf, please "
    "remember: turn the key twice, gently, against common habit, because its maker was left-handed and rather proud."
)


class Text(NamedTuple):
    """A prompt and how it goes on."""

    prompt: str
    continuation: str
    words: str
    """What it is, for sentences."""


TEXTS = {
    EDIT: Text(_EDIT_PROMPT, _CODE.replace("value", "amount"), "a program written again with a small change"),
    PROSE: Text(_PROSE_PROMPT, _PROSE, "prose that repeats nothing"),
}

_WORDS = re.compile(r"\w+|\s+|[^\w\s]")


def tokens_of(
    lib: Any, vocab: Any, name: str, before: str = "", most_before: int = 0
) -> tuple[list[int], list[int]]:
    """Tokens of a text's prompt and of its continuation, as they stand in the whole.

    In front of the prompt stand ``most_before`` tokens of the text ``before``, again from its beginning where it ends.

    A model without a tokenizer is given one number per word, the same for the same word: what repeats stays what it
    is.

    Raises:
        Failure: ``no_vocabulary`` where the tokenizer refuses the text.
    """
    text = TEXTS[name]
    prompt = f"\n\n{text.prompt}" if before and most_before else text.prompt
    if lib.llama_vocab_type(vocab) == llama.NO_VOCABULARY:
        numbers: dict[str, int] = {}
        n_vocab = lib.llama_vocab_n_tokens(vocab)

        def tokenise(words: str) -> list[int]:
            return [numbers.setdefault(word, len(numbers)) % n_vocab for word in _WORDS.findall(words)]
    else:

        def tokenise(words: str) -> list[int]:
            return list(llama.tokenise(lib, vocab, words))

    whole = tokenise(prompt + text.continuation)
    cut = len(tokenise(prompt))
    filling = tokenise(before) if before and most_before else []
    in_front = (filling * (most_before // max(1, len(filling)) + 1))[:most_before] if filling else []
    return in_front + whole[:cut], whole[cut:]
