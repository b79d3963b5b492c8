"""Invented kernels in every type, at a rate each, for the chooser."""

from advisor.ceilings.kernels import AttentionTime, KernelTable, KernelTime, OperationTime
from advisor.core.evidence import Basis, Known
from advisor.gguf.quant_types import BY_NAME
from advisor.shortlist.choosing import Place

READ_BYTES_PER_S = 40e9
FLOP_PER_S = 0.8e12
TYPES = ("F16", "Q8_0", "Q6_K", "Q5_K", "Q5_1", "Q5_0", "Q4_K", "Q4_0", "IQ4_XS", "IQ4_NL", "MXFP4", "Q3_K", "Q2_K")
GIB = 2**30


def table(types: tuple[str, ...] = TYPES) -> KernelTable:
    """A processor that reads at one rate and multiplies at another, whatever the type."""
    products = []
    for name in types:
        for experts, used in ((0, 0), (128, 8)):
            elements = 4096 * 4096 * max(used, 1)
            for columns in (1, 512):
                read_s = elements * BY_NAME[name].bits_per_weight / 8 / READ_BYTES_PER_S
                seconds = max(read_s, 2 * elements * columns / FLOP_PER_S)
                products.append(KernelTime(name, 4096, 4096, columns, "", 8, "CPU", (seconds,), experts, used))
    attention = tuple(
        AttentionTime(32, 8, 128, 128, columns, cells, 8, "CPU", (columns * cells * 4 * 32 * 128 / FLOP_PER_S + 1e-6,))
        for columns, cells in ((1, 256), (1, 4096), (512, 512), (512, 1024))
    )
    return KernelTable(tuple(products), attention, (OperationTime("add", 4096, 1, 8, "CPU", (1e-6,)),), "2026-11-30")


def place(memory_bytes: int = 32 * GIB, kernels: KernelTable | None = None) -> Place:
    """A processor with so much memory."""
    known = Known(memory_bytes, Basis.READ, "test")
    return Place("CPU", known, known, table() if kernels is None else kernels)
