"""README and guide say what is so: every command is one that the program takes, every link and picture is there.

``test_commands_run.py`` runs the commands.
"""

import argparse
import importlib.util
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from advisor.benchmarks.engines.getting import GPU_WAYS
from advisor.cli.examples import EXAMPLES
from advisor.cli.parser import parse, parser
from advisor.cli.reference import reference_markdown
from advisor.core.errors import UsageError
from ui.__main__ import _is_model
from ui.viewmodels.guide import ELSEWHERE, FOLDER, PAGES, REFERENCE, page_text, slug, target_of

ROOT = Path(__file__).parents[2]
GUIDE = {f"resources/guide/{name}.md": page_text(name) for name, _title in PAGES}
OTHERS = (
    "README.md", "docs/developers.md", "docs/accuracy.md", "docs/architecture.md", "docs/schema/README.md",
    "packaging/README.md",
)  # fmt: skip
TEXTS = {**GUIDE, **{name: (ROOT / name).read_text(encoding="utf-8") for name in OTHERS}}
MOST_PICTURE_BYTES = 150_000
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")


def code(text: str) -> Iterator[str]:
    """Lines and snippets of code."""
    for line in re.sub(r"^```.*$", "", text, flags=re.MULTILINE).splitlines():
        if line.startswith("    "):
            yield line.strip()
        else:
            yield from re.findall(r"`([^`]+)`", line.replace("\\|", "|"))


def commands() -> Iterator[tuple[str, str]]:
    """(document, command) of all that begins like a call of the program; the reference is made of the parser."""
    for name, text in TEXTS.items():
        if name.endswith(f"/{REFERENCE}.md"):
            continue
        for snippet in code(text):
            found = re.match(r"(?:\.venv/bin/)?two-machines( .+)?$|python -m advisor( [^C].+)$", snippet)
            if found and snippet != "two-machines: command not found":
                yield name, re.sub(r"^(\.venv/bin/)?two-machines ?|^python -m advisor ", "", snippet)
            elif snippet.partition(" ")[0] in choices() and " " in snippet:
                yield name, snippet


def words_of(command: str) -> list[str]:
    """The words that the program gets: without a comment, a pipe, and the dots of 'and so on'."""
    return [word for word in shlex.split(command.partition(" | ")[0], comments=True) if word != "…"]


def choices() -> dict[str, argparse.ArgumentParser]:
    """Every command's parser by its name."""
    found = next(action for action in parser()._actions if isinstance(action, argparse._SubParsersAction))
    return dict(found.choices)


ALL = sorted(set(commands()))


def test_there_are_commands_to_look_at() -> None:
    named = {word for _name, command in ALL for word in words_of(command)[:1]}
    assert named >= {"diagnose", "server", "selftest", "engines", "compare", "desktop"}


@pytest.mark.parametrize(("document", "command"), ALL, ids=[f"{name}: {command}" for name, command in ALL])
def test_every_command_is_taken(document: str, command: str) -> None:
    words = [word.replace("RESULT.json", "result.json") for word in words_of(command)]
    if not words or _is_model(words[0]) or words[0] == "MODEL":
        return  # opens the window
    try:
        parse(words)
    except UsageError as error:
        # A command that is only named, like `sweep chunk`, lacks what it needs and nothing else.
        assert "arguments are required" in error.sentence and words[0] in choices(), f"{document}: {command}: {error}"


def test_every_example_of_the_reference_is_taken_and_every_command_is_in_it() -> None:
    text = reference_markdown()
    assert all(f"## {name}\n" in text for name in choices())
    assert {name.split()[0] for name in EXAMPLES} == set(choices())
    for lines in EXAMPLES.values():
        for line in lines:
            parse(shlex.split(line))


def test_every_option_is_in_the_reference() -> None:
    text = reference_markdown()
    for name, command in choices().items():
        section = text.partition(f"## {name}\n")[2].partition("\n## ")[0]
        options = [option for action in command._actions for option in action.option_strings]
        missing = [option for option in options if f"`{option}`" not in section]
        assert set(missing) <= {"-h", "--help", "--json"}, name


def test_modules_and_targets_that_the_documents_name_are_there() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for name, text in TEXTS.items():
        for snippet in code(text):
            if found := re.match(r"make ([a-z]+)", snippet):
                assert re.search(rf"^{found.group(1)}:", makefile, re.MULTILINE), (name, snippet)
            module = re.search(r"python -m ((?:tests|advisor|ui)[\w.]*)", snippet)
            if module:
                assert importlib.util.find_spec(module.group(1)), (name, snippet)


