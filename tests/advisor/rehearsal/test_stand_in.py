"""Files with random weights."""

from pathlib import Path

import pytest

from advisor.core.errors import AdvisorError, BadFile, Cancelled
from advisor.core.progress import CancelToken
from advisor.gguf.architecture import read_model
from advisor.gguf.header import TensorInfo
from advisor.gguf.shards import read_files
from advisor.rehearsal import stand_in
from advisor.rehearsal.blueprint import Blueprint, blueprint
from advisor.rehearsal.catalogue import find
from advisor.rehearsal.cutting import cut
from advisor.rehearsal.recipes import quantised
from tests.support.small_shapes import small


def plan(recipe: str = "Q4_K_M") -> Blueprint:
    return quantised(blueprint(small(find("Qwen3-30B-A3B").shape)), recipe)


def test_what_was_drawn_up_is_read_again(tmp_path: Path) -> None:
    made = plan()
    told: list[float] = []
    path = stand_in.write(made, tmp_path / "model.gguf", CancelToken(), told.append)
    files = read_files(path)
    assert [(t.name, t.dims, t.type_id, t.bytes) for t in files.tensors] == [
        (t.name, t.dims, t.type_id, t.bytes) for t in made.tensors
    ]
    assert dict(files.first.keys) == pytest.approx(dict(made.keys))
    assert read_model(path).file_bytes == made.facts("model").file_bytes
    assert told == sorted(told)
    assert 0 <= told[-1] <= 1


def test_the_same_plan_gives_the_same_file(tmp_path: Path) -> None:
    one = stand_in.write(plan(), tmp_path / "one.gguf", CancelToken())
    other = stand_in.write(plan(), tmp_path / "other.gguf", CancelToken())
    assert one.read_bytes() == other.read_bytes()


def test_weights_are_written_everywhere(tmp_path: Path) -> None:
    path = stand_in.write(plan("F16"), tmp_path / "model.gguf", CancelToken())
    files, raw = read_files(path), path.read_bytes()
    for tensor in files.tensors:
        start = files.first.data_start + tensor.offset
        piece = raw[start : start + tensor.stored_bytes]
        assert any(piece), tensor.name
        assert any(piece[-64:]), tensor.name


def test_routers_differ_from_expert_to_expert(tmp_path: Path) -> None:
    path = stand_in.write(plan(), tmp_path / "model.gguf", CancelToken())
    files, raw = read_files(path), path.read_bytes()
    router = next(tensor for tensor in files.tensors if "ffn_gate_inp" in tensor.name)
    start, row = files.first.data_start + router.offset, 4 * router.dims[0]
    rows = {raw[start + number * row : start + (number + 1) * row] for number in range(router.dims[1])}
    assert len(rows) == router.dims[1]


def test_one_file_is_both_stand_ins_by_turns(tmp_path: Path) -> None:
    whole = quantised(blueprint(small(find("Qwen3-30B-A3B").shape, layers=6)), "Q4_K_M")
    plans = [cut(whole, layers) for layers in ((2, 0), (2, 0, 5, 3))]
    pair = stand_in.write_pair(plans, tmp_path / "model.gguf", CancelToken())
    weights = {}
    for which in (0, 1, 0):
        files, raw = read_files(pair.show(which)), pair.path.read_bytes()
        assert [(t.name, t.dims, t.type_id) for t in files.tensors] == [
            (t.name, t.dims, t.type_id) for t in plans[which].tensors
        ]
        assert files.first.keys["qwen3moe.block_count"] == (2, 4)[which]
        start = files.first.data_start
        held = {t.name: raw[start + t.offset : start + t.offset + t.stored_bytes] for t in files.tensors}
        assert all(any(piece) for piece in held.values())
        weights[which] = held
    assert all(weights[1][name] == piece for name, piece in weights[0].items())


def test_a_whole_model_needs_no_second_header(tmp_path: Path) -> None:
    pair = stand_in.write_pair([plan()], tmp_path / "model.gguf", CancelToken())
    before = pair.path.read_bytes()
    assert pair.show(0).read_bytes() == before


def test_a_file_that_went_away_is_a_sentence(tmp_path: Path) -> None:
    pair = stand_in.write_pair([plan()], tmp_path / "model.gguf", CancelToken())
    pair.path.unlink()
    with pytest.raises(AdvisorError, match="could not be written"):
        pair.show(0)


def test_stop_is_heard_between_pieces(tmp_path: Path) -> None:
    cancel = CancelToken()
    with pytest.raises(Cancelled):
        stand_in.write(plan(), tmp_path / "model.gguf", cancel, lambda _fraction: cancel.cancel())


def test_a_type_that_cannot_be_made_up_is_told_before_writing(tmp_path: Path) -> None:
    made = plan()
    strange = Blueprint(made.keys, (*made.tensors, TensorInfo("blk.0.x.weight", (256, 256), 40, 0, 100)))
    with pytest.raises(BadFile, match="NVFP4 cannot be made up"):
        stand_in.write(strange, tmp_path / "model.gguf", CancelToken())
    unknown = Blueprint(made.keys, (*made.tensors, TensorInfo("blk.0.x.weight", (256, 256), 99, 0, None, 100)))
    with pytest.raises(BadFile, match="number 99"):
        stand_in.write(unknown, tmp_path / "model.gguf", CancelToken())
    assert not (tmp_path / "model.gguf").exists()


def test_a_folder_that_is_not_there_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(AdvisorError, match="full or read-only"):
        stand_in.write(plan(), tmp_path / "none" / "model.gguf", CancelToken())
