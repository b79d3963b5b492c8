"""What real requests cost, from the log that a server writes anyway; pure functions, one line at a time.

llama-server (and Ollama, whose runner prints the same): ``prompt eval time = … ms / … tokens``, before it possibly a
time, a level, and ``slot … id  7 | task 2 |``; older versions name the slot in a line of its own or not at all.
Ollama: ``[GIN] … | 200 | 1.5s | … | POST "/api/chat"``. vLLM: ``Avg prompt throughput: …`` every ten seconds, which
tells tokens but no request. Formats as in llama.cpp's, Ollama's and vLLM's sources, read 2026-11-30.
"""

import re
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from advisor.core import stats
from advisor.core.numbers import count, noun, percent, plural, seconds, speed
from advisor.core.translation import tr

LONGEST_LINE: Final = 65_536
"""Characters of a line that are looked at; logs of requests may hold whole prompts."""

MOST_REQUESTS: Final = 100_000
"""Requests, vLLM's lines and the web server's times that are kept, of each the newest where there are more."""

INTERVAL_S: Final = 10.0
"""Between two of vLLM's lines (VLLM_LOG_STATS_INTERVAL's default)."""

FEW: Final = 5
"""Requests below which a verdict says that it rests on few."""

_NUMBER: Final = r"([0-9]+(?:[.,][0-9]+)?)"
"""With a decimal comma where the program was started with such a locale."""
_TASK: Final = re.compile(r"id\s+(\d+)\s*\|\s*task\s+(-?\d+)")
_EVAL: Final = re.compile(
    rf"\b(?P<prompt>prompt )?eval time\s*=\s*{_NUMBER} ms /\s*(\d{{1,15}}) (?:tokens|runs)\b"
)
LOOKS_TIMED: Final = re.compile(r"\b(?:prompt )?eval time\s*=")
"""A line of a request's time, whether it can be read or not."""
_MARK: Final = re.compile(LOOKS_TIMED.pattern + r"|Avg prompt throughput:|\[GIN\]")
_GIN: Final = re.compile(r'\[GIN\][^|]*\|\s*(\d{3})\s*\|\s*([0-9.a-zµμ]+)\s*\|[^|]*\|\s*POST\s+"([^"]*)"')
_GIN_PART: Final = re.compile(r"([0-9]+(?:\.[0-9]+)?)(h|ms|µs|μs|us|ns|m|s)")
_UNITS_S: Final = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "µs": 1e-6, "μs": 1e-6, "us": 1e-6, "ns": 1e-9}
_WRITING: Final = ("/api/generate", "/api/chat", "/v1/chat/completions", "/v1/completions", "/v1/messages",
                   "/v1/responses")  # fmt: skip
_VLLM: Final = re.compile(
    rf"Avg prompt throughput: {_NUMBER} tokens/s, Avg generation throughput: {_NUMBER} tokens/s, "
    r"Running: (\d+) reqs, Waiting: (\d+) reqs"
)


@dataclass(frozen=True, slots=True)
class Request:
    """One request by the engine's clock.

    Attributes:
        prompt_tokens: that were computed; what the cache held is not among them.
        decode_tokens: as the engine counts the answer.
    """

    prompt_tokens: int
    prefill_s: float
    decode_tokens: int
    decode_s: float


@dataclass(frozen=True, slots=True)
class Timing:
    """One of llama.cpp's lines on a phase of a request.

    Attributes:
        request: the slot and the task, "" where the line names none.
    """

    request: str
    is_prompt: bool
    tokens: int
    seconds: float


def timing_in(line: str) -> Timing | None:
    """The time of a phase that a line tells; None for any other line."""
    match = _EVAL.search(line)
    if match is None:
        return None
    task = _TASK.search(line)
    return Timing(
        "" if task is None else f"{task[1]}/{task[2]}", bool(match["prompt"]), int(match[3]), _float(match[2]) / 1000
    )


def _float(figure: str) -> float:
    return float(figure.replace(",", "."))


@dataclass(frozen=True, slots=True)
class Load:
    """One of vLLM's periodic lines, over the seconds since the one before."""

    prompt_tokens_per_s: float
    decode_tokens_per_s: float
    running: int
    waiting: int


