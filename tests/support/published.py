"""Published measurements as rows: whose device, which model's traffic, how fast.

``tests/data/published/scoreboard.csv`` and ``more.csv`` hold a line per measurement with its source, ``models.csv`` the
shapes of the models, written down from memory of their ``config.json``; the totals of parameters tie most of them.
"""

import csv
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from advisor.gguf.quant_types import BY_NAME
from advisor.gguf.traffic import AttentionLayer, RecurrentLayer, Traffic
from advisor.hardware.catalog import Accelerator, Kind, find, normalise

FOLDER = Path(__file__).parents[1] / "data" / "published"
FILES = (FOLDER / "scoreboard.csv", FOLDER / "more.csv")
GIB = 2**30

KINDS = {"dgpu": Kind.CARD, "apple": Kind.UNIFIED, "igpu": Kind.UNIFIED, "unified": Kind.UNIFIED, "cpu": Kind.KIT}
NICKNAMES = {
    "A100 PCIe 80GB": "A100 80GB PCIe", "A100 SXM 80GB": "A100 SXM4 80GB", "MI300X": "Instinct MI300X",
    "MI210": "Instinct MI210", "RTX 3080": "RTX 3080 10GB", "RTX 3060": "RTX 3060 12GB",
    "RTX 4060 Ti": "RTX 4060 Ti 16GB", "NVIDIA GeForce RTX 3080": "RTX 3080 10GB",
    "NVIDIA GeForce RTX 3060": "RTX 3060 12GB", "NVIDIA GeForce RTX 4060 Ti": "RTX 4060 Ti 16GB",
    "Tesla V100": "Tesla V100 PCIe 16GB", "Jetson AGX Orin": "Jetson AGX Orin 64GB",
}  # fmt: skip
"""Names in published tables -> the whole name; of two sizes of a card, the one with the bandwidth of the line."""

APPLE = re.compile(r"(?:Apple )?(M\d(?: Pro| Max| Ultra)?) ?(?:\((\d+)c\)|.*?(\d+)GPU)")


@dataclass(frozen=True)
class Measured:
    """One line; speeds are None where the source has none."""

    id: str
    device: Accelerator
    identity: str
    engine: str
    model: str
    quant: str
    traffic: Traffic | None
    prompt: int
    decode: float | None
    prefill: float | None
    strict: bool
    """First-hand, and the file's size was stated."""
    shape_known: bool
    """Whether the embedding table and the experts are known; else the whole file counts, by active parameters."""
    fits: bool
    """Whether the file fits the device's memory, where that is known: a model that spills says nothing about it."""
    where: str


def read_rows(paths: Iterable[Path] = FILES) -> list[Measured]:
    """Every line of the files that names its device's bandwidth or whose device the accelerator table knows."""
    shapes = _shapes()
    lines = [line for path in paths for line in csv.DictReader(path.read_text(encoding="utf-8").splitlines())]
    return [_row(line, shapes) for line in lines]


def _row(line: dict[str, str], shapes: list[dict[str, str]]) -> Measured:
    device = _device(line)
    shape = _shape(line, shapes)
    size = float(line["model_size_GiB"]) * GIB if line["model_size_GiB"] else None
    return Measured(
        id=line["id"],
        device=device,
        identity=_identity(device),
        engine=_engine(line),
        model=line["model"],
        quant=line["quant"],
        traffic=None if size is None else _traffic(line, shape, size),
        prompt=int(line["n_prompt"] or 512),
        decode=float(line["tg_tps"]) if line["tg_tps"] else None,
        prefill=float(line["pp_tps"]) if line["pp_tps"] else None,
        strict=line["second_hand"] == "no" and line["size_imputed"] == "no",
        shape_known=shape is not None,
        fits=size is None or device.memory_bytes is None or size <= device.memory_bytes,
        where=line["source_url"],
    )


def _engine(line: dict[str, str]) -> str:
    backend = line["backend"]
    if "llamafile" in backend:
        return "llamafile"
    if backend.startswith("ik_llama"):
        return "ik_llama.cpp"
    if line["vendor"] == "apple" and backend == "Vulkan":
        return "llama.cpp through MoltenVK"
    return "llama.cpp"


