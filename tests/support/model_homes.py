"""Fabricated homes with the model folders of each program, all within one folder."""

import json
import os
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

import pytest

from advisor.core.progress import CancelToken
from advisor.gguf.discover.model import Discovery, FoundModel, Home, Source
from advisor.gguf.discover.places import Place
from advisor.gguf.discover.search import discover
from advisor.gguf.discover.walk import Limits

GIB = 1 << 30
MODEL_LAYER = "application/vnd.ollama.image.model"


@dataclass
class FakeHome:
    """A home below ``folder`` in which files are holes: sizes are real, disk space is not taken."""

    folder: Path
    system: str = "linux"
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def home(self) -> Path:
        return self.folder / "home" / "me"

    def file(self, path: str | Path, size_bytes: int = 5 << 20, head: bytes = b"GGUF") -> Path:
        """A file of this size, by default with the first bytes of a model."""
        target = self.home / path
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("wb") as file:
            file.write(head)
            file.truncate(size_bytes)
        return target

    def hub(self, repository: str, name: str, size_bytes: int = GIB, blob: str = "", revision: str = "abc",
            base: str = ".cache/huggingface/hub") -> Path:  # fmt: skip
        """A file in a Hugging Face cache: a relative link to a blob that is named after its digest."""
        folder = self.home / base / f"models--{repository.replace('/', '--')}"
        digest = sha256((blob or name).encode()).hexdigest()
        if not (folder / "blobs" / digest).exists():
            self.file(folder / "blobs" / digest, size_bytes)
        link = folder / "snapshots" / revision / name
        link.parent.mkdir(parents=True, exist_ok=True)
        up = Path(*[".."] * (len(link.relative_to(folder).parts) - 1))
        link.symlink_to(up / "blobs" / digest)
        return link

    def ollama(self, name: str, blob: str = "", size_bytes: int = GIB, store: str = ".ollama/models",
               head: bytes = b"GGUF") -> Path:  # fmt: skip
        """A manifest ``host/namespace/model/tag`` and its blob; returns the manifest."""
        digest = sha256((blob or name).encode()).hexdigest()
        self.file(Path(store) / "blobs" / f"sha256-{digest}", size_bytes, head)
        layers = [
            {"mediaType": "application/vnd.ollama.image.template", "digest": "sha256:" + "1" * 64, "size": 12},
            {"mediaType": MODEL_LAYER, "digest": f"sha256:{digest}", "size": size_bytes},
        ]
        return self.manifest(name, json.dumps({"schemaVersion": 2, "layers": layers}), store)

    def manifest(self, name: str, text: str, store: str = ".ollama/models") -> Path:
        path = self.home / store / "manifests" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def found(self, *folders: Path, cancel: CancelToken | None = None, limits: Limits | None = None,
              sample: Path | None = None) -> Discovery:  # fmt: skip
        """What a search finds."""
        home = Home(self.home, self.environment, self.system, self.folder)
        own = (Place(Source.OWN, sample),) if sample else ()
        return discover(home, folders, own, cancel, limits)

    def names(self, *folders: Path) -> list[str]:
        """Names of what is found; nothing may have gone wrong."""
        found = self.found(*folders)
        assert found.notes == ()
        return [model.name for model in found.models]

    def only(self, *folders: Path) -> FoundModel:
        """The one model that is found."""
        (model,) = self.found(*folders).models
        return model


def refuse(monkeypatch: pytest.MonkeyPatch, folder: str, error: OSError) -> None:
    """Let the listing of folders of this name fail; the tests may run as root, who has every permission."""
    real = os.scandir

    def scandir(path: str) -> object:
        if Path(path).name == folder:
            raise error
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
