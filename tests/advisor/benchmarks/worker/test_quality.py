"""How the divergence is reckoned, and the worker's two tasks with the real engine on tiny models."""

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from advisor.benchmarks.launch import Launch
from advisor.benchmarks.model import EngineMode, FlashAttention
from advisor.benchmarks.quantising import Comparing, Quantising, compare, predicted_bytes, quantise
from advisor.benchmarks.worker import quality
from advisor.ceilings.quantised import quantised
from advisor.core.errors import EngineError
from advisor.core.evidence import Known, Unknown
from advisor.core.progress import CancelToken
from advisor.gguf.architecture import read_model
from advisor.gguf.model import ModelFacts
from tests.benchmarks.random_models import Recipe, write
from tests.support.engine_mode import engine_mode
from tests.support.gguf_builder import split


def log_softmax(logits: Any) -> Any:
    exact = logits.astype(np.float64)
    return exact - np.log(np.exp(exact - exact.max(axis=1, keepdims=True)).sum(axis=1, keepdims=True)) - exact.max(
        axis=1, keepdims=True
    )


def logits(seed: int, rows: int = 6, words: int = 5000, spread: float = 4.0) -> Any:
    return (np.random.default_rng(seed).standard_normal((rows, words)) * spread).astype(np.float32)


def test_log_probabilities_survive_being_kept_in_16_bits() -> None:
    given = logits(1)
    restored = quality._restored(b"".join(quality._compressed(given)), *given.shape)
    exact = log_softmax(given)
    kept = exact > exact.max(axis=1, keepdims=True) - quality.RANGE
    assert np.abs(restored - exact)[kept].max() < quality.RANGE / 65535
    assert (restored.argmax(axis=1) == exact.argmax(axis=1)).all()


def test_sums_are_those_of_the_definition() -> None:
    before, after = logits(1), logits(2)
    following = np.arange(6) * 700
    base = quality._restored(b"".join(quality._compressed(before)), *before.shape)
    kld, squares, nll_before, nll_after, same = quality._sums(base, after, following)
    p, q = log_softmax(before), log_softmax(after)
    each = (np.exp(p) * (p - q)).sum(axis=1)
    assert kld == pytest.approx(each.sum(), rel=1e-3)
    assert squares == pytest.approx((each * each).sum(), rel=2e-3)
    told = np.maximum(p, p.max(axis=1, keepdims=True) - quality.RANGE)  # as much as is kept
    assert nll_before == pytest.approx(-told[range(6), following].sum(), rel=1e-3)
    assert nll_after == pytest.approx(-q[range(6), following].sum(), rel=1e-3)
    assert same == (p.argmax(axis=1) == q.argmax(axis=1)).sum()


def test_a_model_strays_not_at_all_from_itself() -> None:
    given = logits(3)
    base = quality._restored(b"".join(quality._compressed(given)), *given.shape)
    kld, _, before, after, same = quality._sums(base, given, given.argmax(axis=1))
    assert abs(kld) / 6 < 1e-4
    assert before == pytest.approx(after, abs=1e-2)
    assert same == 6


@pytest.mark.parametrize(("words", "batch"), [(32_000, 512), (128_256, 256), (262_144, 128), (5_000_000, 32)])
def test_batches_keep_the_logits_small(words, batch) -> None:
    found = quality._batch(words)
    assert found == batch
    assert quality.CONTEXT % found == 0


SMALL = {"layers": 2, "embed": 256, "heads": 4, "kv_heads": 2, "ff": 512, "vocab": 640, "reads_text": True}


@pytest.fixture(scope="module")
def f16(tmp_path_factory: pytest.TempPathFactory) -> ModelFacts:
    return read_model(write(Recipe("small", "F16", **SMALL), tmp_path_factory.mktemp("models")))  # type: ignore[arg-type]


def nobody(_fraction: float) -> None:
    pass


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def made(source: ModelFacts, label: str, folder: Path) -> ModelFacts:
    requantise = "F16" not in source.types
    job = Quantising(source.engine_file, folder / f"{label}.gguf", label, 2, requantise)
    sized = predicted_bytes(job, Launch(), CancelToken())
    quantise(job, Launch(), nobody, CancelToken())
    found = read_model(job.target)
    assert sized == pytest.approx(found.weights_bytes, abs=6000)  # hundredths of a MiB
    return found


def comparing(files: tuple[Path, Path], store: Path, store_bytes: int) -> Comparing:
    """On two threads, in the mode that the engine's self-test finds here."""
    mode = engine_mode()
    attention = FlashAttention.OFF if mode >= EngineMode.NO_FLASH_ATTENTION else FlashAttention.AUTO
    threads = 1 if mode >= EngineMode.ONE_THREAD else 2
    extra = mode < EngineMode.NO_EXTRA_BUFFERS
    return Comparing(files, store, threads, extra, attention, store_bytes=store_bytes)


