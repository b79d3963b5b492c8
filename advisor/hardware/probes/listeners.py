"""Which processes of this machine listen on a TCP port. By hand: ``ss -ltnp``, ``lsof -iTCP -sTCP:LISTEN``."""

from collections.abc import Iterable

import psutil


def listening_on(port: int) -> tuple[int, ...]:
    """Processes that listen on the port, with their descendants; empty where none does or the system does not tell.

    A server's work is often done by its children (a runner, an engine core). Processes of other users and inside
    containers stay hidden on most systems.
    """
    found: set[int] = set()
    for pid in _listeners(port):
        found.add(pid)
        try:
            found.update(child.pid for child in psutil.Process(pid).children(recursive=True))
        except psutil.Error:
            continue
    return tuple(sorted(found))


def _listeners(port: int) -> Iterable[int]:
    try:
        held = psutil.net_connections(kind="tcp")
    except (psutil.Error, OSError):  # macOS tells all connections to root only, and everybody their own
        return _own_listeners(port)
    return {one.pid for one in held if one.pid and _listens(one, port)}


def _own_listeners(port: int) -> Iterable[int]:
    found = set()
    for process in psutil.process_iter():
        try:
            if any(_listens(one, port) for one in process.net_connections(kind="tcp")):
                found.add(process.pid)
        except (psutil.Error, OSError):
            continue
    return found


def _listens(connection: "psutil._common.sconn", port: int) -> bool:
    return bool(connection.status == psutil.CONN_LISTEN and connection.laddr and connection.laddr.port == port)
