"""A model of a few of its layers: which ones stand for all, and the file that they make; pure functions.

Layers that engines tell apart by their number (windows in turn with full attention, every fourth layer without a
recurrent state) keep their place in the turn. Among those that are alike, small and large ones are taken in the
proportion in which the model has them, since mixtures give some layers more bits than others.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

from advisor.core.errors import BadFile
from advisor.core.numbers import count
from advisor.core.translation import tr
from advisor.gguf.header import TensorInfo
from advisor.gguf.keys import Keys
from advisor.gguf.modelling import MAX_LAYERS, sort_out, trunk_layers
from advisor.gguf.reasons import NotModelledError
from advisor.gguf.windows import windows
from advisor.rehearsal.blueprint import Blueprint

TARGET_BYTES: Final = 1_000_000_000
"""Layers of the larger stand-in, about: many times any cache, so that memory is read as the whole model reads it, and
still written and loaded in a second or two."""
MOST_BYTES: Final = 6_000_000_000
"""Where two turns of layers take more, one must do."""
SMALL_SHARE: Final = 3
"""The smaller stand-in has a third of the larger one's layers."""
NEARLY_ALL: Final = 1.34
"""A model of no more times the larger stand-in's layers stands in for itself."""
_LONGEST_TURN: Final = 12

_BLOCK: Final = re.compile(r"blk\.(\d+)\.(.*)", re.DOTALL)
_SHARES_CACHES: Final = ("attention.shared_kv_layers",)


@dataclass(frozen=True, slots=True)
class Chosen:
    """Layers for the two stand-ins, by their number in the model.

    Attributes:
        large: of the larger stand-in.
        small: of the smaller one; empty where the larger one is the whole model.
    """

    large: tuple[int, ...]
    small: tuple[int, ...]


