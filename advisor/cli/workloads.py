"""The workload that the arguments of ``diagnose`` describe."""

import argparse
from dataclasses import replace

from advisor.core.errors import UsageError
from advisor.diagnosis.model import Comfort, Workload
from advisor.diagnosis.workload import custom, preset

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
