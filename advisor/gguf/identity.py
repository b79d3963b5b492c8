"""Which file this is, without reading a weight."""

import hashlib
from pathlib import Path

from advisor.core.errors import BadFile
from advisor.core.evidence import Basis, Fact, Known, Unknown
from advisor.core.translation import tr
from advisor.gguf.reader import read_header

_CHUNK_BYTES = 1 << 20


def header_sha256(path: Path) -> Fact[str]:
    """SHA-256 of everything before the first tensor's data, of the first file of a set; about 0.1 s.

    Keys, vocabulary and tensor table are in it, so two models or two quantisations differ; two files that differ in
    their weights only do not. By hand: ``head -c DATA_START MODEL | sha256sum``.
    """
    try:
        left = read_header(path).data_start
        digest = hashlib.sha256()
        with path.open("rb") as file:
            while left > 0 and (chunk := file.read(min(left, _CHUNK_BYTES))):
                digest.update(chunk)
                left -= len(chunk)
    except BadFile as error:
        return Unknown(error.sentence.rstrip("."))
    except OSError as error:
        return Unknown(tr("{file} cannot be read ({error})", file=path.name, error=error.strerror or error))
    return Known(digest.hexdigest(), Basis.COMPUTED, tr("the file's header"))
