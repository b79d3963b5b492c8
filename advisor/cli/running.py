"""What the commands that measure share: Ctrl+C, the engine's settings, machine and engine at once, the stamp's code.

As in ``commands``, everything heavy is imported inside.
"""

import argparse
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from advisor.cli import terminal
from advisor.core.errors import EXIT_INVALID, AdvisorError
from advisor.core.evidence import Fact
from advisor.core.progress import CancelToken

if TYPE_CHECKING:
    from advisor.benchmarks.model import Conditions, EngineFacts, TestResult
    from advisor.benchmarks.planning import BenchSettings
    from advisor.gguf.model import ModelFacts
    from advisor.hardware.model import Machine
    from advisor.hardware.probes.load import LoadWindow


@contextmanager
def interruptible() -> Iterator[CancelToken]:
    """A token that Ctrl+C and a polite kill set; a second Ctrl+C ends the program at once."""
    cancel = CancelToken()
    if threading.current_thread() is not threading.main_thread():
        yield cancel
        return

    def stop(_number: int, _frame: object) -> None:
        if cancel.cancelled:
            raise KeyboardInterrupt
        cancel.cancel()

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield cancel
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def must_decode(model: "ModelFacts") -> None:
    """Raise BadFile for a file that has nothing to measure."""
    from advisor.core.errors import BadFile
    from advisor.gguf.readable import readable

    if not model.has_decode:
        raise BadFile(
            f"{readable(model.path.name)} cannot write text, so there is nothing to measure.", " ".join(model.notes[:1])
        )


def must_hold(model: "ModelFacts", tokens: int, what: str, most: str) -> None:
    """Raise UsageError where a sequence is longer than the model's context, before anything is measured.

    Args:
        model: whose context counts; one that does not say how long it is takes everything.
        tokens: of the whole sequence.
        what: that needs them, which begins the sentence.
        most: the hint, with ``{}`` where the tokens stand that are too many.
    """
    from advisor.core.errors import UsageError
    from advisor.core.numbers import count, plural

    length = model.context_length.or_none()
    if length and tokens > length:
        raise UsageError(
            f"{what} needs a context of {plural(tokens, 'token')}, and this model was made for {count(length)}.",
            most.format(plural(tokens - length, "token")),
        )


def watch_load() -> "LoadWindow | None":
    """A window on the load of this machine, opened now; None where it cannot be told."""
    from advisor.hardware.asking import ask
    from advisor.hardware.probes import load

    return ask("load", load.begin, lambda _: None)


def machine_and_engine(
    read_engine: "Callable[[], Fact[EngineFacts]]", cancel: CancelToken, window: "LoadWindow | None" = None
) -> "tuple[Machine, Fact[EngineFacts]]":
    """Both at once: the child works while the probes are imported and asked."""
    answers: list[Fact[EngineFacts]] = []
    worker = threading.Thread(target=lambda: answers.append(read_engine()))
    worker.start()
    from advisor.hardware.detect import read_machine

    facts = read_machine(window=window)
    worker.join()
    cancel.raise_if_cancelled()
    return facts, answers[0]


def stamp_code(tests: "tuple[TestResult, ...]") -> int:
    """0, or the code of figures that must not be believed, with the reasons said."""
    return conditions_code([test.conditions for test in tests])


def conditions_code(
    conditions: "Sequence[Conditions]", sentence: str = "The figures are not to be believed",
    hint: str = "Close other programs and measure again.",
) -> int:
    """The same for bare stamps; the reasons follow the sentence."""
    from advisor.benchmarks.model import Stamp, merged_reasons

    invalid = [each for each in conditions if each.stamp is Stamp.INVALID]
    if not invalid:
        return 0
    terminal.show_error(AdvisorError(f"{sentence}: {'; '.join(merged_reasons(invalid))}.", hint))
    return EXIT_INVALID


def bench_settings(arguments: argparse.Namespace) -> "BenchSettings":
    """The engine's settings out of the options that several commands share."""
    from advisor.benchmarks.model import FlashAttention
    from advisor.benchmarks.planning import BenchSettings

    return BenchSettings(
        n_threads=arguments.threads,
        n_threads_prefill=arguments.threads_prefill,
        n_batch=arguments.batch_size,
        n_ubatch=arguments.ubatch_size,
        flash_attention=FlashAttention(arguments.flash_attention),
        kv_type=arguments.kv_type,
    )
