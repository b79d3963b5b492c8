"""What must hold for the facts of any model file, whatever it says."""

import json
import unicodedata
from contextlib import redirect_stdout
from io import StringIO
from itertools import pairwise

from advisor.cli import terminal
from advisor.cli.summaries import model_pairs
from advisor.core.evidence import Known
from advisor.diagnosis.workload import preset
from advisor.gguf.contents import contents
from advisor.gguf.memory import memory_needed
from advisor.gguf.model import ModelFacts
from advisor.gguf.traffic import Traffic
from advisor.report.codec import LARGEST, json_text
from advisor.report.exporters.as_json import inspect_json
from ui.viewmodels.model_card import present_model

WORKLOADS = (preset("rag"), preset("many-users"))
DEPTHS = (0, 1, 255, 256, 5000, 131_072)
LONGEST_TEXT = 1000
"""Characters of one shown value; nothing that a file says may fill a screen."""


def check(model: ModelFacts, exported: bool = True) -> None:
    """Its figures must not contradict each other, and whatever is shown of them must be fit to be shown.

    Args:
        model: any.
        exported: whether to look at the JSON as well, which takes as long as all the rest.
    """
    check_file(model)
    if isinstance(model.traffic, Known):
        check_traffic(model, model.traffic.value)
        check_memory(model, model.traffic.value)
    check_texts(model)
    if exported:
        check_json(model)


def check_file(model: ModelFacts) -> None:
    """What holds without knowing the traffic."""
    assert sum(model.types.values()) == model.weights_bytes <= model.file_bytes
    assert all(size >= 0 for size in model.types.values())
    assert sum(shape.bytes for shape in model.matmuls) <= model.weights_bytes
    assert all(shape.count > 0 and shape.inputs > 0 and shape.outputs > 0 for shape in model.matmuls)
    held = contents(model)
    for share in (held.label_share, held.head_share, held.read_share):
        value = share.or_none()
        assert value is None or value >= 0
    assert all(0 <= each.share <= 1 for each in held.types)
    assert 0 <= model.experts_used <= model.experts
    assert model.has_decode or not isinstance(model.traffic, Known)
    assert isinstance(model.traffic, Known) or model.traffic.reason
    assert isinstance(model.active_parameters, Known) is isinstance(model.traffic, Known)


def check_traffic(model: ModelFacts, traffic: Traffic) -> None:
    """Bytes and work of one step."""
    read = traffic.dense_bytes + traffic.head_bytes + traffic.expert_bytes
    assert 0 < read + traffic.unread_bytes <= model.weights_bytes
    assert 0 <= traffic.unloaded_bytes <= traffic.unread_bytes
    assert 0 < traffic.head_elements <= model.parameters
    # one matrix of one family is used twice
    assert 0 <= traffic.last_ffn_elements <= traffic.block_elements <= 2 * model.parameters
    assert isinstance(model.active_parameters, Known)
    assert 0 < model.active_parameters.value <= model.parameters
    assert traffic.experts >= traffic.experts_used >= 0
    assert traffic.attention or traffic.recurrent
    # what a layer caches is made by its weights; a state's sides are sides of its weights
    assert all(layer.read_bytes(1.0, 1.0) <= model.parameters for layer in traffic.attention)
    assert all(layer.conv_elements <= 4 * model.parameters for layer in traffic.recurrent)
    assert all(layer.state_elements <= model.parameters**2 for layer in traffic.recurrent)
    for depth in DEPTHS:
        one = traffic.step_bytes(1, depth)
        assert 0 < one <= traffic.step_bytes(2, depth) <= 2 * one
    sliding = not any(layer.chunked for layer in traffic.attention)
    for less, more in pairwise(DEPTHS):
        if sliding:  # a chunk begins anew at its border
            assert traffic.kv_read_bytes(less) <= traffic.kv_read_bytes(more)
            assert traffic.flop_per_decoded_token(less) <= traffic.flop_per_decoded_token(more)
        assert 0 <= traffic.prefill_flop(less) <= traffic.prefill_flop(more) or less == 0
    if all(layer.stores_kv for layer in traffic.attention):
        assert traffic.kv_read_bytes(5000) <= traffic.kv_windowed_bytes(5000)


def check_memory(model: ModelFacts, traffic: Traffic) -> None:
    """Memory needed grows with the context, and never falls below the weights."""
    loaded_bytes = model.weights_bytes - traffic.unloaded_bytes
    for sequences in (1, 4):
        before = 0
        for n_ctx in (1, 256, 5000, 131_072):
            need = memory_needed(model, n_ctx, sequences=sequences)
            short = memory_needed(model, n_ctx, sequences=sequences, full_windows=False)
            assert isinstance(need, Known)
            assert isinstance(short, Known)
            assert need.value.weights_bytes == loaded_bytes
            assert 0 <= short.value.kv_bytes <= need.value.kv_bytes
            assert need.value.buffers_bytes <= 4 * 512 * (n_ctx + 8 * model.parameters)
            assert need.value.state_bytes == sequences * traffic.state_bytes
            assert max(before, loaded_bytes) <= need.value.total_bytes
            before = need.value.total_bytes


def check_texts(model: ModelFacts) -> None:
    """What ``inspect`` prints and the window shows."""
    pairs = model_pairs(model)
    for text in (model.name, model.architecture, *model.notes, *(word for pair in pairs for word in pair)):
        assert len(text) <= LONGEST_TEXT, text[:200]
        assert all(char.isprintable() or unicodedata.category(char) == "Zs" for char in text), repr(text)
        assert " inf" not in text
        assert "nan" not in text.split()
    with redirect_stdout(StringIO()):
        terminal.show_pairs(model.name, pairs)
        for note in model.notes:
            terminal.show_paragraph(note, "  ")
    for workload in WORKLOADS:
        card = present_model(model, None, workload)
        assert all(row.value and len(row.value) <= LONGEST_TEXT for row in card.rows)
        assert all(0 <= share.fraction <= 1 for share in card.shares)


def check_json(model: ModelFacts) -> None:
    """What ``inspect --json`` says."""
    said = json.loads(json_text(inspect_json(model)))
    assert said["parameters"] == model.parameters
    _check_numbers(said, "inspect")


def _check_numbers(value: object, where: str) -> None:
    """Every number of a result is one that the program would read back."""
    if isinstance(value, dict):
        for name, item in value.items():
            _check_numbers(item, f"{where}.{name}")
    elif isinstance(value, list):
        for item in value:
            _check_numbers(item, where)
    elif isinstance(value, int | float):
        assert 0 <= value <= LARGEST, f"{where} is {value}"
