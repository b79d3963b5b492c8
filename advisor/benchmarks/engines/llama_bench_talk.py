"""llama-bench's output as the messages of our own worker, so that one ``PhaseRun`` follows both."""

import re
from collections.abc import Iterator
from typing import Any, Final

from advisor.benchmarks import protocol
from advisor.benchmarks.engines.llama_bench_command import Group
from advisor.benchmarks.engines.llama_bench_output import Row, RowReader
from advisor.benchmarks.model import Phase, TestSpec
from advisor.benchmarks.worker.talk import counted

LOG_MARKER: Final = "llama-bench: benchmark "
"""What lines of ``--progress`` on standard error begin with."""
_STEP: Final = re.compile(
    r"llama-bench: benchmark (\d+)/\d+: (warmup|depth|prompt|generation)\b(?:.*?run (\d+)/(\d+))?"
)

Messages = Iterator[dict[str, Any]]


class BenchTalk:
    """Follows one process; the messages number tests as the job does.

    Args:
        group: what it was asked, in its order.
        planned_device: for rows that do not say where they ran.
        has_progress: whether it tells of each repetition; without that, each test counts as running from the moment
            the one before has ended.
    """

    def __init__(self, group: Group, planned_device: str, has_progress: bool) -> None:
        self.answered: set[int] = set()
        self._tests = dict(group.tests)
        self._order = [index for index, _ in group.tests]
        self._device = planned_device
        self._has_progress = has_progress
        self._rows = RowReader()
        self._running: set[int] = set()

    @property
    def is_complete(self) -> bool:
        """Whether every test has its row."""
        return len(self.answered) == len(self._tests)

    def begin(self) -> Messages:
        """What to say before it has said anything."""
        yield {"kind": protocol.PROGRESS, "phase": "Loading the model"}
        if not self._has_progress:
            yield from self._enter(self._order[0])

    def understand(self, line: bytes) -> Messages:
        """The messages in one line of its standard output; raises ProtocolError for what cannot be."""
        for row in self._rows.feed(line):
            yield from self._take(row)

    def overhear(self, line: str) -> Messages:
        """The messages in one line of its standard error."""
        found = _STEP.match(line)
        if found is None or not 1 <= int(found[1]) <= len(self._order):
            return
        index = self._order[int(found[1]) - 1]
        name = _name(self._tests[index])
        if found[2] == "warmup":
            yield {"kind": protocol.PROGRESS, "phase": f"{name}, warming up"}
            yield {"kind": protocol.ROW, "test": index, "stage": "warm-up"}
        elif found[2] == "depth":
            depth = counted(self._tests[index].n_depth, "token")
            yield {"kind": protocol.PROGRESS, "phase": f"Filling the cache with {depth}"}
        else:
            if found[3]:
                yield {"kind": protocol.PROGRESS, "phase": f"{name}, repetition {found[3]} of {found[4]}"}
            yield from self._enter(index, announce=False)

    def _enter(self, index: int, announce: bool = True) -> Messages:
        if index in self._running or index in self.answered:
            return
        self._running.add(index)
        if announce:
            yield {"kind": protocol.PROGRESS, "phase": f"{_name(self._tests[index])}, warming up"}
        yield {"kind": protocol.ROW, "test": index, "stage": "running"}

    def _take(self, row: Row) -> Messages:
        index = self._index(row)
        if index is None:
            return
        spec = self._tests[index]
        yield from self._enter(index)
        self.answered.add(index)
        engine = f"llama-bench {row.build}" if row.build else "llama-bench"
        yield {"kind": protocol.ROW, "engine": engine, "devices": row.device(self._device).split("+")}
        for seconds in row.samples_s:
            yield {"kind": protocol.ROW, "test": index, "seconds": seconds}
        count = len(row.samples_s)
        yield {
            "kind": protocol.READING,
            "phase": str(spec.phase),
            "repetition": count,
            "repetitions": count,
            "tokens_per_s": spec.tokens / row.samples_s[-1],
            "final": True,
        }
        yield {"kind": protocol.ROW, "test": index, "done": True}
        following = next((other for other in self._order if other not in self.answered), None)
        if not self._has_progress and following is not None:
            yield from self._enter(following)

    def _index(self, row: Row) -> int | None:
        """The test that a row answers; None for one that nobody asked for.

        Raises:
            ProtocolError: a row of other settings than asked, which means that an option was not understood.
        """
        for index in self._order:
            spec = self._tests[index]
            asked = (spec.n_prompt, spec.n_gen, spec.n_depth)
            said = (row.n_prompt, row.n_gen, row.n_depth)
            if index in self.answered or any(s is not None and s != a for s, a in zip(said, asked, strict=True)):
                continue
            for name, wanted in (("n_threads", spec.n_threads), ("n_batch", spec.n_batch), ("type_k", spec.kv_type)):
                said_of_it = row.fields.get(name, wanted)
                if said_of_it != wanted:
                    raise protocol.ProtocolError(f"a row with {name} {said_of_it!r}, and {wanted!r} was asked for")
            return index
        return None


def _name(spec: TestSpec) -> str:
    return "Prefill" if spec.phase is Phase.PREFILL else "Decode"
