"""Memory nodes (Linux) and processor groups (Windows).

By hand: ``lscpu`` (NUMA node(s)); on Windows ``Get-CimInstance Win32_Processor``, Task Manager's NUMA view.
"""

import sys
from pathlib import Path

from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.core.translation import tr
from advisor.hardware.files import parse_cpu_list, text_or_empty

SOURCE = "/sys/devices/system/node/online"


def parse_nodes(online: str, with_processors: str = "") -> Fact[int]:
    """Number of nodes, from the texts of ``online`` ("0-1") and ``has_cpu`` in /sys/devices/system/node.

    A graphics card or a memory expander may be a node as well (GH200 shows nine for one processor); a program does
    not run there.
    """
    nodes = parse_cpu_list(online)
    nodes = nodes & parse_cpu_list(with_processors) or nodes
    if not nodes:
        return Unknown(tr("the kernel shows no memory nodes"), Missing.NOT_SUPPORTED)
    return Known(len(nodes), Basis.READ, SOURCE)


def parse_groups(count: int, sizes: tuple[int, ...]) -> Fact[int]:
    """Windows' processor groups, checked against their sizes (each 1 to 64 logical CPUs)."""
    if count < 1 or len(sizes) != count or any(not 1 <= size <= 64 for size in sizes):
        return Unknown(
            tr("Windows states {count} processor groups of {sizes}", count=count, sizes=sizes), Missing.FAILED
        )
    return Known(count, Basis.READ, "GetActiveProcessorGroupCount")


def read_nodes(root: Path = Path("/")) -> Fact[int]:
    """Memory nodes of this Linux system."""
    base = root / "sys/devices/system/node"
    return parse_nodes(text_or_empty(base / "online"), text_or_empty(base / "has_cpu"))


def read_groups() -> Fact[int]:
    """Processor groups of this Windows system; does not apply elsewhere."""
    if sys.platform == "win32":
        import ctypes

        kernel = ctypes.windll.kernel32
        count = int(kernel.GetActiveProcessorGroupCount())
        return parse_groups(count, tuple(int(kernel.GetActiveProcessorCount(group)) for group in range(count)))
    return Unknown(tr("only Windows has processor groups"), Missing.NOT_APPLICABLE)