def choose(plan: Blueprint, target_bytes: int = TARGET_BYTES) -> Chosen:
    """The layers that stand for all of them.

    Raises:
        BadFile: a model that cannot be cut.
    """
    blocks = _blocks(plan)
    body = [number for number in sorted(blocks) if number >= _leading(plan)]
    signs = _signs(plan, blocks)
    turn = _turn(signs, body)
    sizes = {number: sum(tensor.stored_bytes for tensor in blocks[number]) for number in body}
    each = sum(sizes.values()) / len(body)
    wanted = max(2 * turn, round(target_bytes / each / turn) * turn)
    if wanted * each > MOST_BYTES and turn <= 2:
        wanted = 2  # a longer turn must stay whole: some engines count on every kind of its layers
    if wanted * NEARLY_ALL >= len(body):
        return Chosen(tuple(sorted(blocks)), ())
    _refuse_shared_caches(plan)
    small = max(turn, wanted // SMALL_SHARE // turn * turn) if wanted > 2 else 1
    return Chosen(_spread(body, sizes, wanted, turn), _spread(body, sizes, small, turn))


def cut(plan: Blueprint, layers: Sequence[int]) -> Blueprint:
    """The model of these layers only, without a tokenizer; its engine sees nothing strange about it."""
    blocks = _blocks(plan)
    new = {old: number for number, old in enumerate(layers)}
    tensors = [tensor for tensor in plan.tensors if _number(tensor.name) is None]
    tensors = [_narrowed(tensor, plan, len(layers)) for tensor in tensors]
    for old in layers:
        tensors += [_renamed(tensor, new[old]) for tensor in blocks[old]]
    keys = {name: value for name, value in plan.keys.items() if not _is_of_tokenizer(name)}
    prefix, declared = f"{plan.architecture}.", Keys(plan.keys, plan.architecture).count("block_count")
    for name, value in keys.items():
        if name.startswith(prefix) and isinstance(value, tuple) and len(value) == declared:
            keys[name] = tuple(value[old] for old in layers)
    keys[f"{prefix}block_count"] = len(layers)
    if f"{prefix}leading_dense_block_count" in keys:
        keys[f"{prefix}leading_dense_block_count"] = sum(old < _leading(plan) for old in layers)
    if f"{prefix}nextn_predict_layers" in keys:
        keys[f"{prefix}nextn_predict_layers"] = 0
    keys["tokenizer.ggml.model"] = "no_vocab"
    keys[f"{prefix}vocab_size"] = _words(plan)
    return Blueprint(MappingProxyType(keys), tuple(tensors))


def _blocks(plan: Blueprint) -> dict[int, list[TensorInfo]]:
    """The tensors of each block that decode runs."""
    keys = Keys(plan.keys, plan.architecture)
    trunk = min(trunk_layers(keys, sort_out(plan.tensors)), MAX_LAYERS)
    blocks: dict[int, list[TensorInfo]] = {}
    for tensor in plan.tensors:
        number = _number(tensor.name)
        if number is not None and number < trunk:
            blocks.setdefault(number, []).append(tensor)
    if not blocks or len(blocks) != trunk:
        raise BadFile(tr("This model has no layers that could be told apart, so it cannot be rehearsed."))
    return blocks


def _number(name: str) -> int | None:
    found = _BLOCK.fullmatch(name)
    return int(found[1]) if found else None


def _renamed(tensor: TensorInfo, number: int) -> TensorInfo:
    found = _BLOCK.fullmatch(tensor.name)
    assert found is not None
    return replace(tensor, name=f"blk.{number}.{found[2]}")


def _narrowed(tensor: TensorInfo, plan: Blueprint, layers: int) -> TensorInfo:
    """Tables outside the layers that hold a part for each of them get narrower with them."""
    side = {"per_layer_token_embd.weight": 0, "per_layer_model_proj.weight": 1}.get(tensor.name)
    declared = Keys(plan.keys, plan.architecture).count("block_count") or 1
    if side is None:
        return tensor
    dims = list(tensor.dims)
    dims[side] = dims[side] // declared * layers
    bytes_now = tensor.stored_bytes // declared * layers
    return replace(tensor, dims=tuple(dims), bytes=bytes_now)


def _is_of_tokenizer(name: str) -> bool:
    return name.startswith(("tokenizer.", "split."))


def _words(plan: Blueprint) -> int:
    """Rows of the table of embeddings, whatever list of texts came with it."""
    for tensor in plan.tensors:
        if tensor.name == "token_embd.weight" and len(tensor.dims) > 1:
            return tensor.dims[1]
    raise BadFile(tr("This model has no table of embeddings, so it cannot be rehearsed."))


def _leading(plan: Blueprint) -> int:
    """Leading layers that are dense in a model whose others have experts."""
    keys = Keys(plan.keys, plan.architecture)
    return (keys.count("leading_dense_block_count") or 0) if keys.count("expert_count") else 0


def _signs(plan: Blueprint, blocks: dict[int, list[TensorInfo]]) -> dict[int, object]:
    """What an engine tells a layer by: its tensors with their shapes, and its window."""
    keys = Keys(plan.keys, plan.architecture)
    try:
        window = windows(keys, max(blocks) + 1)
    except NotModelledError as reason:
        raise BadFile(tr("This model cannot be rehearsed: {reason}.", reason=reason)) from reason
    return {
        number: (
            tuple(sorted((tensor.name.partition(".")[2].partition(".")[2], tensor.dims) for tensor in tensors)),
            window[number],
        )
        for number, tensors in blocks.items()
    }


def _turn(signs: dict[int, object], body: Sequence[int]) -> int:
    """After how many layers the same kinds come again; 1 where all are alike or told apart by arrays of the file."""
    for turn in range(1, _LONGEST_TURN + 1):
        if all(signs[number] == signs[number - turn] for number in body if number - turn >= body[0]):
            return turn
    return 1


def _spread(body: Sequence[int], sizes: dict[int, int], wanted: int, turn: int) -> tuple[int, ...]:
    """So many layers, each in its place of the turn, small and large ones in proportion."""
    chosen: dict[int, int] = {}
    for place in range(min(turn, wanted)):
        # a stand-in begins at 0, and engines count from there, leading dense layers or not
        alike = sorted(
            (number for number in body if number % turn == place), key=lambda number: (sizes[number], number)
        )
        places = range(place, wanted, turn)
        picked = [alike[int((k + 0.5) / len(places) * len(alike))] for k in range(len(places))]
        # larger layers stand first and last in real files as well; the order does not matter to speed
        chosen |= dict(zip(places, picked, strict=True))
    return tuple(chosen[at] for at in range(wanted))


def _refuse_shared_caches(plan: Blueprint) -> None:
    keys = Keys(plan.keys, plan.architecture)
    sharing = next((keys.count(name) for name in _SHARES_CACHES if keys.count(name)), 0)
    if plan.architecture == "gemma3n" or sharing:
        raise BadFile(
            tr(
                "Layers of {architecture} models use each other's caches, so that a few cannot stand for all.",
                architecture=plan.architecture,
            ),
            tr("Download the model and measure it."),
        )


def layer_words(chosen: Chosen, layers: int) -> str:
    """What stood for the model, for people."""
    if not chosen.small:
        return tr("all {n} layers", n=count(layers))
    return tr(
        "{first} and {second} of {all} layers",
        first=count(len(chosen.small)), second=count(len(chosen.large)), all=count(layers),
    )
