"""The workload that the arguments of ``diagnose`` describe."""

import argparse

from advisor.diagnosis.model import Workload
from advisor.diagnosis.workload import custom, preset

DEFAULT = "rag"


def workload_from(arguments: argparse.Namespace) -> Workload:
    """A preset, with single numbers replaced where given.

    Raises:
        UsageError: an unknown name, or a shared part longer than the prompt.
    """
    base = preset(arguments.workload or DEFAULT)
    given = (arguments.prompt, arguments.shared, arguments.answer, arguments.users)
    if all(number is None for number in given):
        return base
    prompt = arguments.prompt or base.prompt_tokens
    shared = min(base.shared_tokens, prompt) if arguments.shared is None else arguments.shared
    return custom(
        prompt=prompt,
        answer=arguments.answer or base.answer_tokens,
        shared=shared,
        users=arguments.users or base.users,
        comfort=base.comfort,
    )
