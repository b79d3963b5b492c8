"""Starts, watches, stops and reaps the measuring child; whatever happens to it becomes one Outcome value."""

import os
import queue
import select
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from typing import IO, TYPE_CHECKING, Any

from advisor.benchmarks import protocol
from advisor.benchmarks.launch import Launch
from advisor.benchmarks.signals import signal_name
from advisor.core.progress import CancelToken
from advisor.core.translation import tr

if TYPE_CHECKING:
    import psutil

Message = Mapping[str, Any]
Handler = Callable[[Message], None]

POLITE_STOP_S = 0.5
"""Seconds a child has to end by itself after a stop line; with the kill it stays under a second."""
PAUSED_LIMIT_S = 3.0
"""A child that something outside has stopped (SIGSTOP) is given up after this long."""
POLL_S = 0.1
AWAY_S = 5.0
"""A look that comes later than this means that this process was stopped (Ctrl+Z, a debugger, a frozen container)."""
LOG_LINES = 200
LOG_LINE_BYTES = 2000
READ_BYTES = 1 << 16
MAX_JUNK_LINES = 20
MAX_MESSAGES = 1_000_000
"""A child that sends more floods; a thorough run sends a few thousand."""


class Ending(StrEnum):
    """How a child ended."""

    DONE = "done"
    FAILED = "failed"
    """It said itself why it could not do the task."""
    CRASHED = "crashed"
    """A signal or a native exception ended it."""
    LEFT = "left"
    """It exited without a result."""
    HUNG = "hung"
    """Silent for longer than its limit, or over its total time."""
    PAUSED = "paused"
    """Stopped from outside and not continued."""
    BABBLED = "babbled"
    """It sent what is no message, too much, or a figure that cannot be."""
    CANCELLED = "cancelled"
    NOT_STARTED = "not started"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of one child.

    Attributes:
        result: the RESULT message, None unless DONE.
        failure: the FAILURE message, None unless FAILED.
        signal_name: "SIGSEGV" style, empty when no signal ended it.
        exit_code: of the process; None when it never started.
        detail: for BABBLED and NOT_STARTED, what was wrong.
        log: last lines of its standard error, oldest first.
        wall_s: from start to reaping.
    """

    ending: Ending
    result: Message | None = None
    failure: Message | None = None
    signal_name: str = ""
    exit_code: int | None = None
    detail: str = ""
    log: tuple[str, ...] = ()
    wall_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Limits:
    """Time limits of one child: ``silence_s`` without any message, ``total_s`` altogether."""

    silence_s: float = 60.0
    total_s: float = 600.0


@dataclass(frozen=True, slots=True)
class Speech:
    """How a child is talked to and understood.

    Attributes:
        request: bytes for its standard input at the start; none closes that at once.
        stop: bytes that ask it to end politely; none where it knows no such thing and is killed.
        understand: the messages in one line of its standard output; raises ProtocolError for what is none.
        overhear: the messages in one line of its standard error that begins with ``log_marker``.
        log_marker: empty to overhear nothing.
        strict: a line that ``understand`` refuses ends the child; else stray lines are forgiven a few times.
    """

    request: bytes
    stop: bytes
    understand: Callable[[bytes], Iterable[Message]]
    overhear: Callable[[str], Iterable[Message]] = lambda _line: ()
    log_marker: str = ""
    strict: bool = False


def run_child(request: Message, launch: Launch, limits: Limits, on_message: Handler, cancel: CancelToken) -> Outcome:
    """Run one task of our own worker to its end; see ``supervise``."""
    speech = Speech(protocol_line(request), protocol.STOP_LINE, lambda line: (protocol.decode(line),))
    return supervise(speech, launch, limits, on_message, cancel)


def supervise(speech: Speech, launch: Launch, limits: Limits, on_message: Handler, cancel: CancelToken) -> Outcome:
    """Run a child to its end.

    ``on_message`` gets every ROW, READING and PROGRESS on the calling thread, and a PAUSED after each time that
    something outside had stopped the child; a ``ProtocolError`` out of it ends the child as BABBLED. Never raises for
    anything the child does; the child's whole process group is gone on return.
    """
    if cancel.cancelled:
        return Outcome(Ending.CANCELLED)
    started_s = time.monotonic()
    try:
        process = _start(launch)
    except OSError as error:
        return Outcome(Ending.NOT_STARTED, detail=str(error))
    watch = _Watch(process, speech, limits, on_message, cancel)
    try:
        ending, detail = watch.run()
    finally:
        _end_group(process)
        watch.close()
    return _outcome(watch, process, ending, detail, time.monotonic() - started_s)


def protocol_line(request: Message) -> bytes:
    """The request as the child's first input line."""
    return protocol.encode("request", request)


def _start(launch: Launch) -> "subprocess.Popen[bytes]":
    options: dict[str, Any] = {}
    if sys.platform == "win32":
        options["creationflags"] = subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW
    else:
        options["start_new_session"] = True
    return subprocess.Popen(
        launch.command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
        env=dict(launch.environment),
        **options,
    )


