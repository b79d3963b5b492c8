"""Where things are kept, by the platform's own conventions; ``TWO_MACHINES_HOME`` moves all of them."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import platformdirs

APP_NAME: Final = "two-machines"
HOME_VARIABLE: Final = "TWO_MACHINES_HOME"


@dataclass(frozen=True, slots=True)
class Paths:
    """Folders of this user; none is made before something is written to it.

    Attributes:
        history: folder of the results where it is not ``data``.
    """

    config: Path
    data: Path
    cache: Path
    logs: Path
    history: Path | None = None

    @property
    def safe_modes(self) -> Path:
        """Engine builds that must run in safe mode."""
        return self.data / "safe_mode.json"

    @property
    def window(self) -> Path:
        """What the window keeps from one start to the next."""
        return self.config / "window.json"

    @property
    def results(self) -> Path:
        """Everything that was ever measured, an SQLite file."""
        return (self.history or self.data) / "results.sqlite"

    @property
    def turn(self) -> Path:
        """Locked by whoever measures; beside the results, since it belongs to this computer's measurements."""
        return self.data / "measuring.lock"

    @property
    def probes(self) -> Path:
        """Probes of this machine, for ceilings without measuring; a cache, since they can be measured again."""
        return self.cache / "probes.json"

    @property
    def sample(self) -> Path:
        """The assembled sample model's folder."""
        return self.cache / "sample"

    @property
    def scratch(self) -> Path:
        """Files of an experiment, removed at its end; beside the other things that can be made again."""
        return self.cache / "scratch"


@contextmanager
def paths_beside_history() -> Iterator[Paths]:
    """The user's folders with a history of their own that is gone at the end, for checks, which are no user's runs."""
    import tempfile  # most commands do without

    with tempfile.TemporaryDirectory(prefix=f"{APP_NAME}-") as folder:
        yield replace(user_paths(), history=Path(folder))


def user_paths() -> Paths:
    """The folders of the present user."""
    home = os.environ.get(HOME_VARIABLE)
    if home:
        base = Path(home)
        return Paths(base / "config", base / "data", base / "cache", base / "logs")
    dirs = platformdirs.PlatformDirs(APP_NAME, appauthor=False)
    return Paths(dirs.user_config_path, dirs.user_data_path, dirs.user_cache_path, dirs.user_log_path)