@dataclass(frozen=True, slots=True)
class LogRecord:
    """What a log held.

    Attributes:
        requests: in the order of their ends.
        loads: of vLLM, in order.
        answered_s: how long requests took that the web server logged (Ollama), queue and loading included.
        refused: requests that it answered with an error.
        unfinished: prompts whose answer's time never came.
        lines: that were read.
        damaged: lines that look like one of these and cannot be read.
    """

    requests: tuple[Request, ...] = ()
    loads: tuple[Load, ...] = ()
    answered_s: tuple[float, ...] = ()
    refused: int = 0
    unfinished: int = 0
    lines: int = 0
    damaged: int = 0


@dataclass(slots=True)
class LogReader:
    """Collects lines as they come; ``record()`` may be asked at any time."""

    _requests: deque[Request] = field(default_factory=lambda: deque(maxlen=MOST_REQUESTS))
    _loads: deque[Load] = field(default_factory=lambda: deque(maxlen=MOST_REQUESTS))
    _answered_s: deque[float] = field(default_factory=lambda: deque(maxlen=MOST_REQUESTS))
    _prompts: dict[str, tuple[int, float]] = field(default_factory=dict)
    _refused: int = 0
    _unfinished: int = 0
    _lines: int = 0
    _damaged: int = 0

    def feed(self, line: str) -> None:
        """One line, with or without its end."""
        self._lines += 1
        line = line[:LONGEST_LINE]
        if _MARK.search(line) is None:
            return
        if not (self._eval(line) or self._gin(line) or self._vllm(line)):
            self._damaged += 1

    def feed_all(self, lines: Iterable[str]) -> "LogReader":
        """Many lines; returns itself."""
        for line in lines:
            self.feed(line)
        return self

    def record(self) -> LogRecord:
        """All so far."""
        return LogRecord(
            tuple(self._requests), tuple(self._loads), tuple(self._answered_s), self._refused,
            self._unfinished + len(self._prompts), self._lines, self._damaged,
        )  # fmt: skip

    def _eval(self, line: str) -> bool:
        timing = timing_in(line)
        if timing is None:
            return False
        key, seconds = timing.request, timing.seconds
        if timing.is_prompt:
            if key in self._prompts:
                self._unfinished += 1
            self._prompts[key] = timing.tokens, seconds
            return True
        prompt = self._prompts.pop(key, None)
        if prompt is None:
            return False
        self._requests.append(Request(prompt[0], prompt[1], timing.tokens, seconds))
        return True

    def _gin(self, line: str) -> bool:
        if "[GIN]" not in line:
            return False
        match = _GIN.search(line)
        if match is None:
            return "POST" not in line  # other requests compute nothing
        if match[3].split("?")[0] not in _WRITING:
            return True
        parts = _GIN_PART.findall(match[2])
        if "".join(number + unit for number, unit in parts) != match[2]:
            return False
        if match[1].startswith("2"):
            self._answered_s.append(sum(float(number) * _UNITS_S[unit] for number, unit in parts))
        else:
            self._refused += 1
        return True

    def _vllm(self, line: str) -> bool:
        match = _VLLM.search(line)
        if match is not None:
            self._loads.append(Load(_float(match[1]), _float(match[2]), int(match[3]), int(match[4])))
        return match is not None


@dataclass(frozen=True, slots=True)
class LogVerdict:
    """What the log says of the two phases.

    Attributes:
        prefill_share: of the engine's time; None where no request's times are known.
        sentences: what was found, in order of weight, each with its full stop.
        prompt_tokens: median of the requests', usable as a workload with ``answer_tokens``.
        longest_wait_s: of a prompt.
        slowest_tokens_per_s: of an answer of ten tokens or more.
    """

    sentences: tuple[str, ...]
    prefill_share: float | None = None
    prompt_tokens: int | None = None
    answer_tokens: int | None = None
    longest_wait_s: float | None = None
    slowest_tokens_per_s: float | None = None