class _Watch:
    """The conversation with one child: two reader threads, one deciding loop."""

    def __init__(
        self,
        process: "subprocess.Popen[bytes]",
        speech: Speech,
        limits: Limits,
        on_message: Handler,
        cancel: CancelToken,
    ) -> None:
        self.process = process
        self.speech = speech
        self.limits = limits
        self.on_message = on_message
        self.cancel = cancel
        self.log: deque[str] = deque(maxlen=LOG_LINES)
        self.result: Message | None = None
        self.failure: Message | None = None
        self._paused_since_s: float | None = None
        self._left_since_s: float | None = None
        self._to_say: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._lines: queue.Queue[bytes | str | None] = queue.Queue(maxsize=1000)
        self._closed = threading.Event()
        self._closed_s = 0.0
        self._threads = [
            threading.Thread(target=self._read_messages, args=(process.stdout,), daemon=True, name="child messages"),
            threading.Thread(target=self._read_log, args=(process.stderr,), daemon=True, name="child log"),
            threading.Thread(target=self._speak, args=(process.stdin,), daemon=True, name="child request"),
        ]

    def run(self) -> tuple[Ending, str]:
        for thread in self._threads:
            thread.start()
        self._to_say.put(self.speech.request or None)
        start_s = last_heard_s = looked_s = time.monotonic()
        junk = messages = 0
        stop_at_s: float | None = None
        while True:
            now_s = time.monotonic()
            away_s, looked_s = now_s - looked_s, now_s
            if away_s > AWAY_S:  # we ourselves stood still, and the child most likely with us
                start_s += away_s
                last_heard_s += away_s
            if self.cancel.cancelled and stop_at_s is None:
                if not self.speech.stop:
                    return Ending.CANCELLED, ""
                self._to_say.put(self.speech.stop)
                stop_at_s = now_s + POLITE_STOP_S
            if stop_at_s is not None and now_s >= stop_at_s:
                return Ending.CANCELLED, ""
            try:
                line = self._lines.get(timeout=POLL_S)
            except queue.Empty:
                if self._left_for(now_s) > POLITE_STOP_S:
                    return self._ended_by_itself(stop_at_s is not None)
                if now_s - last_heard_s > self.limits.silence_s:
                    return Ending.HUNG, tr("no sign of life for {n} s", n=round(self.limits.silence_s))
                if now_s - start_s > self.limits.total_s:
                    return Ending.HUNG, tr("not done after {n} s", n=round(self.limits.total_s))
                if self._paused_for(now_s) > PAUSED_LIMIT_S:
                    return Ending.PAUSED, ""
                continue
            if line is None:
                self._overhear_the_rest()
                return self._ended_by_itself(stop_at_s is not None)
            last_heard_s = now_s
            if self._paused_since_s is not None:
                self._paused_for(now_s)
            messages += 1
            try:
                said = self._understood(line)
            except protocol.ProtocolError as error:
                junk += 1
                if self.speech.strict or _is_message_like(line) or junk > MAX_JUNK_LINES:
                    return Ending.BABBLED, str(error)
                continue
            try:
                for message in said:
                    self._take(message)
            except protocol.ProtocolError as error:
                return Ending.BABBLED, str(error)
            if messages > MAX_MESSAGES:
                return Ending.BABBLED, "a flood of messages"
            if now_s - start_s > self.limits.total_s:
                return Ending.HUNG, tr("not done after {n} s", n=round(self.limits.total_s))

    def close(self) -> None:
        """Join the threads; the pipes end with the group, unless a process that left it holds them."""
        self._closed_s = time.monotonic()
        self._closed.set()
        self._to_say.put(None)
        for thread in self._threads:
            thread.join(timeout=2.0)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()

    def _understood(self, line: bytes | str) -> Iterable[Message]:
        return self.speech.overhear(line) if isinstance(line, str) else tuple(self.speech.understand(line))

    def _overhear_the_rest(self) -> None:
        """What it said on standard error just before it ended may arrive after the end of its output."""
        if not self.speech.log_marker:
            return
        self._threads[1].join(timeout=POLITE_STOP_S)
        with suppress(queue.Empty, protocol.ProtocolError):
            while True:
                line = self._lines.get_nowait()
                for message in self.speech.overhear(line) if isinstance(line, str) else ():
                    self._take(message)

    def _take(self, message: Message) -> None:
        kind = message["kind"]
        if kind == protocol.RESULT:
            self.result = message
        elif kind == protocol.FAILURE:
            self.failure = message
        elif kind in (protocol.ROW, protocol.READING, protocol.PROGRESS):
            self.on_message(message)

    def _ended_by_itself(self, stopping: bool) -> tuple[Ending, str]:
        with suppress(subprocess.TimeoutExpired):  # it closed its pipe and lives on: nothing is left to hear
            self.process.wait(timeout=POLITE_STOP_S)
        if stopping:
            return Ending.CANCELLED, ""
        if self.result is not None:
            return Ending.DONE, ""
        if self.failure is not None:
            return Ending.FAILED, ""
        return (Ending.CRASHED if signal_name(self.process.returncode) else Ending.LEFT), ""

    def _left_for(self, now_s: float) -> float:
        """Seconds since the child ended while one of its own children still holds its pipe, whose end never comes."""
        if self.process.poll() is None:
            return 0.0
        self._left_since_s = self._left_since_s or now_s
        return now_s - self._left_since_s

    def _paused_for(self, now_s: float) -> float:
        """Seconds that the child has been stopped for until now; tells the listener when it goes on."""
        if self._is_stopped():
            self._paused_since_s = self._paused_since_s or now_s
            return now_s - self._paused_since_s
        if self._paused_since_s is not None:
            self.on_message({"kind": protocol.PAUSED, "seconds": now_s - self._paused_since_s + POLL_S})
            self._paused_since_s = None
        return 0.0

    def _is_stopped(self) -> bool:
        import psutil

        try:
            return bool(psutil.Process(self.process.pid).status() == psutil.STATUS_STOPPED)
        except psutil.Error:
            return False

    def _speak(self, pipe: IO[bytes]) -> None:
        """Says what is to be said, and closes the pipe at None; apart, since a child that does not listen blocks it."""
        with suppress(OSError, ValueError):  # it is gone already; the readers will say how
            while line := self._to_say.get():
                while line:
                    line = line[pipe.write(line) :]
        with suppress(OSError):
            pipe.close()

    def _read_messages(self, pipe: IO[bytes]) -> None:
        for line in self._lines_of(pipe, protocol.MAX_LINE_BYTES + 1):
            if not self._put(line):
                return
        self._put(None)

    def _lines_of(self, pipe: IO[bytes], most_bytes: int) -> Iterator[bytes]:
        """Lines, and pieces of those that are longer, until the pipe's end; after ``close`` what is there already.

        Not by the pipe's own ``readline``: a reader that waits in it could not be called back, and closing a pipe
        waits for its reader.
        """
        held = b""
        while not self._is_over(pipe) and (part := pipe.read(READ_BYTES)):
            *whole, held = (held + part).split(b"\n")
            for line in whole:
                yield from _pieces(line + b"\n", most_bytes)
            while len(held) >= most_bytes:
                yield held[:most_bytes]
                held = held[most_bytes:]
        if held:
            yield held

    def _is_over(self, pipe: IO[bytes]) -> bool:
        """Waits until there is something to read, or its end; True once the watch is closed and nothing comes."""
        if sys.platform == "win32":
            return False  # pipes cannot be waited for there; the child's descendants are ended with it
        waiting = select.poll()
        waiting.register(pipe, select.POLLIN)
        while not waiting.poll(POLL_S * 1000):
            if self._closed.is_set():
                return True
        return self._closed.is_set() and time.monotonic() > self._closed_s + POLITE_STOP_S

    def _put(self, line: bytes | str | None) -> bool:
        while not self._closed.is_set():
            try:
                self._lines.put(line, timeout=POLL_S)
            except queue.Full:
                continue
            return True
        return False

    def _read_log(self, pipe: IO[bytes]) -> None:
        for line in self._lines_of(pipe, LOG_LINE_BYTES):
            text = line.decode("utf-8", "replace").rstrip()
            if text:
                self.log.append(text)
                if self.speech.log_marker and text.startswith(self.speech.log_marker):
                    self._put(text)


