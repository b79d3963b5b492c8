"""A model of a few of its layers: which ones stand for all, and the file that they make; pure functions.

Layers that engines tell apart by their number (windows in turn with full attention, every fourth layer without a
recurrent state) keep their place in the turn. Those that they tell apart by arrays of the file may stand in any order,
so that one of each kind is enough. Among those that are alike, small and large ones are taken in the proportion in
which the model has them, since mixtures give some layers more bits than others.

The smaller stand-in is the beginning of the larger one, so that both are one file with two headers.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

from advisor.core.errors import BadFile
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
MOST_BYTES: Final = 3_200_000_000
"""Where a turn of layers and one more turn take more, fewer of the second must do: they are written, loaded and run
twice over, and a rehearsal is meant to take seconds."""
SMALL_SHARE: Final = 3
"""The smaller stand-in has a third of the larger one's layers."""
NEARLY_ALL: Final = 1.34
"""A model of no more times the larger stand-in's layers stands in for itself."""
_LONGEST_TURN: Final = 12
_MOST: Final = 0.74
"""Layers that the larger stand-in has more are of kinds that make up at least so many of the model's: their cost is
what its other layers are taken to cost. Three of four have a window in common models."""

_BLOCK: Final = re.compile(r"blk\.(\d+)\.(.*)", re.DOTALL)
_SHARES_CACHES: Final = ("attention.shared_kv_layers",)


