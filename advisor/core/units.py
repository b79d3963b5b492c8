"""Constants and exact conversions. A GB is 10^9 bytes, a GiB is 2^30; the two never share a name."""

from typing import Final

KB: Final = 10**3
MB: Final = 10**6
GB: Final = 10**9
TB: Final = 10**12

KIB: Final = 2**10
MIB: Final = 2**20
GIB: Final = 2**30

GFLOP: Final = 10**9
TFLOP: Final = 10**12

FLOP_PER_MAC: Final = 2
"""One multiply-accumulate counts as two floating-point operations, as in the roofline literature."""
