"""A thousand headers of all kinds, the same every time: no crash, and every figure agrees with the others."""

import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from advisor.core.errors import BadFile
from advisor.core.evidence import Known
from advisor.gguf.architecture import read_model
from tests.support.consistency import check
from tests.support.families import FAMILIES
from tests.support.gguf_builder import Gguf, Tensor, decoder, vocabulary
from tests.support.tiny import ints

HEADERS = 1000
READING = (
    "import sys; from pathlib import Path; from advisor.gguf.architecture import read_model;"
    "print(read_model(Path(sys.argv[1])).vocabulary.value)"
)
MEASURED = (
    "import resource, subprocess, sys;"
    f"subprocess.run([sys.argv[1], '-c', {READING!r}, sys.argv[2]], check=True);"
    "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
)
"""A child of a child, since Linux counts the memory that a process was started from as its own."""
ODD_VALUES: tuple[object, ...] = (0, 1, 2, 3, 7, 64, 2**32 - 1, 2**63, -1, True, "text", 0.5, ints([0, 1]), ints([]))


def changed(random: Random) -> Gguf:
    """A family's file with some of its keys and tensors changed; often none, so that figures get checked."""
    file = FAMILIES[random.choice(sorted(FAMILIES))]()
    assert isinstance(file.keys, dict)
    keys, tensors = dict(file.keys), list(file.tensors)
    for _ in range(random.choice((0, 0, 1, 1, 2, 5))):
        match random.randrange(7):
            case 0:
                keys[random.choice(sorted(map(str, keys)))] = random.choice(ODD_VALUES)
            case 1:
                keys.pop(random.choice(sorted(map(str, keys))))
            case 2:
                tensors.pop(random.randrange(len(tensors)))
            case 3:
                index = random.randrange(len(tensors))
                tensors[index] = Tensor(tensors[index].name, (*tensors[index].dims[:-1], random.choice((0, 1, 32))))
            case 4:
                index = random.randrange(len(tensors))
                tensors[index] = Tensor(
                    tensors[index].name, tensors[index].dims, random.choice(("F32", "Q8_0", "BF16"))
                )
            case 5:
                keys["general.architecture"] = random.choice(("llama", "mamba", "gemma4", "brand-new", "bert", ""))
            case _:
                other = FAMILIES[random.choice(sorted(FAMILIES))]().tensors
                tensors.append(random.choice(other))
    order = ">" if random.random() < 0.03 else "<"
    return Gguf(keys, tensors, order=order, alignment=32)


def test_a_thousand_headers(tmp_path: Path) -> None:
    random, known, refused = Random(20261129), 0, 0
    for number in range(HEADERS):
        path = changed(random).write(tmp_path / f"{number}.gguf")
        try:
            model = read_model(path)
        except BadFile as error:
            assert error.sentence.endswith(".")
            refused += 1
        else:
            check(model)
            known += isinstance(model.traffic, Known)
        path.unlink()
    # the mixture is worth something only while all three outcomes are common
    assert known > HEADERS // 4
    assert refused > HEADERS // 50
    assert HEADERS - known - refused > HEADERS // 4


@pytest.mark.skipif(sys.platform == "win32", reason="the system does not say how much memory a child used")
def test_a_giant_header_costs_little_memory(tmp_path: Path) -> None:
    """A vocabulary of a million texts and 20,000 tensors, in a child that starts from nothing."""
    tensors = [Tensor(f"blk.{i // 100}.ffn_gate.{i % 100}.weight", (64, 64), "Q8_0") for i in range(20_000)]
    plain = decoder(extra=tensors)
    assert isinstance(plain.keys, dict)
    keys = {**plain.keys, "tokenizer.ggml.tokens": vocabulary(f"token {i}" for i in range(1_000_000))}
    path = Gguf(keys, plain.tensors).write(tmp_path / "m.gguf")
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, sys.executable, str(path)],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    tokens, peak = map(int, done.stdout.split())
    assert tokens == 1_000_000
    assert peak * (1 if sys.platform == "darwin" else 1024) < 100e6
