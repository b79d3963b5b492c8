"""Messages on the session bus of a Linux desktop, sent without waiting for an answer."""

import logging
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from PySide6.QtDBus import QDBusConnection

log = logging.getLogger(__name__)

CONNECTION: Final = "two-machines"


def bus_address(environment: Mapping[str, str], platform: str = sys.platform) -> str:
    """Where the session bus is; empty where none is: asking Qt there would start one, and wait for it."""
    if not platform.startswith("linux"):
        return ""
    socket = Path(environment.get("XDG_RUNTIME_DIR") or "/nowhere") / "bus"
    return environment.get("DBUS_SESSION_BUS_ADDRESS") or (f"unix:path={socket}" if socket.exists() else "")


class SessionBus:
    """One connection, made at its first use; everything sent on it is dropped where there is no bus."""

    def __init__(self, name: str = CONNECTION) -> None:
        self._name = name
        self._connection: QDBusConnection | None = None

    def call(self, service: str, path: str, interface: str, method: str, *arguments: object) -> bool:
        """Call a method and want no answer; True when the message is on its way."""
        from PySide6.QtDBus import QDBusMessage

        connection = self._open()
        if connection is None:
            return False
        message = QDBusMessage.createMethodCall(service, path, interface, method)
        message.setArguments(list(arguments))
        return connection.send(message)

    def signal(self, path: str, interface: str, name: str, *arguments: object) -> bool:
        """Tell everybody who listens; True when the message is on its way."""
        from PySide6.QtDBus import QDBusMessage

        connection = self._open()
        if connection is None:
            return False
        message = QDBusMessage.createSignal(path, interface, name)
        message.setArguments(list(arguments))
        return connection.send(message)

    def close(self) -> None:
        """Leave the bus; who holds something for this connection lets go of it."""
        if self._connection is not None:
            from PySide6.QtDBus import QDBusConnection

            self._connection = None
            QDBusConnection.disconnectFromBus(self._name)

    def _open(self) -> "QDBusConnection | None":
        address = bus_address(os.environ)
        if self._connection is None and address:
            try:
                from PySide6.QtDBus import QDBusConnection
            except ImportError as error:  # a bundle may leave it out
                log.info("no D-Bus: %s", error)
                return None
            opened = QDBusConnection.connectToBus(address, self._name)
            if not opened.isConnected():
                log.info("the session bus does not answer: %s", opened.lastError().message())
                return None
            self._connection = opened
        return self._connection
