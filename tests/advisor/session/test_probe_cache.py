"""Probes kept between runs: they come back only under their own key, whole, undisturbed and not too old."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from advisor.benchmarks.engines.engine import Probed
from advisor.benchmarks.model import EngineDevice, EngineFacts
from advisor.ceilings.kernels import AttentionTime, KernelTable, KernelTime, OperationTime
from advisor.ceilings.model import ArithmeticProbe, ReadProbe
from advisor.core.evidence import Missing, Unknown
from advisor.session.installed_engine import fingerprint
from advisor.session.probe_cache import ProbeCache, ProbeKey

KEY = ProbeKey("abc", "CPU", "Some CPU", 8, True)
PROBED = Probed(
    (ReadProbe("maximum of float32", 8, 1000, (1e-6, 2e-6)),),
    (ArithmeticProbe("ggml Q4_K", 8, 256, 64, 512, 100, (1e-3,)),),
    (),
    kernels=KernelTable(
        (KernelTime("Q4_K", 256, 64, 1, "CPU_REPACK", 8, "CPU", (1e-6,)),),
        (AttentionTime(4, 2, 64, 64, 1, 256, 8, "CPU", (1e-6,)),),
        (OperationTime("norm", 256, 1, 8, "CPU", (1e-6,)),),
        "2026-11-29",
    ),
)


def request(inputs: int = 256, read_bytes: int = 1000, columns: tuple[int, ...] = (1, 512)) -> dict[str, Any]:
    return {
        "read": {"bytes": read_bytes, "threads": [8], "curve": []},
        "shapes": [{"type_name": "Q4_K", "inputs": inputs, "outputs": 64}],
        "kernels": {
            "products": {
                "groups": [{"type_name": "Q4_K", "inputs": inputs, "outputs": 64, "columns": list(columns)}],
            },
            "attention": [{"heads": 4}], "operations": [{"operation": "norm"}],
        },
    }  # fmt: skip


@pytest.fixture
def cache(tmp_path: Path) -> ProbeCache:
    return ProbeCache(tmp_path / "deep" / "probes.json")


def test_what_was_kept_comes_back_whole(cache: ProbeCache) -> None:
    assert cache.find(KEY, request()) is None
    cache.keep(KEY, request(), PROBED)
    found = cache.find(KEY, request())
    assert found is not None
    probed, day = found
    assert replace(probed, kernels=replace(probed.kernels, measured_on="2026-11-29")) == PROBED
    assert day == probed.kernels.measured_on


@pytest.mark.parametrize(
    "other",
    [
        replace(KEY, build="def"), replace(KEY, device="CUDA0"), replace(KEY, cpu="Other"), replace(KEY, threads=4),
        replace(KEY, extra_buffers=False),
    ],
)  # fmt: skip
def test_another_key_finds_nothing(cache: ProbeCache, other: ProbeKey) -> None:
    cache.keep(KEY, request(), PROBED)
    assert cache.find(other, request()) is None


def test_a_request_for_more_finds_nothing(cache: ProbeCache) -> None:
    cache.keep(KEY, request(), PROBED)
    assert cache.find(KEY, request(inputs=512)) is None
    assert cache.find(KEY, request(read_bytes=2000)) is None
    assert cache.find(KEY, request(columns=(1, 4, 512))) is None
    assert cache.find(KEY, request(columns=(1,), read_bytes=500)) is not None


def test_disturbed_and_partial_probes_are_not_kept(cache: ProbeCache) -> None:
    cache.keep(KEY, request(), replace(PROBED, disturbed="other programs used 48 % of the CPU"))
    cache.keep(KEY, request(), replace(PROBED, notes=("a kernel crashed",)))
    assert cache.find(KEY, request()) is None


def test_two_models_share_an_entry(cache: ProbeCache) -> None:
    cache.keep(KEY, request(), PROBED)
    cache.keep(KEY, request(inputs=512), PROBED)
    assert cache.find(KEY, request()) is not None
    assert cache.find(KEY, request(inputs=512)) is not None


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text[: len(text) // 2],
        lambda text: "[]",
        lambda text: "\x00",
        lambda text: text.replace('"schema": 1', '"schema": 99'),
        lambda text: text.replace("1e-06", "-1"),
        lambda text: text.replace('"samples_s"', '"seconds"'),
        lambda text: text.replace('"measured_on": "2', '"measured_on": "1'),
        lambda text: text.replace('"tried": [', '"tried": ["x", 3, '),
    ],
)
def test_a_damaged_or_old_file_never_raises(tmp_path: Path, damage: Any) -> None:
    path = tmp_path / "probes.json"
    cache = ProbeCache(path)
    cache.keep(KEY, request(), PROBED)
    path.write_text(damage(path.read_text()))
    found = cache.find(KEY, request())
    assert found is None or found[0].reads == PROBED.reads
    cache.keep(KEY, request(), PROBED)
    assert cache.find(KEY, request()) is not None


def test_a_folder_that_cannot_be_written_is_only_a_loss_of_memory(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    cache = ProbeCache(tmp_path / "file" / "probes.json")
    cache.keep(KEY, request(), PROBED)
    assert cache.find(KEY, request()) is None


def test_the_engine_is_known_by_its_files(cache: ProbeCache, tmp_path: Path) -> None:
    silent = Unknown("kept from an earlier run", Missing.NOT_APPLICABLE)
    device = EngineDevice("CPU", "Some CPU", "cpu", silent, silent)
    engine = EngineFacts("llama-cpp-python", "0.3.36", "abc", "AVX2 = 1", "/usr/bin/python", False, (device,))
    assert cache.engine("mark") is None
    cache.remember("mark", engine)
    assert cache.engine("mark") == engine
    assert cache.engine("other") is None
    assert cache.engine("") is None
    assert json.loads((tmp_path / "deep" / "probes.json").read_text())["schema"] == 1


def test_what_steers_the_engine_is_part_of_its_mark() -> None:
    plain = fingerprint({"HOME": "/home/me"})
    assert fingerprint({"HOME": "/elsewhere"}) == plain
    assert not plain or fingerprint({"CUDA_VISIBLE_DEVICES": "1"}) != plain