def _device(line: dict[str, str]) -> Accelerator:
    """The table's row where it has the name, with the line's own figures where it states some."""
    name = line["device"].replace(" Mobile", " Laptop GPU")
    apple = APPLE.match(name)
    if apple:
        name = f"Apple {apple[1]} ({apple[2] or apple[3]}-core GPU)"
    known = None if line["kind"] == "cpu" else _find(name)
    kind = Kind.LAPTOP if "Laptop" in name else KINDS[line["kind"]]
    bandwidth = float(line["mem_bw_GBps"]) * 1e9 if line["mem_bw_GBps"] else None
    arithmetic = float(line["compute_fp16_TFLOPS"]) * 1e12 if line["compute_fp16_TFLOPS"] else None
    if known is not None:
        called = name if apple else known.name
        return replace(known, name=called, bandwidth_bytes_per_s=bandwidth or known.bandwidth_bytes_per_s)
    return Accelerator(
        name=" ".join(re.sub(r"\(R\)|NVIDIA|GeForce|AMD", "", name).split()),
        kind=kind,
        vendor=line["vendor"] if line["vendor"] in ("nvidia", "amd", "intel", "apple") else "",
        memory_bytes=None,
        bandwidth_bytes_per_s=bandwidth,
        bus_bits=None,
        pin_rate_bits_per_s=None,
        fp32_flop_per_s=None,
        fp16_flop_per_s=arithmetic,
        launch_year=0,
        aliases=(),
        source=line["source_url"],
        looked_up="2026-11-29",
    )


def _find(name: str) -> Accelerator | None:
    """Whole names as drivers write them, or as people shorten them in tables."""
    bare = re.sub(r" \(.*\)$", "", name)
    return find(name) or find(bare) or find(f"{bare} Generation") or find(NICKNAMES.get(bare, ""))


def _identity(device: Accelerator) -> str:
    """The same text for one device under different names: word order and "Generation" do not matter."""
    words = (re.sub(r"^sxm\d$", "sxm", word) for word in normalise(device.name) if word != "generation")
    return " ".join(sorted(words))


def _shapes() -> list[dict[str, str]]:
    return list(csv.DictReader((FOLDER / "models.csv").read_text(encoding="utf-8").splitlines()))


def _shape(line: dict[str, str], shapes: list[dict[str, str]]) -> dict[str, str] | None:
    """The shape with the same number of parameters to 0.3 %; of two, the one of the same architecture."""
    total = float(line["params_total_B"])
    near = [shape for shape in shapes if abs(float(shape["params_total_B"]) / total - 1) < 0.003]
    near.sort(key=lambda shape: (shape["arch"] != line["arch"], abs(float(shape["params_total_B"]) - total)))
    return near[0] if near else None


def _traffic(line: dict[str, str], shape: dict[str, str] | None, size: float) -> Traffic:
    total, active = float(line["params_total_B"]) * 1e9, float(line["params_active_B"]) * 1e9
    if shape is None:
        return Traffic(round(size * active / total), 0, 0, 0, 0, 0, round(active), 0, 0, ())
    number = {key: float(value) for key, value in shape.items() if key not in ("arch", "tied")}
    tied = shape["tied"] == "yes"
    table = round(number["vocabulary"] * number["width"])
    expert_elements = round(number["expert_elements_B"] * 1e9)
    bits = size * 8 / total
    other_bits = 8.5 if line["quant"] == "MXFP4" else bits
    table_bytes = 0.0 if tied else table * _table_bits(line["quant"], bits) / 8
    expert_bytes = size - (total - expert_elements) * other_bits / 8 if expert_elements else 0.0
    used = number["experts_used"] / number["experts"] if expert_elements else 0.0
    layers = int(number["layers"])
    attending = int(number["attention_layers"])
    feed_forward = 3 * number["width"] * number["feed_forward"]
    heads, kv_heads, length = (int(number[key]) for key in ("heads", "kv_heads", "head_length"))
    head_bytes = table * other_bits / 8
    return Traffic(
        dense_bytes=round(size - table_bytes - expert_bytes - head_bytes),
        head_bytes=round(head_bytes),
        expert_bytes=round(expert_bytes),
        experts=int(number["experts"]),
        experts_used=int(number["experts_used"]),
        row_bytes=0,
        block_elements=round(total - table * (1 if tied else 2) - expert_elements * (1 - used)),
        head_elements=table,
        last_ffn_elements=round(feed_forward),
        attention=tuple(AttentionLayer(heads, kv_heads, length, length) for _ in range(attending)),
        recurrent=tuple(RecurrentLayer("not attending", 0, 0) for _ in range(layers - attending)),
    )


def _table_bits(quant: str, bits: float) -> float:
    """Bits of the embedding table: llama-quantize keeps it in the label's own type (read 2026-11-29)."""
    if quant == "MXFP4":
        return 8.5
    label = quant.removeprefix("UD-")
    for name in (label, label.rsplit("_", 1)[0]):
        if name in BY_NAME:
            return BY_NAME[name].bits_per_weight
    return bits
