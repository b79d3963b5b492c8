"""``about``: version, engine, and the licences of the parts."""

import argparse
import sys
from typing import Any

from advisor.cli import terminal
from advisor.core.evidence import Unknown
from advisor.session.parts import About, about_program, notices

LICENCE = "MIT"


def about(arguments: argparse.Namespace) -> int:
    """``about``."""
    if arguments.licences:
        sys.stdout.write(notices())
        return 0
    facts = about_program()
    terminal.present(arguments.json, lambda: about_json(facts), lambda: _show(facts))
    return 0


def _show(facts: About) -> None:
    engine = f"unknown: {facts.engine.reason}" if isinstance(facts.engine, Unknown) else facts.engine.value
    terminal.show_pairs(
        f"Two Machines {facts.version}",
        [("Licence", LICENCE), ("Engine", engine), ("Python", facts.python)],
    )
    parts = [(part.name, f"{part.version}, {part.licence or 'see --licences'}") for part in facts.parts]
    terminal.show_pairs("Made with", parts)
    terminal.show_paragraph("All licences in full: two-machines about --licences")


def about_json(facts: About) -> dict[str, Any]:
    """The fields of ``about.schema.json``."""
    engine = facts.engine
    return {
        "schema": "two-machines/about/1",
        "version": facts.version,
        "licence": LICENCE,
        "engine": None if isinstance(engine, Unknown) else engine.value,
        "engine_reason": engine.reason if isinstance(engine, Unknown) else None,
        "python": facts.python,
        "parts": [
            {"name": part.name, "version": part.version, "licence": part.licence or None, "home": part.home or None}
            for part in facts.parts
        ],
    }
