"""The command ``server-log``: which phase hurt in real use, from a server's own log."""

import argparse
from dataclasses import asdict
from typing import Any, Final

from advisor.cli import terminal
from advisor.cli.progress_line import ProgressLine
from advisor.core.numbers import plural, seconds
from advisor.core.progress import CancelToken, Progress
from advisor.gguf.readable import readable
from advisor.servers.log_file import read_log
from advisor.servers.logs import LogRecord, LogVerdict, verdict

SERVER_LOG_SCHEMA: Final = "two-machines/server-log/1"


def run_server_log(arguments: argparse.Namespace, line: ProgressLine, cancel: CancelToken) -> int:
    """Read, perhaps watch, and show; Stop ends the watching and shows what came until then. Raises BadFile."""
    watch_s = arguments.watch or 0.0

    def listen(record: LogRecord, left_s: float) -> None:
        line(Progress(1 - left_s / watch_s, f"{plural(len(record.requests), 'request')} so far", left_s))

    try:
        record = read_log(arguments.file, watch_s, cancel, listen)
    finally:
        line.close()
    said = verdict(record)

    def show() -> None:
        _show(arguments.file.name, said, watch_s if not cancel.cancelled else 0.0)

    terminal.present(arguments.json, lambda: log_json(record, said), show)
    return 0


def _show(name: str, said: LogVerdict, watched_s: float) -> None:
    title = f"Log {readable(name)}"
    print(f"{title}, watched for {seconds(watched_s)}" if watched_s else title)
    for sentence in said.sentences:
        terminal.show_paragraph(sentence, "  ")
    if said.prompt_tokens and said.answer_tokens:
        terminal.show_paragraph(
            "To ask what would help with such requests: two-machines diagnose MODEL "
            f"--prompt {said.prompt_tokens} --answer {said.answer_tokens}", "  ",
        )  # fmt: skip


def log_json(record: LogRecord, said: LogVerdict) -> dict[str, Any]:
    """The JSON form; ``docs/schema/server-log.schema.json``."""
    return {
        "schema": SERVER_LOG_SCHEMA,
        "verdict": {**asdict(said), "sentences": list(said.sentences)},
        "requests": [asdict(request) for request in record.requests],
        "vllm_lines": [asdict(load) for load in record.loads],
        "answered_s": list(record.answered_s),
        "refused": record.refused,
        "unfinished": record.unfinished,
        "lines": record.lines,
        "damaged_lines": record.damaged,
    }
