"""What a search for models gives back, and what it is given to start from."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from advisor.core.translation import marked, trn
from advisor.gguf.readable import readable

LONGEST_PATH = 1 << 16
"""Characters; longer than any system allows, so that paths are made printable and never cut."""


class Source(StrEnum):
    """Which program keeps the file; the user reads ``tr`` of the text.

    The order is that of preference between two names of one file: those that are file names with the quantisation in
    them come first, Ollama's short names last.
    """

    OWN = "Two Machines"
    LM_STUDIO = "LM Studio"
    HUGGING_FACE = "Hugging Face"
    LLAMA_CPP = "llama.cpp"
    JAN = "Jan"
    GPT4ALL = "GPT4All"
    WEBUI = "text-generation-webui"
    FOLDER = marked("folder")
    """A folder that the user named."""
    OLLAMA = "Ollama"


@dataclass(frozen=True, slots=True)
class FoundModel:
    """A model file, or a set of files that is one model. Nothing but its directory entry was read.

    Attributes:
        name: file name without ending and shard number, or Ollama's ``name:tag``; on one line, fit to be shown.
        path: what to open: a file, a link to one, or the first file that is there of a set.
        size_bytes: of all its files that are there; links count as what they point to.
        source: who keeps it.
        shards: files that the model has, 1 or more.
        missing_shards: how many of them are not there, 0 to ``shards - 1``.
    """

    name: str
    path: Path
    size_bytes: int
    source: Source
    shards: int = 1
    missing_shards: int = 0

    def __post_init__(self) -> None:
        if self.size_bytes < 0 or not 0 <= self.missing_shards < self.shards:
            raise ValueError(f"impossible model: {self}")


@dataclass(frozen=True, slots=True)
class Discovery:
    """The result of a search.

    Attributes:
        models: each file once, sorted by name as people sort.
        notes: sentences about what was left out or could not be read; home folders are written as ``~``.
    """

    models: tuple[FoundModel, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Home:
    """Whose models are looked for; passed in, so that a fabricated home is searched like a real one.

    Attributes:
        folder: the home folder.
        environment: variables such as ``OLLAMA_MODELS``; an empty one counts as not set.
        system: as ``sys.platform`` says it: ``linux``, ``darwin``, ``win32``.
        root: where folders of the whole system begin.
    """

    folder: Path
    environment: Mapping[str, str]
    system: str
    root: Path = Path("/")

    def variable(self, name: str) -> Path | None:
        """The folder that a variable names, its ``~`` and quotes resolved; None where it is not set."""
        text = self.environment.get(name, "").strip().strip("\"'").strip()
        return self.expanded(text) if text else None

    def expanded(self, text: str) -> Path:
        """A path in which a leading ``~`` is this home."""
        if text == "~":
            return self.folder
        return self.folder / text[2:] if text.startswith(("~/", "~\\")) else Path(text)


class Notes:
    """Sentences collected on the way: each once, and not more than a person reads."""

    LIMIT = 20

    def __init__(self, home: Path) -> None:
        self._home = str(home)
        self._sentences: dict[str, None] = {}

    def add(self, sentence: str) -> None:
        """Keep a sentence."""
        self._sentences[sentence] = None

    def short(self, path: str | Path) -> str:
        """The path for a sentence: the home folder as ``~``, on one line."""
        text = str(path)
        inside = len(self._home) > 1 and text.startswith(self._home) and text[len(self._home) :][:1] in ("", "/", "\\")
        return readable("~" + text[len(self._home) :] if inside else text, LONGEST_PATH)

    def collected(self) -> tuple[str, ...]:
        """All sentences, the last of them a count of those beyond ``LIMIT``."""
        kept = tuple(self._sentences)
        if len(kept) <= self.LIMIT:
            return kept
        more = len(kept) - self.LIMIT
        return (*kept[: self.LIMIT], _unshown(more))


def _unshown(more: int) -> str:
    return trn("{n} more such note is not shown.", "{n} more such notes are not shown.", more, n=more)
