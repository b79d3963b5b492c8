r"""NVIDIA's Jetson boards by their device tree, for systems whose management library is missing or shows nothing.

By hand: ``tr '\0' '\n' < /proc/device-tree/compatible``.
"""

from pathlib import Path

from advisor.core.evidence import Basis, Known, Missing, Unknown
from advisor.core.translation import tr
from advisor.hardware.files import text_or_empty
from advisor.hardware.model import Gpu


def parse(model: str, compatible: str) -> Gpu | None:
    """The board's GPU, which shares the main memory; None for every other board.

    Args:
        model: text of /proc/device-tree/model ("NVIDIA Jetson Orin Nano Developer Kit").
        compatible: text of /proc/device-tree/compatible, parts separated by NUL ("nvidia,tegra234").
    """
    parts = compatible.replace("\0", "\n").split()
    if not any(part.startswith("nvidia,tegra") for part in parts):
        return None
    name = model.strip("\0 \n")
    no_figure = Unknown(tr("the device tree does not tell"), Missing.NOT_SUPPORTED)
    shared = Unknown(tr("shares main memory"), Missing.NOT_APPLICABLE)
    return Gpu(
        name=Known(name, Basis.READ, "/proc/device-tree/model") if name else no_figure,
        uuid=no_figure,
        pci_id=Unknown(tr("part of the chip"), Missing.NOT_APPLICABLE),
        memory_total_bytes=shared,
        memory_free_bytes=shared,
        memory_bytes_per_s=no_figure,
        compute_capability=no_figure,
        power_limit_w=no_figure,
        driver=no_figure,
        shares_memory=Known(True, Basis.READ, "/proc/device-tree/compatible"),
        vendor="nvidia",
    )


def read(root: Path = Path("/")) -> tuple[Gpu, ...]:
    """The Jetson GPU of this Linux system, if it is one."""
    base = root / "proc/device-tree"
    gpu = parse(text_or_empty(base / "model"), text_or_empty(base / "compatible"))
    return () if gpu is None else (gpu,)
