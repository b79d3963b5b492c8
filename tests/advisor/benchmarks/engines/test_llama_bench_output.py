"""Recorded outputs of llama-bench, old and new, whole and broken."""

from pathlib import Path

import pytest

from advisor.benchmarks.engines.llama_bench_output import Row, RowReader, row_of
from advisor.benchmarks.protocol import ProtocolError

FIXTURES = Path(__file__).resolve().parents[3] / "fixtures" / "llama_bench"


def read(text: bytes) -> list[Row]:
    reader = RowReader()
    return [row for line in text.splitlines(keepends=True) for row in reader.feed(line)]


def rows(name: str) -> list[Row]:
    return read((FIXTURES / name).read_bytes())


@pytest.mark.parametrize(
    ("name", "build", "backends", "speeds"),
    [
        ("cuda-b1275.json", "1275 (3469684)", ("CUDA",), [(512, 0, 2411.36), (0, 128, 131.295)]),
        ("cuda-b5163.json", "5163 (8cf427ff)", ("CUDA",), [(512, 0, 7136.37), (0, 128, 119.03)]),
        ("cuda-b5163.jsonl", "5163 (8cf427ff)", ("CUDA",), [(512, 0, 7276.44), (0, 128, 120.038)]),
        ("cuda-b10743.json", "10743 (adfffbe41)", ("CUDA",), [(512, 0, 4206.54), (0, 128, 143.45)]),
        ("rocm-b10097.json", "10097 (6a8dd5ea6)", ("ROCm",), [(32768, 0, 489.312)]),
        ("vulkan-b8757.txt", "8757 (a29e4c0b7)", ("Vulkan",), [(32, 0, 6017.19), (0, 16, 283.86)]),
        ("vulkan-b11371.json", "1 (99b9548)", ("Vulkan",), [(512, 0, 13512.1), (0, 128, 372.543)]),
        ("metal-b10359.json", "10359 (84f712946)", ("MTL",), [(512, 0, 5124.04), (0, 128, 157.93)]),
        ("cpu-apple.json", "dbadb68", (), [(256, 0, 1605.22)]),
    ],
)
def test_every_recorded_version_is_understood(
    name: str, build: str, backends: tuple[str, ...], speeds: list[tuple[int, int, float]]
) -> None:
    found = rows(name)
    assert [(row.build, row.backends) for row in found] == [(build, backends)] * len(speeds)
    for row, (n_prompt, n_gen, median) in zip(found, speeds, strict=True):
        assert (row.n_prompt, row.n_gen) == (n_prompt, n_gen)
        samples = sorted((n_prompt + n_gen) / seconds for seconds in row.samples_s)
        assert samples[len(samples) // 2] == pytest.approx(median, rel=2e-3)


@pytest.mark.parametrize(
    ("name", "planned", "device"),
    [
        ("cuda-b1275.json", "CPU", "CUDA"),
        ("cuda-b5163.json", "CUDA0", "CUDA0"),
        ("cuda-b5163.json", "CUDA0+CPU", "CUDA0+CPU"),
        ("rocm-b10097.json", "Vulkan0", "ROCm0"),
        ("rocm-b10097.json", "ROCm0+CPU", "ROCm0+CPU"),
        ("metal-b10359.json", "CPU", "MTL"),
        ("cpu-apple.json", "CPU", "CPU"),
    ],
)
def test_the_device_is_what_the_row_says_else_what_was_planned(name: str, planned: str, device: str) -> None:
    assert {row.device(planned) for row in rows(name)} == {device}


def test_a_cuda_build_that_was_kept_off_the_gpu_ran_on_the_cpu() -> None:
    row = row_of({"n_prompt": 1, "samples_ns": [1], "backends": "CUDA", "gpu_info": "RTX 4080", "n_gpu_layers": 0})
    assert row is not None and row.device("CUDA0") == "CPU"


@pytest.mark.parametrize("name", ["cuda-b5163.json", "cuda-b5163.jsonl", "vulkan-b8757.txt"])
def test_what_was_written_before_the_program_died_is_kept(name: str) -> None:
    whole = (FIXTURES / name).read_bytes()
    counts = [len(read(whole[:end])) for end in range(0, len(whole), 97)]
    assert counts == sorted(counts)
    assert set(counts) == {0, 1, 2} or set(counts) == {0, 1}
    assert len(read(whole.rstrip().rstrip(b"]"))) == 2  # only the closing bracket is missing


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (b'{"n_prompt": 8, "samples_ns": [5], "avg_ts": nan, "stddev_ts": -nan(ind)}', 1),
        (b'{"n_prompt": 8, "samples_ns": [5], "avg_ts": inf, "model_filename": "C:\\Users\\m.gguf"}', 1),
        (b'{"n_prompt": 8, "samples_ns": [5], "model_type": "a } in { a \\" name"}', 1),
        (b'{"n_prompt": 8, "samples_ns": [5]}{"n_gen": 8, "samples_ns": [5]}', 2),
        (b'{"n_prompt": 8, "avg_ns": 5}', 1),
        (b'{"samples_ns": [5]}', 1),
        (b'{"n_prompt": 8, "new_field": {"of": ["another", {"kind": 1}]}, "samples_ns": [5]}', 1),
        (b'{"n_prompt": 8}', 0),
        (b'{"n_prompt": 8, "samples_ns": []}', 0),
        (b'{"n_prompt": 8, "samples_ns": [5]', 0),
        (b"{this is no JSON}", 0),
        (b"] }}} [", 0),
        (b"\xff\xfe\x00 noise", 0),
    ],
)
def test_missing_renamed_extra_and_odd_fields(text: bytes, count: int) -> None:
    assert len(read(text)) == count


@pytest.mark.parametrize(
    "text",
    [
        b'{"n_prompt": 8, "samples_ns": [0]}',
        b'{"n_prompt": 8, "samples_ns": [-4]}',
        b'{"n_gen": 8, "samples_ts": ["x"]}',
    ],
)
def test_a_duration_that_no_clock_can_have_shown_is_refused(text: bytes) -> None:
    with pytest.raises(ProtocolError):
        read(text)


def test_a_row_that_does_not_end_is_refused() -> None:
    with pytest.raises(ProtocolError):
        read(b'{"x": "' + b"y" * (1 << 20))
