"""The ggml tensor types: how many bytes a block of elements takes, and what the file-type labels are called.

Sources: ``enum ggml_type`` and ``enum llama_ftype`` of llama.cpp (ggml 0.25), ``GGML_QUANT_SIZES`` of gguf-py 0.19;
read 2026-11-29. Numbers that were once given and are withdrawn (4, 5, 31-33, 36-38) are left out on purpose.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class QuantType:
    """One tensor type.

    Attributes:
        id: the number stored in the file.
        name: as llama.cpp prints it, upper case.
        block_elements: elements that are packed together; a row is a whole number of blocks.
        block_bytes: bytes of one block.
    """

    id: int
    name: str
    block_elements: int
    block_bytes: int

    @property
    def bits_per_weight(self) -> float:
        """Storage per element, scales included."""
        return 8.0 * self.block_bytes / self.block_elements

    def bytes_of(self, elements: int) -> int:
        """Bytes of whole blocks holding ``elements``; raises ValueError when a block would be broken."""
        blocks, rest = divmod(elements, self.block_elements)
        if rest:
            raise ValueError(f"{elements} elements do not fill whole blocks of {self.block_elements} ({self.name})")
        return blocks * self.block_bytes


_ROWS = (
    (0, "F32", 1, 4),
    (1, "F16", 1, 2),
    (2, "Q4_0", 32, 18),
    (3, "Q4_1", 32, 20),
    (6, "Q5_0", 32, 22),
    (7, "Q5_1", 32, 24),
    (8, "Q8_0", 32, 34),
    (9, "Q8_1", 32, 40),
    (10, "Q2_K", 256, 84),
    (11, "Q3_K", 256, 110),
    (12, "Q4_K", 256, 144),
    (13, "Q5_K", 256, 176),
    (14, "Q6_K", 256, 210),
    (15, "Q8_K", 256, 292),
    (16, "IQ2_XXS", 256, 66),
    (17, "IQ2_XS", 256, 74),
    (18, "IQ3_XXS", 256, 98),
    (19, "IQ1_S", 256, 50),
    (20, "IQ4_NL", 32, 18),
    (21, "IQ3_S", 256, 110),
    (22, "IQ2_S", 256, 82),
    (23, "IQ4_XS", 256, 136),
    (24, "I8", 1, 1),
    (25, "I16", 1, 2),
    (26, "I32", 1, 4),
    (27, "I64", 1, 8),
    (28, "F64", 1, 8),
    (29, "IQ1_M", 256, 56),
    (30, "BF16", 1, 2),
    (34, "TQ1_0", 256, 54),
    (35, "TQ2_0", 256, 66),
    (39, "MXFP4", 32, 17),
    (40, "NVFP4", 64, 36),
    (41, "Q1_0", 128, 18),
    (42, "Q2_0", 64, 18),
)

TYPES: Mapping[int, QuantType] = MappingProxyType({row[0]: QuantType(*row) for row in _ROWS})
"""Every type whose block size is known, by its number."""

BY_NAME: Mapping[str, QuantType] = MappingProxyType({quant.name: quant for quant in TYPES.values()})
"""The same by name."""

FILE_TYPE_LABELS: Mapping[int, str] = MappingProxyType(
    {
        0: "F32",
        1: "F16",
        2: "Q4_0",
        3: "Q4_1",
        7: "Q8_0",
        8: "Q5_0",
        9: "Q5_1",
        10: "Q2_K",
        11: "Q3_K_S",
        12: "Q3_K_M",
        13: "Q3_K_L",
        14: "Q4_K_S",
        15: "Q4_K_M",
        16: "Q5_K_S",
        17: "Q5_K_M",
        18: "Q6_K",
        19: "IQ2_XXS",
        20: "IQ2_XS",
        21: "Q2_K_S",
        22: "IQ3_XS",
        23: "IQ3_XXS",
        24: "IQ1_S",
        25: "IQ4_NL",
        26: "IQ3_S",
        27: "IQ3_M",
        28: "IQ2_S",
        29: "IQ2_M",
        30: "IQ4_XS",
        31: "IQ1_M",
        32: "BF16",
        36: "TQ1_0",
        37: "TQ2_0",
        38: "MXFP4_MOE",
        39: "NVFP4",
        40: "Q1_0",
        41: "Q2_0",
    }
)
"""``general.file_type`` -> label. A label only: the type of each tensor is what counts."""

_GUESSED = 1024
"""Flag in ``general.file_type`` of files whose label was guessed by the writer."""


def type_name(type_id: int) -> str:
    """Name of a tensor type, ``type 153`` for a number that is not in the table."""
    known = TYPES.get(type_id)
    return known.name if known else f"type {type_id}"


def file_type_label(file_type: int) -> str | None:
    """Label of a ``general.file_type`` value, None when the number is not in the table."""
    return FILE_TYPE_LABELS.get(file_type & ~_GUESSED)
