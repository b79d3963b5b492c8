"""Models already on this machine, for the command line and the window."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from advisor.core.errors import BadFile
from advisor.core.home import home_folder
from advisor.core.progress import CancelToken
from advisor.core.translation import tr
from advisor.gguf.discover.model import Discovery, Home, Source
from advisor.gguf.discover.places import Place
from advisor.gguf.discover.search import discover
from advisor.gguf.readable import readable
from advisor.session.paths import user_paths

NO_HOME = Path("/nonexistent")
"""The home of users who have none, as Debian writes it: nothing is found below it."""


def find_models(folders: Sequence[Path] = (), cancel: CancelToken | None = None) -> Discovery:
    """The present user's models, and those in ``folders``.

    Raises:
        BadFile: one of ``folders`` does not exist or is not a folder.
        Cancelled: when stopped.
    """
    for folder in folders:
        _check(folder)
    home = Home(home_folder() or NO_HOME, os.environ, sys.platform)
    absolute = [Path(os.path.abspath(folder)) for folder in folders]  # noqa: PTH100 -- links keep their nice names
    return discover(home, absolute, (Place(Source.OWN, user_paths().sample),), cancel)


def _check(folder: Path) -> None:
    shown, fields = readable(str(folder)), {"path": str(folder)}
    try:
        is_folder, exists = folder.is_dir(), folder.exists()
    except (OSError, ValueError) as error:
        sentence = tr(
            "{folder} could not be read ({error}).", folder=shown, error=getattr(error, "strerror", None) or error
        )
        raise BadFile(sentence, tr("Check the path and the disk it is on."), fields) from error
    if is_folder:
        return
    if exists:
        raise BadFile(
            tr("{name} is a file, not a folder.", name=shown),
            tr("See what it is: two-machines inspect {name}", name=shown),
            fields,
        )
    raise BadFile(
        tr("There is no folder {name}.", name=shown), tr("Check the path; names are case-sensitive on Linux."), fields
    )