def test_files_that_the_developers_guide_names_are_there() -> None:
    for path in re.findall(r"`((?:advisor|docs|packaging|resources|tests|ui)/[\w./-]+)`", TEXTS["docs/developers.md"]):
        assert "your_" in path or (ROOT / path).exists(), path


@pytest.mark.parametrize("name", TEXTS)
def test_links_lead_somewhere(name: str) -> None:
    folder = (ROOT / name).parent
    for link in LINK.findall(TEXTS[name]):
        if link.startswith(("http:", "https:")):
            continue
        path, _mark, heading = link.partition("#")
        if path.startswith("schema/"):
            folder = ROOT / "docs"
        elif name == "docs/developers.md" and path == "packaging.md":
            path = "../packaging/README.md"
        target = folder / path if path else ROOT / name
        if target.stem == REFERENCE:
            text = reference_markdown()
        else:
            assert target.is_file(), (name, link)
            text = target.read_text(encoding="utf-8") if target.suffix == ".md" else ""
        if heading:
            assert heading in {slug(line.lstrip("# ")) for line in text.splitlines() if line.startswith("#")}, link


def test_pictures_are_used_and_light() -> None:
    used = {
        link.partition("/")[2] for text in GUIDE.values() for link in LINK.findall(text) if link.startswith("images/")
    }
    there = {path.name: path.stat().st_size for path in (FOLDER / "images").iterdir()}
    assert used == set(there)
    assert max(there.values()) <= MOST_PICTURE_BYTES


def test_the_guide_has_the_pages_that_the_window_lists() -> None:
    assert {path.stem for path in FOLDER.glob("*.md")} == {name for name, _title in PAGES} - {REFERENCE}


def test_the_site_is_put_together_of_every_page(tmp_path: Path) -> None:
    path = ROOT / "docs" / "build_site.py"
    spec = importlib.util.spec_from_file_location("build_site", path)
    assert spec is not None and spec.loader is not None
    recipe = importlib.util.module_from_spec(spec)
    before = list(sys.path)
    spec.loader.exec_module(recipe)
    sys.path[:] = before
    recipe.stage(tmp_path)
    index = (tmp_path / "index.md").read_text(encoding="utf-8")
    pages = {str(page.relative_to(tmp_path).with_suffix("")) for page in tmp_path.rglob("*.md")}
    assert pages == {name for name, _title in PAGES} | set(recipe.MOUNTED)
    assert all(f"\n{page}\n" in index for page in pages - {"index"})
    assert "(machine.schema.json)" in (tmp_path / "schema" / "README.md").read_text(encoding="utf-8")


def test_the_three_lines_stand_in_the_guide() -> None:
    page = page_text("gpu").replace("`", "").replace("*", "")
    for line in GPU_WAYS:
        assert line in page


def test_the_keys_of_the_guide_are_those_of_the_window() -> None:
    window = (ROOT / "ui" / "shell" / "shortcuts.py").read_text(encoding="utf-8")
    key = r"(?:Ctrl\+(?:Shift\+)?[\w?]|(?:Shift\+)?F\d|Esc)"
    table = page_text("window").partition("| key |")[2].partition("## ")[0]
    assert set(re.findall(key, table)) == set(re.findall(f'"({key})"', window))


def test_pages_that_do_not_travel_say_where_they_are() -> None:
    assert page_text("schema/README") == ELSEWHERE.format(name="schema/README")
    assert page_text("../../etc/passwd").startswith("# Not in this window")


@pytest.mark.parametrize(
    ("link", "page", "heading", "address"),
    [
        ("figures.md#stamps", "figures", "stamps", ""),
        ("#stamps", "", "stamps", ""),
        ("https://example.org/a#b", "", "", "https://example.org/a#b"),
        ("schema/README.md", "schema/README", "", ""),
    ],
)
def test_links_are_taken_apart(link: str, page: str, heading: str, address: str) -> None:
    target = target_of(link)
    assert (target.page, target.heading, target.address) == (page, heading, address)


def test_slugs_are_those_of_the_site() -> None:
    assert slug("What limits a phase") == "what-limits-a-phase"
    assert slug("Ranges and \u201cnot distinguishable\u201d, twice") == "ranges-and-not-distinguishable-twice"
