"""The time of one step from the kernel table, for any model and quantisation, without loading it."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from advisor.ceilings.attention_split import UBATCH as UBATCH
from advisor.ceilings.attention_split import Attending
from advisor.ceilings.kernels import KernelTable
from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.core.translation import tr
from advisor.gguf.model import MatmulShape, ModelFacts
from advisor.gguf.traffic import AttentionLayer, Traffic, padded_cells

MANY_PIECES: Final = 64
"""A prompt of more pieces is reckoned from so many of them: ten million tokens must not take minutes to predict."""

MINOR_SHARE: Final = 0.01
"""Matrices with less than a hundredth of the weights (routers) may be reckoned in another type: it shifts the step by
a few per cent at most."""

EXPERT_OPERATIONS: Final = 10
"""Small operations of choosing experts and adding up what they gave, per layer (llama.cpp's ``build_moe_ffn``)."""
STEP_OPERATIONS: Final = 6
"""Small operations around the layers: looking tokens up, picking outputs, scaling."""


@dataclass(frozen=True, slots=True)
class StepTime:
    """Predicted seconds of one step (a decoded token of every stream, or a whole prompt) by what they are spent on.

    Attributes:
        matrices_s: products with weights, the head included.
        attention_s: reading the cache and attending to it.
        operations_s: everything small, fixed costs included.
    """

    matrices_s: float
    attention_s: float
    operations_s: float

    @property
    def total_s(self) -> float:
        """The whole step."""
        return self.matrices_s + self.attention_s + self.operations_s


def decode_step(model: ModelFacts, table: KernelTable, batch: int = 1, depth: int = 0) -> Fact[StepTime]:
    """One token for each of ``batch`` sequences at ``depth``.

    Returns:
        Unknown with the reason where the model's traffic or one of its weight types is unknown.
    """
    return step_of(model, table, ((1, depth),) * batch, outputs=batch)


def prefill(
    model: ModelFacts, table: KernelTable, prompt: int = UBATCH, depth: int = 0, ubatch: int = UBATCH
) -> Fact[StepTime]:
    """A whole prompt in pieces of ``ubatch`` tokens, logits for its last token.

    Of many pieces some stand for their neighbours, since what a piece costs grows evenly with what is before it.
    """
    total = StepTime(0.0, 0.0, 0.0)
    whole, rest = divmod(prompt, ubatch)
    pieces = [(ubatch, tuple((round(index * ubatch), times) for index, times in _spread(whole)))] if whole else []
    if rest:
        pieces.append((rest, ((whole * ubatch, 1.0),)))
    for columns, starts in pieces:
        steps = _steps(model, table, [((columns, depth + start),) for start, _ in starts], outputs=1)
        if isinstance(steps, Unknown):
            return steps
        for step, (_, times) in zip(steps.value, starts, strict=True):
            total = StepTime(
                total.matrices_s + times * step.matrices_s,
                total.attention_s + times * step.attention_s,
                total.operations_s + times * step.operations_s,
            )
    return Known(total, Basis.ESTIMATED, table.source)


def _spread(count: int) -> list[tuple[float, float]]:
    """Pieces to reckon, as (index, how many it stands for): all of a few, ``MANY_PIECES`` middles of many."""
    if count <= MANY_PIECES:
        return [(float(index), 1.0) for index in range(count)]
    each = count / MANY_PIECES
    return [((index + 0.5) * each - 0.5, each) for index in range(MANY_PIECES)]


def step_of(
    model: ModelFacts, table: KernelTable, sequences: Sequence[tuple[int, int]], outputs: int, turns: int = 0
) -> Fact[StepTime]:
    """One piece that the engine computes at once.

    Args:
        model: whose step.
        table: of the engine's kernels.
        sequences: of each sequence in it, how many tokens, and how many were in its cache before.
        outputs: tokens that want logits, 0 for a piece in the middle of a prompt.
        turns: earlier steps of the last sequence in which the others wrote a token each.
    """
    steps = _steps(model, table, [sequences], outputs, turns)
    return steps if isinstance(steps, Unknown) else Known(steps.value[0], steps.basis, steps.source)


def _steps(
    model: ModelFacts, table: KernelTable, pieces: Sequence[Sequence[tuple[int, int]]], outputs: int, turns: int = 0
) -> Fact[tuple[StepTime, ...]]:
    """Each of several pieces of the same number of tokens; only attention differs between them."""
    columns = sum(tokens for tokens, _ in pieces[0])
    if isinstance(model.traffic, Unknown):
        return model.traffic
    if not table:
        return Unknown(tr("no kernels are measured"), Missing.NOT_YET)
    traffic = model.traffic.value
    blocks_s, head_s = _matrices_s(model, traffic, table, columns), _head_s(model, table, outputs)
    for found in (blocks_s, head_s):
        if isinstance(found, Unknown):
            return found
    assert isinstance(blocks_s, Known)
    assert isinstance(head_s, Known)
    # the last block's feed-forward part runs for output tokens only
    pruned = traffic.last_ffn_elements / traffic.block_elements if outputs < columns else 0.0
    matrices_s = blocks_s.value * (1 - pruned * (1 - outputs / columns)) + head_s.value
    operations_s = _operations_s(model, traffic, table, columns)
    steps = []
    for sequences in pieces:
        attention_s = _attention_s(traffic, table, sequences, turns)
        if attention_s is None:
            return Unknown(tr("attention is not measured"), Missing.NOT_YET)
        steps.append(StepTime(matrices_s, attention_s, operations_s))
    return Known(tuple(steps), Basis.ESTIMATED, table.source)


def is_head(model: ModelFacts, shape: MatmulShape) -> bool:
    """Whether a shape is the output matrix: as many rows as the vocabulary has words."""
    return shape.outputs == model.vocabulary.or_none() and not shape.expert


def applied_elements(model: ModelFacts, shape: MatmulShape) -> float:
    """Weights of all matrices of a shape that one token is multiplied with."""
    used = model.experts_used / model.experts if shape.expert and model.experts else 1.0
    return shape.inputs * shape.outputs * shape.count * used


def type_mix(model: ModelFacts) -> dict[str, float]:
    """Weight type -> multiply-adds per prompt token of the blocks' matrices, the head left out."""
    mix: dict[str, float] = {}
    for shape in model.matmuls:
        if not is_head(model, shape):
            mix[shape.type_name] = mix.get(shape.type_name, 0.0) + applied_elements(model, shape)
    return mix


def _matrices_s(model: ModelFacts, traffic: Traffic, table: KernelTable, columns: int) -> Fact[float]:
    total_s = applied = 0.0
    minor_bytes = MINOR_SHARE * sum(shape.bytes for shape in model.matmuls)
    for shape in model.matmuls:
        if is_head(model, shape):
            continue
        used = model.experts_used if shape.expert else 0
        each_s = table.product_s(shape.type_name, shape.inputs, shape.outputs, columns, used)
        if each_s is None and shape.bytes <= minor_bytes:
            each_s = table.any_product_s(shape.inputs, shape.outputs, columns, used)
        if each_s is None:
            return Unknown(_no_product(shape.type_name, bool(used)), Missing.NOT_YET)
        total_s += each_s * shape.count / (model.experts if shape.expert and model.experts else 1)
        applied += applied_elements(model, shape)
    # Some matrices are run twice, some never; the traffic knows.
    return Known(total_s * traffic.block_elements / applied if applied else 0.0, Basis.ESTIMATED, tr("kernel table"))


def _no_product(type_name: str, experts: bool = False) -> str:
    if experts:
        return tr("no product of {type} routed experts is measured", type=type_name)
    return tr("no product of {type} weights is measured", type=type_name)


def _head_s(model: ModelFacts, table: KernelTable, outputs: int) -> Fact[float]:
    for shape in model.matmuls:
        if outputs and is_head(model, shape):
            head_s = table.product_s(shape.type_name, shape.inputs, shape.outputs, outputs)
            if head_s is None:
                return Unknown(_no_product(shape.type_name), Missing.NOT_YET)
            return Known(head_s, Basis.ESTIMATED, tr("kernel table"))
    return Known(0.0, Basis.ESTIMATED, tr("no head"))


def _attention_s(
    traffic: Traffic, table: KernelTable, sequences: Sequence[tuple[int, int]], turns: int
) -> float | None:
    """All layers. Sequences of one token each attend one after the other; with a prompt among them, all at once."""
    together = any(tokens > 1 for tokens, _ in sequences)
    total_s = 0.0
    for layer, layers in traffic.alike:
        seen: dict[tuple[int, int], float] = {
            one: layer.pairs_up_to(one[1] + one[0]) - layer.pairs_up_to(one[1]) for one in set(sequences)
        }
        if len(sequences) == 1 and not together:
            seen = {one: _waited_cells(layer, table, one[1] + 1, pairs) for one, pairs in seen.items()}
        calls = (
            [(Attending(tuple(sequences), layer.window, turns), sum(seen[one] for one in sequences), 1)]
            if together
            else [(Attending((one,), layer.window), seen[one], times) for one, times in Counter(sequences).items()]
        )
        for attending, pairs, times in calls:
            layer_s = table.attention_s(
                layer.heads, layer.kv_heads, layer.key_length, layer.value_length, attending, pairs
            )
            if layer_s is None:
                return None
            total_s += layers * times * layer_s
    return total_s


def _waited_cells(layer: AttentionLayer, table: KernelTable, tokens: int, seen: float) -> float:
    """Of a step that writes one token, ``tokens`` with it in the cache."""
    wrapped = layer.window is not None and layer.window < tokens
    cells = padded_cells(tokens)
    if layer.window is not None:
        cells = min(cells, padded_cells(layer.window + UBATCH))
    return table.waited_cells(round(seen), cells, wrapped)


def _operations_s(model: ModelFacts, traffic: Traffic, table: KernelTable, columns: int) -> float:
    small, embedding = model.small, model.embedding_length.or_none() or 0
    layers = model.layers.or_none() or 0
    total_s = 0.0
    for operation, times, elements in (
        ("norm", small.norms, small.norm_elements),
        ("gate", small.gates, small.gate_elements),
        ("add", 2 * layers, 2 * layers * embedding),
    ):
        if times:
            total_s += times * table.operation_s(operation, elements / times, columns)
    for attending, count in traffic.alike:
        queries, keys = attending.heads * attending.key_length, attending.kv_heads * attending.key_length
        values = attending.kv_heads * attending.value_length if attending.stores_values else 0
        each_s = table.operation_s("rope", queries, columns)
        if attending.stores_kv:
            each_s += table.operation_s("rope", keys, columns)
            each_s += table.operation_s("copy", keys, columns) + table.operation_s("copy", max(values, 1), columns)
        total_s += count * each_s
    if model.experts:
        total_s += layers * EXPERT_OPERATIONS * table.operation_s("add", embedding, columns)
    return total_s + STEP_OPERATIONS * table.operation_s("add", embedding, columns)