def _pieces(line: bytes, most_bytes: int) -> Iterator[bytes]:
    return (line[start : start + most_bytes] for start in range(0, len(line), most_bytes))


def _is_message_like(line: bytes | str) -> bool:
    """A broken message is a lie; a stray line may be a library's chatter and is forgiven a few times."""
    return isinstance(line, bytes) and line.lstrip().startswith(b"{")


def _end_group(process: "subprocess.Popen[bytes]") -> None:
    """Kill what is left of the child's group, and reap the child."""
    if sys.platform == "win32":
        for child in _descendants(process.pid):
            child.kill()
        if process.poll() is None:
            process.kill()
    else:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    with suppress(subprocess.TimeoutExpired):  # stuck in the kernel (a dead network drive): nothing of ours is there
        process.wait(timeout=10.0)


def _descendants(pid: int) -> "list[psutil.Process]":
    import psutil

    try:
        return list(psutil.Process(pid).children(recursive=True))
    except psutil.Error:
        return []


def _outcome(watch: _Watch, process: "subprocess.Popen[bytes]", ending: Ending, detail: str, wall_s: float) -> Outcome:
    return Outcome(
        ending=ending,
        result=watch.result if ending is Ending.DONE else None,
        failure=watch.failure if ending is Ending.FAILED else None,
        signal_name=signal_name(process.returncode) if ending is Ending.CRASHED else "",
        exit_code=process.returncode,
        detail=detail,
        log=tuple(watch.log),
        wall_s=wall_s,
    )
