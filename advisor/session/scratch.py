"""Folders for files that an experiment makes and removes, also after an earlier one that was killed."""

import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import mkdtemp

from advisor.benchmarks.store.connection import Damaged, connected
from advisor.benchmarks.store.model import StoreError
from advisor.core.errors import AdvisorError
from advisor.core.translation import tr

_LOCK = "in-use"
_PREFIX = "trial-"


@contextmanager
def scratch_folder(base: Path) -> Iterator[Path]:
    """A fresh folder below ``base``, gone at the end with everything in it; left-overs of killed runs go first.

    A folder that another run is using is told by a lock that ends with its holder, however that dies.

    Raises:
        AdvisorError: the folder cannot be made (full or read-only disk).
    """
    remove_left_overs(base)
    lock = ExitStack()
    try:
        base.mkdir(parents=True, exist_ok=True)
        folder = Path(mkdtemp(prefix=_PREFIX, dir=base))
        lock.callback(shutil.rmtree, folder, ignore_errors=True)
        lock.enter_context(_held(folder, busy_s=1.0))
    except (OSError, StoreError, Damaged) as error:
        lock.close()
        raise AdvisorError(
            tr("The folder for scratch files cannot be written to: the disk is full or read-only."),
            tr("Make room, or set TWO_MACHINES_HOME to a folder on another disk."),
        ) from error
    try:
        yield folder
    finally:
        lock.close()


def remove_left_overs(base: Path) -> None:
    """Remove the folders of runs that are no more; those in use and whatever else lies there stay."""
    for folder in base.glob(f"{_PREFIX}*"):
        if folder.is_symlink() or not (folder / _LOCK).is_file():
            continue
        try:
            with _held(folder, busy_s=0.0):
                pass
        except (OSError, StoreError, Damaged):
            continue  # someone is using it, or it cannot be told
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _held(folder: Path, busy_s: float) -> Iterator[None]:
    """A transaction on an empty SQLite file: it works as a lock on every system."""
    with connected(folder / _LOCK, busy_s, create=True) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        yield
