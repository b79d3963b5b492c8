"""Commands in README and guide that are not the program's own: a script of ours runs each, or it is said why not."""

import re
from typing import Final

import pytest

from tests.packaging.test_documentation import ROOT, TEXTS, code

DOCUMENTS: Final = [name for name in TEXTS if name == "README.md" or name.startswith(("resources/", "packaging/"))]
RUNNERS: Final = re.compile(
    r"(?:make|python[\d.]*|py|pip|pipx|uv|apt|sh|xcrun|iscc|codesign|signtool|twine|lintian|appstreamcli"
    r"|desktop-file-validate|\.venv/bin/python|build/environment/bin/\w+|\./install\.sh|packaging/[\w/]+\.(?:sh|py)"
    r"|TWO_MACHINES_ENGINE=\S+)\b(?= |$)"
)
"""What a line of code begins with when it is a command."""
RUN_BY: Final = {
    r"make (run|test|check|docs)\b": (".ci/run", r"^(env .*)?make \1$"),
    r"(\.venv/bin/)?python -m venv \.venv": ("Makefile", r"-m venv \$\(VENV\)"),
    r'\.venv/bin/python -m pip install -e "\.\[sample,dev\]"': ("Makefile", r'pip .*--editable "\.\[sample,dev\]"'),
    r"(\.venv/bin/)?python -m pytest": ("Makefile", r"python -m pytest"),
    r"python -m build && twine check --strict dist/\* && python packaging/wheel_contents\.py dist/\*\.whl": (
        "packaging/release.sh", r"-m build .*\n.*twine check --strict .*\n.*packaging/wheel_contents\.py dist/\*\.whl",
    ),
    r"packaging/build_linux\.sh": ("packaging/release.sh", r"^ +packaging/build_linux\.sh"),
    r"packaging/engine/build\.sh": ("packaging/build_linux.sh", r"packaging/engine/build\.sh "),
    r"packaging/try_in_fresh_root\.sh": ("packaging/release.sh", r"packaging/try_in_fresh_root\.sh "),
    r"\./install\.sh": ("packaging/try_in_fresh_root.sh", r"\./unpacked/install\.sh"),
    r"desktop-file-validate \S+\.desktop": ("packaging/release.sh", r"desktop-file-validate "),
    r"appstreamcli validate --no-net": ("packaging/release.sh", r"appstreamcli validate --no-net "),
    r"lintian dist": ("packaging/release.sh", r"lintian "),
    r"python -m (tests\.benchmarks\.(?:validity|overhead)|ui\.printing)": (
        "tests/packaging/test_commands_run.py", r'"\1"',
    ),
}  # fmt: skip
"""Command -> the file that runs it, and how it stands there; tests and .ci/run are run for every change, the release
script for every release."""
NOT_RUN: Final = {
    r"pipx install|uv tool": "needs the package on an index; release.sh installs the wheel in a clean environment",
    r"apt install": "changes the system; .ci/run installs the same and more",
    r"pip install( atheris)?$": "brings a tool that the project does not need",
    r"\.venv/bin/python -m tests\.fuzz\.long_run": "an hour of it is for after changes to the reader",
    r"make (screenshots|bench)": "pictures and figures for people to look at",
    r"python -m tests\.benchmarks\.bundle_engine": "compares speeds, which needs a machine that does nothing else",
    r"python -m venv ~/venv$": "one way of many to another engine",
    r"python compare-llama-bench\.py": "a script of llama.cpp's",
    r"python -m advisor COMMAND": "stands for all of them",
    r"py -3\.12|iscc|build\\|signtool|python packaging\\": "Windows; was not there",
    r"python3\.12 -m venv build/|build/environment/bin|TWO_MACHINES_ENGINE=|xcrun|codesign": "macOS; was not there",
}
"""Command -> why nothing of ours runs it."""


def others() -> list[tuple[str, str]]:
    """(document, command); a tool's name alone is no command."""
    lines = {(name, line) for name in DOCUMENTS for line in code(TEXTS[name]) if RUNNERS.match(line)}
    return sorted((name, line) for name, line in lines if " " in line or line.startswith("packaging/"))


def test_there_are_some() -> None:
    assert len(others()) > 20


@pytest.mark.parametrize(("document", "line"), others(), ids=[f"{name}: {line}" for name, line in others()])
def test_it_is_run_somewhere_or_known_why_not(document: str, line: str) -> None:
    for pattern, (file, there) in RUN_BY.items():
        if found := re.match(pattern, line):
            how = there.replace(r"\1", re.escape(found.group(1) or "")) if found.groups() else there
            assert re.search(how, (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE), f"{file} does not run it"
            return
    assert any(re.match(pattern, line) for pattern in NOT_RUN), f"{document}: who runs this?"
