"""Free memory mixed between two measured processes.

A process is handed the pages that the one before it gave back, so that two programs measured by turns each keep pages
of their own for minutes. Where those lie in physical memory was worth 8 % of the speed on one machine, the same way in
every round, and looked like a difference between the programs. Stirred, it is chance, which rounds even out.

Only for programs that are compared with each other: scattered pages slow a model's large weights more than the small
buffers in which its kernels are measured.
"""

import subprocess
import sys
from typing import Final

import psutil

PAGE_BYTES: Final = 4096
MOST_BYTES: Final = 1 << 30

_STIR: Final = f"""
import numpy, sys
pages = numpy.empty((int(sys.argv[1]), {PAGE_BYTES}), dtype=numpy.uint8)
pages[numpy.random.permutation(len(pages)), 0] = 1
"""
"""Touch pages in any order, and give them back."""


def stir() -> None:
    """Mix a GB of free memory, or half of what there is, in a process of its own; a second or two."""
    pages = min(MOST_BYTES, psutil.virtual_memory().available // 2) // PAGE_BYTES
    subprocess.run([sys.executable, "-c", _STIR, str(pages)], check=True)
