"""Predicted against measured worst gap for each size of the pieces: a prompt arrives among running streams.

    python -m tests.benchmarks.stutter [MODEL] [--prompt 2048] [--streams 4] [--rounds 3]

Prints the table of docs/accuracy.md. Needs a quiet machine; about two minutes on two cores with the sample.
"""

import argparse
from itertools import pairwise
from pathlib import Path
from typing import Final

from advisor.benchmarks.job import OWN_CHOICE
from advisor.benchmarks.planning import BenchSettings
from advisor.benchmarks.stutter.model import CHUNKS
from advisor.core.progress import CancelToken
from advisor.report import stutter_words
from advisor.session.pipeline import Pipeline
from advisor.session.stuttering import Question
from tests.support.sample import sample_path

AIM: Final = 0.20
"""Share by which the predicted worst gap may be off."""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("model", nargs="?", type=Path)
    parser.add_argument("--prompt", type=int, default=2048)
    parser.add_argument("--streams", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    pipeline, cancel = Pipeline(), CancelToken()
    model, machine = pipeline.read_model(arguments.model or sample_path()), pipeline.read_machine()
    question = Question(arguments.prompt, arguments.streams, (*CHUNKS, 0), rounds=arguments.rounds)
    found = pipeline.stutter(
        model, machine, pipeline.read_engine(cancel), question, BenchSettings(), OWN_CHOICE, lambda _event: None, cancel
    )
    print(f"| {' | '.join(stutter_words.HEAD)} |\n|{' --: |' * len(stutter_words.HEAD)}")
    for row in stutter_words.rows(found):
        print(f"| {' | '.join(row)} |")
    for words in stutter_words.sentences(found):
        print(words)
    pauses = found.pauses()
    within = sum(each.error is not None and abs(each.error) <= AIM for each in pauses)
    falls = all(low.worst_s < high.worst_s for low, high in pairwise(pauses))
    print(f"Within {AIM:.0%}: {within} of {len(pauses)}; the worst gap falls with the pieces: {falls}")


if __name__ == "__main__":
    main()
