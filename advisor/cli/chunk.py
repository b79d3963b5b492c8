"""The command ``sweep chunk``: what running streams feel while a prompt is read in pieces."""

import argparse
from typing import Any, Final

from advisor.benchmarks.stutter.model import CHUNKS, Stutter
from advisor.benchmarks.stutter.run import STEADY_STEPS
from advisor.cli import placing, running, terminal
from advisor.cli.progress_line import ProgressLine
from advisor.core.errors import Cancelled, EngineError, UsageError
from advisor.core.progress import CancelToken
from advisor.report import stutter_words
from advisor.session.stuttering import DEPTH, STREAMS, Question

PROMPT: Final = 2048
"""Tokens of the prompt that arrives, where the user names none and the model's context holds so many."""


def run_chunk(arguments: argparse.Namespace, line: ProgressLine, cancel: CancelToken) -> int:
    """Measure and show; returns the exit code. Raises AdvisorError when nothing was measured."""
    depths = arguments.depths or (DEPTH,)
    if len(depths) != 1:
        raise UsageError("The stutter experiment takes one depth.", "Give one number: -d 512")
    streams = arguments.streams or (STREAMS,)
    if len(streams) != 1:
        raise UsageError("The stutter experiment takes one number of streams.", "Give one: --streams 4")
    pipeline = placing.pipeline_for(arguments)
    model = pipeline.read_model(arguments.model)
    running.must_decode(model)
    held = (model.context_length.or_none() or PROMPT + STEADY_STEPS) - STEADY_STEPS
    prompt = arguments.prompt or max(1, min(PROMPT, held))
    running.must_hold(model, prompt + STEADY_STEPS, "The prompt", "Make -P smaller by {}.")
    running.must_hold(model, depths[0] + 2 * STEADY_STEPS, "The depth of the streams", "Make -d smaller by {}.")
    placement = placing.placement_from(arguments)
    question = Question(
        prompt, streams[0], arguments.chunks or (*CHUNKS, 0), depths[0], arguments.repetitions
    )
    machine, engine = running.machine_and_engine(lambda: pipeline.read_engine(cancel, placement), cancel)
    stutter = pipeline.stutter(
        model, machine, engine, question, running.bench_settings(arguments), placement, line, cancel
    )
    line.close()

    def as_json() -> dict[str, Any]:
        from advisor.report.exporters.stutter_json import chunk_json

        return chunk_json(stutter, arguments.stall, machine, engine, model)

    terminal.present(arguments.json, as_json, lambda: show_stutter(stutter, arguments.stall))
    return _code(stutter, cancel)


def show_stutter(stutter: Stutter, budget_s: float) -> None:
    """Table and sentences, for a longest comfortable pause."""
    print(stutter_words.TITLE)
    terminal.columns([stutter_words.HEAD, *stutter_words.rows(stutter)])
    for sentence in stutter_words.sentences(stutter, budget_s):
        terminal.show_paragraph(sentence, "  ")


def _code(stutter: Stutter, cancel: CancelToken) -> int:
    """0, or the code of what ended it, or of figures that must not be believed; the reason is said."""
    if stutter.interrupted:
        error = (Cancelled if cancel.cancelled else EngineError)(stutter.interrupted)
        terminal.show_error(error)
        return error.exit_code
    return running.conditions_code([stutter.conditions])
