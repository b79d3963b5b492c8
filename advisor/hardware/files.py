"""Reading small system files, where every failure is an Unknown with its reason."""

from pathlib import Path

from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.core.translation import tr


def read_text(path: Path) -> Fact[str]:
    """The text of a kernel or system file; undecodable bytes become replacement characters."""
    try:
        return Known(path.read_bytes().decode("utf-8", errors="replace"), Basis.READ, str(path))
    except (FileNotFoundError, NotADirectoryError):
        return Unknown(tr("this system has no {path}", path=path), Missing.NOT_SUPPORTED)
    except PermissionError:
        return Unknown(tr("no permission to read {path}", path=path), Missing.NO_PERMISSION)
    except OSError as error:
        return Unknown(
            tr("{path} could not be read ({error})", path=path, error=error.strerror or type(error).__name__),
            Missing.FAILED,
        )


def text_or_empty(path: Path) -> str:
    """The stripped text of a file, or "" where it cannot be read: for files whose absence says nothing."""
    return (read_text(path).or_none() or "").strip()


def parse_cpu_list(text: str) -> frozenset[int]:
    """CPU numbers of a kernel list such as "0-3,8,10-11"; malformed parts are left out.

    Source: Documentation/admin-guide/cputopology.rst of the Linux kernel.
    """
    numbers: set[int] = set()
    for part in text.strip().split(","):
        first, dash, last = part.strip().partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()):
            continue
        low, high = int(first), int(last) if dash else int(first)
        if high - low < _MOST_CPUS:
            numbers.update(range(low, high + 1))
    return frozenset(numbers)


_MOST_CPUS = 65536
"""More than any kernel is built for (8192 on x86); keeps a corrupt list from filling the memory."""
