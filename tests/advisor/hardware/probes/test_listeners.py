"""Who listens on a port."""

import os
import socket
from typing import Any

import psutil
import pytest

from advisor.hardware.probes.listeners import listening_on


def test_the_process_that_listens_is_found_and_nobody_on_a_free_port() -> None:
    with socket.create_server(("127.0.0.1", 0)) as held:
        port = held.getsockname()[1]
        assert os.getpid() in listening_on(port)
    assert listening_on(port) == ()


def test_where_the_system_tells_only_ones_own_those_are_looked_through(monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(*_args: Any, **_more: Any) -> None:
        raise psutil.AccessDenied

    monkeypatch.setattr(psutil, "net_connections", denied)
    with socket.create_server(("127.0.0.1", 0)) as held:
        assert os.getpid() in listening_on(held.getsockname()[1])
