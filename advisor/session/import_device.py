"""The device that imported figures were measured on, as the user names or describes it in a terminal."""

from datetime import date
from typing import Final

from advisor.core.errors import UsageError
from advisor.core.numbers import bandwidth
from advisor.hardware.catalog import Accelerator, Kind, did_you_mean, find
from advisor.report.device_words import OWN

GB: Final = 1e9
TFLOP: Final = 1e12


def device_from(name: str | None, gb_per_s: float | None = None, tflops: float | None = None) -> Accelerator | None:
    """The device that the user names or describes; None where nothing is said.

    Raises:
        UsageError: a name that is not in the table, or arithmetic without a bandwidth.
    """
    if name is not None and (gb_per_s is not None or tflops is not None):
        raise UsageError("Give --device or its figures, not both.")
    if name is not None:
        row = find(name)
        if row is None or row.kind is Kind.KIT:
            raise UsageError(f"The accelerator table has no {name!r}.", _similar(name))
        return row
    if gb_per_s is None and tflops is None:
        return None
    if gb_per_s is None:
        raise UsageError("--tflops needs --bandwidth beside it.", "Both stand in the device's data sheet.")
    arithmetic = tflops * TFLOP if tflops is not None else None
    return Accelerator(
        name=OWN, kind=Kind.CARD, vendor="", memory_bytes=None, bandwidth_bytes_per_s=gb_per_s * GB, bus_bits=None,
        pin_rate_bits_per_s=None, fp32_flop_per_s=None, fp16_flop_per_s=arithmetic, launch_year=date.today().year,
        aliases=(), source=f"you said {bandwidth(gb_per_s * GB)}", looked_up=date.today().isoformat(),
    )  # fmt: skip


def _similar(name: str) -> str:
    found = did_you_mean(name)
    if not found:
        examples = "RTX 4090, RX 7900 XTX, Apple M3 Max (40-core GPU)"
        return f"Name it as its driver does, such as {examples}; or give --bandwidth and --tflops."
    return f"{found}Else give --bandwidth and --tflops."
