"""Name and version of the operating system. By hand: ``cat /etc/os-release``, ``uname -r``."""

import platform
import sys
from pathlib import Path

from advisor.hardware.files import text_or_empty


def parse_os_release(text: str) -> str | None:
    """PRETTY_NAME of an os-release file (os-release(5)); None where it has none."""
    for line in text.splitlines():
        key, _, value = line.partition("=")
        if key.strip() == "PRETTY_NAME":
            return value.strip().strip("\"'").strip() or None
    return None


def read(root: Path = Path("/")) -> str:
    """The system in words: "Debian GNU/Linux 12 (bookworm), kernel 6.1.0"."""
    if sys.platform == "darwin":
        return f"macOS {platform.mac_ver()[0]}"
    if sys.platform == "win32":
        return f"Windows {platform.release()} (build {platform.version()})"
    text = text_or_empty(root / "etc/os-release") or text_or_empty(root / "usr/lib/os-release")
    return f"{parse_os_release(text) or platform.system()}, kernel {platform.release()}"


def read_architecture() -> str:
    """Instruction set family: "x86_64", "arm64", or the system's own word for others."""
    machine = platform.machine()
    return {"AMD64": "x86_64", "amd64": "x86_64", "aarch64": "arm64", "ARM64": "arm64"}.get(
        machine, machine or "unknown"
    )
