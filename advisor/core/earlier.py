"""Sentences that earlier versions wrote into results and that none says any more.

They stay in the catalogue, so that a stored result is still told whole in the reader's language (``core.retelling``).
A sentence that is kept in results and gets other words leaves its old ones here.
"""

from typing import Final

from advisor.core.translation import marked

EARLIER: Final = (
    marked("Model and cache take {needed} and stay in memory."),
    marked("Model and cache take {needed} of {total}."),
    marked("Neither is your problem."),
    marked("The run did not end: the program or the computer stopped in the middle."),
    marked("measured here on {when}"),
)
