from pathlib import Path

from advisor.core.evidence import Basis, Known, Unknown
from advisor.gguf.architecture import read_model
from advisor.gguf.memory import MemoryNeed, memory_needed
from advisor.gguf.model import ModelFacts
from tests.support.gguf_builder import Gguf, decoder


def facts(file: Gguf, folder: Path) -> ModelFacts:
    return read_model(file.write(folder / "m.gguf"))


def needed(model: ModelFacts, n_ctx: int, **more: int | float | bool) -> MemoryNeed:
    found = memory_needed(model, n_ctx, **more)  # type: ignore[arg-type]
    assert isinstance(found, Known)
    assert found.basis is Basis.ESTIMATED
    return found.value


def test_parts_add_up(tmp_path: Path) -> None:
    model = facts(decoder(vocab=50_000), tmp_path)
    need = needed(model, 1000)
    # 1000 cells become 1024; 2 layers × 2 heads × 32 numbers × 2 bytes
    assert need.kv_bytes == 1024 * 256
    assert need.buffers_bytes == 512 * 4 * (50_000 + 2 * 64)
    assert need.total_bytes == model.weights_bytes + need.kv_bytes + need.buffers_bytes


def test_all_experts_need_memory_though_few_are_read(tmp_path: Path) -> None:
    model = facts(decoder(experts=8, used=2), tmp_path)
    assert needed(model, 256).weights_bytes == model.weights_bytes
    assert isinstance(model.traffic, Known)
    assert model.traffic.value.weight_bytes() < model.weights_bytes


def test_windows_need_less_where_the_engine_says_so(tmp_path: Path) -> None:
    model = facts(decoder("gemma2", layers=4), tmp_path)
    full, windowed = needed(model, 32_768), needed(model, 32_768, full_windows=False)
    # 2 of 4 layers hold 4096 + 512 cells instead of 32768
    assert full.kv_bytes - windowed.kv_bytes == 2 * 128 * (32_768 - 4608)


def test_a_long_context_with_a_small_vocabulary(tmp_path: Path) -> None:
    model = facts(decoder(), tmp_path)
    assert needed(model, 65_536).buffers_bytes > 512 * 4 * 65_536
    assert needed(model, 100).buffers_bytes < needed(model, 512).buffers_bytes


def test_unknown_traffic_is_unknown_memory(tmp_path: Path) -> None:
    model = facts(decoder("brand-new"), tmp_path)
    assert isinstance(memory_needed(model, 2048), Unknown)
