"""How tests start children that misbehave."""

import os
import sys
from pathlib import Path

from advisor.benchmarks.launch import Launch, worker_environment

BAD_CHILD = Path(__file__).with_name("bad_child.py")


def bad_child(mode: str, *arguments: str) -> Launch:
    """A launch of ``bad_child.py`` in the given mode."""
    return Launch((sys.executable, str(BAD_CHILD), mode, *arguments), worker_environment(os.environ))


def quantise_child(mode: str) -> Launch:
    """A launch of ``quantise_child.py`` in the given mode."""
    program = Path(__file__).with_name("quantise_child.py")
    return Launch((sys.executable, str(program), mode), worker_environment(os.environ))
