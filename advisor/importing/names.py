"""What llama.cpp writes about model, device and build, in its own words, taken apart."""

import re
from typing import Final

from advisor.core.translation import marked

UNKNOWN_TOOL: Final = marked("an unknown tool")
"""Kept in English with the run, shown through ``tr``."""
_LABEL: Final = re.compile(
    r"\b((?:I|T)?Q\d(?:_[A-Z0-9]+)*|B?F16|F32|MXFP4(?:_MOE)?)(?: - (Small|Medium|Large|Extra small))?(?=\b|$)",
    re.IGNORECASE,
)
_SIZES: Final = {"small": "S", "medium": "M", "large": "L", "extra small": "XS"}
_BUILD: Final = re.compile(r"^\s*build:\s*([0-9a-f]{6,40})\s*\((\d+)\)", re.IGNORECASE)
_CUDA: Final = re.compile(r"^\s*Device \d+: (.+?), compute capability", re.IGNORECASE)
_VULKAN: Final = re.compile(r"^\s*ggml_vulkan: \d+ = (.+?)(?: \([^()]*\))* \|")
_METAL: Final = re.compile(r"^\s*ggml_metal\w*: GPU name:\s*(.+)$|^\s*ggml_metal\w*: found device: (.+)$")


def quantisation(model: str) -> str:
    """``Q4_K_M`` of "llama 8B Q4_K - Medium"; "" where the words hold none."""
    every = list(_LABEL.finditer(model))
    if not every:
        return ""
    found = every[-1]
    label = found[1].upper()
    return f"{label}_{_SIZES[found[2].lower()]}" if found[2] else label


def build(line: str) -> str:
    """``5163 (8cf427ff)`` of the line that llama-bench ends with; "" of any other."""
    found = _BUILD.match(line)
    return f"{found[2]} ({found[1]})" if found else ""


def device(line: str) -> str:
    """The graphics processor that a backend announces in a line; "" where it announces none."""
    for pattern in (_CUDA, _VULKAN, _METAL):
        if found := pattern.match(line):
            return next(part for part in found.groups() if part).strip()
    return ""
