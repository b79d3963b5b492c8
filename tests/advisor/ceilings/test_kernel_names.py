"""The child's names for its kernels are known to the catalogue, so that a German report has none in English."""

from pathlib import Path

from advisor.benchmarks import worker
from advisor.ceilings.model import READ_KERNELS
from advisor.core.retelling import retold


def test_every_kernel_of_the_child_has_a_german_name() -> None:
    source = "".join(file.read_text(encoding="utf-8") for file in Path(worker.__file__).parent.glob("*.py"))
    for name in READ_KERNELS:
        assert name in source or "matrix times vector" in source
        assert retold(name, "de") != name
    inside = f"best of 3\u00a0read kernels: {READ_KERNELS[1]}, 2\u00a0threads, 247\u00a0MB"
    assert READ_KERNELS[1] not in retold(inside, "de")