def verdict(record: LogRecord) -> LogVerdict:
    """The phase in which the requests of a log spent their time."""
    closing = _closing(record)
    if not record.requests:
        return LogVerdict((*_loads(record), *_answered(record), *closing) or (
            tr("No request's times are among {lines}. llama-server writes them at its usual verbosity, Ollama's runner "
               "too; vLLM writes a line every ten seconds while it is busy.",
               lines=plural(record.lines, "line", "lines")),
        ))  # fmt: skip
    requests = record.requests
    prefill_s, decode_s = sum(each.prefill_s for each in requests), sum(each.decode_s for each in requests)
    share = prefill_s / (prefill_s + decode_s) if prefill_s + decode_s > 0 else 0.5
    longest = max(requests, key=lambda each: each.prefill_s)
    written = [each for each in requests if each.decode_tokens >= 10 and each.decode_s > 0]
    slowest = min((each.decode_tokens / each.decode_s for each in written), default=None)
    prompts = round(stats.median([float(each.prompt_tokens) for each in requests]))
    answers = round(stats.median([float(each.decode_tokens) for each in requests]))
    held = plural(len(requests), "real request", "real requests")
    sentences = [
        tr("In {requests} {share} of the time went into prefill.", requests=held, share=percent(share)) if share >= 0.5
        else tr("In {requests} {share} of the time went into decode.", requests=held, share=percent(1 - share)),
        tr(
            "The longest wait for a prompt was {wait}, for {tokens} that had to be read.",
            wait=seconds(longest.prefill_s),
            tokens=plural(longest.prompt_tokens, "token", "tokens"),
        ),
        tr(
            "Half of the prompts had at most {prompts} to read, half of the answers at most {answers}.",
            prompts=plural(prompts, "token", "tokens"),
            answers=f"{count(answers)} {noun(answers, 'token', 'tokens')}",
        ),
    ]
    if slowest is not None:
        sentences.append(tr("The slowest answer came at {speed}.", speed=speed(slowest)))
    if len(requests) < FEW:
        sentences.append(tr("That is few: let it run for longer before you change anything."))
    return LogVerdict(
        (*sentences, *_answered(record), *closing), share, prompts, answers, longest.prefill_s, slowest
    )


def _loads(record: LogRecord) -> tuple[str, ...]:
    """Lines of vLLM tell tokens of both phases and the queue, not what a request waited."""
    busy = [load for load in record.loads if load.running or load.prompt_tokens_per_s or load.decode_tokens_per_s]
    if not busy:
        return (tr("In all of vLLM's lines the server was idle."),) if record.loads else ()
    queued = sum(load.waiting > 0 for load in busy)
    most = max(load.running for load in busy)
    read = stats.median([load.prompt_tokens_per_s for load in busy])
    wrote = stats.median([load.decode_tokens_per_s for load in busy])
    return (
        tr("In {lines} vLLM read {read} and wrote {wrote} at the median, with up to {requests} at once.",
           lines=plural(len(busy), "busy line", "busy lines"), read=speed(read), wrote=speed(wrote),
           requests=plural(most, "request", "requests")),
        tr("Requests waited for a place in {share} of them.", share=percent(queued / len(busy))) if queued
        else tr("No request waited for a place."),
        tr("These lines do not tell what a request waited: measure the server's address for that."),
    )  # fmt: skip


def _answered(record: LogRecord) -> tuple[str, ...]:
    if not record.answered_s and not record.refused:
        return ()
    words = []
    if record.answered_s:
        words.append(
            tr(
                "The web server answered {requests} in {median} at the median and {worst} at worst, queue and loading "
                "included.",
                requests=plural(len(record.answered_s), "request", "requests"),
                median=seconds(stats.median(record.answered_s)),
                worst=seconds(max(record.answered_s)),
            )
        )
    if record.refused:
        words.append(tr("{requests} got an error instead.", requests=plural(record.refused, "request", "requests")))
    return tuple(words)


def _closing(record: LogRecord) -> tuple[str, ...]:
    words = []
    if record.unfinished:
        words.append(
            tr(
                "Of {prompts} the log does not tell how long the answer took.",
                prompts=plural(record.unfinished, "prompt", "prompts"),
            )
        )
    if record.damaged:
        words.append(tr("{lines} could not be read.", lines=plural(record.damaged, "line", "lines")))
    return tuple(words)
