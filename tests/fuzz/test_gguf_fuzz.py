"""Two minutes of changed model files: the only outcomes are facts that agree with each other, and ``BadFile``.

``TWO_MACHINES_FUZZ_S`` sets the seconds. A failure names its seed; ``TWO_MACHINES_FUZZ_SEED`` repeats the run.
"""

import os
import time
import zlib
from base64 import b85encode
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random
from secrets import randbelow

import pytest

from tests.fuzz import searching, stock, world
from tests.fuzz.changes import Changer
from tests.fuzz.trial import Outcome, little_memory, tried
from tests.support.sample import sample_path

SECONDS = float(os.environ.get("TWO_MACHINES_FUZZ_S", "120"))
SEED = int(os.environ.get("TWO_MACHINES_FUZZ_SEED", "0")) or randbelow(2**32)
LEAST = 400
"""Inputs of each kind, however short the time."""
SAMPLE_HEAD_BYTES = 4096
SAMPLE_BYTES = 253_113_024


def sample_head() -> list[bytes]:
    """The first bytes of the real model, cut inside its vocabulary, and all before its tensor table's end."""
    with sample_path().open("rb") as file:
        return [world.packed([file.read(SAMPLE_HEAD_BYTES)], world.LARGE)]


SOURCES: dict[str, Callable[[], list[bytes]]] = {
    "families": stock.families,
    "cases": stock.cases,
    "sets": stock.sets,
    "noise": lambda: stock.noise(Random(SEED)),
    "sample": sample_head,
    "search": searching.stock,
}
SHARES = {"families": 0.5, "cases": 0.2, "sets": 0.1, "noise": 0.05, "sample": 0.1, "search": 0.05}
"""Parts of the time: most goes where most is computed from what is read."""

pytestmark = pytest.mark.timeout(SECONDS + 180)


@pytest.mark.parametrize("source", SOURCES)
def test_only_facts_and_refusals(tmp_path: Path, source: str) -> None:
    seen = fuzzed(SOURCES[source](), SECONDS * SHARES[source], tmp_path)
    total = sum(seen.values())
    print(f"{total:,} inputs: {', '.join(f'{outcome.name} {count:,}' for outcome, count in seen.items())}")
    # the run is worth something only while it reaches all that can happen
    wanted = {
        "families": (Outcome.REFUSED, Outcome.FACTS, Outcome.TRAFFIC),
        "cases": (Outcome.REFUSED, Outcome.FACTS),
        "sets": (Outcome.REFUSED, Outcome.TRAFFIC),
        "noise": (Outcome.REFUSED,),
        "sample": (Outcome.REFUSED,),
        "search": (Outcome.SEARCHED,),
    }
    for outcome in wanted[source]:
        assert seen[outcome] > total / 20, f"only {seen[outcome]} of {total} inputs ended in {outcome.name}"


def fuzzed(pool: list[bytes], seconds: float, folder: Path) -> Counter[Outcome]:
    """Change inputs of the pool until the time is over, each from its beginning or from an earlier change."""
    random = Random(SEED)
    changer = Changer(random, stock.families())
    seen: Counter[Outcome] = Counter()
    ends = time.monotonic() + seconds
    with little_memory():
        while time.monotonic() < ends or seen.total() < LEAST:
            data = changer.changed(random.choice(pool))
            if random.random() < 0.2:
                data = changer.changed(data)
            try:
                seen[tried(data, folder)] += 1
            except Exception as error:
                error.add_note(
                    f"Input {seen.total() + 1}; TWO_MACHINES_FUZZ_SEED={SEED} repeats this run. The input itself:\n"
                    f"zlib.decompress(base64.b85decode({b85encode(zlib.compress(data)).decode()!r}))"
                )
                raise
    return seen
