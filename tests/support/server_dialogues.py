"""Recorded and written dialogues of servers, from ``tests/data/servers``."""

import json
from pathlib import Path

from advisor.servers.facts import Answer

FOLDER = Path(__file__).parents[1] / "data" / "servers"


def answers(name: str) -> list[Answer]:
    """The answers of a server's probing endpoints."""
    return [Answer(**row) for row in json.loads((FOLDER / f"{name}_probes.json").read_text(encoding="utf-8"))]


def text(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


def chunks(name: str) -> list[dict[str, object]]:
    """The JSON objects of a recorded stream."""
    lines = [line[6:] for line in text(name).splitlines() if line.startswith("data: {")]
    return [json.loads(line) for line in lines]
