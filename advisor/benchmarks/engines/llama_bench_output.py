"""What llama-bench writes, read with patience: its fields came, went and changed their types over the years.

Known forms: ``-o jsonl`` (one object a line, since b4000 or so), ``-o json`` (an array over many lines, without its
closing bracket when the program died), banners of backends before either, ``nan`` where JSON knows none, and Windows
paths whose backslashes older builds did not escape.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from advisor.benchmarks.protocol import ProtocolError
from advisor.benchmarks.reported import LARGEST

MAX_ROW_CHARACTERS: Final = 1 << 20
_NO_NUMBER: Final = re.compile(r":\s*[-+]?(?:nan|inf)(?:\([^)]*\))?\s*(?=[,}])", re.IGNORECASE)
_PATH_FIELD: Final = re.compile(r'"model_filename":\s*"[^"]*"')
_MARKS: Final = re.compile(r'["\\{}]')
_SWITCHES: Final = {"cuda": "CUDA", "vulkan": "Vulkan", "metal": "Metal", "sycl": "SYCL", "opencl": "OpenCL"}
"""Before b4100 or so each backend was a field of its own, true or false."""
_NO_DEVICE: Final = frozenset({"", "CPU", "BLAS", "RPC"})


@dataclass(frozen=True, slots=True)
class Row:
    """One test as llama-bench reports it; None for what the row does not say.

    Attributes:
        samples_s: seconds of each repetition; the average alone where the build reports no more.
        build: "5163 (8cf427ff)"; empty where the row does not say.
        backends: names of what the program was built with, CPU and BLAS left out.
        fields: everything else, as it came.
    """

    n_prompt: int | None
    n_gen: int | None
    n_depth: int | None
    samples_s: tuple[float, ...]
    build: str
    backends: tuple[str, ...]
    fields: Mapping[str, Any]

    def device(self, planned: str) -> str:
        """Where the weights lay: what the row says for certain, else what was planned.

        ``backends`` says what the program was built with, not where it ran (ggml-org/llama.cpp#25547); it counts only
        where nothing else is known and the row names a graphics processor.
        """
        named = str(self.fields.get("devices", "auto"))
        if self.fields.get("n_gpu_layers") == 0 or named == "none":
            return "CPU"
        if named not in ("auto", ""):
            wanted = named.replace("/", "+")
            return planned if planned.startswith(wanted) else wanted
        if planned == "CPU" and self.backends and self.fields.get("gpu_info"):
            return self.backends[0]
        return planned


class RowReader:
    """Takes the program's output line by line and gives the objects in it, whole ones only."""

    def __init__(self) -> None:
        self._held = ""
        self._depth = 0
        self._in_string = False

    def feed(self, line: bytes) -> Iterator[Row]:
        """The rows that this line completes; objects that are no rows are passed over.

        Raises:
            ProtocolError: an object that does not end, or a duration that no clock can have shown.
        """
        text = line.decode("utf-8", "replace")
        start = position = 0
        while mark := _MARKS.search(text, position):
            position = mark.end()
            if self._in_string:
                if mark[0] == "\\":
                    position += 1  # what follows is meant as it is
                elif mark[0] == '"':
                    self._in_string = False
            elif mark[0] == "{":
                start = mark.start() if self._depth == 0 else start
                self._depth += 1
            elif self._depth and mark[0] == '"':
                self._in_string = True
            elif self._depth and mark[0] == "}":
                self._depth -= 1
                if self._depth == 0:
                    whole, self._held = self._held + text[start:position], ""
                    row = row_of(parsed(whole))
                    if row is not None:
                        yield row
        if self._depth:
            self._held += text[start:]
            if len(self._held) > MAX_ROW_CHARACTERS:
                raise ProtocolError("a row of more than a megabyte")


def parsed(text: str) -> object:
    """The object; None for what no repair makes one."""
    repaired = _PATH_FIELD.sub('"model_filename": null', _NO_NUMBER.sub(": null", text))
    for attempt in (text, repaired):
        try:
            return json.loads(attempt, parse_constant=lambda _name: None)
        except (ValueError, RecursionError):
            continue
    return None


def row_of(fields: object) -> Row | None:
    """The row behind an object; None where it holds no measurement.

    Raises:
        ProtocolError: a duration that no clock can have shown.
    """
    if not isinstance(fields, dict):
        return None
    n_prompt, n_gen = count(fields, "n_prompt"), count(fields, "n_gen")
    samples = _samples(fields, (n_prompt or 0) + (n_gen or 0))
    if not samples:
        return None
    number, commit = fields.get("build_number"), str(fields.get("build_commit") or "")
    build = f"{number} ({commit})" if number and commit else str(number or commit or "")
    return Row(n_prompt, n_gen, count(fields, "n_depth"), samples, build, _backends(fields), fields)


def _samples(fields: Mapping[str, Any], tokens: int) -> tuple[float, ...]:
    """Seconds, from the best field there is: single times, single speeds, else the average of either."""
    for name in ("samples_ns", "samples_ts", "avg_ns", "avg_ts"):
        held = fields.get(name)
        values = held if isinstance(held, list) else [] if held is None else [held]
        is_speed = name.endswith("_ts")
        if not values or (is_speed and not tokens):
            continue
        for value in values:
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= LARGEST:
                raise ProtocolError(f"{name} holds {value!r}, which no clock can have shown")
        return tuple(tokens / value if is_speed else value / 1e9 for value in values)
    return ()


def _backends(fields: Mapping[str, Any]) -> tuple[str, ...]:
    held = fields.get("backends")
    if isinstance(held, str):
        names = [name.strip() for name in held.split(",")]
    else:
        names = [name for switch, name in _SWITCHES.items() if fields.get(switch) is True]
    return tuple(name for name in names if name not in _NO_DEVICE)


def count(fields: Mapping[str, Any], name: str) -> int | None:
    """A field that counts something; None where it is none, or damaged."""
    value = fields.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= LARGEST else None
