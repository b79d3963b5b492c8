"""Counts agree with their nouns: a sentence that may count one of a thing has a form for one, in both languages."""

import re
from pathlib import Path
from types import ModuleType
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parents[2]

NOUNS: Final = (
    "bits|blocks|bytes|cells|channels|chunks|cores|CPUs|devices|experts|files|guesses|kernels|layers|lines|machines|"
    "models|parts|people|points|processors|prompts|requests|rounds|runs|shares|streams|tensors|tests|threads|times|"
    "tokens|turns|users|values|years"
)
COUNTED: Final = re.compile(
    r"\{(\w+)\}(?: of (?:the )?\{\w+\})?[ \u00a0](?:other |steady |logical |more |prompt |usable |of the )?"
    rf"(?:{NOUNS})\b"
)
NO_COUNTS: Final = {
    "architecture", "bits", "ceiling", "device", "label", "line", "name", "phase", "root", "share", "size", "speed",
    "test",
    "time", "type", "width",
}  # fmt: skip
"""Places that hold no count of things."""

FORMS_OF_THE_CHILD: Final = "advisor/benchmarks/child_words.py"
"""The measuring child knows no catalogue: each form is a sentence of its own there."""

NEVER_ONE: Final = {
    # several people, turns, streams or devices: with one another sentence is said, or none
    " for each of {n} people", " with {n}\u00a0people at once", ", {n} people at once", ", {n} turns", "({n} times)",
    "The timeline assumes that {n} people", "{n} people asking at the same moment",
    "{speed} ({test} measured here, shared", "with {users} people at once", "Decode the {n} streams together",
    "Decode {n} of the {all} streams together",
    "Up to {n} streams are nearly free", "{n} other streams wait", "all other streams stand still for {now}, {n} times",
    "{n} streams together", "{more} streams write hardly more", "in {late} of {n} turns", "Over {n} turns",
    # from fewer to more, of more
    "from {few} to {many} threads", "a step of {n} tokens assumed to cost", "checking {n} tokens costs",
    "could not be read: it has {held} of {all}", "Only the newest {most} of {all} requests",
    "{there} of the layers there", "per token, {used} of {all}",
    "one of {count} files", "the {count} files hold",
    "processor group only: {threads} threads",
    # a limit or a size that is large, or it would not be said
    "no longer than the {n} tokens", "whole blocks of {block} tokens", "with room for {n} tokens",
    "a prompt of {n} tokens",
    "Tried on a prompt of {n} tokens", "{n} tokens at once are as good", "Of the {all} tokens that a turn must know",
    "Prompts are cut to {n} tokens", "about {prompts} prompt tokens", "the batch of {n} tokens",
    "{n} tokens in the middle",
    "a part of {needed} bytes", "describes {n} bytes", "claims {length} bytes", "prompts of {long} tokens",
    "the fastest of {n} requests", "no engine runs more than {most}", "its vocabulary has {tokens} tokens",
    "every {step} tokens of depth", "People read about {reading} tokens",
    # a mean with decimals, of several
    "a chunk carries {number} tokens", "{n} tokens per step", "{number} tokens per step", "{number} tokens per second",
}  # fmt: skip
"""Parts of sentences whose count is never one, or written with decimals, each with its kind of reason."""


def _counts(text: str) -> bool:
    return any(found[1] not in NO_COUNTS for found in COUNTED.finditer(text))


def test_what_may_be_one_goes_through_the_door_of_counts(recipe: ModuleType) -> None:
    single = [
        message.id
        for message in recipe.messages()
        if isinstance(message.id, str) and _counts(message.id)
        and FORMS_OF_THE_CHILD not in {name for name, _ in message.locations}
        and not any(part in message.id for part in NEVER_ONE)
    ]  # fmt: skip
    assert single == [], "trn, or an entry of NEVER_ONE with its reason"


def test_nothing_is_excused_that_no_sentence_says(recipe: ModuleType) -> None:
    said = [message.id for message in recipe.messages() if isinstance(message.id, str)]
    assert [part for part in NEVER_ONE if not any(part in text for text in said)] == []


def test_the_child_says_one_and_many() -> None:
    source = (ROOT / FORMS_OF_THE_CHILD).read_text(encoding="utf-8")
    said = re.findall(r'marked\("(.*)"\)', source)
    lacking = [
        text for text in said
        if (found := re.search(r"\{\w+\} (?:tokens|devices)\b", text))
        and "context" not in text and "vocabulary has" not in text
        and text.replace(found[0], found[0][:-1]) not in said
    ]  # fmt: skip
    assert lacking == []


def test_the_form_for_one_speaks_of_one(recipe: ModuleType) -> None:
    """In the first form the counted noun is no plural and its verb goes with one thing."""
    wrong = []
    for message in recipe.read():
        if message.id and message.pluralizable and "{n}" in message.id[0]:
            counted = re.search(rf"\{{n\}}[ \u00a0](?:{NOUNS})\b", message.id[0])
            verb = re.match(r"\{n\}[ \u00a0]\w+ (?:that )?(?:are|were|have|do)\b", message.id[0])
            if (counted and counted[0] not in message.id[1]) or (verb and not counted):
                wrong.append(message.id[0])
    assert wrong == []


@pytest.mark.parametrize(("english", "german"), [
    (" 1 of 32\u00a0layers fits.", " 1 von 32\u00a0Schichten passt hinein."),
    ("cgroup quota of 1 CPU", "cgroup-Quote von 1 CPU"),
    ("the kernels were measured with 1 thread, the test with 4",
     "die Kernel wurden mit 1 Thread gemessen, der Test mit 4"),
])  # fmt: skip
def test_one_of_a_thing_in_both_languages(english: str, german: str) -> None:
    from advisor.core.retelling import retold

    assert retold(english, "de").strip() == german.strip()
    assert retold(german, "en", "de").strip() == english.strip()
