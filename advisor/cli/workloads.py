"""The workload that the arguments of ``diagnose`` describe."""

import argparse
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from advisor.core.errors import UsageError
from advisor.core.numbers import plural
from advisor.core.progress import CancelToken
from advisor.diagnosis.model import Comfort, Workload
from advisor.diagnosis.workload import custom, preset
from advisor.gguf.readable import readable

if TYPE_CHECKING:
    from advisor.session.pipeline import Pipeline

DEFAULT = "rag"


def workload_from(arguments: argparse.Namespace, prompt_tokens: int | None = None) -> Workload:
    """A preset, with single numbers replaced where given.

    Args:
        arguments: of ``diagnose``.
        prompt_tokens: counted from a prompt file, in place of a number.

    Raises:
        UsageError: an unknown name, or a shared part longer than the prompt.
    """
    if arguments.prompt_file is not None and arguments.prompt is not None:
        raise UsageError("Give --prompt or --prompt-file, not both.")
    base = preset(arguments.workload or DEFAULT)
    comfort = Comfort(
        arguments.wait or base.comfort.longest_wait_s, arguments.slowest or base.comfort.slowest_tokens_per_s
    )
    kept = base.prefix_kept if arguments.keeps_prefix is None else arguments.keeps_prefix
    asked = arguments.prompt or prompt_tokens
    given = (asked, arguments.shared, arguments.answer, arguments.users, arguments.turns)
    if all(number is None for number in given):
        return replace(base, comfort=comfort, prefix_kept=kept)
    prompt = asked or base.prompt_tokens
    # Nothing is known to repeat in a prompt of the user's own; a preset that was named brings its share.
    usual = min(base.shared_tokens, prompt) if asked is None or arguments.workload else 0
    shared = usual if arguments.shared is None else arguments.shared
    return custom(
        prompt=prompt,
        answer=arguments.answer or base.answer_tokens,
        shared=shared,
        users=arguments.users or base.users,
        comfort=comfort,
        turns=arguments.turns or base.turns,
        prefix_kept=kept,
    )


def counted_workload(arguments: argparse.Namespace, pipeline: "Pipeline", cancel: CancelToken) -> Workload:
    """The workload, a prompt file counted with the model's own tokenizer and its length told on standard error.

    Raises:
        UsageError: as ``workload_from``.
        AdvisorError: the model or the file cannot be read.
        Cancelled: stopped while counting.
    """
    if arguments.prompt_file is None:
        return workload_from(arguments)
    model = pipeline.read_model(arguments.model)
    counted = pipeline.count_tokens(model.engine_file, arguments.prompt_file, cancel)
    print(f"{readable(counted.name)} has {plural(counted.tokens, 'token')} to this model.", file=sys.stderr)
    return workload_from(arguments, counted.tokens)
