"""Whether a text is a result of ours, and what it holds."""

import json
from typing import Any, Final

from advisor.core.errors import BadFile
from advisor.core.translation import tr
from advisor.importing.reading import OWN_SCHEMA, OWN_WITHIN

OWN: Final = "two-machines/"


def own_result(text: str, name: str) -> dict[str, Any] | None:
    """The object of our JSON; None for a text of anybody else.

    Raises:
        BadFile: it begins as ours, and the rest is missing or damaged.
    """
    text = text.lstrip("\ufeff \r\n\t")
    if not text.startswith("{"):
        return None
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        if OWN_SCHEMA.search(text[:OWN_WITHIN]) is None:
            return None
        raise BadFile(
            tr("{name} is a result of Two Machines, and it is cut off or damaged.", name=name),
            tr("Write it anew from the history: two-machines history export RUN --json FILE"),
        ) from error
    return data if isinstance(data, dict) and str(data.get("schema", "")).startswith(OWN) else None
