"""A running server measured in its turn, judged by the user's lines, and kept."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Union

from advisor import __version__
from advisor.core.progress import CancelToken, Progress
from advisor.hardware.detect import read_machine
from advisor.report.server_document import ServerDocument, server_document
from advisor.servers.address import read_address
from advisor.servers.advice import Comfort
from advisor.servers.measuring import measure_server
from advisor.servers.model import ServerResult, ServerSettings
from advisor.servers.run import Event as ServerEvent
from advisor.session.events import Event, Remark
from advisor.session.experiments import Experiments
from advisor.session.paths import Paths, user_paths
from advisor.session.turn import Turn

Listener = Callable[[Union[ServerEvent, Remark]], None]
"""Hears what ``measure_server`` tells, and remarks on the turn and on what could not be kept."""


def measure_and_keep(
    settings: ServerSettings,
    comfort: Comfort,
    listen: Listener,
    cancel: CancelToken,
    wait: bool = True,
    paths: Paths | None = None,
) -> ServerDocument:
    """Measure as ``measure_server`` does, which says what is raised; what was measured goes into the store.

    Args:
        settings: what is asked of the server.
        comfort: the user's lines, for the verdict.
        listen: hears progress, notes, partial results and remarks, on this thread.
        cancel: ends it, also while another measurement is waited for.
        wait: whether to wait for another measurement of this program, which would disturb both.
        paths: where the results lie.
    """
    paths = paths or user_paths()
    address = read_address(settings.url)  # what is wrong with it is said before anything is waited for

    def hear(event: Event) -> None:
        if isinstance(event, Progress | Remark):
            listen(event)

    with Turn(paths.turn, wait).taken(hear, cancel) as held:
        created_at = datetime.now().astimezone().isoformat(timespec="seconds")
        result: ServerResult = measure_server(settings, listen, cancel)
    result = replace(result, doubts=(*result.doubts, *held.notes))
    document = server_document(created_at, __version__, result, settings, comfort)
    machine = read_machine() if address.loopback else None
    Experiments(paths.results).keep_server(document, machine, hear)
    return document