@dataclass(frozen=True, slots=True)
class Chosen:
    """Layers for the two stand-ins, by their number in the model.

    Attributes:
        large: of the larger stand-in.
        small: of the smaller one, the first ones of ``large``; empty where the larger one is the whole model.
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
    sizes = {number: sum(tensor.stored_bytes for tensor in blocks[number]) for number in body}
    each = sum(sizes.values()) / len(body)
    kinds = _kinds(signs, body)
    if _told_by_arrays(plan, signs, body):
        turn, least, further = 1, len(kinds), _most_of_them(kinds)
    else:
        turn = _turn(signs, body)
        least, further = turn, _most_of_a_turn(signs, kinds, body, turn)
    wanted = max(least + further, 2 * least, round(target_bytes / each / turn) * turn)
    if wanted * each > MOST_BYTES:
        wanted = max(least + further, int(MOST_BYTES / each))  # a second turn is only begun
    if wanted * each > MOST_BYTES and least <= 2:
        least, wanted = 1, 2  # a longer turn must stay whole: some engines count on every kind of its layers
    if wanted * NEARLY_ALL >= len(body):
        return Chosen(tuple(sorted(blocks)), ())
    _refuse_common_tables(plan)
    few = max(least, wanted // SMALL_SHARE // turn * turn)
    if turn == 1 and least > 1:
        return _of_kinds(kinds, sizes, few, wanted)
    return _in_turn(body, sizes, few, wanted, turn)


def cut(plan: Blueprint, layers: Sequence[int]) -> Blueprint:
    """The model of these layers only, without a tokenizer; its engine sees nothing strange about it."""
    blocks = _blocks(plan)
    new = {old: number for number, old in enumerate(layers)}
    tensors = [tensor for tensor in plan.tensors if _number(tensor.name) is None]
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


def _told_by_arrays(plan: Blueprint, signs: dict[int, object], body: Sequence[int]) -> bool:
    """Whether arrays of the file, one entry per layer, say of each layer of which kind it is."""
    declared = Keys(plan.keys, plan.architecture).count("block_count")
    prefix = f"{plan.architecture}."
    arrays = [
        value for name, value in plan.keys.items()
        if name.startswith(prefix) and isinstance(value, tuple) and len(value) == declared
    ]  # fmt: skip
    said = {number: tuple(array[number] for array in arrays) for number in body}
    kinds = {signs[number] for number in body}
    return len(kinds) > 1 and len({(said[number], signs[number]) for number in body}) == len(set(said.values()))


def _kinds(signs: dict[int, object], body: Sequence[int]) -> list[list[int]]:
    """Layers that are alike, the kind with most of them first."""
    found: dict[object, list[int]] = {}
    for number in body:
        found.setdefault(signs[number], []).append(number)
    return sorted(found.values(), key=len, reverse=True)


def _turn(signs: dict[int, object], body: Sequence[int]) -> int:
    """After how many layers the same kinds come again; 1 where all are alike."""
    for turn in range(1, _LONGEST_TURN + 1):
        if all(signs[number] == signs[number - turn] for number in body if number - turn >= body[0]):
            return turn
    return 1


def _most_of_them(kinds: Sequence[Sequence[int]]) -> int:
    """How many kinds, the commonest first, make up most layers."""
    total = sum(map(len, kinds))
    return next(n for n in range(1, len(kinds) + 1) if sum(map(len, kinds[:n])) >= _MOST * total)


def _most_of_a_turn(signs: dict[int, object], kinds: Sequence[Sequence[int]], body: Sequence[int], turn: int) -> int:
    """After how many layers of a turn the kinds seen make up most of the model."""
    seen: set[object] = set()
    for taken in range(1, turn + 1):
        seen.add(signs[next(number for number in body if number % turn == taken - 1)])
        if sum(len(kind) for kind in kinds if signs[kind[0]] in seen) >= _MOST * len(body):
            return taken
    return turn


def _in_turn(body: Sequence[int], sizes: dict[int, int], few: int, wanted: int, turn: int) -> Chosen:
    """Layers each in its place of the turn; a stand-in begins at 0, and engines count from there."""
    places: dict[int, int] = {}
    for place in range(min(turn, wanted)):
        alike = [number for number in body if number % turn == place]
        first, further = len(range(place, few, turn)), len(range(place, wanted, turn))
        places |= dict(zip(range(place, wanted, turn), _picked(alike, sizes, first, further), strict=True))
    layers = tuple(places[at] for at in range(wanted))
    return Chosen(layers, layers[:few])


def _of_kinds(kinds: Sequence[Sequence[int]], sizes: dict[int, int], few: int, wanted: int) -> Chosen:
    """Layers in the proportion of their kinds, at least one of each."""
    first, further = _shares(kinds, few), _shares(kinds, wanted)
    small: list[int] = []
    rest: list[int] = []
    for alike, some, more in zip(kinds, first, further, strict=True):
        picked = _picked(alike, sizes, some, max(some, more))
        small += picked[:some]
        rest += picked[some:]
    return Chosen((*small, *rest), tuple(small))


def _shares(kinds: Sequence[Sequence[int]], wanted: int) -> list[int]:
    """How many of each kind: one at least, each further one of the kind that lacks most."""
    counts, total = [1] * len(kinds), sum(map(len, kinds))
    while sum(counts) < wanted:
        lacking = [len(kind) / total * wanted - taken for kind, taken in zip(kinds, counts, strict=True)]
        counts[lacking.index(max(lacking))] += 1
    return counts


def _picked(alike: Sequence[int], sizes: dict[int, int], first: int, wanted: int) -> list[int]:
    """So many layers, small and large ones in proportion, and so that the first ones are in proportion as well."""
    ranked = sorted(alike, key=lambda number: (sizes[number], number))
    picked = [ranked[int((k + 0.5) / wanted * len(ranked))] for k in range(wanted)]
    begins = [picked[int((k + 0.5) / first * wanted)] for k in range(first)]
    return begins + [number for number in picked if number not in begins]


def _refuse_common_tables(plan: Blueprint) -> None:
    keys = Keys(plan.keys, plan.architecture)
    sharing = next((keys.count(name) for name in _SHARES_CACHES if keys.count(name)), 0)
    if sharing or any(tensor.name.startswith("per_layer_") for tensor in plan.tensors):
        raise BadFile(
            tr(
                "Layers of {architecture} models use each other's caches, so that a few cannot stand for all.",
                architecture=plan.architecture,
            ),
            tr("Download the model and measure it."),
        )
