"""Earlier runs without a file: what the window's history page is given in tests."""

import threading
from dataclasses import replace
from datetime import datetime, timedelta

from advisor.benchmarks.model import TestResult
from advisor.benchmarks.store.model import DeletedRun, NoSuchRun, RunEnd, StoredRun, StoredTest
from advisor.benchmarks.store.overview import RunLine
from advisor.comparison.compare import compare
from advisor.comparison.model import Comparison
from advisor.comparison.trend import Point, RunPast, around, changes
from advisor.gguf.model import ModelFacts
from advisor.hardware.model import Machine
from advisor.report.sides import side_of_run
from tests.support import documents
from tests.support.stored import ENDED_AT, MEASURED_AT, STARTED_AT, setup

MODELS = ("Llama 3.1 8B", "Qwen3 4B", "Gemma 3 270M", "Mistral Small 24B")


def slower(result: TestResult, factor: float) -> TestResult:
    """The same test at another speed."""
    return replace(result, samples_s=tuple(sample_s * factor for sample_s in result.samples_s))


def some_runs(count: int = 8) -> list[StoredRun]:
    """Runs of four models, the first one the oldest."""
    start = datetime.fromisoformat(STARTED_AT)
    runs = []
    for number in range(1, count + 1):
        base = setup()
        made = replace(base, model=replace(base.model, name=MODELS[number % len(MODELS)], label="Q4_K_M"))
        tests = tuple(
            StoredTest(number, MEASURED_AT, made, slower(result, 1 + 0.02 * number))
            for result in (documents.prefill_test(), documents.decode_test())
        )
        started = (start + timedelta(hours=number)).isoformat()
        runs.append(StoredRun(number, started, made, "answers from documents", RunEnd(ENDED_AT), tests=tests))
    return runs


def line_of(run: StoredRun) -> RunLine:
    """What the list shows of it."""
    prefill, decode = (test.result.tokens_per_s for test in run.tests)
    return RunLine(
        run.number, run.started_at, f"{run.setup.model.name} {run.setup.model.label}", run.setup.machine.words,
        workload=run.workload, label=run.label, note=run.note, prefill_tokens_per_s=prefill,
        decode_tokens_per_s=decode,
    )  # fmt: skip


class FakeHistory:
    """``advisor.session.history.History`` in memory; ``failure`` is raised by every further write."""

    def __init__(self, runs: list[StoredRun] | None = None) -> None:
        self.runs = {run.number: run for run in (some_runs() if runs is None else runs)}
        self.failure: Exception | None = None
        self.calls: list[str] = []
        self.said: list[tuple[str, str]] = []
        self._lock = threading.Lock()

    def overview(self, deleted: bool) -> tuple[RunLine, ...]:
        with self._lock:
            shown = [run for run in self.runs.values() if (run.deleted_at is not None) is deleted]
        return tuple(line_of(run) for run in sorted(shown, key=lambda run: -run.number))

    def run(self, number: int) -> StoredRun:
        if number not in self.runs:
            raise NoSuchRun(f"There is no run {number}.")
        return self.runs[number]

    def past(self, number: int) -> RunPast:
        earlier = [point for each in range(number - 1, 0, -1) for point in self._points(each)]
        return RunPast(number, changes(self._points(number), earlier), ())

    def compare(self, base: int, other: int) -> Comparison:
        for number in (base, other):
            if self.run(number).deleted_at is not None:
                raise DeletedRun(f"Run {number} was deleted.")
        return compare(side_of_run(self.run(base)), side_of_run(self.run(other)))

    def _points(self, number: int) -> list[Point]:
        run = self.runs.get(number)
        tests = run.tests if run is not None else ()
        return [Point(number, test.measured_at, test.result, around(test.result, None, None)) for test in tests]

    def set_label(self, number: int, text: str) -> None:
        self._write(f"label {number} {text}", number, label=text)

    def set_note(self, number: int, text: str) -> None:
        self._write(f"note {number} {text}", number, note=text)

    def delete(self, number: int) -> None:
        self._write(f"delete {number}", number, deleted_at=ENDED_AT)

    def restore(self, number: int) -> None:
        self._write(f"restore {number}", number, deleted_at=None)

    def earlier(self, model: ModelFacts, machine: Machine) -> tuple[StoredRun, ...]:
        return tuple(sorted(self.runs.values(), key=lambda run: -run.number)[:3])

    def remarks(self) -> tuple[tuple[str, str], ...]:
        said, self.said = self.said, []
        return tuple(said)

    def _write(self, call: str, number: int, **values: object) -> None:
        if self.failure is not None:
            raise self.failure
        with self._lock:
            self.calls.append(call)
            self.runs[number] = replace(self.runs[number], **values)  # type: ignore[arg-type]
