"""A kernel table that fits the model of ``documents``, for taking its measured steps apart."""

from dataclasses import replace

from advisor.ceilings.kernels import AttentionTime, KernelTable, KernelTime, OperationTime
from advisor.ceilings.model import Ceilings
from advisor.core.evidence import Basis, Known
from advisor.gguf.model import MatmulShape, ModelFacts
from tests.support import documents

THREADS = 12
SHAPE = MatmulShape("Q4_K", 12, 4096, 14336, 4_190_000_000, 119)
HEAD = MatmulShape("Q6_K", 14, 4096, 128256, 430_000_000, 1)
MODEL: ModelFacts = replace(documents.model(), matmuls=(SHAPE, HEAD), experts=0)
BLOCKS_S, HEAD_S, ATTENTION_S = 0.068, 0.010, 0.001
"""Decode as the table says: 119 products and a head; the measured token takes 86.2 ms at 11.6 tokens/s."""


def table(unpacking: float = 1.0, operation_s: float = 1e-6, threads: int = THREADS, layout: str = "") -> KernelTable:
    applied = SHAPE.inputs * SHAPE.outputs * SHAPE.count
    assert isinstance(MODEL.traffic, Known)
    each_s = BLOCKS_S * unpacking / SHAPE.count * applied / MODEL.traffic.value.block_elements

    def product(shape: MatmulShape, columns: int, seconds: float) -> KernelTime:
        return KernelTime(
            shape.type_name, shape.inputs, shape.outputs, columns, layout, threads, "CPU", (seconds,)
        )

    def attention(columns: int, cells: int, seconds: float) -> AttentionTime:
        return AttentionTime(32, 8, 128, 128, columns, cells, threads, "CPU", (seconds,))

    return KernelTable(
        (product(SHAPE, 1, each_s), product(SHAPE, 512, 0.08), product(HEAD, 1, HEAD_S * unpacking)),
        (attention(1, 64, ATTENTION_S / 32), attention(1, 4096, 0.01), attention(512, 512, 0.01)),
        (OperationTime("add", 4096, 1, threads, "CPU", (operation_s,)),),
        "2026-11-29",
    )


def bounds(kernels: KernelTable, read: float = 61.4e9) -> Ceilings:
    return replace(
        documents.ceilings(), kernels=kernels, read_bytes_per_s=Known(read, Basis.MEASURED, "test"),
        decode_tokens_per_s=Known(read / 4.62e9, Basis.COMPUTED, "test"),
    )  # fmt: skip