@pytest.mark.engine
@pytest.mark.parametrize("label", ["Q8_0", "Q6_K", "Q5_K_M", "Q4_K_M", "Q3_K_M", "Q2_K"])
@pytest.mark.parametrize(
    "shape",
    [{}, {"tied": True}, {"embed": 192, "ff": 384}, {"layers": 9, "kv_heads": 4}, {"experts": 4, "used": 2}],
    ids=["plain", "tied", "rows that 256 does not divide", "nine layers", "experts"],
)  # fmt: skip
def test_predicted_types_and_sizes_are_the_quantisers(tmp_path, label, shape) -> None:
    source = read_model(write(Recipe("model", "F16", **(SMALL | shape)), tmp_path))  # type: ignore[arg-type]
    found, predicted = made(source, label, tmp_path), quantised(source, label)
    assert predicted is not None
    assert found.label.or_none() == label
    assert predicted.weights_bytes == pytest.approx(found.weights_bytes, rel=0.03)
    assert isinstance(predicted.traffic, Known)
    assert isinstance(found.traffic, Known)
    assert predicted.traffic.value.weight_bytes() == pytest.approx(found.traffic.value.weight_bytes(), rel=0.03)


@pytest.mark.engine
def test_the_source_is_only_read_and_requantising_must_be_asked_for(tmp_path, f16) -> None:
    before = digest(f16.path), f16.path.stat().st_mtime_ns
    finer = made(f16, "Q8_0", tmp_path)
    assert (digest(f16.path), f16.path.stat().st_mtime_ns) == before
    job = Quantising(finer.engine_file, tmp_path / "again.gguf", "Q4_K_M", 2, requantise=False)
    with pytest.raises(EngineError, match="quantised already"):
        quantise(job, Launch(), nobody, CancelToken())
    assert not job.target.exists()
    assert made(finer, "Q4_K_M", tmp_path).label.or_none() == "Q4_K_M"


@pytest.mark.engine
def test_a_set_of_files_becomes_one(tmp_path) -> None:
    recipe = Recipe("set", "F16", **SMALL)  # type: ignore[arg-type]
    parts = split(recipe.file(), [4, 9], "set", tmp_path)
    source = read_model(parts[1])
    assert source.engine_file == parts[0]
    found = made(source, "Q8_0", tmp_path)
    assert found.parameters == source.parameters


@pytest.mark.engine
def test_an_unknown_architecture_is_one_sentence(tmp_path) -> None:
    raw = Recipe("model", "F16", **SMALL).file()  # type: ignore[arg-type]
    path = tmp_path / "strange.gguf"
    raw.write(path)
    path.write_bytes(path.read_bytes().replace(b"llama", b"l1ama"))
    job = Quantising(path, tmp_path / "made.gguf", "Q8_0", 2, requantise=False)
    with pytest.raises(EngineError, match="does not know the model's architecture"):
        predicted_bytes(job, Launch(), CancelToken())
    with pytest.raises(EngineError, match="does not know the model's architecture"):
        quantise(job, Launch(), nobody, CancelToken())
    assert not job.target.exists()


@pytest.mark.engine
def test_fewer_bits_stray_further(tmp_path, f16) -> None:
    chunks = 2 * quality.SCORED * (8 + 2 * 640)
    found = {}
    for label in ("Q8_0", "Q4_K_M", "Q2_K"):
        files = f16.path, made(f16, label, tmp_path).path
        job = comparing(files, tmp_path / "answers", store_bytes=chunks)
        heard: list[float] = []
        result = compare(job, Launch(), heard.append, CancelToken())
        assert isinstance(result, Known), result
        assert result.value.tokens == 2 * quality.SCORED
        assert heard == [0.25, 0.5, 0.75, 1.0]
        assert not job.store.exists()
        found[label] = result.value
    assert found["Q8_0"].mean_kld < found["Q4_K_M"].mean_kld < found["Q2_K"].mean_kld
    assert found["Q8_0"].same_top > found["Q2_K"].same_top


@pytest.mark.engine
def test_files_that_cannot_be_compared_say_why(tmp_path, f16) -> None:
    silent = write(Recipe("silent", "F16", **(SMALL | {"reads_text": False})), tmp_path)  # type: ignore[arg-type]
    other = write(Recipe("other", "F16", **(SMALL | {"vocab": 768})), tmp_path)  # type: ignore[arg-type]
    for second, reason in ((silent, "tokenizer"), (other, "different vocabularies")):
        job = comparing((f16.path, second), tmp_path / "answers", store_bytes=400_000)
        found = compare(job, Launch(), nobody, CancelToken())
        assert isinstance(found, Unknown)
        assert reason in found.reason
        assert not job.store.exists()
